# The program <folder>_tests of a folder under tests/, its cases known to ctest as <folder>.Suite.Case.
include_guard(GLOBAL)
include(GoogleTest)

# blockx_add_tests(<folder> SOURCES <file>... [LIBRARIES <target>...] [ENVIRONMENT <NAME=value>...])
function(blockx_add_tests folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;ENVIRONMENT")
  set(program ${folder}_tests)
  add_executable(${program} ${arg_SOURCES})
  target_include_directories(${program} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_compile_definitions(${program} PRIVATE BLOCKX_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${program} PRIVATE
    ${arg_LIBRARIES} GTest::gmock GTest::gtest GTest::gtest_main blockx_options)
  set(environment "")
  if(arg_ENVIRONMENT)
    set(environment ENVIRONMENT "${arg_ENVIRONMENT}")
  endif()
  # Listing the cases before the tests run, not after each link, keeps the build independent of running them.
  gtest_discover_tests(${program}
    TEST_PREFIX "${folder}."
    DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS "${folder}" TIMEOUT 600 ${environment})
endfunction()
