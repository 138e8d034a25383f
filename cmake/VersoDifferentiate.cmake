#===- VersoDifferentiate.cmake - use Verso in a CMake project -------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
#
#   verso_differentiate(<target> [SHARED_RUNTIME] [OPTIONS <option>...])
#
# Compiles the C and C++ sources of <target> with the plugin and links the
# runtime (the static one unless SHARED_RUNTIME). OPTIONS are the plugin's own,
# such as -verso-strategy=taped. Works in Verso's own build, where the plugin is
# a target, and after find_package(Verso), where it is a file.
#
#===------------------------------------------------------------------------===//

include_guard(GLOBAL)

# A plugin is for one major version of LLVM, so for one clang.
function(_verso_check_compiler language)
  if(NOT CMAKE_${language}_COMPILER_ID MATCHES "Clang" OR
     NOT CMAKE_${language}_COMPILER_VERSION VERSION_GREATER_EQUAL
         "${VERSO_LLVM_VERSION}" OR
     CMAKE_${language}_COMPILER_VERSION VERSION_GREATER_EQUAL
         "${_verso_next_version}")
    message(FATAL_ERROR
      "verso_differentiate: the plugin is for clang ${VERSO_LLVM_VERSION}, the "
      "${language} compiler is ${CMAKE_${language}_COMPILER_ID} "
      "${CMAKE_${language}_COMPILER_VERSION}")
  endif()
endfunction()

function(verso_differentiate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SHARED_RUNTIME" "" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "verso_differentiate: unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  math(EXPR _verso_next_version "${VERSO_LLVM_VERSION} + 1")
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(language C CXX)
    if(language IN_LIST languages)
      _verso_check_compiler(${language})
    endif()
  endforeach()

  if(TARGET Verso)
    set(plugin "$<TARGET_FILE:Verso>")
    add_dependencies(${target} Verso)
    # Another plugin makes other object files.
    get_target_property(sources ${target} SOURCES)
    set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS
      "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libVerso.so")
  else()
    set(plugin "${VERSO_PLUGIN}")
  endif()

  set(flags "-fpass-plugin=${plugin}")
  # Before LLVM 22 clang reads -mllvm options before it loads pass plugins, but
  # after other plugins.
  if(arg_OPTIONS AND VERSO_LLVM_VERSION VERSION_LESS 22)
    list(APPEND flags "-fplugin=${plugin}")
  endif()
  foreach(option IN LISTS arg_OPTIONS)
    list(APPEND flags "SHELL:-mllvm ${option}")
  endforeach()
  foreach(flag IN LISTS flags)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:C,CXX>:${flag}>")
  endforeach()

  if(arg_SHARED_RUNTIME)
    target_link_libraries(${target} PRIVATE Verso::runtime_shared)
  else()
    target_link_libraries(${target} PRIVATE Verso::runtime)
  endif()
endfunction()
