/* about.c — see about.h. */
#include "tool/verbs/export/about.h"

#include <hectic/read_events.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { NS_PER_SECOND = 1000000000 };

bool about_event(struct about *about, const hectic_event *event)
{
    hectic_event replayed;
    uint64_t started = 0;
    if (event->type == HECTIC_EVENT_SYNC && hectic_read_replayed(event, &replayed))
        event = &replayed;
    switch (event->type) {
    case HECTIC_EVENT_PROGRAM_ARGS:
    case HECTIC_EVENT_WALL_CLOCK_TIME: return summary_add(&about->program, event, &started);
    case HECTIC_EVENT_PROF_BEGIN: about->begun |= PROFILE_TIME; break;
    case HECTIC_EVENT_HEAP_PROF_BEGIN: about->begun |= PROFILE_HEAP; break;
    default: break;
    }
    return true;
}

void about_clear(struct about *about)
{
    hectic_summary_clear(&about->program);
    *about = (struct about){0};
}

bool about_next(const struct about *about, struct argument *argument)
{
    const hectic_summary *program = &about->program;
    return program->args && argument_next(program->args, program->args_length, argument);
}

const char *about_name(const struct about *about)
{
    const char *args = about->program.args;
    if (!args || !*args) return "program";
    const char *slash = strrchr(args, '/');
    return slash && slash[1] ? slash + 1 : args;
}

uint64_t about_wall_clock(const struct about *about, uint64_t time)
{
    uint64_t ns = 0;
    const bool is_known = summary_clock_zero(&about->program, &ns);
    return is_known && !__builtin_add_overflow(ns, time, &ns) ? ns : 0;
}

const char *about_date(const struct about *about, uint64_t time, char text[32])
{
    const uint64_t now = about_wall_clock(about, time);
    const time_t seconds = (time_t)(now / NS_PER_SECOND);
    struct tm parts;
    char long_text[64]; /* "Sun Nov 22 09:58:31 2026\n" */
    snprintf(text, 32, "unknown");
    if (now && localtime_r(&seconds, &parts) && asctime_r(&parts, long_text))
        snprintf(text, 32, "%.16s%.5s", long_text, long_text + 19);
    return text;
}
