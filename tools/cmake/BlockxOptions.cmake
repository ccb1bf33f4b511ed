# How everything here is compiled. A room links `blockx_options` privately, so that nothing of it reaches a consumer.
include_guard(GLOBAL)

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(BLOCKX_CCACHE ccache)
  if(BLOCKX_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${BLOCKX_CCACHE}")
  endif()
endif()

add_library(blockx_options INTERFACE)
target_compile_features(blockx_options INTERFACE cxx_std_20)

# A fused multiply-add rounds once where two operations round twice: without this flag a simulation's last bits would
# depend on the compiler and on the CPU (docs/determinism.md).
target_compile_options(blockx_options INTERFACE -ffp-contract=off)

# Nothing here is ever replaced in a running process, so calls within a file may be inlined though the code is position
# independent. And g++ 12 merges neighbouring fields into vector loads right after they were stored one by one, which
# stalls: without it a task's life through the engine takes about 7 % less (`tools/bench`).
target_compile_options(blockx_options INTERFACE -fno-semantic-interposition -fno-tree-slp-vectorize)

# What ships is optimised as one program: a step passes a dozen small functions of several rooms. The objects hold machine
# code too, so that a consumer without link-time optimisation, or with another compiler, can use the installed libraries.
add_library(blockx_whole_program INTERFACE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(blockx_whole_program INTERFACE $<$<CONFIG:Release>:-flto=auto;-ffat-lto-objects>)
endif()
function(blockx_link_whole_program program)
  target_link_libraries(${program} PRIVATE blockx_whole_program)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_link_options(${program} PRIVATE $<$<CONFIG:Release>:-flto=auto>)
  endif()
endfunction()

target_compile_options(blockx_options INTERFACE
  -Wall -Wextra -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${BLOCKX_WERROR}>:-Werror>)

# g++ 12 at -O3 takes some copies of std::string for overlapping ones (its bug 105651).
target_compile_options(blockx_options INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-restrict>)

# Not _GLIBCXX_DEBUG: it changes the layout of containers, and the installed libraries were built without it.
target_compile_definitions(blockx_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

if(BLOCKX_SANITIZE)
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
  target_compile_options(blockx_options INTERFACE ${sanitizers} -fno-omit-frame-pointer)
  target_link_options(blockx_options INTERFACE ${sanitizers})
endif()
if(BLOCKX_FUZZ)
  target_compile_options(blockx_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
