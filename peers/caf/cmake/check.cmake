# The tests, the direct programs, and the target `check`: format, lint, test.
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

# The smallest programs in CAF's own idiom, to compare the peer with; written for the version that Debian has.
if(CAF_VERSION VERSION_LESS 0.18)
  set(direct direct)
  add_executable(direct direct/direct.cpp)
  target_compile_options(direct PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
  target_link_libraries(direct PRIVATE CAF::core)
  foreach(program pingpong pingpong-bare count fjcreate fib fib-bare)
    add_test(NAME direct.${program} COMMAND direct 2 ${program} 3 20)
  endforeach()
  foreach(program chameneos big)
    add_test(NAME direct.${program} COMMAND direct 2 ${program} 3 20 30)
  endforeach()
  add_test(NAME direct.misuse COMMAND direct 2 big 3 20)
  set_tests_properties(direct.misuse PROPERTIES WILL_FAIL ON)
endif()

find_program(CLANG_FORMAT clang-format REQUIRED)
find_program(CLANG_TIDY clang-tidy REQUIRED)
file(GLOB_RECURSE all_sources CONFIGURE_DEPENDS src/*.cpp src/*.hpp tests/*.cpp tests/*.hpp direct/*.cpp)
file(GLOB_RECURSE all_headers CONFIGURE_DEPENDS src/*.hpp)
file(GLOB linted_sources CONFIGURE_DEPENDS src/*.cpp)
set(lint_folder "${CMAKE_CURRENT_BINARY_DIR}/lint")
add_custom_command(
  OUTPUT "${lint_folder}/compile_commands.json"
  COMMAND "${CMAKE_COMMAND}" "-DIN=${CMAKE_BINARY_DIR}/compile_commands.json"
          "-DOUT=${lint_folder}/compile_commands.json" -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/lint_commands.cmake"
  DEPENDS "${CMAKE_BINARY_DIR}/compile_commands.json"
  COMMENT "Compile commands for clang-tidy"
  VERBATIM)

# Every unit has a stamp of its own: the build runs several at once, and only those again of which a source changed. A
# header or a rule that changed concerns all.
function(lint unit)
  get_filename_component(name "${unit}" NAME)
  set(stamp "${lint_folder}/${name}.stamp")
  add_custom_command(
    OUTPUT "${stamp}"
    COMMAND "${CLANG_TIDY}" --quiet -p "${lint_folder}" "--config-file=${CMAKE_CURRENT_SOURCE_DIR}/.clang-tidy" "${unit}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS "${unit}" ${ARGN} ${all_headers} .clang-tidy "${lint_folder}/compile_commands.json"
    COMMENT "clang-tidy ${name}"
    VERBATIM)
  set(lint_stamps ${lint_stamps} "${stamp}" PARENT_SCOPE)
endfunction()

foreach(source ${linted_sources})
  lint("${source}")
endforeach()
# Clang-tidy spends almost all of its time in CAF's headers, so that benchmarks go through it several at once.
set(rest ${benchmark_sources})
set(number 0)
while(rest)
  list(SUBLIST rest 0 10 group)
  list(REMOVE_ITEM rest ${group})
  math(EXPR number "${number} + 1")
  list(TRANSFORM group REPLACE "(.+)" "#include \"\\1\" // NOLINT(bugprone-suspicious-include)\n"
       OUTPUT_VARIABLE includes)
  string(CONCAT text ${includes})
  file(CONFIGURE OUTPUT "${lint_folder}/benchmarks_${number}.cpp" CONTENT "${text}" @ONLY)
  lint("${lint_folder}/benchmarks_${number}.cpp" ${group})
endwhile()
if(direct)
  lint("${CMAKE_CURRENT_SOURCE_DIR}/direct/direct.cpp")
endif()
add_custom_target(format COMMAND "${CLANG_FORMAT}" --dry-run -Werror ${all_sources} COMMENT "clang-format" VERBATIM)
add_custom_target(lint DEPENDS format ${lint_stamps})
add_custom_target(check COMMAND "${CMAKE_CTEST_COMMAND}" --output-on-failure DEPENDS scoville_caf_tests ${direct} lint USES_TERMINAL)
