# rondo_component(<name>
#     SOURCES   <file>...       private, under src/
#     HEADERS   <file>...       public, under include/; each listed
#     [LINK     <component>...] components below, seen by who includes the headers
#     [PACKAGES <package>...]   what find_package() must find, here and for who links the static library
#     [PRIVATE  <target>...]    libraries of those packages; never in a public header
#     [INSIDE   <component>...] components whose src/ this one may include; a matter of this build alone
#
# Makes rondo_<name> with the alias rondo::<name>: static, or shared with BUILD_SHARED_LIBS; symbols hidden unless
# marked RONDO_API.
include(GNUInstallDirs)

function(rondo_component name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;LINK;PACKAGES;PRIVATE;INSIDE")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "rondo_component(${name}): unknown argument ${arg_UNPARSED_ARGUMENTS}")
    endif()

    set(target rondo_${name})
    add_library(${target} ${arg_SOURCES})
    add_library(rondo::${name} ALIAS ${target})
    target_sources(
        ${target}
        PUBLIC FILE_SET HEADERS
               BASE_DIRS include
               FILES ${arg_HEADERS})
    target_include_directories(${target} PRIVATE src)
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(
        ${target}
        PROPERTIES EXPORT_NAME ${name}
                   CXX_EXTENSIONS OFF
                   CXX_VISIBILITY_PRESET hidden
                   VISIBILITY_INLINES_HIDDEN ON
                   VERSION ${rondo_VERSION}
                   SOVERSION ${rondo_VERSION_MAJOR}.${rondo_VERSION_MINOR}
                   INSTALL_RPATH "$ORIGIN")

    # Not by linking: what a static library links is exported, even if it is private.
    target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:rondo_warnings,INTERFACE_COMPILE_OPTIONS>)
    foreach(below IN LISTS arg_LINK)
        target_link_libraries(${target} PUBLIC rondo::${below})
    endforeach()
    foreach(package IN LISTS arg_PACKAGES)
        find_package(${package} REQUIRED)
    endforeach()
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE})
    foreach(other IN LISTS arg_INSIDE)
        target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/${other}/src")
    endforeach()

    # What rondo_package.cmake writes into rondo-config.cmake.
    set_property(GLOBAL APPEND PROPERTY RONDO_COMPONENTS ${name})
    set_property(GLOBAL PROPERTY RONDO_LINK_${name} ${arg_LINK})
    set_property(GLOBAL PROPERTY RONDO_PACKAGES_${name} ${arg_PACKAGES})

    if(RONDO_INSTALL)
        install(
            TARGETS ${target}
            EXPORT rondo-${name}
            COMPONENT ${name}
            RUNTIME COMPONENT ${name}
            LIBRARY COMPONENT ${name} NAMELINK_COMPONENT ${name}
            ARCHIVE COMPONENT ${name}
            FILE_SET HEADERS COMPONENT ${name})
        install(
            EXPORT rondo-${name}
            NAMESPACE rondo::
            DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/rondo"
            COMPONENT ${name})
    endif()
endfunction()
