# cmake -DEXPECTED=<regex> -P expect_failure.cmake -- command args...
# Succeeds only if the command fails and its output matches the expression, as it is or with all white space as single
# spaces: CMake breaks the lines of its messages, and where depends on how long the paths in them are.
set(command "")
set(seen FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
    if(seen)
        list(APPEND command "${CMAKE_ARGV${i}}")
    elseif(CMAKE_ARGV${i} STREQUAL "--")
        set(seen TRUE)
    endif()
endforeach()

execute_process(
    COMMAND ${command}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
if(status EQUAL 0)
    message(FATAL_ERROR "it should have failed, and did not; its output:\n${output}")
endif()
string(REGEX REPLACE "[ \n]+" " " unbroken "${output}")
if(NOT output MATCHES "${EXPECTED}" AND NOT unbroken MATCHES "${EXPECTED}")
    message(FATAL_ERROR "it failed (${status}), but did not say '${EXPECTED}'; its output:\n${output}")
endif()
message(STATUS "failed as it should: ${CMAKE_MATCH_0}")
