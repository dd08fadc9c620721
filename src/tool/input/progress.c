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

static struct progress *shown; /* there is one at a time */

struct progress progress_start(const struct output_settings *settings)
{
    return (struct progress){.wanted = !settings->quiet && isatty(STDERR_FILENO), .start = now()};
}

void progress_survey(struct progress *progress)
{
    progress->begin = 0;
    progress->share = 0.5;
}

void progress_pass(struct progress *progress)
{
    progress->begin = progress->share = 0.5;
    progress->steps = 0;
}

void progress_update(void *user, double done)
{
    struct progress *progress = user;
    if (!progress->wanted) return;
    const uint64_t time = now();
    if (time - progress->start < patience || time - progress->drawn < interval) return;
    if (progress->share > 0) done = progress->begin + progress->share * done;
    const int filled = done < 0 ? 0 : done > 1 ? BAR : (int)(done * BAR);
    fprintf(stderr, "\r%3d%% [", filled * 100 / BAR);
    for (int i = 0; i < BAR; i++)
        fputc(i < filled ? '=' : ' ', stderr);
    fputc(']', stderr);
    progress->shown = true;
    progress->drawn = time;
    shown = progress;
}

void progress_end(struct progress *progress)
{
    if (progress->shown) fputs("\r\033[K", stderr);
    progress->shown = progress->wanted = false;
    if (shown == progress) shown = NULL;
}

void progress_hide(void)
{
    if (shown) progress_end(shown);
}
