/* recording.h — logs recorded into a directory: compressed files that are rotated by size and time
 * (recording/record.h). */
#ifndef HECTIC_RECORDING_H
#define HECTIC_RECORDING_H

#include "recording/record.h"
#include "tool/cli/verb.h"

struct recording_settings {
    const char *directory;                    /* NULL: nothing is recorded */
    uint64_t file_size, file_time, keep_free; /* bytes, ns, bytes; 0: the default */
};
extern const struct tool_option recording_options[]; /* --record and what belongs to it */
extern const char recording_note[];

/* The options of a recording; failures are reported on stderr. */
struct record_options recording_record_options(const struct recording_settings *settings);

/* Makes the directory and tests whether it can be written. False after a message. */
bool recording_prepare(const struct record_options *options);

/* A recording of the logs of one program, on a loop of its own. */
struct recording;

/* `name` begins the names of the files. NULL after a message. */
struct recording *recording_new(const struct recording_settings *settings, const char *name);

void recording_bytes(struct recording *r, const void *bytes, size_t length);
void recording_tick(struct recording *r); /* call it periodically */
void recording_free(struct recording *r); /* waits for the disk */

#endif
