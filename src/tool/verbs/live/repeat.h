/* repeat.h — hectic run --repeat: runs commands several times, and keeps their logs. */
#ifndef HECTIC_REPEAT_H
#define HECTIC_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPEAT_COMMANDS = 8, REPEAT_OPTIONS = 8, REPEAT_MOST = 1000 };

struct repeat_settings {
    uint64_t count, warmup;
    double until; /* the width of the interval of the total time, as a part of it; 0: all runs */
    const char *also[REPEAT_COMMANDS];
    size_t also_count;
    const char *folder;                 /* NULL: named like the program */
    const char *option[REPEAT_OPTIONS]; /* of each run; NULL ends */
    bool quiet;
};

/* Parsers of options. The field of the first one is the settings, of the other one `until`. */
bool repeat_add_command(void *settings, const char *argument);
bool repeat_set_until(void *field, const char *argument);

/* Returns the exit code. */
int repeat_run(const struct repeat_settings *settings, char **command);

#endif
