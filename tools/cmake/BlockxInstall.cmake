# Installing rooms as components of one package: find_package(blockx COMPONENTS engine).
include_guard(GLOBAL)
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(BLOCKX_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/blockx")

# Makes the room `component` installable; its library is the target blockx_<component>.
function(blockx_install_component component)
  if(NOT BLOCKX_INSTALL)
    return()
  endif()
  install(TARGETS blockx_${component} EXPORT blockx-${component}-targets FILE_SET HEADERS)
  install(EXPORT blockx-${component}-targets NAMESPACE blockx:: DESTINATION "${BLOCKX_PACKAGE_DIR}")
endfunction()

# The files by which find_package finds the components.
function(blockx_install_package)
  set(config "${PROJECT_BINARY_DIR}/package/blockx-config.cmake")
  set(version "${PROJECT_BINARY_DIR}/package/blockx-config-version.cmake")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/tools/cmake/blockx-config.cmake.in" "${config}"
    INSTALL_DESTINATION "${BLOCKX_PACKAGE_DIR}")
  write_basic_package_version_file("${version}" COMPATIBILITY SameMinorVersion)
  install(FILES "${config}" "${version}" DESTINATION "${BLOCKX_PACKAGE_DIR}")
endfunction()
