/* tool.h — what a verb of the command is, and what all verbs share.
 *
 * A verb is one file that defines `const struct verb verb_NAME`, and one line in verbs.def. From
 * that table come its parsing, its --help, its man page and its completions: nothing about a verb
 * is written down a second time.
 */
#ifndef HECTIC_TOOL_H
#define HECTIC_TOOL_H

#include <hectic/hectic.h>
#include <stdio.h>

/* Exit codes. */
enum tool_exit {
    TOOL_OK = 0,       /* done; a log that merely stops in the middle is fine */
    TOOL_DAMAGED = 1,  /* the log is damaged inside; what could be read was used */
    TOOL_UNUSABLE = 2, /* the log cannot be read, or the output cannot be written */
    TOOL_USAGE = 64,   /* the command line is wrong */
};

/* --- The table of a verb --------------------------------------------------------------------- */

/* One option. Tables of options end with an entry without a name. */
struct tool_option {
    const char *name;     /* --name */
    char letter;          /* -l, or 0 */
    const char *argument; /* what the help calls its argument; NULL: it takes none */
    const char *help;     /* half a line; NULL: listed together with the option before it */
    const char *choices;  /* for completion: words, "@events", "@files", "@sources" or NULL */
    size_t offset;        /* of the value in the settings of its group */
    /* Sets *field. Returns false after a message (tool_invalid). */
    bool (*parse)(void *field, const char *argument);
};

/* Options that belong together. Tables of groups end with an entry without a title. */
struct option_group {
    const char *title;
    const struct tool_option *options;
    size_t offset;    /* where in the verb's settings the group's settings are */
    const char *note; /* a paragraph for the man page, or NULL */
};

struct example {
    const char *command;
    const char *meaning;
};

struct table_column;

struct verb {
    const char *name;
    const char *group;        /* its heading in `hectic --help`; NULL: not listed there */
    const char *brief;        /* its description there: at most 40 letters, or 27 in a block */
    const char *summary;      /* one line, without a final stop */
    const char *const *usage; /* what follows the verb, a line for each form; NULL ends */
    const char *const *description; /* paragraphs; NULL ends */
    const char *words;              /* for completion: words before LOG or after SOURCE, or NULL */
    const struct table_column *columns; /* for completion of --sort, or NULL */
    const struct option_group *groups;
    const struct example *examples; /* end with a NULL command; the first two are in --help */
    const char *exits[3];           /* what exit codes 0, 1, 2 mean here; NULL: never */
    int least, most;                /* how many arguments it takes beside options */
    bool takes_command;             /* from its first argument on, all belongs to a command */
    size_t settings_size;           /* of the zeroed memory that the options set and run gets */
    int (*run)(void *settings, int argc, char **argv); /* argv: only the arguments; exit code */
};

#define VERB(name) extern const struct verb verb_##name;
#include "tool/cli/verbs.def"
#undef VERB

/* All verbs; NULL ends. */
extern const struct verb *const tool_verbs[];

/* Calls the option's parser. Its messages name the option. */
bool tool_option_parse(const struct tool_option *option, void *field, const char *argument);

/* What replaced an option's spelling, as "use --limit N"; NULL: nothing did. */
const char *tool_replacement(const struct verb *verb, const char *spelling);

/* Parsers of options. */
bool tool_set_flag(void *field, const char *argument);     /* bool */
bool tool_set_text(void *field, const char *argument);     /* const char * */
bool tool_set_count(void *field, const char *argument);    /* uint64_t, at least 1 */
bool tool_set_amount(void *field, const char *argument);   /* the same; "400M", "2MiB" */
bool tool_set_duration(void *field, const char *argument); /* uint64_t, ns, above 0; "1.5s" */

/* "400M", "2MiB", "10000". */
bool tool_parse_amount(const char *text, uint64_t *amount);

/* --- Messages -------------------------------------------------------------------------------- */

/* "hectic: …" on stderr: one line, whatever is in it; see hectic_render_visible. */
void tool_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for an error in the command line: "hectic VERB: …". The verb may be NULL. */
void tool_usage_verb(const char *verb);
void tool_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* `invalid KIND "ARGUMENT" for OPTION (HINT)`. Returns false. `option`: "--from"; NULL: the option
 * that is being parsed. */
bool tool_invalid(const char *kind, const char *argument, const char *option, const char *hint);

/* Prints "out of memory" and exits with TOOL_UNUSABLE. */
_Noreturn void tool_out_of_memory(void);

/* A line of text to `to`, likewise. */
void tool_print_visible(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* How many places of damage in a log are told one by one; the others are counted. */
enum { TOOL_PLACES_SHOWN = 10 };

/* "hectic: LOG: byte 123: …". */
void tool_log_error(const char *path, const hectic_error *error);

/* What messages call a log: its path, or "standard input". */
const char *tool_log_name(const char *path);

/* Finds the candidate that is nearest to `word`: `best`, or NULL. */
struct suggestion {
    const char *word;
    const char *best;
    size_t distance;
};
void tool_suggest(struct suggestion *suggestion, const char *candidate);

/* --- Options that several verbs take --------------------------------------------------------- */

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct output_settings {
    const char *path; /* -o; NULL: standard output */
    enum color_when color;
    bool quiet;
    bool verbose;
};
extern const struct tool_option output_options[]; /* -o, --quiet, --verbose */
extern const struct tool_option color_options[];  /* --color; its settings are output_settings */

extern const struct tool_option input_options[]; /* --spool-limit; it has no settings */
extern const char input_note[];
uint64_t tool_spool_limit(void); /* bytes; 0: none was given */

enum { LIST_MAX = 256 };

struct number_list {
    size_t count;
    uint32_t number[LIST_MAX];
};

struct filter_settings {
    const char *from, *to; /* as given: resolved by tool_filter_new, since markers need the log */
    struct number_list caps, threads, events, classes;
    const char *match;
    uint64_t limit; /* 0: none */
};
extern const struct tool_option filter_options[];
extern const char filter_note[];
const char *tool_class_names(void); /* what --event takes beside events: "process, scheduler, …" */

/* --- Logs ------------------------------------------------------------------------------------ */

/* A progress bar on stderr, where that is a terminal and the work takes long. */
struct progress {
    bool wanted, shown;
    uint64_t start, drawn; /* ns */
};
struct progress progress_start(const struct output_settings *settings);
void progress_update(void *progress, double done); /* as hectic_log_options wants it */
void progress_end(struct progress *progress);

/* Opens LOG ("-": standard input; unix:PATH and the like: a source that is still being written, see
 * live_log.h); NULL after a message. */
hectic_input *tool_input_open(const char *path);

/* Opens a log on it (takes `input` over) and makes the first pass; NULL after a message. */
hectic_log *tool_log_open(hectic_input *input, const char *path, uint64_t from, uint64_t to,
                          struct progress *progress);

/* Says on stderr what was damaged or cut off, and what reading ended with. Returns the exit code.
 */
int tool_log_report(const hectic_log *log, const char *path, hectic_result last,
                    const struct output_settings *settings);

/* Says that a log stops without an end marker, on a terminal or where asked to. */
void tool_note_unfinished(const char *path, const struct output_settings *settings, bool is_cut_off,
                          uint64_t tail);

/* Does reading end with that error because compressed data are damaged, so that what came before,
 * which has a header, is used as a log that ends there? */
bool tool_is_early_end(const hectic_error *error, const hectic_header *header);

/* The filters of a command line, resolved. */
struct tool_filter;

/* Makes the filter. Looks markers up in `input`, which is made random for that. NULL after a
 * message, with *code set to the exit code. */
struct tool_filter *tool_filter_new(const struct filter_settings *settings, hectic_input *input,
                                    const char *path, int *code);
void tool_filter_free(struct tool_filter *filter);

/* What hectic_log_options.from and .to may be: no event outside of these times is of interest. */
uint64_t tool_filter_from(const struct tool_filter *filter);
uint64_t tool_filter_to(const struct tool_filter *filter);

/* Does the event pass? Feed it every event in order; the renderer is the one of its section. */
bool tool_filter_pass(struct tool_filter *filter, const hectic_renderer *renderer,
                      const hectic_event *event);

/* Does everything pass? */
bool tool_filter_is_empty(const struct tool_filter *filter);

/* True once nothing further can pass (--limit, or it has failed). */
bool tool_filter_is_done(const struct tool_filter *filter);

/* True once it could not be told of an event whether it passes, which has been said: what was made
 * is of no use. `filter` may be NULL. */
bool tool_filter_failed(const struct tool_filter *filter);

/* --- Output ---------------------------------------------------------------------------------- */

/* A stream of bytes to standard output or, where a path is given, to a file that appears under
 * that path whole or not at all (of live input, also as far as it could be written). A thread of
 * its own does the writing. */
struct sink;

/* NULL after a message. */
struct sink *sink_open(const struct output_settings *settings);

/* The same for a log, which is not for terminals. */
struct sink *sink_open_for_log(const struct output_settings *settings);
struct sink *sink_on_stderr(void);

/* At least `size` bytes to write into; sink_fill says how many were used. */
char *sink_room(struct sink *sink, size_t size);
void sink_fill(struct sink *sink, size_t size);

/* The same, and how much room there is. */
char *sink_space(struct sink *sink, size_t least, size_t *size);

/* A copy of a text. */
void sink_text(struct sink *sink, const char *text, size_t size);
void sink_print(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text of others, as hectic_render_visible shows it. */
void sink_visible(struct sink *sink, const char *text, size_t size);

/* As sink_room and sink_fill, for text of others that stays as it is but on a terminal. `text` is
 * the room. */
char *sink_foreign_room(struct sink *sink, size_t size);
void sink_foreign_fill(struct sink *sink, const char *text, size_t size);

/* Hands over what is there, for readers that wait. */
void sink_flush(struct sink *sink);
void sink_flush_all(void); /* before waiting for input */

/* True once writing has failed: work may stop. sink_close says why. */
bool sink_failed(const struct sink *sink);

/* Will what has been written be kept, even if the work fails? So it is with live input. */
bool sink_is_kept(const struct sink *sink);

/* Is it a terminal that colours are wanted on? */
bool sink_is_colored(const struct sink *sink);

/* Does it go to a terminal, perhaps through a pager that lets colours pass? Text of others then has
 * to be made visible: see hectic_render_visible. */
bool sink_is_terminal(const struct sink *sink);

/* Writes the rest and gives the file its name. Returns `code`, or TOOL_UNUSABLE after a message
 * where writing failed; then, or where `code` is TOOL_UNUSABLE or TOOL_USAGE, no file is left,
 * unless there is live input (signals.h) that has been written in part. */
int sink_close(struct sink *sink, int code);

/* --- Help ------------------------------------------------------------------------------------ */

void version_print(bool verbose);
void help_overview(void);
void help_verb(const struct verb *verb);
void man_page(const struct verb *verb); /* NULL: hectic(1) */
bool completions(const char *shell);    /* false: an unknown shell */

#endif
