# rondo_check_headers(<target> HEADERS <file>... [LINK <target>...] [INCLUDE <directory>...] [FAILS_WITH <regex>])
#     A target and one CTest entry of the same name: each header compiles as all that a file includes, and again after
#     itself. The compiles are a build of their own, so that they go through ccache and only what changed is looked at.
# rondo_header_set(<component> <variable>)
#     The public headers of a component, as rondo_component() was given them, relative to its include directory.

function(rondo_header_set component result)
    get_target_property(files rondo_${component} HEADER_SET)
    get_target_property(directory rondo_${component} SOURCE_DIR)
    set(headers "")
    foreach(file IN LISTS files)
        cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${directory}")
        cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${directory}/include")
        list(APPEND headers "${file}")
    endforeach()
    if(NOT headers)
        message(FATAL_ERROR "${component} has no public header")
    endif()
    set(${result} "${headers}" PARENT_SCOPE)
endfunction()

function(rondo_check_headers target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "FAILS_WITH" "LINK;HEADERS;INCLUDE")
    set(sources "")
    foreach(header IN LISTS arg_HEADERS)
        set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}/${header}.cpp")
        set(text "#include <${header}>\n#include <${header}>\n")
        file(GENERATE OUTPUT "${source}" CONTENT "${text}")
        list(APPEND sources "${source}")
    endforeach()
    add_library(${target} OBJECT EXCLUDE_FROM_ALL ${sources})
    target_link_libraries(${target} PRIVATE ${arg_LINK} rondo_warnings)
    target_include_directories(${target} PRIVATE ${arg_INCLUDE})
    # Nothing of a header alone is worth optimising.
    target_compile_options(${target} PRIVATE -O0 -g0)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    rondo_check(
        ${target}
        COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target ${target} --parallel 2 -- -k 0
        TIMEOUT 600
        FAILS_WITH "${arg_FAILS_WITH}")
    set_tests_properties(${target} PROPERTIES RESOURCE_LOCK build_directory)
endfunction()
