/* options.h — the options that several verbs share, and parsers of arguments. */
#ifndef HECTIC_OPTIONS_H
#define HECTIC_OPTIONS_H

#include "tool/cli/verb.h"

/* Calls the option's parser. Messages of the parser name the option. */
bool tool_option_parse(const struct tool_option *option, void *field, const char *argument);

/* Prints `invalid KIND "ARGUMENT" for OPTION (HINT)`. Returns false. `option`: "--from"; NULL: the
 * option that is being parsed. */
bool tool_invalid(const char *kind, const char *argument, const char *option, const char *hint);

/* Parsers. */
bool tool_set_flag(void *field, const char *argument);     /* bool */
bool tool_set_text(void *field, const char *argument);     /* const char * */
bool tool_set_count(void *field, const char *argument);    /* uint64_t, at least 1 */
bool tool_set_amount(void *field, const char *argument);   /* the same; "400M", "2MiB" */
bool tool_set_duration(void *field, const char *argument); /* uint64_t, ns, above 0; "1.5s" */

/* The index of the argument among words that are separated by blanks, as in an option's values; -1
 * after a message. */
int tool_choose(const char *argument, const char *words);

/* A cap that an option names. */
struct cap_choice {
    bool is_set;
    uint32_t number;
};
bool tool_set_cap(void *field, const char *argument); /* struct cap_choice */

/* --- Output ---------------------------------------------------------------------------------- */

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct output_settings {
    const char *path; /* -o; NULL: standard output */
    enum color_when color;
    bool quiet;
    bool verbose;
    bool force;
};

/* The settings that output_options of this verb set; NULL: it has others. */
void tool_output_note(const struct output_settings *output);
const struct output_settings *tool_output(void);

/* Sets the path to the second operand, OUT, unless -o names it. Returns false after a message. */
bool tool_output_operand(struct output_settings *output, int argc, char **argv);

extern const struct tool_option output_options[]; /* -o, --force, --quiet, --verbose */
extern const struct tool_option color_options[];  /* --color; its settings are output_settings */

/* --- Input ----------------------------------------------------------------------------------- */

extern const struct tool_option input_options[]; /* --spool-limit, --wait; without settings */
extern const struct tool_option wait_options[];  /* --wait */
extern const char input_note[];
uint64_t tool_spool_limit(void); /* bytes; 0: the default */
uint64_t tool_live_wait(void);   /* ns; 0: no limit */

/* --- Filters --------------------------------------------------------------------------------- */

enum { LIST_MAX = 256 };

struct number_list {
    size_t count;
    uint32_t number[LIST_MAX];
};

struct filter_settings {
    const char *from, *to; /* unresolved: markers need the log */
    struct number_list caps, threads, events, classes;
    const char *match;
    uint64_t limit; /* 0: none */
};
extern const struct tool_option filter_options[];
extern const char filter_note[];
const char *tool_class_names(void); /* the classes that --event takes: "process, scheduler, …" */

#endif
