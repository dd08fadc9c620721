/* conditions.c — see conditions.h. */
#include "tool/passes/conditions.h"

#include "base/array.h"
#include "compare/number_classes.h"
#include "tool/cli/message.h"
#include "tool/files/markup.h"
#include "tool/output/cells.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Conditions ------------------------------------------------------------------------------ */

/* The name that is nearest to a word: one of the catalogue, or its last parts. */
struct nearest {
    struct suggestion suggestion;
    char best[NUMBER_NAME_MAX];
};

/* Is there one number of this name? That of a label is not known: ("..."). */
static bool is_name(const char *name)
{
    char text[NUMBER_NAME_MAX + 8], word[NUMBER_NAME_MAX];
    struct condition condition;
    snprintf(text, sizeof text, "%s > 0", name);
    const enum condition_error error = condition_parse(&condition, text, word);
    condition_clear(&condition);
    return error == CONDITION_OK || error == CONDITION_KEY;
}

/* Of a name whose last parts are near, but no name by themselves, the whole is suggested. */
static void consider_name(void *user, const char *name)
{
    struct nearest *nearest = user;
    for (const char *part = name; part; part = strchr(part, '.')) {
        if (part != name) part++;
        tool_suggest(&nearest->suggestion, part);
        if (nearest->suggestion.best != part) continue;
        snprintf(nearest->best, sizeof nearest->best, "%s", is_name(part) ? part : name);
        nearest->suggestion.best = nearest->best;
    }
}

static void consider_key(void *user, const char *key)
{
    tool_suggest(&((struct nearest *)user)->suggestion, key);
}

/* With ("...") for a label, as in the catalogue. */
static void drop_label(char name[NUMBER_NAME_MAX], const char *word)
{
    const char *begin = strstr(word, "(\""), *end = strrchr(word, '"');
    if (begin && end > begin + 1)
        snprintf(name, NUMBER_NAME_MAX, "%.*s(\"...%s", (int)(begin - word), word, end);
    else
        snprintf(name, NUMBER_NAME_MAX, "%s", word);
}

static void report(const struct condition *condition, enum condition_error error, const char *word)
{
    char name[NUMBER_NAME_MAX];
    struct nearest nearest = {.suggestion = {.word = error == CONDITION_NAME ? name : word}};
    drop_label(name, word);
    if (error == CONDITION_NO_MEMORY) tool_out_of_memory();
    if (error == CONDITION_NAME) condition_names(consider_name, &nearest);
    if (error == CONDITION_KEY) condition_keys(condition, consider_key, &nearest);
    const char *best = nearest.suggestion.best;
    tool_usage_error("invalid condition \"%s\": %s: %s%s%s%s", condition->text,
                     condition_error_text(error), word, best ? "; did you mean " : "",
                     best ? best : "", best ? "?" : "");
}

bool conditions_add(struct conditions *conditions, const char *text)
{
    char word[NUMBER_NAME_MAX];
    if (!array_reserve(conditions->condition, conditions->capacity, conditions->count + 1))
        tool_out_of_memory();
    struct condition *condition = &conditions->condition[conditions->count++];
    const enum condition_error error = condition_parse(condition, text, word);
    if (error != CONDITION_OK) report(condition, error, word);
    return error == CONDITION_OK;
}

/* Cuts off a comment: # after a blank, and not in a label. */
static void drop_comment(char *line)
{
    bool is_quoted = false;
    for (char *c = line; *c; c++) {
        if (*c == '"') is_quoted = !is_quoted;
        if (*c == '#' && !is_quoted && (c == line || c[-1] == ' ' || c[-1] == '\t')) {
            while (c > line && (c[-1] == ' ' || c[-1] == '\t'))
                c--;
            *c = 0;
            return;
        }
    }
}

int conditions_add_file(struct conditions *conditions, const char *path)
{
    size_t number = 0;
    const bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    bool done = true;
    if (!file) return tool_message("%s: %s", path, strerror(errno)), TOOL_UNUSABLE;
    while (done && getline(&line, &room, file) >= 0) {
        number++;
        line[strcspn(line, "\r\n")] = 0;
        drop_comment(line);
        const char *text = line + strspn(line, " \t");
        done = *text == 0 || conditions_add(conditions, text);
    }
    if (!done) tool_message("%s: line %zu", tool_log_name(path), number);
    const bool failed = ferror(file);
    if (failed) tool_message("%s: %s", tool_log_name(path), strerror(errno));
    free(line);
    if (!is_stdin) fclose(file);
    return failed ? TOOL_UNUSABLE : done ? TOOL_OK : TOOL_USAGE;
}

void conditions_want(const struct conditions *conditions, bool wanted[NUMBER_SOURCES])
{
    for (size_t i = 0; i < conditions->count; i++)
        wanted[conditions->condition[i].source - number_sources] = true;
}

void conditions_free(struct conditions *conditions)
{
    for (size_t i = 0; i < conditions->count; i++)
        condition_clear(&conditions->condition[i]);
    free(conditions->condition);
}

/* --- Judgements ------------------------------------------------------------------------------ */

bool judgements_add(struct judgements *judgements, const struct judgement *judgement)
{
    if (!array_reserve(judgements->judgement, judgements->capacity, judgements->count + 1))
        return tool_message("out of memory"), false;
    judgements->judgement[judgements->count++] = *judgement;
    return true;
}

static const char *why_unknown(const struct condition *condition)
{
    const struct number_source *source = condition->source;
    if (source->is_whole) return "the rule needs a whole log that has what it measures";
    return source->by == BY_TEXT && !source->keys ? "the log has none of this name"
                                                  : "the log does not have it";
}

/* Of a run that goes on after the end of its log: does a number that only grows stay on its side of
 * the bound? */
static bool stays(const struct condition *condition, double value)
{
    switch (condition->op) {
    case CONDITION_LESS:
    case CONDITION_AT_MOST: return !condition_holds(condition, value);
    case CONDITION_MORE:
    case CONDITION_AT_LEAST: return condition_holds(condition, value);
    case CONDITION_EQUAL:
    case CONDITION_UNEQUAL: break;
    }
    return value > condition->bound;
}

static void judge(struct judgement *judgement, const struct run_number *number)
{
    const struct condition *condition = judgement->condition;
    judgement->value = number->value;
    judgement->outcome =
        condition_holds(condition, number->value) ? OUTCOME_PASSED : OUTCOME_FAILED;
    if (!judgement->run->is_cut || !number_only_grows(number->name, number->kind) ||
        stays(condition, number->value))
        return;
    judgement->outcome = OUTCOME_UNKNOWN;
    judgement->note = "the log is cut short: at least that much";
}

bool judgements_add_run(struct judgements *judgements, const struct conditions *conditions,
                        const struct run *run)
{
    for (size_t i = 0; i < conditions->count; i++) {
        const struct condition *condition = &conditions->condition[i];
        const struct run_number *number = run_find(run, condition->name);
        struct judgement judgement = {.condition = condition,
                                      .run = run,
                                      .outcome = OUTCOME_UNKNOWN,
                                      .has_value = number,
                                      .note = number ? NULL : why_unknown(condition)};
        if (number) judge(&judgement, number);
        if (!judgements_add(judgements, &judgement)) return false;
    }
    return true;
}

void judgements_free(struct judgements *judgements)
{
    free(judgements->judgement);
}

int judgements_code(const struct judgements *judgements, int code)
{
    bool has[OUTCOME_UNDECIDED + 1] = {0};
    for (size_t i = 0; i < judgements->count; i++)
        has[judgements->judgement[i].outcome] = true;
    if (has[OUTCOME_FAILED]) return TOOL_FAILED;
    if (code == TOOL_UNUSABLE || has[OUTCOME_UNKNOWN]) return TOOL_UNUSABLE;
    return has[OUTCOME_UNDECIDED] ? TOOL_UNDECIDED : code;
}

/* --- Text and tables ------------------------------------------------------------------------- */

const char *outcome_word(enum outcome outcome)
{
    static const char *const words[] = {"passed", "failed", "unknown", "uncertain", "undecided"};
    return words[outcome];
}

static void put_run(struct sink *sink, const struct run *run)
{
    sink_visible(sink, tool_log_name(run->log), strlen(tool_log_name(run->log)));
    if (run->section > 1) sink_print(sink, ", section %llu", (unsigned long long)run->section);
    if (run->has_process) sink_print(sink, ", process %llu", (unsigned long long)run->process);
    sink_print(sink, ":\n");
}

static void put_judgement(struct sink *sink, const struct judgement *judgement, const char *before)
{
    const char *text = judgement->condition->text;
    char value[CONDITION_VALUE_MAX] = "N/A";
    if (judgement->has_value) condition_value(value, judgement->condition, judgement->value);
    sink_print(sink, "%s%-9s  ", before, outcome_word(judgement->outcome));
    sink_visible(sink, text, strlen(text));
    sink_print(sink, ": %s%s%s%s\n", value, judgement->note ? " (" : "",
               judgement->note ? judgement->note : "", judgement->note ? ")" : "");
}

static void print_text(const struct judgements *judgements, struct sink *sink)
{
    const size_t count = judgements->count;
    const struct judgement *all = judgements->judgement;
    const bool has_several = count > 0 && all[0].run != all[count - 1].run;
    for (size_t i = 0; i < count; i++) {
        if (has_several && (i == 0 || all[i].run != all[i - 1].run)) put_run(sink, all[i].run);
        put_judgement(sink, &all[i], has_several ? "  " : "");
    }
}

static bool put_row(struct table *table, struct sink *sink, const struct judgement *judgement)
{
    const struct run *run = judgement->run;
    const struct printed value = printed_exact(judgement->value);
    const union require_row row = {
        .log = cell_text(run ? run->log : NULL),
        .section = cell_if(run, run ? run->section : 0),
        .process = cell_if(run && run->has_process, run ? run->process : 0),
        .condition = cell_text(judgement->condition->text),
        .number = cell_text(judgement->condition->name),
        .value = {.known = judgement->has_value, .number = 1, .text = value.text},
        .outcome = cell_text(outcome_word(judgement->outcome)),
    };
    return table_row(table, sink, row.cells);
}

static int print_table(const struct judgements *judgements, const struct table_settings *settings,
                       struct sink *sink)
{
    int code;
    const char *key = settings->is_member ? "require" : NULL;
    struct table *table = table_new(key, require_columns, settings, &code);
    if (!table) return code;
    bool done = true;
    for (size_t i = 0; i < judgements->count && done; i++)
        done = put_row(table, sink, &judgements->judgement[i]);
    done = done && table_end(table, sink);
    table_free(table);
    return done ? TOOL_OK : TOOL_UNUSABLE;
}

int judgements_print(const struct judgements *judgements, const struct table_settings *settings,
                     struct sink *sink)
{
    if (settings->json || settings->csv) return print_table(judgements, settings, sink);
    print_text(judgements, sink);
    return TOOL_OK;
}

/* --- JUnit ----------------------------------------------------------------------------------- */

static void put_attribute(struct sink *sink, const char *name, const char *text)
{
    sink_print(sink, " %s=\"", name);
    markup_text(sink, text);
    sink_print(sink, "\"");
}

static void put_case(struct sink *sink, const struct judgement *judgement)
{
    static const char *const elements[] = {"", "failure", "error", "skipped", "error"};
    char value[CONDITION_VALUE_MAX] = "N/A", message[256];
    if (judgement->has_value) condition_value(value, judgement->condition, judgement->value);
    snprintf(message, sizeof message, "%s%s%s", value, judgement->note ? ": " : "",
             judgement->note ? judgement->note : "");
    sink_print(sink, "    <testcase");
    put_attribute(sink, "classname", judgement->run ? judgement->run->log : "compare");
    put_attribute(sink, "name", judgement->condition->text);
    if (judgement->outcome == OUTCOME_PASSED) {
        sink_print(sink, "/>\n");
        return;
    }
    sink_print(sink, "><%s", elements[judgement->outcome]);
    put_attribute(sink, "message", message);
    sink_print(sink, "/></testcase>\n");
}

static size_t count_of(const struct judgements *judgements, enum outcome outcome)
{
    size_t count = 0;
    for (size_t i = 0; i < judgements->count; i++)
        count += judgements->judgement[i].outcome == outcome;
    return count;
}

int judgements_write_junit(const struct judgements *judgements,
                           const struct output_settings *settings)
{
    struct sink *sink = sink_open(settings);
    if (!sink) return TOOL_UNUSABLE;
    sink_print(sink,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
               "  <testsuite name=\"hectic\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
               "skipped=\"%zu\">\n",
               judgements->count, count_of(judgements, OUTCOME_FAILED),
               count_of(judgements, OUTCOME_UNKNOWN) + count_of(judgements, OUTCOME_UNDECIDED),
               count_of(judgements, OUTCOME_UNCERTAIN));
    for (size_t i = 0; i < judgements->count; i++)
        put_case(sink, &judgements->judgement[i]);
    sink_print(sink, "  </testsuite>\n</testsuites>\n");
    return sink_close(sink, TOOL_OK);
}
