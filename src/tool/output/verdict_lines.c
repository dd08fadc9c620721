/* verdict_lines.c — see verdict_lines.h. */
#include "tool/output/verdict_lines.h"

#include "render/shell_word.h"
#include "render/units.h"
#include "report/verdict_json.h"
#include "tool/cli/message.h"
#include "tool/output/wrapped.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 11 };

/* The length of the next word; a number and its unit are one. */
static size_t word_length(const char *text)
{
    const size_t length = strcspn(text, " ");
    if (length == 0 || text[length] == 0) return length;
    if (text[length - 1] < '0' || text[length - 1] > '9') return length;
    const char *next = text + length + 1;
    const bool has_unit = units_is_name(next, strcspn(next, " ,.;)"));
    return has_unit ? length + 1 + strcspn(next, " ") : length;
}

/* `first` begins the first line and has INDENT columns. */
static void print_words(struct sink *sink, const char *first, const char *text)
{
    sink_print(sink, "%-*s", INDENT, first);
    print_wrapped(sink, text, INDENT, word_length);
}

/* Is the verb of a command one of these? */
static bool is_verb(const char *command, const char *const verbs[])
{
    char verb[16] = "";
    sscanf(command, "hectic %15s", verb);
    for (size_t i = 0; verbs[i]; i++)
        if (strcmp(verb, verbs[i]) == 0) return true;
    return false;
}

char *command_for_log(const char *command, const char *log, const uint32_t *process)
{
    static const char *const of_any[] = {"gc", "stat", "threads", "spans", "sparks", "tasks", NULL};
    static const char *const of_one[] = {"heap", "prof", NULL};
    const size_t length = strlen(command);
    const bool has_place = length > 3 && strcmp(command + length - 3, "LOG") == 0;
    char option[32] = "";
    if (process && is_verb(command, of_one)) return NULL;
    if (process && is_verb(command, of_any))
        snprintf(option, sizeof option, "--process capset:%" PRIu32 " ", *process);
    const bool is_named = has_place && log && strcmp(log, "-") != 0;
    char *word = is_named ? shell_word(log) : NULL;
    if (is_named && !word) tool_out_of_memory();
    const size_t room = length + sizeof option + (word ? strlen(word) : 0);
    char *text = malloc(room);
    if (!text) tool_out_of_memory();
    if (has_place)
        snprintf(text, room, "%.*s%s%s", (int)length - 3, command, option, word ? word : "LOG");
    else
        strcpy(text, command);
    free(word);
    return text;
}

void verdict_print(struct sink *sink, const hectic_verdict *verdict, const char *log,
                   const uint32_t *process)
{
    if (verdict->count == 0) print_words(sink, "Verdict", verdict->nothing);
    for (size_t i = 0; i < verdict->count; i++) {
        print_words(sink, i == 0 ? "Verdict" : "", verdict->finding[i].text);
        char *command = command_for_log(verdict->finding[i].command, log, process);
        if (!command) continue;
        sink_print(sink, "%*s", INDENT + 2, "");
        sink_visible(sink, command, strlen(command));
        sink_text(sink, "\n", 1);
        free(command);
    }
}

void verdict_put(struct json *json, const hectic_verdict *verdict, const char *log, size_t section,
                 const uint32_t *process)
{
    for (size_t i = 0; i < verdict->count; i++) {
        const hectic_finding *finding = &verdict->finding[i];
        char *command = command_for_log(finding->command, log, process);
        json_open(json, NULL, '{');
        verdict_put_finding(json, finding, section, process);
        const bool exact = json->exact;
        json->exact = false;                 /* a shell reads it */
        json_text(json, "command", command); /* NULL: null */
        json->exact = exact;
        json_close(json, '}');
        free(command);
    }
}
