/* marks [DESTINATION]: for each line of standard input, writes a marker, flushes the log, and
 * prints the time at which it was flushed: ms since 1970. Without an argument, the log is the file
 * that hectic run names in GHCRTS. */
#include <hectic/emit.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREAD = 1, STOPPED_BLOCKED = 11, TIMEOUT_MS = 60000 };

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static bool find_destination(hectic_destination *at, const char *argument, char *buffer,
                             size_t size)
{
    static char path[4096];
    if (argument) return hectic_destination_parse(at, argument, buffer, size);
    const char *options = getenv("GHCRTS");
    const char *place = options ? strstr(options, "-ol") : NULL;
    if (!place || sscanf(place, "-ol%4095s", path) != 1) return false;
    *at = (hectic_destination){.path = path};
    return true;
}

int main(int argc, char **argv)
{
    char buffer[4096], line[64];
    hectic_destination at;
    if (!find_destination(&at, argc > 1 ? argv[1] : NULL, buffer, sizeof buffer)) return 64;
    hectic_emitter *emitter = hectic_emitter_new(NULL);
    if (!emitter || hectic_emitter_start(emitter, &at) != HECTIC_EMIT_OK) return 2;
    hectic_emit_cap *cap = hectic_emitter_cap(emitter, 0);
    hectic_emit_create_thread(cap, THREAD);
    while (fgets(line, sizeof line, stdin)) {
        hectic_emit_run_thread(cap, THREAD);
        hectic_emit_user_marker(cap, "mark");
        hectic_emit_stop_thread(cap, THREAD, STOPPED_BLOCKED, 0); /* later than the marker */
        if (hectic_emitter_flush(emitter, TIMEOUT_MS) != HECTIC_EMIT_OK) return 1;
        printf("%" PRIu64 "\n", now_ms());
        fflush(stdout);
    }
    hectic_emitter_free(emitter);
    return 0;
}
