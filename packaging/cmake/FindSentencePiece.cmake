# Finds the SentencePiece library, whose Debian package has no CMake files. Gives
# SENTENCEPIECE_LIBRARY and SENTENCEPIECE_INCLUDE_DIR, and no target: plugins link the copy that
# plugins/data/sentencepiece/library.cmake makes of it.

find_path(SENTENCEPIECE_INCLUDE_DIR sentencepiece_processor.h)
find_library(SENTENCEPIECE_LIBRARY sentencepiece)
find_file(SENTENCEPIECE_PKG_CONFIG sentencepiece.pc PATH_SUFFIXES pkgconfig
          PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib /usr/local/lib)
mark_as_advanced(SENTENCEPIECE_INCLUDE_DIR SENTENCEPIECE_LIBRARY SENTENCEPIECE_PKG_CONFIG)

if(SENTENCEPIECE_PKG_CONFIG)
  file(STRINGS ${SENTENCEPIECE_PKG_CONFIG} line REGEX "^Version:")
  string(REGEX MATCH "[0-9.]+" SentencePiece_VERSION "${line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  SentencePiece
  REQUIRED_VARS SENTENCEPIECE_LIBRARY SENTENCEPIECE_INCLUDE_DIR
  VERSION_VAR SentencePiece_VERSION)
