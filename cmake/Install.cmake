# cmake --install: headers, both libraries, the command, and how others find them.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS hectic hectic_static EXPORT hectic-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS hectic_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/hectic DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(DIRECTORY ${HECTIC_GENERATED}/hectic DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hectic)
install(EXPORT hectic-targets NAMESPACE hectic:: DESTINATION ${package_dir})
configure_package_config_file(cmake/hectic-config.cmake.in ${CMAKE_BINARY_DIR}/hectic-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/hectic-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/hectic-config.cmake
              ${CMAKE_BINARY_DIR}/hectic-config-version.cmake DESTINATION ${package_dir})

# Relative to the .pc file itself, so that an installed tree can be moved.
file(RELATIVE_PATH HECTIC_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" HECTIC_PC_PREFIX ${HECTIC_PC_PREFIX})
list(JOIN HECTIC_PC_REQUIRES_PRIVATE " " HECTIC_PC_REQUIRES_PRIVATE)
configure_file(cmake/hectic.pc.in ${CMAKE_BINARY_DIR}/hectic.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/hectic.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The documents lie as they do in the source, with what they link to.
install(FILES README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs ghc examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        PATTERN "CMakeLists.txt" EXCLUDE)
file(RELATIVE_PATH include_link ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
file(CREATE_LINK ${include_link} ${CMAKE_BINARY_DIR}/doc-include SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/doc-include DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME include)
