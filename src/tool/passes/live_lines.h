/* live_lines.h — live statistics as lines, one per second of the log. */
#ifndef HECTIC_LIVE_LINES_H
#define HECTIC_LIVE_LINES_H

#include "stat/live_stats.h"
#include "tool/cli/verb.h"

#include <stdio.h>

/* The content of a line. */
struct live_line {
    const hectic_live_stats *live_stats;
    const hectic_live_stats_report *report; /* the interval */
    bool has_lag;
    uint64_t lag;     /* ns since the latest event, by the wall clock */
    uint64_t late;    /* events of this interval that arrived too late */
    uint64_t damaged; /* places, so far */
};

struct watch_settings {
    uint64_t every; /* ns; 0: a second */
    uint64_t limit; /* lines; 0: no limit */
    uint64_t lag;   /* ns; 0: as the stream needs, up to some seconds */
    bool json, csv;
    bool quiet;         /* no messages on stderr */
    const char *output; /* the name of the lines' file in messages; NULL: standard output */
    /* If set, it receives the lines, and nothing is printed. */
    void (*take)(void *user, const struct live_line *watched);
    void (*see)(void *user, const hectic_event *event); /* each event; or NULL */
    void *user;
};
extern const struct tool_option watch_options[]; /* all but quiet */
extern const char watch_columns_note[];
extern const struct legend_entry watch_legend[]; /* the same in short, for --help */

struct live_lines;

/* Lines are written to `out` one by one. `name` is the name of the log in messages. The arguments
 * must outlive the result. NULL after a message. */
struct live_lines *live_lines_new(const struct watch_settings *settings, FILE *out,
                                  const char *name);
void live_lines_free(struct live_lines *w);

/* A log whose events are in order. False: the limit is reached, or it failed after a message. */
bool live_lines_begin(struct live_lines *w, const hectic_header *header);
bool live_lines_event(struct live_lines *w, const hectic_event *event);
bool live_lines_end(struct live_lines *w);            /* prints the last line */
bool live_lines_are_over(const struct live_lines *w); /* no more events are taken */

/* A log whose bytes arrive as they are written; times are monotonic, ns. False as above. */
bool live_lines_restart(struct live_lines *w); /* another log follows */
bool live_lines_bytes(struct live_lines *w, const void *bytes, size_t length, uint64_t now);
/* Processes events that are due, and prints a line if there was none for long. Call it at
 * live_lines_due, and periodically. */
bool live_lines_tick(struct live_lines *w, uint64_t now);
uint64_t live_lines_due(const struct live_lines *w);
bool live_lines_end_bytes(struct live_lines *w, uint64_t now);

/* Has a header arrived? */
bool live_lines_has_log(const struct live_lines *w);

/* Has the end marker arrived, and no other log after it? */
bool live_lines_is_complete(const struct live_lines *w);

/* Reports damage and late events. Returns the exit code. */
int live_lines_report(const struct live_lines *w);

#endif
