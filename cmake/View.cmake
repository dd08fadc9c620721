# The page of hectic view, view.html: scripts/build-page builds it, at each build, or says why it cannot.

set(build_page ${CMAKE_SOURCE_DIR}/scripts/build-page ${CMAKE_BINARY_DIR} ${CMAKE_GENERATOR})
# Other builds, for sanitizers and the like, make it only when asked to: it would be the same file.
if(CMAKE_C_FLAGS MATCHES "-fsanitize|--coverage")
  add_custom_target(view_page COMMAND ${build_page} VERBATIM)
else()
  add_custom_target(view_page ALL COMMAND ${build_page} VERBATIM)
endif()
install(FILES ${CMAKE_BINARY_DIR}/view.html DESTINATION ${CMAKE_INSTALL_DATADIR}/hectic OPTIONAL)
# Without a page, none of an earlier installation stays, and the reason is printed.
install(CODE "if(EXISTS \"${CMAKE_BINARY_DIR}/view.missing\")
  file(STRINGS \"${CMAKE_BINARY_DIR}/view.missing\" reason)
  message(\"\${reason}\")
  file(REMOVE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/hectic/view.html\")
endif()")
