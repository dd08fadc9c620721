/* options.c — the options that several verbs take, and how arguments are read. */
#include "tool/cli/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool tool_set_flag(void *field, const char *argument)
{
    (void)argument;
    *(bool *)field = true;
    return true;
}

bool tool_set_text(void *field, const char *argument)
{
    *(const char **)field = argument;
    return true;
}

/* A whole word as a decimal number of at most `most`. */
static bool parse_number(const char *word, uint64_t most, uint64_t *number)
{
    if (word[0] < '0' || word[0] > '9') return false;
    char *end;
    errno = 0;
    *number = strtoull(word, &end, 10);
    return *end == 0 && errno == 0 && *number <= most;
}

bool tool_set_count(void *field, const char *argument)
{
    if (parse_number(argument, UINT64_MAX, field) && *(uint64_t *)field > 0) return true;
    tool_message("\"%s\" is no number above 0", argument);
    return false;
}

bool tool_parse_amount(const char *text, uint64_t *amount)
{
    static const struct {
        const char *name;
        uint64_t factor;
    } suffixes[] = {{"", 1},           {"k", 1000},     {"K", 1000},     {"M", 1000000},
                    {"G", 1000000000}, {"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}};
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 18) return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(text + digits, suffixes[i].name) == 0)
            return !__builtin_mul_overflow(strtoull(text, NULL, 10), suffixes[i].factor, amount);
    return false;
}

bool tool_set_amount(void *field, const char *argument)
{
    if (tool_parse_amount(argument, field) && *(uint64_t *)field > 0) return true;
    tool_message("\"%s\" is no number above 0, such as 10000, 400M or 2Mi", argument);
    return false;
}

/* --- Output ---------------------------------------------------------------------------------- */

static bool set_color(void *field, const char *argument)
{
    static const char *const names[] = {"auto", "always", "never"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(argument, names[i]) == 0) {
            *(enum color_when *)field = (enum color_when)i;
            return true;
        }
    }
    tool_message("--color is auto, always or never, not \"%s\"", argument);
    return false;
}

const struct tool_option output_options[] = {
    {"output", 'o', "FILE", "write to FILE, which appears when it is whole", "@files",
     offsetof(struct output_settings, path), tool_set_text},
    {"quiet", 'q', NULL, "no progress bar, no notes", NULL, offsetof(struct output_settings, quiet),
     tool_set_flag},
    {"verbose", 'v', NULL, "all notes, on a terminal or not", NULL,
     offsetof(struct output_settings, verbose), tool_set_flag},
    {0},
};

/* The logs are opened far from where options are read. */
static uint64_t spool_limit;

static bool set_spool_limit(void *field, const char *argument)
{
    (void)field;
    return tool_set_amount(&spool_limit, argument);
}

uint64_t tool_spool_limit(void)
{
    return spool_limit;
}

const struct tool_option input_options[] = {
    {"spool-limit", 0, "SIZE", "at most SIZE of temporary files for a LOG", NULL, 0,
     set_spool_limit},
    {0},
};

const char input_note[] =
    "A LOG that is compressed, or comes through a pipe, is kept in an unnamed temporary file where "
    "its events have to be put in order of time. Without --spool-limit, that leaves a twentieth of "
    "the file system's room free, though not more than 1 GiB; and what is compressed may become as "
    "large as 256 MiB and 1,000 times its own size.";

const struct tool_option color_options[] = {
    {"color", 0, "WHEN", "auto (on a terminal), always or never", "auto always never",
     offsetof(struct output_settings, color), set_color},
    {0},
};

/* --- Filters --------------------------------------------------------------------------------- */

static bool list_add(struct number_list *list, uint64_t number)
{
    if (list->count == LIST_MAX) {
        tool_message("more than %d values of one kind", LIST_MAX);
        return false;
    }
    list->number[list->count++] = (uint32_t)number;
    return true;
}

/* Gives each word of a comma list to `add`. */
static bool each_word(void *field, const char *argument, bool (*add)(void *field, const char *word))
{
    char *words = strdup(argument);
    char *rest = words, *word;
    bool good = true;
    if (!words) tool_out_of_memory();
    while (good && (word = strsep(&rest, ",")) != NULL)
        good = add(field, word);
    free(words);
    return good;
}

static bool add_cap(void *field, const char *word)
{
    uint64_t number = HECTIC_CAP_NONE;
    if (strcasecmp(word, "none") == 0 || parse_number(word, HECTIC_CAP_NONE - 1, &number))
        return list_add(field, number);
    tool_message("--cap: \"%s\" is no cap: a number from 0 to 65534, or none", word);
    return false;
}

static bool add_thread(void *field, const char *word)
{
    uint64_t number;
    if (parse_number(word, UINT32_MAX, &number)) return list_add(field, number);
    tool_message("--thread: \"%s\" is no thread: a number from 0 to 4294967295", word);
    return false;
}

static bool add_event(void *field, const char *word)
{
    struct filter_settings *filter = field;
    const hectic_class class_ = hectic_class_by_name(word);
    if (class_ != HECTIC_CLASS_COUNT) return list_add(&filter->classes, class_);
    const hectic_shape *shape = hectic_shape_by_name(word);
    if (shape) return list_add(&filter->events, shape->number);
    uint64_t number;
    if (parse_number(word, UINT16_MAX, &number)) return list_add(&filter->events, number);

    struct suggestion suggestion = {.word = word};
    for (int c = 0; c < HECTIC_CLASS_COUNT; c++)
        tool_suggest(&suggestion, hectic_class_name((hectic_class)c));
    size_t count;
    const hectic_shape *catalogue = hectic_catalogue(&count);
    for (size_t i = 0; i < count; i++)
        tool_suggest(&suggestion, catalogue[i].name);
    if (suggestion.best)
        tool_message("--event: there is no event or class \"%s\"; did you mean %s?", word,
                     suggestion.best);
    else
        tool_message("--event: there is no event or class \"%s\"", word);
    return false;
}

static bool set_caps(void *field, const char *argument)
{
    return each_word(field, argument, add_cap);
}

static bool set_threads(void *field, const char *argument)
{
    return each_word(field, argument, add_thread);
}

static bool set_events(void *field, const char *argument)
{
    return each_word(field, argument, add_event);
}

const struct tool_option filter_options[] = {
    {"from", 0, "T", "events of this time or later, before this time", NULL,
     offsetof(struct filter_settings, from), tool_set_text},
    {"to", 0, "T", NULL, NULL, offsetof(struct filter_settings, to), tool_set_text},
    {"cap", 0, "N", "events of cap N; none: of no cap", NULL,
     offsetof(struct filter_settings, caps), set_caps},
    {"thread", 0, "N", "events about thread N, or while it runs on their cap", NULL,
     offsetof(struct filter_settings, threads), set_threads},
    {"event", 0, "NAME", "events of that name (GC_START) or class (scheduler)", "@events", 0,
     set_events},
    {"match", 0, "REGEX", "events whose text matches (as in Perl)", NULL,
     offsetof(struct filter_settings, match), tool_set_text},
    {"limit", 0, "N", "no more than N events", NULL, offsetof(struct filter_settings, limit),
     tool_set_count},
    {0},
};

const char filter_note[] =
    "A time is a number with a unit (1.5s, 20ms, 3us, 100ns), a plain number of nanoseconds, or "
    "marker:NAME, the time of the first marker of that name (Debug.Trace.traceMarker). Numbers and "
    "names may be lists with commas, and options may be repeated: events pass that fit one value "
    "of each kind of option given. The case of names does not matter. A log that is still being "
    "written ends where --limit or --to is reached. For --to, and for --limit where events come in "
    "order of time, that is when each cap has got half a second further, or the log 5 s.";
