# The script behind blockx_embed. A compiler need not take a literal longer than 64 KiB, so each file is one of its own.
set(literals "")
foreach(file IN LISTS FILES)
  file(READ "${file}" text)
  if(text MATCHES "[)]blockx\"")
    message(FATAL_ERROR "${file}: has )blockx\" in it, which ends the literal")
  endif()
  string(APPEND literals "\n    R\"blockx(${text})blockx\"")
endforeach()

file(WRITE "${FOLDER}/${NAME}.h" "#pragma once
#include <string_view>
namespace blockx::embedded {
extern const std::string_view ${NAME};
}
")
file(WRITE "${FOLDER}/${NAME}.cc" "#include \"${NAME}.h\"
namespace blockx::embedded {
const std::string_view ${NAME} =${literals};
}
")
