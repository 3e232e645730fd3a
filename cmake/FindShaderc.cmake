# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# Shaderc::shaderc, the static library with all that it uses. Debian's libshaderc_combined.a contains nothing of
# glslang and SPIRV-Tools, and its libshaderc.so does not name them either. Other packages have more or fewer parts of
# glslang as libraries of their own.

find_path(Shaderc_INCLUDE_DIR shaderc/shaderc.h)
find_path(Shaderc_SPIRV_TOOLS_INCLUDE_DIR spirv-tools/libspirv.h)
# What the linker calls them.
set(Shaderc_LIBRARY_NAMES "")
foreach(_library shaderc_combined shaderc shaderc_util glslang MachineIndependent GenericCodeGen OSDependent OGLCompiler
    SPIRV SPIRV-Tools-opt SPIRV-Tools)
  if(_library MATCHES "^shaderc(_util)?$" AND Shaderc_shaderc_combined_LIBRARY)
    continue()
  endif()
  find_library(Shaderc_${_library}_LIBRARY NAMES lib${_library}.a)
  mark_as_advanced(Shaderc_${_library}_LIBRARY)
  if(Shaderc_${_library}_LIBRARY)
    list(APPEND Shaderc_LIBRARY_NAMES ${_library})
  endif()
endforeach()
mark_as_advanced(Shaderc_INCLUDE_DIR Shaderc_SPIRV_TOOLS_INCLUDE_DIR)

set(_shaderc_main Shaderc_shaderc_combined_LIBRARY)
if(Shaderc_shaderc_LIBRARY)
  set(_shaderc_main Shaderc_shaderc_LIBRARY Shaderc_shaderc_util_LIBRARY)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Shaderc
  REQUIRED_VARS ${_shaderc_main} Shaderc_glslang_LIBRARY Shaderc_SPIRV-Tools_LIBRARY Shaderc_INCLUDE_DIR
    Shaderc_SPIRV_TOOLS_INCLUDE_DIR)

if(Shaderc_FOUND AND NOT TARGET Shaderc::shaderc)
  set(_shaderc_files "")
  foreach(_library IN LISTS Shaderc_LIBRARY_NAMES)
    list(APPEND _shaderc_files "${Shaderc_${_library}_LIBRARY}")
  endforeach()
  # A shared library that they are linked into exports nothing of them.
  list(TRANSFORM _shaderc_files REPLACE "^.*/" "" OUTPUT_VARIABLE _shaderc_names)
  list(JOIN _shaderc_names ":" _shaderc_names)
  # They need one another in both directions.
  list(JOIN _shaderc_files "," _shaderc_files)
  add_library(Shaderc::shaderc INTERFACE IMPORTED GLOBAL)
  target_link_libraries(Shaderc::shaderc INTERFACE "$<LINK_GROUP:RESCAN,${_shaderc_files}>")
  target_link_options(Shaderc::shaderc INTERFACE "LINKER:--exclude-libs,${_shaderc_names}")
  target_include_directories(Shaderc::shaderc INTERFACE "${Shaderc_INCLUDE_DIR}"
    "${Shaderc_SPIRV_TOOLS_INCLUDE_DIR}")
endif()
