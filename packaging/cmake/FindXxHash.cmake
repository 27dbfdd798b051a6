# Finds xxHash, whose Debian package has no CMake files. Gives the target XxHash::xxhash.

find_path(XXHASH_INCLUDE_DIR xxhash.h)
find_library(XXHASH_LIBRARY xxhash)
mark_as_advanced(XXHASH_INCLUDE_DIR XXHASH_LIBRARY)

if(XXHASH_INCLUDE_DIR)
  file(STRINGS ${XXHASH_INCLUDE_DIR}/xxhash.h lines REGEX "#define XXH_VERSION_(MAJOR|MINOR|RELEASE) ")
  string(REGEX MATCHALL "[0-9]+" XxHash_VERSION "${lines}")
  list(JOIN XxHash_VERSION "." XxHash_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  XxHash
  REQUIRED_VARS XXHASH_LIBRARY XXHASH_INCLUDE_DIR
  VERSION_VAR XxHash_VERSION)

if(XxHash_FOUND AND NOT TARGET XxHash::xxhash)
  add_library(XxHash::xxhash UNKNOWN IMPORTED)
  set_target_properties(
    XxHash::xxhash PROPERTIES IMPORTED_LOCATION ${XXHASH_LIBRARY}
                              INTERFACE_INCLUDE_DIRECTORIES ${XXHASH_INCLUDE_DIR})
endif()
