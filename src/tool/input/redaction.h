/* redaction.h — options of verbs that redact logs. */
#ifndef HECTIC_REDACTION_H
#define HECTIC_REDACTION_H

#include "tool/input/logs.h"

/* What the options ask for. */
struct redaction {
    hectic_redaction rules;
    struct losses losses; /* of a redaction_input */
};

struct redaction_settings {
    bool is_wanted; /* --redact */
    const char *purpose, *keep, *replace, *drop, *key_file;
};

/* Of verbs whose output is otherwise not redacted; and of those where it is always. */
extern const struct tool_option redaction_options[];
extern const struct tool_option redaction_choices[];
extern const char redaction_note[];

/* Is redaction asked for, by any of the options? */
bool redaction_is_wanted(const struct redaction_settings *settings);

/* Sets the rules; `purpose`: unless the settings say otherwise. False, after a message: they are
 * invalid. */
bool redaction_rules(const struct redaction_settings *settings, const char *purpose,
                     struct redaction *redaction);

/* Sets the key, which is random, or that of the file, which is made. Returns the exit code. */
int redaction_key(const struct redaction_settings *settings, struct redaction *redaction);

/* Both. */
int redaction_make(const struct redaction_settings *settings, const char *purpose,
                   struct redaction *redaction);

/* For tool_input_open: the input, redacted; damage is reported and counted. NULL after a message;
 * `input` is freed. `path` and `redaction` are used until the input is freed. */
hectic_input *redaction_input(hectic_input *input, const char *path, struct redaction *redaction);

/* Is the program's name replaced or removed? Then that of its log is not written, either. */
bool redaction_hides_program(const struct redaction *redaction);

#endif
