# cmake -DROOT=<tree> -P check_layers.cmake
# An include may only point down. Looks at every #include under the components and the examples.
#
#   redis client   http client, server      neither sees the other
#   redis codec    http codec    net        codecs: the standard library and a few words of the runtime
#                runtime                    runtime/src alone sees liburing
#                testing                    the runtime on a simulated kernel; nothing of the library above sees it
cmake_minimum_required(VERSION 3.25)

set(components runtime testing net redis http)

# Which components a component may include.
set(below_runtime runtime)
set(below_testing runtime testing)
set(below_net runtime net)
set(below_redis runtime net redis)
set(below_http runtime net http)

# Whose src/ it may see besides its own.
set(inside_net runtime)
set(inside_testing runtime)

# Codecs do no I/O: the stems of their files, and what these may include.
set(codec_redis commands? convert encoder error parser value)
set(codec_http
    body_decoder
    body_framer
    date
    error
    field_parser
    framing
    grammar
    head_fields
    headers
    limits
    method
    request
    request_parser
    request_writer
    response
    response_parser
    response_writer
    status
    url)
set(codec_may_include bytes error export result)

# Libraries of others, and the only places that may see them.
set(third_party_seen_by
    "liburing.*|linux/io_uring.h=runtime/src/|runtime/testing/src/|bench/floor/"
    "fmt/.*=examples/|tests/|bench/"
    "catch2/.*=tests/support/")

set(wrong "")
macro(complain text)
    string(APPEND wrong "  ${file}: <${included}> ${text}\n")
endmacro()

# Sets part to the component of a <rondo/...> header, and leaf to the rest of its path.
macro(split header)
    string(REGEX REPLACE "^rondo/" "" leaf "${header}")
    set(part runtime)
    if(leaf MATCHES "^([a-z0-9_]+)/(.*)$" AND CMAKE_MATCH_1 IN_LIST components)
        set(part ${CMAKE_MATCH_1})
        set(leaf "${CMAKE_MATCH_2}")
    endif()
    string(REGEX REPLACE "\\.hpp$" "" leaf "${leaf}")
endmacro()

function(is_codec component path result)
    get_filename_component(stem "${path}" NAME_WE)
    set(${result} FALSE PARENT_SCOPE)
    foreach(codec IN LISTS codec_${component})
        if(stem MATCHES "^${codec}$")
            set(${result} TRUE PARENT_SCOPE)
        endif()
    endforeach()
endfunction()

set(count 0)
file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/*.hpp" "${ROOT}/*.cpp")
foreach(file IN LISTS files)
    if(NOT file MATCHES "^(runtime|net|redis|http|examples|tests|bench)/(.*)$")
        continue()
    endif()
    set(component ${CMAKE_MATCH_1})
    if(file MATCHES "^runtime/testing/")
        set(component testing)
    endif()
    set(public FALSE)
    if(file MATCHES "^[a-z/]+/include/")
        set(public TRUE)
    endif()
    set(codec FALSE)
    if(component IN_LIST components)
        is_codec(${component} "${file}" codec)
    endif()

    file(STRINGS "${ROOT}/${file}" lines REGEX "^[ \t]*#[ \t]*include")
    foreach(line IN LISTS lines)
        math(EXPR count "${count} + 1")
        if(line MATCHES "<([^>]*)>")
            set(included "${CMAKE_MATCH_1}")
            foreach(rule IN LISTS third_party_seen_by)
                string(REGEX MATCH "^(.*)=(.*)$" rule "${rule}")
                set(library "${CMAKE_MATCH_1}")
                set(places "${CMAKE_MATCH_2}")
                if(included MATCHES "^(${library})$" AND NOT file MATCHES "^(${places})")
                    complain("is seen by ${places} only")
                endif()
            endforeach()
            if(NOT component IN_LIST components)
                continue()
            endif()
            if(included MATCHES "^rondo/")
                split("${included}")
                if(NOT part IN_LIST below_${component})
                    complain("is not below ${component}")
                elseif(codec AND part STREQUAL "runtime" AND NOT leaf IN_LIST codec_may_include)
                    complain("is more than a codec may know")
                elseif(codec AND NOT part STREQUAL "runtime")
                    is_codec(${part} "${included}" of_codec)
                    if(NOT of_codec OR NOT part STREQUAL component)
                        complain("is not part of the codec")
                    endif()
                endif()
            elseif((public OR codec) AND included MATCHES "[./]")
                complain("is a system header, and this a public header or a codec")
            endif()
        elseif(line MATCHES "\"([^\"]*)\"")
            set(included "${CMAKE_MATCH_1}")
            if(NOT component IN_LIST components)
                continue()
            endif()
            set(found FALSE)
            foreach(place IN LISTS component inside_${component})
                string(REGEX REPLACE "^testing$" "runtime/testing" place "${place}")
                if(EXISTS "${ROOT}/${place}/src/${included}")
                    set(found TRUE)
                endif()
            endforeach()
            if(public)
                complain("is private, and this a public header")
            elseif(NOT found)
                complain("is not under src/ of ${component} ${inside_${component}}")
            endif()
        endif()
    endforeach()
endforeach()

if(count EQUAL 0)
    message(FATAL_ERROR "no include found under ${ROOT}")
endif()
if(wrong)
    message(FATAL_ERROR "an include may only point down:\n${wrong}")
endif()
message(STATUS "${count} includes, each points down")
