# What libhectic and the command are linked with; docs/dependencies.md explains why.
# Sets HECTIC_LIBRARIES, HECTIC_DEFINITIONS, and HECTIC_PC_LIBS_PRIVATE for the pkg-config file.

set(missing "")
set(missing_packages "")
macro(hectic_require found name debian)
  if(NOT ${found})
    list(APPEND missing "${name}${ARGN}")
    list(APPEND missing_packages ${debian})
  endif()
endmacro()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
set(HECTIC_LIBRARIES Threads::Threads)
set(HECTIC_DEFINITIONS "")
set(HECTIC_PC_LIBS_PRIVATE -pthread)

find_package(PkgConfig)
hectic_require(PKG_CONFIG_FOUND "pkg-config" pkg-config)
# Finds nothing without pkg-config.
macro(hectic_pkg_config prefix module)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(${prefix} IMPORTED_TARGET ${module})
  endif()
endmacro()

if(HECTIC_ENABLE_ZLIB)
  find_package(ZLIB)
  hectic_require(ZLIB_FOUND "zlib" zlib1g-dev " (or do without it: cmake -DHECTIC_ENABLE_ZLIB=OFF)")
  list(APPEND HECTIC_LIBRARIES ZLIB::ZLIB)
  list(APPEND HECTIC_DEFINITIONS HECTIC_ZLIB)
  list(APPEND HECTIC_PC_LIBS_PRIVATE -lz)
endif()

if(HECTIC_ENABLE_ZSTD)
  hectic_pkg_config(ZSTD libzstd)
  hectic_require(ZSTD_FOUND "libzstd" libzstd-dev " (or do without it: cmake -DHECTIC_ENABLE_ZSTD=OFF)")
  list(APPEND HECTIC_LIBRARIES PkgConfig::ZSTD)
  list(APPEND HECTIC_DEFINITIONS HECTIC_ZSTD)
  list(APPEND HECTIC_PC_LIBS_PRIVATE -lzstd)
endif()

# What only the command needs.
hectic_pkg_config(PCRE2 libpcre2-8)
hectic_require(PCRE2_FOUND "PCRE2" libpcre2-dev)
hectic_pkg_config(LIBUV libuv)
hectic_require(LIBUV_FOUND "libuv" libuv1-dev)
hectic_pkg_config(NCURSESW ncursesw)
hectic_require(NCURSESW_FOUND "ncurses (ncursesw)" libncurses-dev)
hectic_pkg_config(SQLITE sqlite3)
hectic_require(SQLITE_FOUND "SQLite" libsqlite3-dev)
hectic_pkg_config(EDIT libedit)
hectic_require(EDIT_FOUND "libedit" libedit-dev)
hectic_pkg_config(MICROHTTPD libmicrohttpd)
hectic_require(MICROHTTPD_FOUND "libmicrohttpd" libmicrohttpd-dev)
hectic_pkg_config(PROTOBUF_C libprotobuf-c)
hectic_require(PROTOBUF_C_FOUND "protobuf-c" libprotobuf-c-dev)
find_program(PROTOC_C protoc-c)
hectic_require(PROTOC_C "protoc-c" protobuf-c-compiler)

if(BUILD_TESTING)
  hectic_pkg_config(CMOCKA cmocka)
  hectic_require(CMOCKA_FOUND "cmocka" libcmocka-dev " (or do without the tests: cmake -DBUILD_TESTING=OFF)")
endif()

list(JOIN HECTIC_PC_LIBS_PRIVATE " " HECTIC_PC_LIBS_PRIVATE)

if(missing)
  list(JOIN missing "\n    " missing)
  list(JOIN missing_packages " " missing_packages)
  message(FATAL_ERROR "Missing:\n    ${missing}\n"
          "On Debian, install all of it: make deps (or: apt-get install ${missing_packages})")
endif()
