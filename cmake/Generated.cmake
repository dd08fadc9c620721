# hectic/emit_events.h and hectic/read_events.h, which a program of the catalogue alone prints.

set(HECTIC_GENERATED ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${HECTIC_GENERATED}/hectic)
if(CMAKE_CROSSCOMPILING) # it runs on this machine
  find_program(HECTIC_HOST_CC NAMES cc gcc clang REQUIRED NO_CMAKE_FIND_ROOT_PATH)
  set(event_code ${CMAKE_BINARY_DIR}/event_code)
  add_custom_command(OUTPUT ${event_code} VERBATIM WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
                     COMMAND ${HECTIC_HOST_CC} -std=c17 -Iinclude -Isrc -o ${event_code}
                             tools/event_code.c src/format/catalogue.c
                     DEPENDS tools/event_code.c tools/camel.h src/format/catalogue.c src/format/event_bytes.h
                             include/hectic/catalogue.h include/hectic/events.def)
else()
  set(event_code event_code)
  add_executable(event_code tools/event_code.c src/format/catalogue.c)
  target_include_directories(event_code PRIVATE include src)
endif()
foreach(kind emit read)
  set(template ${CMAKE_SOURCE_DIR}/tools/${kind}_events.h.in)
  set(header ${HECTIC_GENERATED}/hectic/${kind}_events.h)
  add_custom_command(OUTPUT ${header} DEPENDS ${event_code} ${template} VERBATIM
                     COMMAND ${event_code} ${kind} ${template} > ${header})
  list(APPEND headers ${header})
endforeach()
add_custom_target(hectic_generated DEPENDS ${headers})

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
