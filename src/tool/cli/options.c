/* options.c — the options that several verbs share, and the parsers of arguments. */

#include "tool/cli/options.h"
#include "tool/cli/message.h"
#include "tool/cli/times.h"
#include "tool/cli/verb.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct tool_option *parsed; /* the option whose argument is being parsed */

bool tool_option_parse(const struct tool_option *option, void *field, const char *argument)
{
    parsed = option;
    return option->parse(field, argument);
}

bool tool_invalid(const char *kind, const char *argument, const char *option, const char *hint)
{
    tool_usage_error("invalid %s \"%s\" for %s%s (%s)", kind, argument, option ? "" : "--",
                     option ? option : parsed->name, hint);
    return false;
}

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

/* A decimal number of at most `most`. */
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
    return tool_invalid("number", argument, NULL, "at least 1");
}

bool tool_set_amount(void *field, const char *argument)
{
    if (hectic_size_parse(argument, field) && *(uint64_t *)field > 0) return true;
    return tool_invalid("number", argument, NULL, "at least 1; examples: 10000, 400M, 2MiB");
}

bool tool_set_duration(void *field, const char *argument)
{
    if (time_parse(argument, field) && *(uint64_t *)field > 0) return true;
    return time_invalid(argument, NULL, "with a unit; examples: 100ms, 1.5s, 10m");
}

bool tool_set_cap(void *field, const char *argument)
{
    struct cap_choice *cap = field;
    uint64_t number;
    if (!parse_number(argument, UINT32_MAX, &number))
        return tool_invalid("cap", argument, NULL, "a number");
    *cap = (struct cap_choice){true, (uint32_t)number};
    return true;
}

/* "a, b or c" */
static void list_words(char *text, size_t size, const char *words)
{
    size_t used = 0;
    while (*words && used < size) {
        const size_t length = strcspn(words, " ");
        const char *rest = words + length + (words[length] == ' ');
        const char *separator = !*rest ? "" : strchr(rest, ' ') ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%.*s%s", (int)length, words, separator);
        words = rest;
    }
}

int tool_choose(const char *argument, const char *words)
{
    const size_t length = strlen(argument);
    const char *word = words;
    for (int i = 0; *word; i++) {
        const size_t next = strcspn(word, " ");
        if (next == length && memcmp(word, argument, length) == 0) return i;
        word += next + (word[next] == ' ');
    }
    char list[256];
    list_words(list, sizeof list, words);
    tool_invalid("value", argument, NULL, list);
    return -1;
}

/* --- Output ---------------------------------------------------------------------------------- */

static const char color_words[] = "auto always never"; /* as in enum color_when */

static bool set_color(void *field, const char *argument)
{
    const int when = tool_choose(argument, color_words);
    if (when >= 0) *(enum color_when *)field = (enum color_when)when;
    return when >= 0;
}

static const struct output_settings *output_of_verb;

void tool_output_note(const struct output_settings *output)
{
    output_of_verb = output;
}

const struct output_settings *tool_output(void)
{
    return output_of_verb;
}

bool tool_output_operand(struct output_settings *output, int argc, char **argv)
{
    const bool is_given = (argc == 2) != (output->path != NULL);
    if (!is_given)
        tool_usage_error(argc == 2 ? "both OUT and -o are given: name one output"
                                   : "missing operand: OUT (- for standard output)");
    if (argc == 2) output->path = argv[1];
    return is_given;
}

const struct tool_option output_options[] = {
    {"output", 'o', "FILE", "write to FILE (atomically)", "@files",
     offsetof(struct output_settings, path), tool_set_text},
    {"force", 0, NULL, "replace the output if it exists", NULL,
     offsetof(struct output_settings, force), tool_set_flag},
    {"quiet", 'q', NULL, "no progress bar or notes", NULL, offsetof(struct output_settings, quiet),
     tool_set_flag},
    {"verbose", 'v', NULL, "all notes, even when stderr is not a terminal", NULL,
     offsetof(struct output_settings, verbose), tool_set_flag},
    {0},
};

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

static uint64_t live_wait;

static bool set_live_wait(void *field, const char *argument)
{
    (void)field;
    return tool_set_duration(&live_wait, argument);
}

uint64_t tool_live_wait(void)
{
    return live_wait;
}

const struct tool_option input_options[] = {
    {"spool-limit", 0, "SIZE", "at most SIZE of temporary files; wait at most TIME", NULL, 0,
     set_spool_limit},
    {"wait", 0, "TIME", NULL, NULL, 0, set_live_wait},
    {0},
};

const struct tool_option wait_options[] = {
    {"wait", 0, "TIME", "give up if the log has not begun after TIME", NULL, 0, set_live_wait},
    {0},
};

const char input_note[] =
    "To sort the events of a LOG that is compressed or comes through a pipe, hectic stores it in "
    "an unnamed temporary file. By default the file leaves a twentieth of the file system free, or "
    "1 GiB if that is less, and a compressed LOG may expand to at most 256 MiB plus 1,000 times "
    "its size. SIZE is a number of bytes with an optional unit: kB, MB or GB (powers of 1000), "
    "KiB, MiB or GiB (powers of 1024). The B may be omitted. --wait gives up if a live LOG has not "
    "begun after TIME; without it, hectic waits until it is interrupted.";

const struct tool_option color_options[] = {
    {"color", 0, "WHEN", "auto (on a terminal), always or never", color_words,
     offsetof(struct output_settings, color), set_color},
    {0},
};

/* --- Filters --------------------------------------------------------------------------------- */

static bool list_add(struct number_list *list, uint64_t number)
{
    if (list->count == LIST_MAX) {
        tool_usage_error("too many values for --%s (at most %d)", parsed->name, LIST_MAX);
        return false;
    }
    list->number[list->count++] = (uint32_t)number;
    return true;
}

/* Calls `add` for each word of a comma-separated list. */
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
    return tool_invalid("cap", word, NULL, "a number from 0 to 65534, or none");
}

static bool add_thread(void *field, const char *word)
{
    uint64_t number;
    if (parse_number(word, UINT32_MAX, &number)) return list_add(field, number);
    return tool_invalid("thread", word, NULL, "a number from 0 to 4294967295");
}

const char *tool_class_names(void)
{
    static char text[512];
    size_t length = 0;
    for (int c = 0; c < HECTIC_CLASS_COUNT && length < sizeof text; c++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", c > 0 ? ", " : "",
                                   hectic_class_name((hectic_class)c));
    return text;
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
    tool_usage_error("unknown event or class \"%s\" for --event%s%s%s (classes: %s)", word,
                     suggestion.best ? "; did you mean " : "",
                     suggestion.best ? suggestion.best : "", suggestion.best ? "?" : "",
                     tool_class_names());
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
    {"from", 0, "TIME", "events at or after this time, before this time", NULL,
     offsetof(struct filter_settings, from), tool_set_text},
    {"to", 0, "TIME", NULL, NULL, offsetof(struct filter_settings, to), tool_set_text},
    {"cap", 0, "N", "events of cap N; none: events without a cap", NULL,
     offsetof(struct filter_settings, caps), set_caps},
    {"thread", 0, "N", "events of thread N, or of its cap while it runs", NULL,
     offsetof(struct filter_settings, threads), set_threads},
    {"event", 0, "NAME", "events of a type (GC_START) or a class:", "@events", 0, set_events},
    {"match", 0, "REGEX", "events whose text matches (Perl syntax)", NULL,
     offsetof(struct filter_settings, match), tool_set_text},
    {"limit", 0, "N", "at most N events", NULL, offsetof(struct filter_settings, limit),
     tool_set_count},
    {0},
};

const char filter_note[] =
    "TIME is a number with a unit (1.5s, 20ms, 3us, 100ns), or "
    "marker:NAME, the time of the first marker of that name (Debug.Trace.traceMarker). The values "
    "of --cap, --thread and --event may be comma-separated lists, and these options may be "
    "repeated. An event passes if it matches one value of each option given. Names are not case "
    "sensitive. A live log ends when --limit or --to is reached. To receive late events of other "
    "caps, --to, and --limit if events are sorted by time, wait until each cap is half a second "
    "past that time, or the log 5 s.";
