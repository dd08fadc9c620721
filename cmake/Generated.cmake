# hectic/emit_events.h, a function for each event, which a program of the catalogue alone prints.

set(HECTIC_GENERATED ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${HECTIC_GENERATED}/hectic)
add_executable(emit_events tools/emit_events.c src/format/catalogue.c)
target_include_directories(emit_events PRIVATE include src)
add_custom_command(OUTPUT ${HECTIC_GENERATED}/hectic/emit_events.h DEPENDS emit_events VERBATIM
                   COMMAND emit_events > ${HECTIC_GENERATED}/hectic/emit_events.h)
add_custom_target(hectic_generated DEPENDS ${HECTIC_GENERATED}/hectic/emit_events.h)
