# Text files as constants in a program, which then needs no file when it runs.
include_guard(GLOBAL)

# blockx_embed(<target> NAME <name> FILES <file>...)
# Gives `target` the header <name>.h, in which the files, one after the other, are the constant blockx::embedded::<name>.
function(blockx_embed target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME" "FILES")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/embedded")
  list(TRANSFORM arg_FILES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  add_custom_command(
    OUTPUT "${folder}/${arg_NAME}.h" "${folder}/${arg_NAME}.cc"
    COMMAND "${CMAKE_COMMAND}" -D "NAME=${arg_NAME}" -D "FILES=${arg_FILES}" -D "FOLDER=${folder}"
      -P "${PROJECT_SOURCE_DIR}/tools/cmake/embed.cmake"
    DEPENDS ${arg_FILES} "${PROJECT_SOURCE_DIR}/tools/cmake/embed.cmake"
    COMMENT "Embedding ${arg_NAME}"
    VERBATIM)
  target_sources(${target} PRIVATE "${folder}/${arg_NAME}.cc")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
