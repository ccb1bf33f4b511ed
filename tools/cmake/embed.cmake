# The script behind blockx_embed.
set(literals "")
foreach(file IN LISTS FILES)
  file(READ "${file}" text)
  if(text MATCHES "[)]blockx\"")
    message(FATAL_ERROR "${file}: has )blockx\" in it, which ends the literal")
  endif()
  string(APPEND literals "\n    R\"blockx(${text})blockx\"")
endforeach()

file(WRITE "${OUTPUT}" "#include <string_view>

namespace blockx::tools {
extern const std::string_view ${CONSTANT};
const std::string_view ${CONSTANT} =${literals};
}  // namespace blockx::tools
")
