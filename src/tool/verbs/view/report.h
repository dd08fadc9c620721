/* report.h — one or two runs in one file: the page with the log, or, of a log that is too large,
 * with a snapshot (view/engine/snapshot.h); with two, also what hectic compare says about them. */
#ifndef HECTIC_VIEW_REPORT_H
#define HECTIC_VIEW_REPORT_H

#include "tool/input/redaction.h"

struct report_settings {
    struct output_settings output;
    struct redaction_settings redaction; /* otherwise for a team */
    bool with_arguments;                 /* nothing is redacted */
    uint64_t max_size;                   /* bytes; 0: 10 MB */
};

/* `count`: at most VIEW_LOGS. Returns the exit code. */
int report_write(const struct report_settings *settings, char **paths, size_t count);

#endif
