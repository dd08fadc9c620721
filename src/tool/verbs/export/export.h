/* export.h — the formats that profiles are exported to: each is a file of this folder and a row of
 * the table in tool/verbs/export.c. */
#ifndef HECTIC_EXPORT_H
#define HECTIC_EXPORT_H

#include "tool/files/sink.h"
#include "tool/input/file_reading.h"
#include "tool/input/redaction.h"
#include "tool/verbs/export/profile.h"

#include "profiles/heap_profile.h"

/* Options that not all formats have. */
enum export_option {
    EXPORT_HAS_WEIGHT = 1,
    EXPORT_HAS_CAP = 2,
    EXPORT_HAS_EVERY = 4,
    EXPORT_HAS_AT = 8,
    EXPORT_HAS_PROFILES = 16,  /* all formats of profiles */
    EXPORT_HAS_TABLES = 32,    /* all formats of tables */
    EXPORT_HAS_TRACE = 128,    /* all formats of traces */
    EXPORT_HAS_INTERVAL = 512, /* as all formats of profiles */
    EXPORT_HAS_URL = 256,      /* OUT may be a server, in another place than in EXPORT_HAS_SERVER */
    EXPORT_HAS_SERVER = 64,    /* OUT is a server, or a file that -o names */
};

enum export_weight {
    WEIGHT_DEFAULT,  /* that of the format */
    WEIGHT_INTERVAL, /* of each sample: the interval between ticks */
    WEIGHT_ELAPSED,  /* the time since the previous sample of the cap */
    WEIGHT_SAMPLES,  /* 1 */
};

struct export_run;
struct export_settings;

struct exporter {
    const char *name;
    const char *suffix;               /* of OUT; determines the format if there is no --to */
    unsigned takes;                   /* PROFILE_TIME | PROFILE_HEAP */
    unsigned options;                 /* EXPORT_HAS_… */
    enum export_weight weight;        /* the default */
    bool is_binary;                   /* never written to a terminal */
    bool is_folder;                   /* OUT is a folder, which `in_order` or `tables` writes */
    bool has_caps;                    /* it has profiles of each cap */
    const struct trace_writer *trace; /* of traces */
    /* Opens the log itself, in order of time: set instead of the next ones. As `stream`. */
    int (*in_order)(struct export_run *export, bool *done);
    /* Writes the tables of logs: set instead of the next two. Returns the exit code. */
    int (*tables)(const struct export_settings *settings, int logs, char **path);
    /* Writes one profile. False: out of memory. */
    bool (*write)(struct sink *sink, const struct profile *profile);
    /* Reads the log, and writes as it reads: set instead, or for --every. Returns the exit code.
     * *done: OUT is complete. */
    int (*stream)(struct export_run *export, bool *done);
};

struct clickhouse_settings {
    const char *url;      /* of servers, separated by commas */
    const char *database; /* NULL: "hectic" */
    const char *cluster;  /* NULL: one server */
    const char *host;     /* where the programs ran; NULL: not known */
    uint64_t keep_days;   /* 0: all */
};

struct export_settings {
    const struct exporter *to;
    uint64_t profile; /* of those in the log, counted from 1; 0: not given */
    struct interval_settings interval;
    enum export_weight weight;
    struct cap_choice cap;
    uint64_t every;     /* ns; 0: not given */
    uint64_t shortest;  /* ns: of slices of a trace; 0: all */
    const char *at;     /* "peak", "end", "mean" or a time; NULL: not given */
    const char *tables; /* names, separated by commas; NULL: the default */
    bool has_private;   /* tables: columns with what a log tells about its user */
    struct clickhouse_settings clickhouse;
    struct output_settings output;
    struct redaction_settings redaction;
};

struct export_run {
    const char *path; /* of the log */
    const struct export_settings *settings;
    struct file_reading reading;
    struct sink *sink;
    unsigned begun; /* PROFILE_…: of the sections so far */
};

/* --- Reading ---------------------------------------------------------------------------------- */

/* Reads the log, and writes the profile that is chosen with the format's `write`. As `stream`. */
int export_joined(struct export_run *export, bool *done);

/* Which profile of the log is exported: the profiles of one kind are counted as they begin. */
struct choice {
    uint64_t wanted; /* from 1; 0: the only one */
    uint64_t count;  /* so far */
    char list[256];  /* describes the first ones */
};

/* Counts a profile: of a section, from the time of its first sample (UINT64_MAX: unknown). Returns
 * whether it is the one. */
bool choice_add(struct choice *choice, size_t section, const char *title, uint64_t first);

/* The same for a heap profile. */
bool choice_add_heap(struct choice *choice, size_t section, const hectic_heap_kind *kind,
                     uint64_t first);

/* Are there several, of which none is chosen? */
bool choice_is_unclear(const struct choice *choice);

/* After reading ended with `code`: sets *done if the chosen profile was found. Otherwise says why
 * not: `kinds` (PROFILE_…) were looked for. Returns the exit code. */
int export_chosen(const struct export_run *export, const struct choice *choice, unsigned kinds,
                  int code, bool *done);

/* Prints a note, unless --quiet. */
void export_note(const struct export_run *export, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Notes what is missing in the samples that were read. */
void export_note_time(const struct export_run *export, const hectic_time_warnings *warnings,
                      const hectic_symbols *symbols);
void export_note_heap(const struct export_run *export, const hectic_heap_warnings *warnings,
                      const hectic_symbols *symbols);

/* --- Samples of time -------------------------------------------------------------------------- */

/* "time", "call stacks" */
const char *export_source_title(hectic_time_source source);

/* Is the sample of the interval and the cap? */
bool export_wants(const struct export_run *export, const hectic_time_sample *sample);

/* The unit of weights, if ticks have that interval: without one, samples are counted. */
enum profile_unit export_unit(const struct export_run *export, uint64_t interval);
uint64_t export_weight_of(const struct export_run *export, enum profile_unit unit,
                          const hectic_time_sample *sample);

/* --- Formats ---------------------------------------------------------------------------------- */

int otlp_export(struct export_run *export, bool *done);
int ctf_export(struct export_run *export, bool *done);
int trace_export(struct export_run *export, bool *done);
int hp_stream(struct export_run *export, bool *done);
bool prof_write(struct sink *sink, const struct profile *profile);
bool prof_json_write(struct sink *sink, const struct profile *profile);
bool speedscope_write(struct sink *sink, const struct profile *profile);
int speedscope_slices(struct export_run *export, bool *done);
bool pprof_write(struct sink *sink, const struct profile *profile);
int sqlite_tables(const struct export_settings *settings, int logs, char **path);
int clickhouse_tables(const struct export_settings *settings, int logs, char **path);
int parquet_tables(const struct export_settings *settings, int logs, char **path);

/* Parts of speedscope's JSON: the members that each file begins with, and a frame. */
struct json;
void speedscope_put_heading(struct json *json);
void speedscope_put_frame(struct json *json, const hectic_symbols *symbols,
                          const hectic_stack_node *node);
bool folded_write(struct sink *sink, const struct profile *profile);

#endif
