# cmake -DBUILD=<build of rondo> -DCONSUMER=<project> -DWORK=<scratch> -DCXX=<compiler> [-DSHARED_FROM=<rondo>]
#       -P test_consumer.cmake
# Installs rondo into an empty prefix, then configures, builds and runs a project that knows only this prefix.
# With SHARED_FROM it first builds rondo's shared libraries from that tree, and installs those.
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

set(prefix "${WORK}/prefix")
file(REMOVE_RECURSE "${prefix}" "${WORK}/build")

if(SHARED_FROM)
    set(BUILD "${WORK}/rondo")
    run("${CMAKE_COMMAND}" -S "${SHARED_FROM}" -B "${BUILD}" -G Ninja "-DCMAKE_CXX_COMPILER=${CXX}"
        -DCMAKE_CXX_FLAGS=-O0 -DBUILD_SHARED_LIBS=ON -DRONDO_BUILD_TESTS=OFF -DRONDO_BUILD_EXAMPLES=OFF
        -DRONDO_BUILD_BENCH=OFF)
    run("${CMAKE_COMMAND}" --build "${BUILD}" --parallel 2)
endif()

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")
run("${CMAKE_COMMAND}" -S "${CONSUMER}" -B "${WORK}/build" -G Ninja "-DCMAKE_CXX_COMPILER=${CXX}"
    "-DCMAKE_PREFIX_PATH=${prefix}")
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/consumer")
