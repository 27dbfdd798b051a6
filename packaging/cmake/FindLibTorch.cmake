# Finds LibTorch in an unpacked PyPI wheel, a Python environment or a LibTorch archive.
#
#   LIBTORCH_ROOT         folder that holds torch/, or that torch folder itself; an environment
#                         variable counts too. Without it: what packaging/libtorch.sh has put into
#                         the cache, else the torch package of python3.
#   LibTorch::cpu         tensors and autograd: torch_cpu and c10. Never the CUDA libraries, so a
#                         CPU build asks for no CUDA toolkit.
#   LibTorch::c10d_gloo   adds the Gloo process group's headers (the code is in torch_cpu); there
#                         when Gloo's headers are installed (libgloo-dev)
#   LibTorch::c10_cuda   streams and allocator of a GPU; there when LibTorch has CUDA
#   LibTorch_REASON       why it was not found
#
# Only the tested series is taken: LibTorch promises no ABI between series.

set(tested_series 2.11)

if(DEFINED ENV{XDG_CACHE_HOME})
  set(cache_folder $ENV{XDG_CACHE_HOME})
else()
  set(cache_folder $ENV{HOME}/.cache)
endif()
set(usual_folder ${cache_folder}/mortise/libtorch-${tested_series}.0)

# The folder of python3's torch package, without running it.
function(find_torch_of_python folder)
  execute_process(
    COMMAND python3 -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(${folder} ${found} PARENT_SCOPE)
  endif()
endfunction()

if(NOT LIBTORCH_ROOT)
  set(chosen_root ${usual_folder})
  if(DEFINED ENV{LIBTORCH_ROOT})
    set(chosen_root $ENV{LIBTORCH_ROOT})
  elseif(NOT EXISTS ${usual_folder}/torch/lib/libtorch_cpu.so)
    find_torch_of_python(chosen_root)
  endif()
  if(EXISTS ${chosen_root})
    set(LIBTORCH_ROOT ${chosen_root}
        CACHE PATH "Folder that holds torch/ (packaging/libtorch.sh makes it)" FORCE)
  else()
    set(LIBTORCH_ROOT ${chosen_root})  # for the message; the next time it is looked for again
  endif()
endif()

set(LibTorch_FOLDER LibTorch_FOLDER-NOTFOUND)
foreach(folder IN ITEMS ${LIBTORCH_ROOT}/torch ${LIBTORCH_ROOT})
  if(EXISTS ${folder}/lib/libtorch_cpu.so)
    set(LibTorch_FOLDER ${folder})
    break()
  endif()
endforeach()

# The version, from the header that plugins compile against.
set(version_header ${LibTorch_FOLDER}/include/torch/headeronly/version.h)
if(LibTorch_FOLDER AND EXISTS ${version_header})
  file(STRINGS ${version_header} lines REGEX "#define TORCH_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
  string(REGEX MATCHALL "[0-9]+" LibTorch_VERSION "${lines}")
  list(JOIN LibTorch_VERSION "." LibTorch_VERSION)
endif()

set(advice "set -DLIBTORCH_ROOT= to the folder that holds torch/ (pip install torch==${tested_series}.0, or packaging/libtorch.sh)")
set(reason "no torch/lib/libtorch_cpu.so in ${LIBTORCH_ROOT}: ${advice}")
if(LibTorch_FOLDER AND NOT LibTorch_VERSION MATCHES "^${tested_series}\\.")
  set(reason "${LibTorch_FOLDER} is LibTorch '${LibTorch_VERSION}', but Mortise is tested with ${tested_series} only: ${advice}")
  unset(LibTorch_FOLDER)
endif()

# A wheel with CUDA needs the CUDA runtime beside it even when no GPU is used.
if(LibTorch_FOLDER AND EXISTS ${LibTorch_FOLDER}/lib/libtorch_cuda.so)
  cmake_path(GET LibTorch_FOLDER PARENT_PATH site)
  find_path(LibTorch_CUDART_FOLDER libcudart.so.13
            PATHS ${site}/nvidia/cu13/lib ${site}/nvidia/cuda_runtime/lib ${LibTorch_FOLDER}/lib
            NO_DEFAULT_PATH NO_CACHE)
  find_path(LibTorch_CUPTI_FOLDER libcupti.so.13
            PATHS ${site}/nvidia/cu13/lib ${site}/nvidia/cuda_cupti/lib ${LibTorch_FOLDER}/lib
            NO_DEFAULT_PATH NO_CACHE)
  if(NOT LibTorch_CUDART_FOLDER OR NOT LibTorch_CUPTI_FOLDER)
    set(reason "${site} lacks libcudart.so.13 or libcupti.so.13, which libtorch_cpu.so needs to load: ${advice}")
    unset(LibTorch_FOLDER)
  endif()
endif()

set(LibTorch_REASON "${reason}")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  LibTorch
  REQUIRED_VARS LibTorch_FOLDER
  VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "${reason}")

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  add_library(LibTorch::c10 SHARED IMPORTED)
  set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION ${LibTorch_FOLDER}/lib/libc10.so)

  add_library(LibTorch::cpu SHARED IMPORTED)
  set_target_properties(LibTorch::cpu PROPERTIES IMPORTED_LOCATION ${LibTorch_FOLDER}/lib/libtorch_cpu.so)
  target_include_directories(
    LibTorch::cpu INTERFACE ${LibTorch_FOLDER}/include ${LibTorch_FOLDER}/include/torch/csrc/api/include)
  target_compile_definitions(LibTorch::cpu INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
  target_link_libraries(LibTorch::cpu INTERFACE LibTorch::c10)
  # For linkers that follow a library's own needs; at run time the wheel finds them by itself.
  foreach(folder IN ITEMS ${LibTorch_FOLDER}/lib ${LibTorch_CUDART_FOLDER} ${LibTorch_CUPTI_FOLDER})
    target_link_options(LibTorch::cpu INTERFACE LINKER:-rpath-link,${folder})
  endforeach()

  if(EXISTS ${LibTorch_FOLDER}/lib/libc10_cuda.so)
    add_library(LibTorch::c10_cuda SHARED IMPORTED)
    set_target_properties(LibTorch::c10_cuda PROPERTIES IMPORTED_LOCATION ${LibTorch_FOLDER}/lib/libc10_cuda.so)
    target_link_libraries(LibTorch::c10_cuda INTERFACE LibTorch::cpu)
  endif()

  find_path(GLOO_INCLUDE_DIR gloo/algorithm.h)
  mark_as_advanced(GLOO_INCLUDE_DIR)
  if(GLOO_INCLUDE_DIR)
    add_library(LibTorch::c10d_gloo INTERFACE IMPORTED)
    target_include_directories(LibTorch::c10d_gloo INTERFACE ${GLOO_INCLUDE_DIR})
    target_compile_definitions(LibTorch::c10d_gloo INTERFACE USE_C10D_GLOO)
    target_link_libraries(LibTorch::c10d_gloo INTERFACE LibTorch::cpu)
  endif()
endif()
