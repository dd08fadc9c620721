/* report.h — a run in one file: the page with a snapshot of the log (view/engine/snapshot.h). */
#ifndef HECTIC_VIEW_REPORT_H
#define HECTIC_VIEW_REPORT_H

#include "tool/input/redaction.h"

enum { REPORT_MAX = 3000000 /* bytes */ };

struct report_settings {
    struct output_settings output;
    struct redaction_settings redaction; /* otherwise for a team */
    bool with_arguments;                 /* nothing is redacted */
};

/* Returns the exit code. */
int report_write(const struct report_settings *settings, const char *path);

#endif
