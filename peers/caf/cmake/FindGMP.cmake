# Finds the GNU multiple precision library with its C++ interface and defines the target GMP::gmpxx.
# Point CMAKE_PREFIX_PATH at a GMP elsewhere.
find_path(GMP_INCLUDE_DIR gmpxx.h)
find_library(GMP_LIBRARY gmp)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  GMP REQUIRED_VARS GMP_LIBRARY GMP_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "GMP's C++ headers or its library are missing. Install them with: apt-get install libgmp-dev")
if(GMP_FOUND)
  # The C++ library proper only adds streams, which nothing here uses: the classes are in the header.
  add_library(GMP::gmpxx UNKNOWN IMPORTED)
  set_target_properties(GMP::gmpxx PROPERTIES IMPORTED_LOCATION "${GMP_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${GMP_INCLUDE_DIR}")
endif()
