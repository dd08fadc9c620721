/* version.c — --version, and what hectic was built with. */

#include "http/microhttpd.h"
#include "tool/main/main.h"

#include <curses.h>
#include <protobuf-c/protobuf-c.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>
#ifdef HECTIC_ZLIB
#include <zlib.h>
#endif
#ifdef HECTIC_ZSTD
#include <zstd.h>
#endif

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#ifdef __clang__
#define COMPILER "" /* __VERSION__ names it */
#else
#define COMPILER "gcc "
#endif

static void print_libraries(void)
{
    char pcre2[64] = ""; /* "10.42 2022-12-11" */
    pcre2_config(PCRE2_CONFIG_VERSION, pcre2);
    pcre2[strcspn(pcre2, " ")] = 0;
    char reason[200];
    printf("libraries:");
#ifdef HECTIC_ZLIB
    printf(" zlib %s,", zlibVersion());
#endif
#ifdef HECTIC_ZSTD
    printf(" zstd %s,", ZSTD_versionString());
#endif
    printf(" PCRE2 %s, libuv %s, %s, libmicrohttpd %s, protobuf-c %s\n", pcre2, uv_version_string(),
           curses_version(), mhd_load(reason, sizeof reason) ? mhd.get_version() : "missing",
           protobuf_c_version());
}

static void print_features(void)
{
    uint32_t has_jit = 0;
    pcre2_config(PCRE2_CONFIG_JIT, &has_jit);
    printf("features:");
#ifdef HECTIC_ZLIB
    printf(" gzip");
#endif
#ifdef HECTIC_ZSTD
    printf(" zstd");
#endif
    printf("%s\n", has_jit ? " regex-jit" : "");
}

void version_print(bool verbose)
{
    printf("hectic %s\n", hectic_version());
    if (!verbose) return;
    printf("compiler: %s%s\nbuild type: %s\n", COMPILER, __VERSION__, HECTIC_BUILD_TYPE);
    print_libraries();
    print_features();
}
