/* Lets a Haskell program end its log and start a new one, which is written after the old one in the
 * same file; or die in the middle of writing it. */
#include <Rts.h>
#include <signal.h>
#include <stdio.h>

static FILE *file;
static size_t bytes_to_skip;
static size_t bytes_to_live = (size_t)-1;

static bool write_events(void *bytes, size_t size)
{
    size_t skipped = size < bytes_to_skip ? size : bytes_to_skip;
    bytes = (char *)bytes + skipped;
    size -= skipped;
    bytes_to_skip -= skipped;
    size_t allowed = size < bytes_to_live ? size : bytes_to_live;
    bool whole = fwrite(bytes, 1, allowed, file) == allowed && fflush(file) == 0;
    if (size >= bytes_to_live) raise(SIGKILL);
    bytes_to_live -= allowed;
    return whole;
}

static void flush_events(void)
{
    fflush(file);
}

static void stop_writing(void)
{
    fclose(file);
}

static const EventLogWriter writer = {NULL, write_events, flush_events, stop_writing};

/* GHC 9.0 leaves a block marker in the buffer that the new log's header is then written to. */
enum { BLOCK_MARKER_SIZE = 24 };

static void go_on_with(const char *path, const char *mode, bool as_it_is)
{
    endEventLogging();
    bytes_to_skip = as_it_is ? 0 : BLOCK_MARKER_SIZE;
    file = fopen(path, mode);
    if (file != NULL) startEventLogging(&writer);
}

void append_new_log(const char *path, int as_it_is);
void append_new_log(const char *path, int as_it_is)
{
    go_on_with(path, "ab", as_it_is);
}

void log_until_killed(const char *path, size_t bytes);
void log_until_killed(const char *path, size_t bytes)
{
    bytes_to_live = bytes;
    go_on_with(path, "wb", false);
}
