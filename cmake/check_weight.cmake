# cmake -DCXX=<g++> -DLIMITS=<file> -DHEADERS=<file: one in each line> -DINCLUDE=<directory> -DSCRATCH=<x.cpp>
#       -P check_weight.cmake
# What including a header costs who includes it: the lines of <g++> -std=c++20 -E -P, against the limits of a file.
# A header that is too heavy is named with its direct includes, the heaviest first. Prints the table of all.
cmake_minimum_required(VERSION 3.25)

# How many lines a line of the form `#include <x>` comes to.
function(weigh directive result)
    file(WRITE "${SCRATCH}" "${directive}\n")
    execute_process(
        COMMAND "${CXX}" -std=c++20 -E -P "-I${INCLUDE}" "${SCRATCH}"
        COMMAND wc -l
        OUTPUT_VARIABLE count
        OUTPUT_STRIP_TRAILING_WHITESPACE
        COMMAND_ERROR_IS_FATAL ANY)
    set(${result} ${count} PARENT_SCOPE)
endfunction()

# The direct includes of a header, each with its own weight, the heaviest first.
function(explain header result)
    file(STRINGS "${INCLUDE}/${header}" directives REGEX "^#include <")
    set(weights "")
    foreach(directive IN LISTS directives)
        weigh("${directive}" weight)
        list(APPEND weights "${weight} ${directive}")
    endforeach()
    list(SORT weights COMPARE NATURAL ORDER DESCENDING)
    list(TRANSFORM weights PREPEND "      ")
    list(JOIN weights "\n" weights)
    set(${result} "${weights}" PARENT_SCOPE)
endfunction()

file(STRINGS "${LIMITS}" rows REGEX "^[^#]")
foreach(row IN LISTS rows)
    if(NOT row MATCHES "^([^ ]+) +([0-9]+)( .*)?$")
        message(FATAL_ERROR "${LIMITS}: not `header limit reason`: ${row}")
    endif()
    set("limit_${CMAKE_MATCH_1}" ${CMAKE_MATCH_2})
    list(APPEND listed "${CMAKE_MATCH_1}")
endforeach()
list(REMOVE_ITEM listed default)

file(STRINGS "${HEADERS}" headers)
set(wrong "")
set(table "")
foreach(header IN LISTS headers)
    weigh("#include <${header}>" weight)
    list(APPEND table "${weight} ${header}")
    set(limit ${limit_default})
    if(header IN_LIST listed)
        list(REMOVE_ITEM listed "${header}")
        set(limit ${limit_${header}})
        if(limit GREATER limit_default AND weight LESS_EQUAL limit_default)
            string(APPEND wrong "  ${header} has ${weight} lines: it needs no exception any more\n")
        endif()
    endif()
    if(weight GREATER limit)
        explain("${header}" includes)
        string(APPEND wrong "  ${header} has ${weight} lines, the limit is ${limit}; what it includes:\n${includes}\n")
    endif()
endforeach()
foreach(header IN LISTS listed)
    string(APPEND wrong "  ${header} has a limit, and does not exist\n")
endforeach()

list(SORT table COMPARE NATURAL ORDER DESCENDING)
list(JOIN table "\n" table)
message(STATUS "lines of each header:\n${table}")
if(NOT headers)
    message(FATAL_ERROR "no header in ${HEADERS}")
endif()
if(wrong)
    message(FATAL_ERROR "headers that cost too much (limits: ${LIMITS}):\n${wrong}")
endif()
