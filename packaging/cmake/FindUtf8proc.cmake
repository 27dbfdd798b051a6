# Finds utf8proc, whose Debian package has no CMake files. Gives the target Utf8proc::utf8proc, the
# static library: what is built with it loads where the package is not installed.

find_path(UTF8PROC_INCLUDE_DIR utf8proc.h)
find_library(UTF8PROC_LIBRARY libutf8proc.a)
mark_as_advanced(UTF8PROC_INCLUDE_DIR UTF8PROC_LIBRARY)

if(UTF8PROC_INCLUDE_DIR)
  file(STRINGS ${UTF8PROC_INCLUDE_DIR}/utf8proc.h lines REGEX "#define UTF8PROC_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX MATCHALL " [0-9]+" Utf8proc_VERSION "${lines}")
  list(TRANSFORM Utf8proc_VERSION STRIP)
  list(JOIN Utf8proc_VERSION "." Utf8proc_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Utf8proc
  REQUIRED_VARS UTF8PROC_LIBRARY UTF8PROC_INCLUDE_DIR
  VERSION_VAR Utf8proc_VERSION)

if(Utf8proc_FOUND AND NOT TARGET Utf8proc::utf8proc)
  add_library(Utf8proc::utf8proc UNKNOWN IMPORTED)
  set_target_properties(
    Utf8proc::utf8proc
    PROPERTIES IMPORTED_LOCATION ${UTF8PROC_LIBRARY}
               INTERFACE_COMPILE_DEFINITIONS UTF8PROC_STATIC
               INTERFACE_INCLUDE_DIRECTORIES ${UTF8PROC_INCLUDE_DIR})
endif()
