# The SentencePiece library beside the plugins, as target mortise_sentencepiece_library: a copy of
# Debian's, which has no static one, that LibTorch cannot get in the way of (decision 0120).

set(at ${CMAKE_CURRENT_LIST_DIR})
set(copy ${PROJECT_BINARY_DIR}/lib/mortise/plugins/libmortise_sentencepiece.so.0)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_custom_command(
  OUTPUT ${copy}
  COMMAND Python3::Interpreter ${at}/own_library.py ${SENTENCEPIECE_LIBRARY} ${copy}
  DEPENDS ${at}/own_library.py ${SENTENCEPIECE_LIBRARY}
  VERBATIM)
add_custom_target(mortise_copied_sentencepiece DEPENDS ${copy})
add_library(mortise_sentencepiece_library SHARED IMPORTED)
set_target_properties(
  mortise_sentencepiece_library
  PROPERTIES IMPORTED_LOCATION ${copy}
             INTERFACE_INCLUDE_DIRECTORIES ${SENTENCEPIECE_INCLUDE_DIR})
add_dependencies(mortise_sentencepiece_library mortise_copied_sentencepiece)
install(FILES ${copy} DESTINATION lib/mortise/plugins)
install(FILES /usr/share/doc/libsentencepiece0/copyright DESTINATION share/mortise/licenses
        RENAME sentencepiece OPTIONAL)
