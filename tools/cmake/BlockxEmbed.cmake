# Text files as constants of a program, which then needs no file when it runs.
include_guard(GLOBAL)

# blockx_embed(<target> <constant> <file>...)
# Defines `extern const std::string_view blockx::tools::<constant>`: the files, one after the other. A header of the
# target declares it.
function(blockx_embed target constant)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${constant}.cc")
  set(script "${PROJECT_SOURCE_DIR}/tools/cmake/embed.cmake")
  set(files ${ARGN})
  list(TRANSFORM files PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" -D "CONSTANT=${constant}" -D "FILES=${files}" -D "OUTPUT=${source}" -P "${script}"
    DEPENDS ${files} "${script}"
    COMMENT "Embedding ${constant}"
    VERBATIM)
  target_sources(${target} PRIVATE "${source}")
endfunction()
