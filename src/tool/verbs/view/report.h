/* report.h — a run in one file: the page with a snapshot of the log (view/engine/snapshot.h). */
#ifndef HECTIC_VIEW_REPORT_H
#define HECTIC_VIEW_REPORT_H

#include "tool/cli/options.h"

enum { REPORT_MAX = 3000000 /* bytes */ };

struct report_settings {
    struct output_settings output;
    bool with_arguments;
};

/* Returns the exit code. */
int report_write(const struct report_settings *settings, const char *path);

#endif
