/* verb.h — the table of a verb. */
#ifndef HECTIC_VERB_H
#define HECTIC_VERB_H

#include <hectic/hectic.h>

/* Exit codes. */
enum tool_exit {
    TOOL_OK = 0,        /* success; the log may be truncated */
    TOOL_DAMAGED = 1,   /* the log is damaged; the readable part was used */
    TOOL_UNUSABLE = 2,  /* the log cannot be read, or the output cannot be written */
    TOOL_FAILED = 3,    /* a condition does not hold */
    TOOL_UNDECIDED = 4, /* it cannot be decided whether a condition holds */
    TOOL_USAGE = 64,    /* the command line is invalid */
};
enum { TOOL_EXITS = TOOL_UNDECIDED + 1 };

/* One option. An entry without a name ends a table of options. */
struct tool_option {
    const char *name;     /* --name */
    char letter;          /* -l, or 0 */
    const char *argument; /* the name of its argument in the help; NULL: none */
    const char *help;     /* half a line; NULL: listed with the option before it */
    const char *choices;  /* for completion: words, "@events", "@files", "@sources" or NULL */
    size_t offset;        /* of the value in the settings of its group */
    /* Sets *field. Returns false after a message (tool_invalid). */
    bool (*parse)(void *field, const char *argument);
};

/* Options under one title. An entry without a title ends a table of groups. */
struct option_group {
    const char *title;
    const struct tool_option *options;
    size_t offset;    /* of the group's settings in the verb's settings */
    const char *note; /* a paragraph for the man page, or NULL */
};

struct example {
    const char *command;
    const char *meaning;
};

/* A column of lines, and its meaning with the unit, in 31 letters unless it is in the right half.
 * An entry without a name ends a legend. */
struct legend_entry {
    const char *name, *meaning;
};

struct table_column;

/* A verb is one file that defines `const struct verb verb_NAME`, and one line in verbs.def. Option
 * parsing, --help, man page and completions are generated from this table. */
struct verb {
    const char *name;
    const char *group;        /* its heading in `hectic --help`; NULL: not listed there */
    const char *brief;        /* its description there: at most 40 letters, or 27 in a block; NULL:
                                 only its name is listed */
    const char *summary;      /* one line, without a final period */
    const char *const *usage; /* the arguments, a line for each form; NULL ends */
    const char *const *description;     /* paragraphs; NULL ends */
    const char *words;                  /* for completion: before LOG or after SOURCE, or NULL */
    const struct table_column *columns; /* for completion of --sort, or NULL */
    const struct option_group *groups;
    const struct legend_entry *legend; /* of its lines, for --help; or NULL */
    const struct example *examples;    /* a NULL command ends; --help prints the first two */
    const char *exits[TOOL_EXITS]; /* the meaning of exit codes 0, 1 …; NULL: does not occur */
    int least, most;               /* the number of operands */
    bool takes_command;            /* the operands are a command with options of its own */
    const char *separator; /* an option between operands, such as --with, is an operand itself,
                              verb_separator; or NULL */
    size_t settings_size;  /* of the zeroed memory that the options set */
    int (*run)(void *settings, int argc, char **argv); /* argv: the operands; returns exit code */
};

extern char verb_separator[];

#endif
