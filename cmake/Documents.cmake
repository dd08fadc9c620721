# What hectic --version --verbose prints.
set_property(SOURCE src/tool/main/version.c PROPERTY COMPILE_DEFINITIONS ${HECTIC_DEFINITIONS}
             "HECTIC_BUILD_TYPE=\"${CMAKE_BUILD_TYPE}\"")

# Man pages and completions, which the command itself prints from its table of verbs.

file(STRINGS src/tool/main/verbs.def HECTIC_VERBS REGEX "^VERB")
list(TRANSFORM HECTIC_VERBS REPLACE "VERB\\((.*)\\)" "\\1")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/tool/main/verbs.def)

function(hectic_document path)
  cmake_path(GET path PARENT_PATH folder)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/${folder})
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/${path} DEPENDS hectic_tool VERBATIM
                     COMMAND hectic_tool ${ARGN} > ${CMAKE_BINARY_DIR}/${path})
  set_property(GLOBAL APPEND PROPERTY HECTIC_DOCUMENTS ${CMAKE_BINARY_DIR}/${path})
endfunction()

hectic_document(man/hectic.1 --man)
foreach(verb ${HECTIC_VERBS})
  hectic_document(man/hectic-${verb}.1 --man ${verb})
endforeach()
hectic_document(completions/hectic --completions bash)
hectic_document(completions/_hectic --completions zsh)

get_property(documents GLOBAL PROPERTY HECTIC_DOCUMENTS)
add_custom_target(hectic_documents ALL DEPENDS ${documents})

include(GNUInstallDirs)
install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_BINARY_DIR}/completions/hectic
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_BINARY_DIR}/completions/_hectic
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
