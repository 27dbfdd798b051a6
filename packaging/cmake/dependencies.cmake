# Everything that Mortise needs from outside, with minimum versions. Nothing is downloaded here:
# system packages are in packaging/apt-packages.txt, LibTorch comes with packaging/libtorch.sh.

find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS program_options)
find_package(yaml-cpp 0.7 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(simdjson 3.0 REQUIRED)
find_package(XxHash 0.8 REQUIRED)
find_package(Pcre2 10.42 REQUIRED)
find_package(Utf8proc 2.8 REQUIRED)
find_package(ZLIB 1.2.13 REQUIRED)
find_package(zstd 1.5 REQUIRED)
find_package(SentencePiece 0.1.97 REQUIRED)
find_package(LibTorch 2.11 REQUIRED)
if(MORTISE_CUDA)
  find_package(CUDAToolkit 13.0 REQUIRED)
  find_package(NCCL 2.27 REQUIRED)
  if(NOT TARGET LibTorch::c10_cuda)
    message(FATAL_ERROR "MORTISE_CUDA: ${LibTorch_FOLDER} is a LibTorch without CUDA: packaging/libtorch.sh --cuda")
  endif()
  message(STATUS "CUDA: ${CUDAToolkit_VERSION}, NCCL ${NCCL_VERSION}: the plugin comm_nccl is built")
else()
  message(STATUS "CUDA: off (MORTISE_CUDA)")
endif()
if(MORTISE_BUILD_TESTS)
  find_package(doctest 2.4.9 REQUIRED)
endif()

# Boost.DLL is header-only and reads file names with the standard library.
add_library(mortise_boost_dll INTERFACE)
target_link_libraries(mortise_boost_dll INTERFACE Boost::headers ${CMAKE_DL_LIBS})
target_compile_definitions(mortise_boost_dll INTERFACE BOOST_DLL_USE_STD_FS)

# Debian's yaml-cpp 0.7 exports a target without a namespace.
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()

# The two tools below change how long a build takes, never what it makes.
if(PROJECT_IS_TOP_LEVEL)
  find_program(MORTISE_CCACHE ccache)
  if(MORTISE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${MORTISE_CCACHE})
  endif()
  message(STATUS "ccache: ${CMAKE_CXX_COMPILER_LAUNCHER}")

  find_program(MORTISE_MOLD mold)
  if(MORTISE_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
  message(STATUS "mold: ${MORTISE_MOLD}")
endif()
