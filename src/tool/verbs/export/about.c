/* about.c — see about.h. */
#include "tool/verbs/export/about.h"

#include <hectic/read_events.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { NS_PER_SECOND = 1000000000 };

static bool take_args(struct about *about, const hectic_event *event)
{
    hectic_text args;
    if (about->args || !hectic_read_text(event, &args) || args.length == 0) return true;
    about->args = malloc(args.length + 1);
    if (!about->args) return false;
    memcpy(about->args, args.bytes, args.length);
    about->args[args.length] = 0;
    about->args_length = args.length + 1;
    /* Some writers terminate the last argument, too. */
    while (about->args_length > 1 && about->args[about->args_length - 2] == 0)
        about->args_length--;
    return true;
}

static void take_wall_clock(struct about *about, const hectic_event *event)
{
    hectic_event_wall_clock_time now;
    if (about->has_start || !hectic_read_wall_clock_time(event, &now)) return;
    const uint64_t seconds = now.seconds;
    const uint32_t ns = now.nanoseconds;
    const uint64_t passed = event->time / NS_PER_SECOND;
    const uint32_t passed_ns = (uint32_t)(event->time % NS_PER_SECOND);
    const bool borrow = ns < passed_ns;
    if (seconds < passed + 1 || ns >= NS_PER_SECOND) return;
    about->has_start = true;
    about->start_seconds = seconds - passed - borrow;
    about->start_ns = ns - passed_ns + (borrow ? NS_PER_SECOND : 0);
}

bool about_event(struct about *about, const hectic_event *event)
{
    hectic_event replayed;
    if (event->type == HECTIC_EVENT_SYNC && hectic_read_replayed(event, &replayed))
        event = &replayed;
    switch (event->type) {
    case HECTIC_EVENT_PROGRAM_ARGS: return take_args(about, event);
    case HECTIC_EVENT_WALL_CLOCK_TIME: take_wall_clock(about, event); break;
    case HECTIC_EVENT_PROF_BEGIN: about->begun |= PROFILE_TIME; break;
    case HECTIC_EVENT_HEAP_PROF_BEGIN: about->begun |= PROFILE_HEAP; break;
    default: break;
    }
    return true;
}

void about_clear(struct about *about)
{
    free(about->args);
    *about = (struct about){0};
}

bool about_next(const struct about *about, struct argument *argument)
{
    return about->args && argument_next(about->args, about->args_length, argument);
}

const char *about_name(const struct about *about)
{
    if (!about->args || !*about->args) return "program";
    const char *slash = strrchr(about->args, '/');
    return slash && slash[1] ? slash + 1 : about->args;
}

uint64_t about_wall_clock(const struct about *about, uint64_t time)
{
    uint64_t ns = 0;
    if (!about->has_start ||
        __builtin_mul_overflow(about->start_seconds, (uint64_t)NS_PER_SECOND, &ns) ||
        __builtin_add_overflow(ns, about->start_ns, &ns) || __builtin_add_overflow(ns, time, &ns))
        return 0;
    return ns;
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
