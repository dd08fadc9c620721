# hectic/emit_events.h, a function for each event, which a program of the catalogue alone prints.

set(HECTIC_GENERATED ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${HECTIC_GENERATED}/hectic)
add_executable(emit_events tools/emit_events.c src/format/catalogue.c)
target_include_directories(emit_events PRIVATE include src)
add_custom_command(OUTPUT ${HECTIC_GENERATED}/hectic/emit_events.h DEPENDS emit_events VERBATIM
                   COMMAND emit_events > ${HECTIC_GENERATED}/hectic/emit_events.h)
add_custom_target(hectic_generated DEPENDS ${HECTIC_GENERATED}/hectic/emit_events.h)

# What packs src/relay/metrics.proto, into metrics.pb-c.h.
set(METRICS_PROTO ${CMAKE_BINARY_DIR}/proto)
file(MAKE_DIRECTORY ${METRICS_PROTO})
add_custom_command(OUTPUT ${METRICS_PROTO}/metrics.pb-c.c ${METRICS_PROTO}/metrics.pb-c.h
                   DEPENDS src/relay/metrics.proto VERBATIM
                   COMMAND ${PROTOC_C} --proto_path=${CMAKE_SOURCE_DIR}/src/relay
                           --c_out=${METRICS_PROTO} metrics.proto)
add_library(hectic_metrics_proto STATIC ${METRICS_PROTO}/metrics.pb-c.c)
target_include_directories(hectic_metrics_proto SYSTEM PUBLIC ${METRICS_PROTO})
target_link_libraries(hectic_metrics_proto PUBLIC PkgConfig::PROTOBUF_C)
