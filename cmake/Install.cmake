# cmake --install: headers, both libraries, the command, and how others find them.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS hectic hectic_static EXPORT hectic-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS hectic_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# In a folder of the system's libraries, SQLite finds the extension by its name.
install(TARGETS hectic_sqlite LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
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

# The sources of the Haskell packages, to be compiled with the program that uses them: hectic-eventlog;
# hectic and hectic-ghc-events.
set(HECTIC_INSTALL_HASKELLDIR ${CMAKE_INSTALL_DATADIR}/hectic/haskell)
set(HECTIC_INSTALL_READERDIR ${CMAKE_INSTALL_DATADIR}/hectic/haskell-packages)
install(DIRECTORY ghc/ DESTINATION ${HECTIC_INSTALL_HASKELLDIR})
install(DIRECTORY haskell/ DESTINATION ${HECTIC_INSTALL_READERDIR})

# The prefix is relative to the .pc file, so that an installed tree can be moved.
file(RELATIVE_PATH HECTIC_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" HECTIC_PC_PREFIX ${HECTIC_PC_PREFIX})
configure_file(cmake/hectic.pc.in ${CMAKE_BINARY_DIR}/hectic.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/hectic.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The documents keep the layout of the source, so that their relative links work.
install(FILES README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        PATTERN "CMakeLists.txt" EXCLUDE)
# hectic_install_link(LINK TARGET): a relative symbolic link; both paths are below the prefix.
function(hectic_install_link link target)
  cmake_path(GET link PARENT_PATH folder)
  cmake_path(GET link FILENAME name)
  file(RELATIVE_PATH relative /${folder} /${target})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/links)
  file(CREATE_LINK ${relative} ${CMAKE_BINARY_DIR}/links/${name} SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/links/${name} DESTINATION ${folder})
endfunction()
hectic_install_link(${CMAKE_INSTALL_DOCDIR}/include/hectic ${CMAKE_INSTALL_INCLUDEDIR}/hectic)
hectic_install_link(${CMAKE_INSTALL_DOCDIR}/ghc ${HECTIC_INSTALL_HASKELLDIR})
