/* verdict_lines.c — see verdict_lines.h. */
#include "tool/output/verdict_lines.h"

#include "render/shell_word.h"
#include "render/units.h"
#include "report/verdict_json.h"
#include "tool/cli/message.h"
#include "tool/output/wrapped.h"

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

char *command_for_log(const char *command, const char *log)
{
    const size_t length = strlen(command);
    const bool has_place = length > 3 && strcmp(command + length - 3, "LOG") == 0;
    const bool is_named = has_place && log && strcmp(log, "-") != 0;
    char *word = is_named ? shell_word(log) : NULL;
    char *text = malloc(length + (word ? strlen(word) : 0) + 1);
    if (!text || (is_named && !word)) tool_out_of_memory();
    strcpy(text, command);
    if (word) strcpy(text + length - 3, word);
    free(word);
    return text;
}

void verdict_print(struct sink *sink, const hectic_verdict *verdict, const char *log)
{
    if (verdict->count == 0) print_words(sink, "Verdict", verdict->nothing);
    for (size_t i = 0; i < verdict->count; i++) {
        print_words(sink, i == 0 ? "Verdict" : "", verdict->finding[i].text);
        char *command = command_for_log(verdict->finding[i].command, log);
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
        char *command = command_for_log(finding->command, log);
        json_open(json, NULL, '{');
        verdict_put_finding(json, finding, section, process);
        const bool exact = json->exact;
        json->exact = false; /* a shell reads it */
        json_text(json, "command", command);
        json->exact = exact;
        json_close(json, '}');
        free(command);
    }
}
