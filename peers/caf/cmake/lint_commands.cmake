# cmake -DIN=compile_commands.json -DOUT=... -P lint_commands.cmake: leaves out GCC's precompiled header, which clang-tidy
# cannot read. What has not changed keeps its time, so that nothing is linted again.
file(READ "${IN}" text)
string(REGEX REPLACE " -include [^ ]*cmake_pch\\.hxx" "" text "${text}")
if(EXISTS "${OUT}")
  file(READ "${OUT}" old)
endif()
if(NOT text STREQUAL "${old}")
  file(WRITE "${OUT}" "${text}")
endif()
