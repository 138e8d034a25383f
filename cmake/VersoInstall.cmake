#===- VersoInstall.cmake - install rules and package configuration --------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
#
# Installs headers, plugin, runtime and the files of find_package(Verso). The
# same files are written into the build directory, so that another project can
# be pointed at a build (-DVerso_DIR=<build>/lib/cmake/Verso).
#
#===------------------------------------------------------------------------===//

include(CMakePackageConfigHelpers)

set(verso_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Verso")
set(verso_files_dir "${CMAKE_BINARY_DIR}/lib/cmake/Verso")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/VersoConfig.cmake.in"
  "${verso_files_dir}/install/VersoConfig.cmake"
  INSTALL_DESTINATION "${verso_package_dir}"
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(
  "${verso_files_dir}/VersoConfigVersion.cmake"
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES "${verso_files_dir}/install/VersoConfig.cmake"
              "${verso_files_dir}/VersoConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/VersoDifferentiate.cmake"
        DESTINATION "${verso_package_dir}")

# The same package, of the build directory: absolute paths, no relocation.
set(PACKAGE_INIT "")
set(PACKAGE_CMAKE_INSTALL_LIBDIR "${CMAKE_BINARY_DIR}/lib")
set(PACKAGE_CMAKE_INSTALL_INCLUDEDIR "${PROJECT_SOURCE_DIR}/include")
configure_file("${PROJECT_SOURCE_DIR}/cmake/VersoConfig.cmake.in"
               "${verso_files_dir}/VersoConfig.cmake" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/VersoDifferentiate.cmake"
               "${verso_files_dir}/VersoDifferentiate.cmake" COPYONLY)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/verso"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS Verso LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
foreach(verso_runtime verso_runtime_static verso_runtime_shared)
  if(TARGET ${verso_runtime})
    install(TARGETS ${verso_runtime}
            ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
            LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  endif()
endforeach()
