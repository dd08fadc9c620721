/* filters.h — the filters of the command line. */
#ifndef HECTIC_FILTERS_H
#define HECTIC_FILTERS_H

#include "tool/cli/options.h"

/* The resolved filters of the command line. */
struct tool_filter;

/* Markers in the settings make `input` random. NULL after a message, with *code set to the exit
 * code. */
struct tool_filter *tool_filter_new(const struct filter_settings *settings, hectic_input *input,
                                    const char *path, int *code);
void tool_filter_free(struct tool_filter *filter);

/* For hectic_log_options.from and .to: no event outside these times is needed. */
uint64_t tool_filter_from(const struct tool_filter *filter);
uint64_t tool_filter_to(const struct tool_filter *filter);

/* Does the event pass? Call it with every event in order, and the renderer of its section. */
bool tool_filter_pass(struct tool_filter *filter, const hectic_renderer *renderer,
                      const hectic_event *event);

/* Of the last event, if it passed: see hectic_filter_implied. */
uint64_t tool_filter_implied(const struct tool_filter *filter);

/* Do all events pass? */
bool tool_filter_is_empty(const struct tool_filter *filter);

/* True if no further event can pass: --limit is reached, or the filter has failed. */
bool tool_filter_is_done(const struct tool_filter *filter);

/* True if --match gave up on an event, after a message. The output is then useless. `filter` may be
 * NULL. */
bool tool_filter_failed(const struct tool_filter *filter);

#endif
