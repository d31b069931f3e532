# find_package(rondo 0.1 COMPONENTS redis): the config file, its version, and the find modules it needs.
include(CMakePackageConfigHelpers)

set(destination "${CMAKE_INSTALL_LIBDIR}/cmake/rondo")

# The components in an order in which each comes after what it links.
get_property(rondo_components GLOBAL PROPERTY RONDO_COMPONENTS)
set(rondo_needs "")
foreach(component IN LISTS rondo_components)
    get_property(links GLOBAL PROPERTY RONDO_LINK_${component})
    string(APPEND rondo_needs "set(_rondo_link_${component} ${links})\n")
    # A shared library carries its own dependencies.
    get_target_property(type rondo_${component} TYPE)
    set(packages "")
    if(type STREQUAL "STATIC_LIBRARY")
        get_property(packages GLOBAL PROPERTY RONDO_PACKAGES_${component})
    endif()
    string(APPEND rondo_needs "set(_rondo_packages_${component} ${packages})\n")
endforeach()

configure_package_config_file(
    "${CMAKE_CURRENT_LIST_DIR}/rondo-config.cmake.in" "${PROJECT_BINARY_DIR}/rondo-config.cmake"
    INSTALL_DESTINATION "${destination}"
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/rondo-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(
    FILES "${PROJECT_BINARY_DIR}/rondo-config.cmake" "${PROJECT_BINARY_DIR}/rondo-config-version.cmake"
          "${CMAKE_CURRENT_LIST_DIR}/Findliburing.cmake"
    DESTINATION "${destination}"
    COMPONENT runtime)
