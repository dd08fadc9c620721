#!/usr/bin/env bash
# All files of a program that include hectic/eventlogging.h share one emitter, and its names do not
# collide with other symbols: here functions of the same names, some of which GHC's runtime has.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cached() {
    sed -n "s/^$1:[A-Z]*=//p" "$HECTIC_BUILD/CMakeCache.txt"
}
cat >"$work/main.c" <<'END'
#include <hectic/eventlogging.h>
void say(const char *text);
int main(void)
{
    if (initEventLogging() || sendHeader() || startEventLogging()) return 1;
    hectic_emit_user_msg(eventLogCap(0), "from main");
    say("from elsewhere");
    return stopEventLogging() != HECTIC_EMIT_OK;
}
END
cat >"$work/other.c" <<'END'
#include <hectic/eventlogging.h>
void say(const char *text);
void say(const char *text)
{
    hectic_emit_user_msg(eventLogCap(0), text);
}
END
cat >"$work/runtime.c" <<'END'
int startEventLogging(const void *writer);
int startEventLogging(const void *writer)
{
    return writer != 0;
}
void flushEventLog(void **cap);
void flushEventLog(void **cap)
{
    *cap = 0;
}
void initEventLogging(void);
void initEventLogging(void)
{
}
END
# CFLAGS are words.
# shellcheck disable=SC2046
"$(cached CMAKE_C_COMPILER)" -std=c17 $(cached CMAKE_C_FLAGS) -Wall -Wextra -Werror -Iinclude \
    -I"$HECTIC_BUILD/include" -o "$work/program" "$work"/*.c "$HECTIC_BUILD/libhectic.so" \
    -Wl,-rpath,"$(realpath "$HECTIC_BUILD")"
cd "$work"
./program
"$HECTIC" check program.eventlog
"$HECTIC" show program.eventlog >shown
grep -q 'cap 0: from main$' shown
grep -q 'cap 0: from elsewhere$' shown
