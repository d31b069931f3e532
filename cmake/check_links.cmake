# cmake -DBINARY=<program> -DNEVER=<expression> -P check_links.cmake
# The program's shared libraries, as the loader sees them, must not match lib(<expression>).so.
execute_process(
    COMMAND ldd "${BINARY}"
    OUTPUT_VARIABLE libraries
    COMMAND_ERROR_IS_FATAL ANY)
if(NOT libraries MATCHES "libc\\.so")
    message(FATAL_ERROR "ldd did not list the libraries of ${BINARY}:\n${libraries}")
endif()
if(libraries MATCHES "lib(${NEVER})\\.so")
    message(FATAL_ERROR "${BINARY} links ${CMAKE_MATCH_0}:\n${libraries}")
endif()
