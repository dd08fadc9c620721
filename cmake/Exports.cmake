# The shared library exports what the public headers declare, and nothing else: the headers are
# the list, so no declaration needs a marker and no second list can go stale. A declaration begins
# its line; what stands in comments and in the bodies of inline functions does not. Their version
# node is named after the SONAME: the loader refuses a library that has another.

function(hectic_export_only_public target)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/hectic/*.h)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
  set(names "")
  foreach(header ${headers})
    file(READ ${header} text)
    string(REGEX REPLACE "static inline[^\n]*" "" text "${text}")
    string(REGEX MATCHALL "\n[a-z][^\n(]*hectic_[a-z0-9_]+\\(" declarations "${text}")
    list(APPEND names ${declarations})
  endforeach()
  list(TRANSFORM names REPLACE ".*(hectic_[a-z0-9_]+)\\($" "\\1")
  list(REMOVE_DUPLICATES names)
  list(SORT names)
  list(JOIN names ";\n    " names)
  set(node HECTIC_${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(script ${CMAKE_BINARY_DIR}/hectic.map)
  file(CONFIGURE OUTPUT ${script} CONTENT "@node@ {\n  global:\n    @names@;\n  local: *;\n};\n" @ONLY)
  target_link_options(${target} PRIVATE LINKER:--version-script=${script})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()
