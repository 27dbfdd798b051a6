# mortise_add_plugin(<name> SOURCES <file>... [TORCH] [LINK <target>...] [VERSION <version>] [FIXTURE])
#
# Builds mortise_<name>.so (target mortise_<name>): links the SDK only, hides every symbol but the
# entry point, fails at link time on undefined symbols, installs beside the host.
#
#   TORCH    the plugin passes tensors: links mortise::sdk_torch, which locks it to the LibTorch
#            series that it was built with
#   LINK     further targets, linked PRIVATE
#   VERSION  what MORTISE_VERSION says in the sources; default: the version of the project
#   FIXTURE  a plugin for tests: built into tests/plugins, not installed

set(MORTISE_PLUGIN_MAP ${CMAKE_CURRENT_LIST_DIR}/plugin.map)

function(mortise_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH;FIXTURE" "VERSION" "SOURCES;LINK")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "mortise_add_plugin(${name}): expected SOURCES <file>..., got '${arg_UNPARSED_ARGUMENTS}' besides")
  endif()
  if(arg_TORCH AND NOT TARGET mortise::sdk_torch)
    message(FATAL_ERROR "mortise_add_plugin(${name}): TORCH needs LibTorch, which was not found: set -DLIBTORCH_ROOT= to the folder that holds torch/")
  endif()
  if(NOT arg_VERSION)
    set(arg_VERSION ${PROJECT_VERSION})
  endif()
  if(NOT arg_VERSION)
    set(arg_VERSION 0.0.0)
  endif()

  set(target mortise_${name})
  add_library(${target} MODULE ${arg_SOURCES})
  target_link_libraries(
    ${target} PRIVATE $<IF:$<BOOL:${arg_TORCH}>,mortise::sdk_torch,mortise::sdk> ${arg_LINK}
                      $<TARGET_NAME_IF_EXISTS:mortise_warnings>)
  target_compile_definitions(${target} PRIVATE MORTISE_VERSION="${arg_VERSION}")
  target_compile_features(${target} PRIVATE cxx_std_20)
  # The manifest is written by the compiler, which stops at small limits unless told otherwise.
  target_compile_options(
    ${target}
    PRIVATE -ffp-contract=off
            $<$<CXX_COMPILER_ID:GNU>:-fconstexpr-ops-limit=1000000000>
            $<$<CXX_COMPILER_ID:GNU>:-fconstexpr-loop-limit=10000000>
            $<$<CXX_COMPILER_ID:Clang>:-fconstexpr-steps=100000000>)
  target_link_options(${target} PRIVATE LINKER:--version-script,${MORTISE_PLUGIN_MAP} LINKER:-z,nodelete)
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_link_options(${target} PRIVATE LINKER:-z,defs)  # clang leaves sanitizer symbols to the host
  endif()
  # LibTorch comes from the host that loads the plugin: no path to it is written into the file.
  set_target_properties(
    ${target}
    PROPERTIES PREFIX ""
               SUFFIX .so
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               CXX_EXTENSIONS OFF
               LINK_DEPENDS ${MORTISE_PLUGIN_MAP}
               BUILD_WITH_INSTALL_RPATH ON
               INSTALL_RPATH $ORIGIN
               LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/mortise/plugins)
  if(arg_FIXTURE)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/plugins)
  else()
    install(TARGETS ${target} LIBRARY DESTINATION lib/mortise/plugins)
  endif()
endfunction()
