# Finds CAF's core library and defines the target CAF::core.
#
# A CAF that was installed with its own CMake package (0.18 and later) is taken as it is. Distribution packages of 0.17
# come without one, so header and library are looked for by name. Point CMAKE_PREFIX_PATH at a CAF elsewhere.
find_package(CAF CONFIG QUIET COMPONENTS core)
if(TARGET CAF::core)
  set(CAF_FOUND TRUE)
  return()
endif()

find_path(CAF_INCLUDE_DIR caf/config.hpp)
find_library(CAF_CORE_LIBRARY caf_core)
if(CAF_INCLUDE_DIR)
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" _line REGEX "^#define CAF_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+$" _number "${_line}")
  if(_number)
    math(EXPR _major "${_number} / 10000")
    math(EXPR _minor "${_number} / 100 % 100")
    math(EXPR _patch "${_number} % 100")
    set(CAF_VERSION "${_major}.${_minor}.${_patch}")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF REQUIRED_VARS CAF_CORE_LIBRARY CAF_INCLUDE_DIR VERSION_VAR CAF_VERSION)
if(CAF_FOUND)
  find_package(Threads REQUIRED)
  add_library(CAF::core UNKNOWN IMPORTED)
  set_target_properties(CAF::core PROPERTIES IMPORTED_LOCATION "${CAF_CORE_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
