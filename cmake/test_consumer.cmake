# cmake -DCONSUMER=<project> -DWORK=<scratch> -DCXX=<compiler> -DINSTALL=<build of rondo> -P test_consumer.cmake
#     Installs rondo into an empty prefix, then configures, builds and runs a project that knows only this prefix.
# cmake -DCONSUMER=<project> -DWORK=<scratch> -DCXX=<compiler> -DSOURCES=<rondo> -P test_consumer.cmake
#     Configures, builds and runs a project that has rondo's sources in it, as shared libraries. Its build, WORK/build,
#     is one that can be installed: the shared libraries are compiled for all tests of consumers here, and only again
#     when something changed.
cmake_minimum_required(VERSION 3.25)

function(run)
    execute_process(
        COMMAND ${ARGN}
        RESULT_VARIABLE status
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "${command}\nfailed (${status}):\n${output}")
    endif()
endfunction()

set(options -G Ninja "-DCMAKE_CXX_COMPILER=${CXX}" -DCMAKE_CXX_FLAGS=-O0)
if(SOURCES)
    # A consumer has its own settings of ccache; these are ours.
    find_program(ccache ccache)
    if(ccache)
        list(APPEND options "-DCMAKE_CXX_COMPILER_LAUNCHER=${ccache}")
        set(ENV{CCACHE_BASEDIR} "${SOURCES}")
        set(ENV{CCACHE_NOHASHDIR} 1)
    endif()
    list(APPEND options "-DRONDO=${SOURCES}" -DBUILD_SHARED_LIBS=ON -DRONDO_INSTALL=ON)
else()
    set(prefix "${WORK}/prefix")
    file(REMOVE_RECURSE "${prefix}" "${WORK}/build")
    run("${CMAKE_COMMAND}" --install "${INSTALL}" --prefix "${prefix}")
    list(APPEND options "-DCMAKE_PREFIX_PATH=${prefix}")
endif()

run("${CMAKE_COMMAND}" -S "${CONSUMER}" -B "${WORK}/build" ${options})
run("${CMAKE_COMMAND}" --build "${WORK}/build" --parallel 2)
run("${WORK}/build/consumer")
