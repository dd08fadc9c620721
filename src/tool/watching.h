/* watching.h — lines of what a program is like, one for each second of its log. */
#ifndef HECTIC_WATCHING_H
#define HECTIC_WATCHING_H

#include "tool.h"

#include <stdio.h>

/* What a line tells of. */
struct watched {
    const hectic_vitals *vitals;
    const hectic_vitals_told *told; /* the lap */
    bool has_lag;
    uint64_t lag;     /* ns since the latest event, by the wall clock */
    uint64_t late;    /* events of this lap that came too late */
    uint64_t damaged; /* places, so far */
};

struct watch_settings {
    uint64_t every; /* ns; 0: a second */
    uint64_t count; /* lines; 0: no limit */
    uint64_t lag;   /* ns; 0: as it suits the stream, up to some seconds */
    bool json, csv;
    bool quiet; /* no notes on stderr */
    /* Where it is set, lines are given to it instead of printed. */
    void (*take)(void *user, const struct watched *watched);
    void (*see)(void *user, const hectic_event *event); /* each event; or NULL */
    void *user;
};
extern const struct tool_option watch_options[]; /* all but quiet */
extern const char watch_columns_note[];

struct watching;

/* Lines go to `out`, each at once. `name` is what messages call the log. Both, and the settings,
 * have to live as long. NULL after a message. */
struct watching *watching_new(const struct watch_settings *settings, FILE *out, const char *name);
void watching_free(struct watching *w);

/* A log whose events come in order. False: it is over, or failed after a message. */
bool watching_begin(struct watching *w, const hectic_header *header);
bool watching_event(struct watching *w, const hectic_event *event);
bool watching_end(struct watching *w); /* of the log: the last line */

/* A log whose bytes come as they are written; times are monotonic, ns. False as above. */
bool watching_restart(struct watching *w); /* another log follows */
bool watching_bytes(struct watching *w, const void *bytes, size_t length, uint64_t now);
/* Passes what is due, and prints a line where there was none for long. Call it at watching_due, and
 * now and then. */
bool watching_tick(struct watching *w, uint64_t now);
uint64_t watching_due(const struct watching *w);
bool watching_end_bytes(struct watching *w, uint64_t now);

/* Has a header come? */
bool watching_has_log(const struct watching *w);

/* Has the end marker come, and no other log behind it? */
bool watching_is_complete(const struct watching *w);

/* Says what was wrong. Returns the exit code. */
int watching_report(const struct watching *w);

/* Does the source live, or is it a file, of which all is there? */
bool watching_is_living(const char *source, bool follow);

bool watching_set_time(void *field, const char *argument); /* a parser of options: ns */

uint64_t watching_now(void); /* monotonic, ns */

#endif
