# hectic/emit_events.h, a function for each event, which a program of the catalogue alone prints.

set(HECTIC_GENERATED ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${HECTIC_GENERATED}/hectic)
add_executable(emit_events tools/emit_events.c src/format/catalogue.c)
target_include_directories(emit_events PRIVATE include src)
add_custom_command(OUTPUT ${HECTIC_GENERATED}/hectic/emit_events.h DEPENDS emit_events VERBATIM
                   COMMAND emit_events > ${HECTIC_GENERATED}/hectic/emit_events.h)
add_custom_target(hectic_generated DEPENDS ${HECTIC_GENERATED}/hectic/emit_events.h)

# What packs messages of FOLDER/NAME.proto, into NAME.pb-c.h: hectic_NAME_proto.
function(hectic_pack_proto folder name)
  set(output ${CMAKE_BINARY_DIR}/proto)
  file(MAKE_DIRECTORY ${output})
  add_custom_command(OUTPUT ${output}/${name}.pb-c.c ${output}/${name}.pb-c.h
                     DEPENDS ${folder}/${name}.proto VERBATIM
                     COMMAND ${PROTOC_C} --proto_path=${CMAKE_SOURCE_DIR}/${folder}
                             --c_out=${output} ${name}.proto)
  add_library(hectic_${name}_proto STATIC ${output}/${name}.pb-c.c)
  target_include_directories(hectic_${name}_proto SYSTEM PUBLIC ${output})
  target_link_libraries(hectic_${name}_proto PUBLIC PkgConfig::PROTOBUF_C)
endfunction()
hectic_pack_proto(src/relay metrics)
hectic_pack_proto(src/tool/verbs/export pprof)
