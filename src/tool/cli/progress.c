/* progress.c — see progress.h. */
#include "tool/cli/progress.h"
#include "os/clock.h"
#include "tool/cli/options.h"

#include <stdio.h>
#include <unistd.h>

enum { BAR = 40 };
static const uint64_t patience = 500000000, interval = 100000000; /* ns */

static struct progress *shown; /* there is one at a time */

struct progress progress_start(const struct output_settings *settings)
{
    return (struct progress){.wanted = !settings->quiet && isatty(STDERR_FILENO),
                             .start = clock_ns()};
}

void progress_survey(struct progress *progress)
{
    progress->begin = 0;
    progress->share = 0.5;
}

void progress_pass(struct progress *progress)
{
    progress->begin = progress->share = 0.5;
}

void progress_update(void *user, double done)
{
    struct progress *progress = user;
    if (!progress->wanted) return;
    const uint64_t time = clock_ns();
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

void progress_input(struct progress *progress, const hectic_input *input)
{
    uint64_t done, all;
    hectic_input_progress(input, &done, &all);
    if (all > 0) progress_update(progress, (double)done / (double)all);
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
