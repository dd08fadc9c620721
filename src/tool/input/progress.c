/* progress.c — a progress bar on stderr. */
#include "tool/cli/tool.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 40 };
static const uint64_t patience = 500000000, interval = 100000000; /* ns */

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

struct progress progress_start(const struct output_settings *settings)
{
    /* Output on the terminal shows progress itself, and would mix with the bar. */
    const bool is_alone = settings->path != NULL || !isatty(STDOUT_FILENO);
    return (struct progress){.wanted = !settings->quiet && is_alone && isatty(STDERR_FILENO),
                             .start = now()};
}

void progress_update(void *user, double done)
{
    struct progress *progress = user;
    if (!progress->wanted) return;
    const uint64_t time = now();
    if (time - progress->start < patience || time - progress->drawn < interval) return;
    const int filled = done < 0 ? 0 : done > 1 ? BAR : (int)(done * BAR);
    fprintf(stderr, "\r%3d%% [", filled * 100 / BAR);
    for (int i = 0; i < BAR; i++)
        fputc(i < filled ? '=' : ' ', stderr);
    fputc(']', stderr);
    progress->shown = true;
    progress->drawn = time;
}

void progress_end(struct progress *progress)
{
    if (progress->shown) fputs("\r\033[K", stderr);
    progress->shown = progress->wanted = false;
}
