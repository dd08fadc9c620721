/* ctf.h — the parts of the Common Trace Format 1.8: event classes, metadata, streams, the folder.
 */
#ifndef HECTIC_EXPORT_CTF_H
#define HECTIC_EXPORT_CTF_H

#include "results/summary.h"
#include "tool/cli/options.h"

/* --- Event classes --------------------------------------------------------------------------- */

/* A class is the first `count` fields of a shape, perhaps with the bytes after them: all fields,
 * but for optional ones that are absent, and for malformed events. Its number: */
enum {
    CTF_REST = 1,         /* the bytes after the fields are there */
    CTF_COUNT_SHIFT = 1,  /* the number of fields */
    CTF_SHAPE_SHIFT = 5,  /* the shape's place in the catalogue */
    CTF_UNKNOWN = 0xffff, /* events without a shape */
    CTF_CLASSES = 1 << 16,
};
_Static_assert(HECTIC_MAX_FIELDS < 1 << (CTF_SHAPE_SHIFT - CTF_COUNT_SHIFT), "fields in a class");

/* The set of classes that the metadata declares. */
struct ctf_classes {
    uint64_t set[CTF_CLASSES / 64];
};

static inline void ctf_classes_add(struct ctf_classes *classes, uint16_t number)
{
    classes->set[number / 64] |= UINT64_C(1) << number % 64;
}

/* The class of events of a shape that have all fields, and nothing more. */
static inline uint16_t ctf_class_of(size_t shape, const hectic_shape *of)
{
    return (uint16_t)(shape << CTF_SHAPE_SHIFT | (unsigned)of->field_count << CTF_COUNT_SHIFT);
}

/* The shapes of the catalogue, and those of them whose payload is that of CTF: integers only. */
enum { CTF_SHAPES_MAX = CTF_UNKNOWN >> CTF_SHAPE_SHIFT };

/* --- The folder ------------------------------------------------------------------------------ */

/* A folder that is written under a temporary name, and gets its name when it is complete. */
struct ctf_folder {
    char *path;      /* its final name */
    char *temporary; /* its name until then; NULL: published */
    bool is_there;   /* there is a folder, or a trace, that is replaced */
    bool has_failed; /* after a message */
    size_t streams;  /* of the sections that have ended */
};

/* Opens a folder for the output. False after a message. One at a time: a signal removes it. */
bool ctf_folder_open(struct ctf_folder *folder, const struct output_settings *settings);

/* From now on, files are those of a section, in a folder of its own; 0: of the folder itself. */
bool ctf_folder_begin(struct ctf_folder *folder, size_t section);

/* The name of a stream's file, and that of the metadata, in place of a cap. */
enum { CTF_METADATA = HECTIC_CAP_NONE + 1, CTF_FILES };

/* Appends to a file. False after a message. */
bool ctf_folder_write(struct ctf_folder *folder, uint32_t file, const void *bytes, size_t size);

/* Syncs the files of the section. False after a message. */
bool ctf_folder_end(struct ctf_folder *folder);

/* Gives it its name. False after a message. */
bool ctf_folder_publish(struct ctf_folder *folder);

/* A folder that was not published is lost. */
void ctf_folder_close(struct ctf_folder *folder);

/* --- Streams --------------------------------------------------------------------------------- */

enum { CTF_STREAM_CAP, CTF_STREAM_NO_CAP }; /* stream classes */

struct ctf_streams;

/* The streams of a section, which adds to `classes`. NULL: out of memory. */
struct ctf_streams *ctf_streams_new(struct ctf_folder *folder, struct ctf_classes *classes);
void ctf_streams_free(struct ctf_streams *streams);

/* Adds events, in order of time. False: out of memory, or the folder has failed. */
bool ctf_streams_add(struct ctf_streams *streams, const hectic_event *event, size_t count);

/* Writes what is left. False as before. */
bool ctf_streams_end(struct ctf_streams *streams);

/* --- Metadata -------------------------------------------------------------------------------- */

/* What is known about a section's program. */
struct ctf_environment {
    size_t section;          /* counted from 1 */
    hectic_summary program;  /* of the section */
    hectic_summary *process; /* of a merged log */
    size_t processes;
    bool is_absolute;         /* the clocks of all sections have a time of day */
    bool shifted_stop_status; /* see format/stop_status.h */
};

/* Writes the metadata of a section. False: out of memory, or the folder has failed. */
bool ctf_metadata_write(struct ctf_folder *folder, const struct ctf_environment *environment,
                        const struct ctf_classes *classes);

#endif
