# How this tree is compiled. Nothing here reaches who links rondo: the warnings are a private target, and the
# sanitizers and ccache are settings of this directory.

if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)  # target all_verify_interface_header_sets: each header stands alone
    set(CMAKE_COLOR_DIAGNOSTICS ON)
endif()
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

add_library(rondo_warnings INTERFACE)
target_compile_options(
    rondo_warnings
    INTERFACE -Wall
              -Wextra
              -Wpedantic
              -Wshadow
              -Wconversion
              -Wsign-conversion
              -Wnon-virtual-dtor
              -Woverloaded-virtual
              -Wold-style-cast
              -Wundef
              -Wextra-semi
              -Wnull-dereference
              -Wmissing-declarations
              $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
              $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op>
              $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
              $<$<BOOL:${RONDO_WERROR}>:-Werror>)

if(RONDO_SANITIZE)
    add_compile_options(-fsanitize=${RONDO_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${RONDO_SANITIZE})
endif()

# A precompiled header is as good as its content, not its date: this lets ccache keep it.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(RONDO_CCACHE ccache DOC "ccache, used when it is there; empty or OFF for none")
    if(RONDO_CCACHE)
        set(CMAKE_CXX_COMPILER_LAUNCHER
            /usr/bin/env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
            CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${RONDO_CCACHE}")
        if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
            add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
        endif()
    endif()
endif()
