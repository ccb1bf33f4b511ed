# Installs the build into a prefix of its own, then builds and runs the consumer beside this file against it.
# Usage: cmake -D BUILD=<build tree> -D CONFIG=<type> -D COMPILER=<c++> -D WORK=<scratch folder> -P run.cmake
file(REMOVE_RECURSE "${WORK}")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")
# Whatever else this machine has installed, the engine's component may look for Abseil alone.
run("${CMAKE_COMMAND}" --no-warn-unused-cli -G Ninja -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK}/build"
  "-DCMAKE_BUILD_TYPE=${CONFIG}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${WORK}/prefix"
  -DCMAKE_DISABLE_FIND_PACKAGE_Protobuf=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON)
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/embeds_blockx")
