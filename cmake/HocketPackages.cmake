# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# Debian packages, by `scripts/package`: a library, what programs are built with, the command, and examples.

install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/hocket-examples/examples"
  COMPONENT examples EXCLUDE_FROM_ALL)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/guide" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libhocket-dev"
  COMPONENT development EXCLUDE_FROM_ALL)
install(FILES "${PROJECT_SOURCE_DIR}/docs/guide.md" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libhocket-dev"
  COMPONENT development EXCLUDE_FROM_ALL)
set(_series "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
foreach(_package runtime.libhocket${_series} development.libhocket-dev tools.hocket-tools examples.hocket-examples)
  string(REGEX REPLACE "^([a-z]+)\\.(.*)" "\\1;\\2" _parts "${_package}")
  list(GET _parts 0 _component)
  list(GET _parts 1 _name)
  install(FILES "${PROJECT_SOURCE_DIR}/packaging/copyright" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${_name}"
    COMPONENT ${_component} EXCLUDE_FROM_ALL)
  string(TOUPPER ${_component} _upper)
  set(CPACK_DEBIAN_${_upper}_PACKAGE_NAME ${_name})
endforeach()
set(_runtime "libhocket${_series} (= ${PROJECT_VERSION})")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hocket)
set(CPACK_PACKAGE_VENDOR "The Hocket authors")
set(CPACK_PACKAGE_CONTACT "The Hocket authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development tools examples)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Where the libraries are that those of other packages need.
get_property(_libraries GLOBAL PROPERTY HOCKET_LIBRARIES)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "")
foreach(_library IN LISTS _libraries)
  get_target_property(_folder ${_library} BINARY_DIR)
  list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${_folder}")
endforeach()
set(CPACK_DEBIAN_PACKAGE_SECTION libs)

set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "The shared libraries.
 Runs the tasks of a program on whichever device finishes them first. Drivers
 of OpenCL and Vulkan are opened when they are there.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "ocl-icd-libopencl1, libvulkan1")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "What programs are built with.
 Headers, the packages for CMake and pkg-config, and the guide.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "${_runtime}, libtbb-dev, libboost1.81-dev, libboost-context1.81-dev, libboost-json1.81-dev, libhwloc-dev, libopenblas-dev, libfmt-dev, libshaderc-dev, glslang-dev, spirv-tools, zlib1g-dev")
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "The command hocket.
 Looks at the machine as Hocket sees it, and at runs.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${_runtime}")
set(CPACK_DEBIAN_EXAMPLES_DESCRIPTION "Examples.
 Programs that are built with libhocket-dev, each in a folder of its own.")
set(CPACK_DEBIAN_EXAMPLES_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_EXAMPLES_PACKAGE_DEPENDS "libhocket-dev (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_EXAMPLES_PACKAGE_RECOMMENDS "cmake, libcli11-dev")
include(CPack)
