# One floor of the house (see docs/README.md): a static library with the project's flags.
#   mla_add_library(NAME [MLIR] SOURCES a.cpp… [DEPENDS target…] [LINK library…])
# MLIR: the library includes LLVM and MLIR headers; it is built with their flags and shares one precompiled header.
function(mla_add_library name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  mla_configure_target(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# The flags every target of this project is built with. MLIR as above.
function(mla_configure_target name)
  cmake_parse_arguments(ARG "MLIR" "" "" ${ARGN})
  target_include_directories(${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter)
  if(ARG_MLIR)
    target_include_directories(${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
    target_compile_definitions(${name} PRIVATE ${LLVM_DEFINITIONS_LIST})
    # Executables get -fPIE, which does not go with a header precompiled for libraries.
    target_compile_options(${name} PRIVATE -fPIC)
    if(NOT name STREQUAL MLAPrecompiled)
      target_precompile_headers(${name} REUSE_FROM MLAPrecompiled)
      target_link_libraries(${name} PUBLIC MLIR LLVM)
    endif()
  endif()
endfunction()

# A GoogleTest program, registered with CTest as one test.
#   mla_add_unittest(NAME [MLIR] SOURCES a.cpp… [LINK library…])
function(mla_add_unittest name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  mla_configure_target(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
