# make deb: one Debian package of everything that is installed.

set(CPACK_GENERATOR DEB)
set(HECTIC_MAINTAINER "The hectic project <maintainers@hectic.invalid>"
    CACHE STRING "Maintainer of the Debian package: name and address")
set(CPACK_PACKAGE_CONTACT ${HECTIC_MAINTAINER})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/DebianFiles.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# To build programs with the library; the command needs none of these.
# Loaded at run time (src/delivery/curl.c, src/http/microhttpd.c).
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libmicrohttpd12")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcurl4")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gcc, ghc, libc6-dev, pkg-config")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "toolkit for the eventlog of GHC")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"The runtime system of the Glasgow Haskell Compiler can write an eventlog:
what threads, garbage collections and user-defined spans did, and when. hectic
analyzes, checks, cuts and merges such logs, and monitors running programs.
.
This package contains the command, the C library with its headers, an extension
of SQLite, and the sources of the Haskell package hectic-eventlog.")
set(CPACK_HECTIC_PAGE "${CMAKE_BINARY_DIR}/view.html")
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/DebianDescription.cmake)
include(CPack)
