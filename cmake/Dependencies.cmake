# What libhectic and the command are linked with; docs/dependencies.md says why.
# Sets HECTIC_LIBRARIES and HECTIC_DEFINITIONS, and what the packages for others are to name.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

function(hectic_missing what debian option)
  set(without "")
  if(option)
    set(without "\n  or do without it: cmake -D${option}=OFF …")
  endif()
  message(FATAL_ERROR "${what} was not found.\n"
          "  Install it: apt-get install ${debian} (or all at once: scripts/install-deps build)${without}")
endfunction()

set(HECTIC_LIBRARIES Threads::Threads)
set(HECTIC_DEFINITIONS "")
set(HECTIC_PC_REQUIRES_PRIVATE "")

if(HECTIC_ENABLE_ZLIB)
  find_package(ZLIB)
  if(NOT ZLIB_FOUND)
    hectic_missing("zlib" zlib1g-dev HECTIC_ENABLE_ZLIB)
  endif()
  list(APPEND HECTIC_LIBRARIES ZLIB::ZLIB)
  list(APPEND HECTIC_DEFINITIONS HECTIC_ZLIB)
  list(APPEND HECTIC_PC_REQUIRES_PRIVATE zlib)
endif()

if(HECTIC_ENABLE_ZSTD)
  pkg_check_modules(ZSTD IMPORTED_TARGET libzstd)
  if(NOT ZSTD_FOUND)
    hectic_missing("libzstd" libzstd-dev HECTIC_ENABLE_ZSTD)
  endif()
  list(APPEND HECTIC_LIBRARIES PkgConfig::ZSTD)
  list(APPEND HECTIC_DEFINITIONS HECTIC_ZSTD)
  list(APPEND HECTIC_PC_REQUIRES_PRIVATE libzstd)
endif()

# What the command needs: a prefix, pkg-config's name, Debian's package, and what people call it.
foreach(needed "PCRE2;libpcre2-8;libpcre2-dev;PCRE2"
               "LIBUV;libuv;libuv1-dev;libuv"
               "NCURSESW;ncursesw;libncurses-dev;ncurses (ncursesw)"
               "MICROHTTPD;libmicrohttpd;libmicrohttpd-dev;libmicrohttpd"
               "PROTOBUF_C;libprotobuf-c;libprotobuf-c-dev;protobuf-c")
  list(GET needed 0 prefix)
  list(GET needed 1 module)
  list(GET needed 2 package)
  list(GET needed 3 name)
  pkg_check_modules(${prefix} IMPORTED_TARGET ${module})
  if(NOT ${prefix}_FOUND)
    hectic_missing("${name}" ${package} "")
  endif()
endforeach()
find_program(PROTOC_C protoc-c)
if(NOT PROTOC_C)
  hectic_missing("protoc-c" protobuf-c-compiler "")
endif()
