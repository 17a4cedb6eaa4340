# Two helpers that every folder of src/ uses, so that warnings, sanitizers and test registration are said once.

add_library(heddle_options INTERFACE)
target_include_directories(heddle_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_compile_options(heddle_options INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -fvisibility-inlines-hidden)

add_library(heddle_sanitize INTERFACE)
if(HEDDLE_SANITIZE)
  target_compile_options(heddle_sanitize INTERFACE
    -fsanitize=${HEDDLE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(heddle_sanitize INTERFACE -fsanitize=${HEDDLE_SANITIZE})
endif()
if(HEDDLE_FUZZ)
  target_compile_options(heddle_sanitize INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(HEDDLE_COVERAGE)
  target_compile_options(heddle_sanitize INTERFACE --coverage)
  target_link_options(heddle_sanitize INTERFACE --coverage)
endif()

# heddle_share_counters(TARGET): in builds that measure coverage, counts in a file beside the library; for what lives in
# other programs (runtime/coverage.cpp).
function(heddle_share_counters name)
  if(NOT HEDDLE_COVERAGE)
    return()
  endif()
  target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src/runtime/coverage.cpp)
  target_compile_options(${name} PRIVATE -fprofile-instr-generate -fcoverage-mapping "SHELL:-mllvm -runtime-counter-relocation")
  target_compile_definitions(${name} PRIVATE HEDDLE_COUNTERS_FILE="${CMAKE_BINARY_DIR}/${name}.counters")
endfunction()

# heddle_precompile(TARGET <header> ...): headers of others that most files of the target include, read once.
function(heddle_precompile name)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>)
  endif()
endfunction()

# heddle_unity(TARGET): compiles up to eight files of one folder together. Most of the time of a file is spent on headers and on inline
# functions of libraries that every file makes again (CLI11, LLVM, JSON). Files still stand alone: the preset with g++ and clang-tidy read each
# by itself.
function(heddle_unity name)
  if(NOT HEDDLE_UNITY)
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "in_${folder}" folder)
    list(APPEND ${folder} ${source})
    list(APPEND folders ${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    set(count 0)
    foreach(source ${${folder}})
      math(EXPR batch "${count} / 8")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${folder}_${batch})
      math(EXPR count "${count} + 1")
    endforeach()
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# heddle_library(NAME SOURCES a.cpp ... DEPS heddle_base ...): a static library of the tools. Reading the standard headers
# is a third of the time of a file, so they are read once where that pays.
function(heddle_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS} PRIVATE heddle_options heddle_sanitize)
  heddle_unity(${name})
  list(LENGTH ARG_SOURCES count)
  if(count GREATER 4)
    heddle_precompile(${name} <algorithm> <cstdint> <functional> <map> <memory> <optional> <set> <string> <unordered_map> <vector>)
  endif()
endfunction()

# All unit tests, for builds that need nothing else (`./test --sanitizers`).
add_custom_target(unit_tests)

# heddle_test(NAME SOURCES a_test.cpp ... DEPS lib ...): one GoogleTest program, one ctest entry.
function(heddle_test name)
  if(NOT HEDDLE_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} heddle_options heddle_sanitize GTest::gmock GTest::gtest_main)
  list(LENGTH ARG_SOURCES count)
  if(count GREATER 2)
    heddle_precompile(${name} <gtest/gtest.h>)
  endif()
  target_compile_definitions(${name} PRIVATE HEDDLE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_dependencies(unit_tests ${name})
  add_test(NAME unit.${name} COMMAND ${name} --gtest_brief=1)
  # Sanitizers and g++ without optimisation take up to five times as long.
  if(HEDDLE_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(limit 3000)
  else()
    set(limit 600)
  endif()
  set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT ${limit})
endfunction()

# heddle_fuzz(NAME SOURCES x_fuzz.cpp DEPS lib): a libFuzzer target; without HEDDLE_FUZZ it is not built.
function(heddle_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} heddle_options heddle_sanitize)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
endfunction()
