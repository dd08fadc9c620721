# The page of hectic view, build/view.html: the engine of src/view compiled for wasm32, and the scripts
# of view/, in one file. Where a tool is missing, everything else is built, and the target says so.

find_program(HECTIC_NODE node)
find_program(HECTIC_WASM_CLANG clang)
find_program(HECTIC_WASM_LINKER NAMES wasm-ld wasm-ld-14)
execute_process(COMMAND ${CMAKE_SOURCE_DIR}/scripts/install-deps npm-directory
                OUTPUT_VARIABLE npm_directory OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(packages ${npm_directory}/view)

set(missing "")
foreach(tool "node:${HECTIC_NODE}" "clang:${HECTIC_WASM_CLANG}" "wasm-ld:${HECTIC_WASM_LINKER}"
        "wasi-libc:/usr/lib/wasm32-wasi/libc.a" "packages of npm:${packages}/node_modules/esbuild"
        "packages of npm:${packages}/node_modules/fzstd")
  string(REGEX MATCH "^([^:]*):(.*)$" matched ${tool})
  if(NOT EXISTS "${CMAKE_MATCH_2}")
    list(APPEND missing "${CMAKE_MATCH_1}")
  endif()
endforeach()
list(REMOVE_DUPLICATES missing)
list(JOIN missing ", " missing)

if(missing)
  set(text "view.html is skipped: not found: ${missing} (scripts/install-deps test)")
  message(STATUS "${text}")
  add_custom_target(view_page ALL COMMAND ${CMAKE_COMMAND} -E echo "${text}" VERBATIM)
  return()
endif()

# Its own build, whose compiler is not that of the command: nothing of this one's options is for it.
set(wasm ${CMAKE_BINARY_DIR}/wasm)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
set(clean_environment ${CMAKE_COMMAND} -E env --unset=CC --unset=CFLAGS --unset=CPPFLAGS
    --unset=LDFLAGS --unset=MAKEFLAGS --unset=MAKELEVEL)
add_custom_target(view_wasm VERBATIM BYPRODUCTS ${wasm}/view.wasm
  COMMAND ${clean_environment} ${CMAKE_COMMAND} -S ${CMAKE_SOURCE_DIR} -B ${wasm} --log-level=WARNING
          -G ${CMAKE_GENERATOR} --toolchain ${CMAKE_SOURCE_DIR}/cmake/wasm32-wasi.cmake
          -DCMAKE_BUILD_TYPE=Release
  COMMAND ${clean_environment} ${CMAKE_COMMAND} --build ${wasm} --target view --parallel ${cores})

set(page ${CMAKE_BINARY_DIR}/view.html)
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS view/src/*)
add_custom_command(OUTPUT ${page} VERBATIM
  DEPENDS view_wasm ${wasm}/view.wasm ${page_sources} ${CMAKE_SOURCE_DIR}/view/build.mjs
  COMMAND ${HECTIC_NODE} ${CMAKE_SOURCE_DIR}/view/build.mjs ${wasm}/view.wasm ${page} ${packages})

# Other builds, for sanitizers and the like, make it only when asked to: it would be the same file.
if(CMAKE_C_FLAGS MATCHES "-fsanitize|--coverage")
  add_custom_target(view_page DEPENDS ${page})
else()
  add_custom_target(view_page ALL DEPENDS ${page})
endif()
install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DATADIR}/hectic OPTIONAL)
