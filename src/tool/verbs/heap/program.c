/* program.c — see program.h. */
#include "tool/verbs/heap/program.h"

#include "format/arguments.h"

#include <hectic/read_events.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 79, INDENT = 2 };

/* --- The program ----------------------------------------------------------------------------- */

static void take_arguments(struct heap_program *program, const uint8_t *text, size_t size)
{
    while (size > 0 && text[size - 1] == 0)
        size--; /* some writers terminate the last argument, too */
    const size_t length = size < HEAP_ARGUMENTS ? size : HEAP_ARGUMENTS - 1;
    memcpy(program->arguments, text, length);
    program->arguments[length] = 0;
    program->length = length;
    program->is_complete = length == size;
}

/* "GHC-9.0.2 rts_thr_p" */
static void take_identifier(struct heap_program *program, const uint8_t *text, size_t size)
{
    char name[128];
    const size_t length = size < sizeof name ? size : sizeof name - 1;
    memcpy(name, text, length);
    name[length] = 0;
    if (sscanf(name, "GHC-%5u.%5u", &program->major, &program->minor) < 2)
        program->major = program->minor = 0;
    const char *way = strstr(name, " rts");
    const char *profiled = way ? strstr(way, "_p") : NULL;
    program->is_profiled = profiled && (profiled[2] == 0 || profiled[2] == '_');
}

void heap_program_event(struct heap_program *program, const hectic_event *event)
{
    hectic_event replayed;
    if (event->type == HECTIC_EVENT_SYNC) {
        if (!hectic_read_replayed(event, &replayed)) return;
        event = &replayed;
    }
    program->has_profile |= event->type == HECTIC_EVENT_HEAP_PROF_BEGIN;
    if (event->type != HECTIC_EVENT_PROGRAM_ARGS && event->type != HECTIC_EVENT_RTS_IDENTIFIER)
        return;
    hectic_text text;
    if (!hectic_read_text(event, &text)) return;
    if (event->type == HECTIC_EVENT_PROGRAM_ARGS && program->length == 0)
        take_arguments(program, text.bytes, text.length);
    else if (event->type == HECTIC_EVENT_RTS_IDENTIFIER)
        take_identifier(program, text.bytes, text.length);
}

/* --- The command ----------------------------------------------------------------------------- */

struct text {
    char *text;
    size_t size, length; /* length >= size: it does not fit */
};

static void add(struct text *to, const char *text, size_t length)
{
    if (to->length + length < to->size) {
        memcpy(to->text + to->length, text, length);
        to->text[to->length + length] = 0;
        to->length += length;
    } else {
        to->length = to->size;
    }
}

static void add_text(struct text *to, const char *text)
{
    add(to, text, strlen(text));
}

/* An argument as a shell reads it. False: it has characters that a user should not paste. */
static bool add_argument(struct text *to, const char *argument)
{
    bool is_plain = argument[0] != 0;
    for (const char *at = argument; *at; at++) {
        if (*at < ' ' || *at > '~' || *at == '\'') return false;
        is_plain &= strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                           "%+,-./:=@_",
                           *at) != NULL;
    }
    add_text(to, is_plain ? "" : "'");
    add_text(to, argument);
    add_text(to, is_plain ? " " : "' ");
    return true;
}

/* Options that the new flags replace. */
static bool is_replaced(const char *option, const char *flags)
{
    if (option[0] != '-') return true;
    if (option[1] == 'N') return strstr(flags, "-hb") != NULL; /* it needs a single cap */
    if (strncmp(option, "-ol", 3) == 0) return true;           /* the file of the log */
    if (option[1] == 'i') return strstr(flags, "-i") != NULL;
    return option[1] == 'h' || option[1] == 'l' || option[1] == 'p';
}

/* Adds the arguments of the program, or those of the runtime. */
static bool add_arguments(const struct heap_program *program, bool is_runtime, const char *flags,
                          struct text *to)
{
    struct argument argument = {0};
    while (argument_next(program->arguments, program->length + 1, &argument)) {
        if (argument.is_over) return false; /* options at the end would be the program's */
        const bool is_wanted =
            argument.is_rts == is_runtime && !(is_runtime && is_replaced(argument.text, flags));
        if (is_wanted && !add_argument(to, argument.text)) return false;
    }
    return true;
}

/* The command with other flags of the runtime's profilers: "./a.out 30 +RTS -hc -l". */
static void put_command(const struct heap_program *program, const char *flags, char *text,
                        size_t size)
{
    struct text to = {text, size, 0};
    const bool is_known =
        program->length > 0 && program->is_complete && strcmp(program->arguments, "+RTS") != 0;
    bool good = is_known && add_arguments(program, false, flags, &to);
    add_text(&to, "+RTS ");
    good = good && add_arguments(program, true, flags, &to);
    add_text(&to, flags);
    add_text(&to, " -l");
    if (!good || to.length >= to.size) snprintf(text, size, "./PROGRAM +RTS %s -l", flags);
}

/* --- Advice ---------------------------------------------------------------------------------- */

enum build { PLAIN, PROFILED, WITH_INFO_TABLES };

/* What the next profile answers. At most two are printed. */
static const struct advice {
    hectic_breakdown breakdown;
    const char *question, *flags;
    enum build build;
} advices[] = {
    {HECTIC_BREAKDOWN_UNKNOWN, "what fills the heap", "-hT", PLAIN},
    {HECTIC_BREAKDOWN_CLOSURE_TYPE, "its source lines", "-hi", WITH_INFO_TABLES},
    {HECTIC_BREAKDOWN_CLOSURE_TYPE, "which functions allocate it", "-hc", PROFILED},
    {HECTIC_BREAKDOWN_TYPE, "which functions allocate it", "-hc", PROFILED},
    {HECTIC_BREAKDOWN_DESCRIPTION, "which functions allocate it", "-hc", PROFILED},
    {HECTIC_BREAKDOWN_MODULE, "which functions allocate it", "-hc", PROFILED},
    {HECTIC_BREAKDOWN_COST_CENTRE, "what keeps it alive", "-hr", PROFILED},
    {HECTIC_BREAKDOWN_COST_CENTRE, "whether it is used again", "-hb", PROFILED},
    {HECTIC_BREAKDOWN_RETAINER, "which functions allocate it", "-hc", PROFILED},
    {HECTIC_BREAKDOWN_RETAINER, "whether it is used again", "-hb", PROFILED},
    {HECTIC_BREAKDOWN_BIOGRAPHY, "who allocates what is never used, or never again",
     "-hc -hbdrag,void", PROFILED},
    {HECTIC_BREAKDOWN_INFO_TABLE, "what keeps it alive", "-hr", PROFILED},
    {HECTIC_BREAKDOWN_ERA, "which functions allocate it", "-hc", PROFILED},
};

static bool is_at_least(const struct heap_program *program, unsigned major, unsigned minor)
{
    return program->major > major || (program->major == major && program->minor >= minor);
}

bool heap_program_is_fragile(const struct heap_program *program)
{
    return program->major > 0 && !is_at_least(program, 9, 2);
}

/* How the program has to be built; "": as it is. */
static const char *how_to_build(const struct heap_program *program, hectic_breakdown breakdown,
                                enum build build)
{
    const bool is_profiled = program->is_profiled || (breakdown != HECTIC_BREAKDOWN_UNKNOWN &&
                                                      breakdown != HECTIC_BREAKDOWN_CLOSURE_TYPE &&
                                                      breakdown != HECTIC_BREAKDOWN_INFO_TABLE);
    if (build == WITH_INFO_TABLES) return " (ghc -finfo-table-map -fdistinct-constructor-tables)";
    if (build == PROFILED && !is_profiled)
        return is_at_least(program, 9, 4) ? " (ghc -prof -fprof-late)" : " (ghc -prof -fprof-auto)";
    return "";
}

static void print_command(const struct heap_program *program, const char *flags, struct sink *sink)
{
    char command[LINE - INDENT + 1];
    put_command(program, flags, command, sizeof command);
    sink_visible(sink, command, strlen(command));
    sink_print(sink, "\n");
}

void heap_program_print_again(const struct heap_program *program, char flag, double period,
                              struct sink *sink)
{
    char flags[32];
    snprintf(flags, sizeof flags, "-h%c -i%.3g", flag ? flag : 'T', period);
    print_command(program, flags, sink);
}

void heap_program_advise(const struct heap_program *program, hectic_breakdown breakdown,
                         double period, struct sink *sink)
{
    char flags[48];
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++) {
        const struct advice *advice = &advices[i];
        if (advice->breakdown != breakdown) continue;
        if (advice->build == WITH_INFO_TABLES && program->major && !is_at_least(program, 9, 2))
            continue;
        if (strstr(advice->flags, "-hb") && heap_program_is_fragile(program)) continue;
        sink_print(sink, "Next: %s%s:\n  ", advice->question,
                   how_to_build(program, breakdown, advice->build));
        snprintf(flags, sizeof flags, period > 0 ? "%s -i%.3g" : "%s", advice->flags, period);
        print_command(program, flags, sink);
    }
}
