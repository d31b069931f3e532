# rondo_test(<name> SOURCES <file>... LINK <target>... [LABELS <label>...] [INSIDE <component>...] [NEEDS <target>...]
#            [TIMEOUT <seconds>] [ALONE])
#     A Catch2 executable <name>_test and one CTest entry <name>.
# rondo_check(<name> COMMAND <command>... [LABELS …] [NEEDS …] [TIMEOUT …] [ALONE] [FAILS_WITH <regex>])
#     A CTest entry that runs any command. With FAILS_WITH the command has to fail, and to say so.
#
# LABELS threads: also run under ThreadSanitizer. LABELS compiler: also under g++ -O0 and clang -O2.
# INSIDE: may include what lies under src/ of these components. NEEDS: what else has to be built first.
# TIMEOUT: a watchdog, 120 s if not given, longer under sanitizers. ALONE: no other test runs at the same time.
#
# Targets: tests builds all; tests_<label> only what the tests of that label need.

set(RONDO_TEST_PATIENCE 1 CACHE STRING "Factor on the watchdog of each test: sanitizers are slow")

function(rondo_register_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "ALONE" "TIMEOUT" "LABELS;NEEDS")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    math(EXPR timeout "${arg_TIMEOUT} * ${RONDO_TEST_PATIENCE}")
    set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} LABELS "${arg_LABELS}" ENVIRONMENT
                                                                                      "${rondo_test_environment}")
    if(arg_ALONE)
        set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
    foreach(collection IN ITEMS tests LISTS arg_LABELS)
        if(NOT collection STREQUAL "tests")
            string(PREPEND collection "tests_")
        endif()
        if(NOT TARGET ${collection})
            add_custom_target(${collection})
        endif()
        if(arg_NEEDS)
            add_dependencies(${collection} ${arg_NEEDS})
        endif()
    endforeach()
endfunction()

function(rondo_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "ALONE" "TIMEOUT" "SOURCES;LINK;LABELS;INSIDE;NEEDS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "rondo_test(${name}): unknown argument ${arg_UNPARSED_ARGUMENTS}")
    endif()
    set(target ${name}_test)
    add_executable(${target} ${arg_SOURCES})
    target_link_libraries(${target} PRIVATE ${arg_LINK} rondo_test_support)
    foreach(component IN LISTS arg_INSIDE)
        target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/${component}/src")
    endforeach()
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    target_precompile_headers(${target} REUSE_FROM rondo_test_support)

    set(alone "")
    if(arg_ALONE)
        set(alone ALONE)
    endif()
    add_test(NAME ${name} COMMAND ${target})
    rondo_register_test(${name} ${alone} TIMEOUT ${arg_TIMEOUT} LABELS ${arg_LABELS} NEEDS ${target} ${arg_NEEDS})
endfunction()

function(rondo_check name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "ALONE" "TIMEOUT;FAILS_WITH" "COMMAND;LABELS;NEEDS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "rondo_check(${name}): unknown argument ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(arg_FAILS_WITH)
        list(PREPEND arg_COMMAND "${CMAKE_COMMAND}" "-DEXPECTED=${arg_FAILS_WITH}" -P
             "${PROJECT_SOURCE_DIR}/cmake/expect_failure.cmake" --)
    endif()
    set(alone "")
    if(arg_ALONE)
        set(alone ALONE)
    endif()
    add_test(NAME ${name} COMMAND ${arg_COMMAND})
    rondo_register_test(${name} ${alone} TIMEOUT ${arg_TIMEOUT} LABELS ${arg_LABELS} NEEDS ${arg_NEEDS})
endfunction()
