/* follow.h — events in the order of the file, while it is written: inc, and show --follow. */
#ifndef HECTIC_FOLLOW_H
#define HECTIC_FOLLOW_H

#include "tool/output/listing.h"

/* The settings of show and inc. */
struct show_settings {
    struct filter_settings filter;
    struct listing_settings listing;
    struct output_settings output;
    bool follow; /* wait for a file to appear and to grow, and for the next log of a source */
};

extern const struct tool_option follow_options[]; /* --follow; its settings are show_settings */

/* Prints each event as soon as it is complete. `listing` has the format of times and of unknown
 * events. Returns the exit code. */
int follow_run(const struct show_settings *settings, const struct listing *listing,
               const char *path);

#endif
