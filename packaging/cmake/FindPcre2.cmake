# Finds PCRE2 for 8-bit text, whose Debian package has no CMake files. Gives the target Pcre2::pcre2,
# the static library: what is built with it loads where the package is not installed.

find_path(PCRE2_INCLUDE_DIR pcre2.h)
find_library(PCRE2_LIBRARY libpcre2-8.a)
mark_as_advanced(PCRE2_INCLUDE_DIR PCRE2_LIBRARY)

if(PCRE2_INCLUDE_DIR)
  file(STRINGS ${PCRE2_INCLUDE_DIR}/pcre2.h lines REGEX "#define PCRE2_(MAJOR|MINOR) ")
  string(REGEX MATCHALL " [0-9]+" Pcre2_VERSION "${lines}")
  list(TRANSFORM Pcre2_VERSION STRIP)
  list(JOIN Pcre2_VERSION "." Pcre2_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Pcre2
  REQUIRED_VARS PCRE2_LIBRARY PCRE2_INCLUDE_DIR
  VERSION_VAR Pcre2_VERSION)

if(Pcre2_FOUND AND NOT TARGET Pcre2::pcre2)
  add_library(Pcre2::pcre2 UNKNOWN IMPORTED)
  set_target_properties(
    Pcre2::pcre2
    PROPERTIES IMPORTED_LOCATION ${PCRE2_LIBRARY}
               INTERFACE_COMPILE_DEFINITIONS "PCRE2_STATIC;PCRE2_CODE_UNIT_WIDTH=8"
               INTERFACE_INCLUDE_DIRECTORIES ${PCRE2_INCLUDE_DIR})
endif()
