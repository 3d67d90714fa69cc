# The tests, and the target `check`: format, lint, test.
enable_testing()
include(GoogleTest)
find_package(GTest REQUIRED)

file(GLOB test_sources CONFIGURE_DEPENDS tests/*.cpp)
add_executable(scoville_caf_tests ${test_sources})
target_compile_options(scoville_caf_tests PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
target_compile_definitions(scoville_caf_tests PRIVATE PEER_PROGRAM="$<TARGET_FILE:scoville-caf>")
target_link_libraries(scoville_caf_tests PRIVATE scoville_caf_suite GTest::gtest_main)
add_dependencies(scoville_caf_tests scoville-caf)
gtest_discover_tests(scoville_caf_tests)

find_program(CLANG_FORMAT clang-format REQUIRED)
find_program(CLANG_TIDY clang-tidy REQUIRED)
file(GLOB_RECURSE all_sources CONFIGURE_DEPENDS src/*.cpp src/*.hpp tests/*.cpp tests/*.hpp)
file(GLOB_RECURSE linted_sources CONFIGURE_DEPENDS src/*.cpp)
# Not on every build: the stamp is renewed when a source or the rules change.
set(lint_stamp "${CMAKE_CURRENT_BINARY_DIR}/lint.stamp")
add_custom_command(
  OUTPUT "${lint_stamp}"
  COMMAND "${CLANG_FORMAT}" --dry-run -Werror ${all_sources}
  COMMAND "${CLANG_TIDY}" --quiet -p "${CMAKE_BINARY_DIR}" ${linted_sources}
  COMMAND "${CMAKE_COMMAND}" -E touch "${lint_stamp}"
  DEPENDS ${all_sources} .clang-format .clang-tidy
  COMMENT "clang-format and clang-tidy"
  VERBATIM)
add_custom_target(lint DEPENDS "${lint_stamp}")
add_custom_target(check COMMAND "${CMAKE_CTEST_COMMAND}" --output-on-failure DEPENDS scoville_caf_tests lint USES_TERMINAL)
