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

#
# mortise_add_plugin_test(<name> SOURCES <file>...)
#
# Builds <name>_test, a program that fails by its exit code, with what the plugin <name> is built
# with and the conformance suites (<mortise/conformance/...>). Registers it with CTest, and beside it
# <name>_validate: `mortise plugin validate` on the plugin's file.

set(MORTISE_PLUGIN_MAP ${CMAKE_CURRENT_LIST_DIR}/plugin.map)

# What every source of a plugin is compiled with.
function(mortise_compile_as_plugin target version)
  target_compile_definitions(${target} PRIVATE MORTISE_VERSION="${version}")
  target_compile_features(${target} PRIVATE cxx_std_20)
  # The manifest is written by the compiler, which stops at small limits unless told otherwise.
  target_compile_options(
    ${target}
    PRIVATE -ffp-contract=off
            $<$<CXX_COMPILER_ID:GNU>:-fconstexpr-ops-limit=1000000000>
            $<$<CXX_COMPILER_ID:GNU>:-fconstexpr-loop-limit=10000000>
            $<$<CXX_COMPILER_ID:Clang>:-fconstexpr-steps=100000000>)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
endfunction()

function(mortise_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH;FIXTURE" "VERSION" "SOURCES;LINK")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "mortise_add_plugin(${name}): expected SOURCES <file>..., got '${arg_UNPARSED_ARGUMENTS}' besides")
  endif()
  if(arg_TORCH AND NOT TARGET mortise::sdk_torch)
    message(FATAL_ERROR "mortise_add_plugin(${name}): TORCH needs LibTorch, which was not found: ${MORTISE_NO_LIBTORCH}")
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
  mortise_compile_as_plugin(${target} ${arg_VERSION})
  target_link_options(${target} PRIVATE LINKER:--version-script,${MORTISE_PLUGIN_MAP} LINKER:-z,nodelete)
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_link_options(${target} PRIVATE LINKER:-z,defs)  # clang leaves sanitizer symbols to the host
  endif()
  # LibTorch comes from the host that loads the plugin: no path to it is written into the file.
  set_target_properties(
    ${target}
    PROPERTIES PREFIX ""
               SUFFIX .so
               MORTISE_VERSION ${arg_VERSION}
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

function(mortise_add_plugin_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "mortise_add_plugin_test(${name}): expected SOURCES <file>..., got '${arg_UNPARSED_ARGUMENTS}' besides")
  endif()
  set(plugin mortise_${name})
  if(NOT TARGET ${plugin})
    message(FATAL_ERROR "mortise_add_plugin_test(${name}): there is no plugin ${name}; write mortise_add_plugin(${name} ...) first")
  endif()
  get_target_property(version ${plugin} MORTISE_VERSION)
  get_target_property(linked ${plugin} LINK_LIBRARIES)

  find_package(Threads REQUIRED)
  add_executable(${name}_test ${arg_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${linked} mortise::conformance Threads::Threads)
  mortise_compile_as_plugin(${name}_test ${version})
  target_compile_options(${name}_test PRIVATE -O0)  # it is compiled more often than it runs
  add_test(NAME ${name}_test COMMAND ${name}_test)
  add_test(NAME ${name}_validate COMMAND ${MORTISE_PROGRAM} plugin validate $<TARGET_FILE:${plugin}>)
  set_tests_properties(${name}_test ${name}_validate PROPERTIES ENVIRONMENT "OMP_NUM_THREADS=1")
endfunction()
