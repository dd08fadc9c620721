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

pkg_check_modules(PCRE2 IMPORTED_TARGET libpcre2-8)
if(NOT PCRE2_FOUND)
  hectic_missing("PCRE2" libpcre2-dev "")
endif()

pkg_check_modules(JANSSON IMPORTED_TARGET jansson)
if(NOT JANSSON_FOUND)
  hectic_missing("jansson" libjansson-dev "")
endif()

pkg_check_modules(LIBUV IMPORTED_TARGET libuv)
if(NOT LIBUV_FOUND)
  hectic_missing("libuv" libuv1-dev "")
endif()

pkg_check_modules(NCURSESW IMPORTED_TARGET ncursesw)
if(NOT NCURSESW_FOUND)
  hectic_missing("ncurses (ncursesw)" libncurses-dev "")
endif()

pkg_check_modules(MICROHTTPD IMPORTED_TARGET libmicrohttpd)
if(NOT MICROHTTPD_FOUND)
  hectic_missing("libmicrohttpd" libmicrohttpd-dev "")
endif()
