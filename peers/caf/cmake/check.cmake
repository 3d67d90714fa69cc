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
file(GLOB_RECURSE all_headers CONFIGURE_DEPENDS src/*.hpp)
file(GLOB_RECURSE linted_sources CONFIGURE_DEPENDS src/*.cpp)
# Every source has a stamp of its own: the build runs several at once, and only those again that changed. A header or a
# rule that changed concerns all.
foreach(source ${linted_sources})
  file(RELATIVE_PATH name "${CMAKE_CURRENT_SOURCE_DIR}/src" "${source}")
  string(MAKE_C_IDENTIFIER "${name}" stamp)
  set(stamp "${CMAKE_CURRENT_BINARY_DIR}/lint/${stamp}.stamp")
  add_custom_command(
    OUTPUT "${stamp}"
    COMMAND "${CLANG_TIDY}" --quiet -p "${CMAKE_BINARY_DIR}" "${source}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_CURRENT_BINARY_DIR}/lint"
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS "${source}" ${all_headers} .clang-tidy
    COMMENT "clang-tidy ${name}"
    VERBATIM)
  list(APPEND lint_stamps "${stamp}")
endforeach()
add_custom_target(format COMMAND "${CLANG_FORMAT}" --dry-run -Werror ${all_sources} COMMENT "clang-format" VERBATIM)
add_custom_target(lint DEPENDS format ${lint_stamps})
add_custom_target(check COMMAND "${CMAKE_CTEST_COMMAND}" --output-on-failure DEPENDS scoville_caf_tests lint USES_TERMINAL)
