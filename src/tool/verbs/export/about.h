/* about.h — the program that wrote a section of a log: its arguments, when it ran, and what it
 * recorded. */
#ifndef HECTIC_EXPORT_ABOUT_H
#define HECTIC_EXPORT_ABOUT_H

#include "format/arguments.h"
#include "results/summary.h"

/* Kinds of profiles. */
enum profile_kind { PROFILE_TIME = 1, PROFILE_HEAP = 2 };

struct about {
    hectic_summary program; /* its arguments, and the time at time 0 of the log's clock */
    unsigned begun;         /* PROFILE_…: the profiles that have begun, even without samples */
};

/* Takes the next event of a section. False: out of memory. */
bool about_event(struct about *about, const hectic_event *event);
void about_clear(struct about *about);

/* As argument_next. */
bool about_next(const struct about *about, struct argument *argument);

/* The program's name without its folder; "program" if it is unknown. */
const char *about_name(const struct about *about);

/* The wall clock at a time of the log, ns since the Unix epoch; 0: unknown. */
uint64_t about_wall_clock(const struct about *about, uint64_t time);

/* The same as GHC prints it: "Sun Nov 22 09:58 2026", local time; "unknown". Returns `text`. */
const char *about_date(const struct about *about, uint64_t time, char text[32]);

#endif
