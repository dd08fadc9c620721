/* print.c — a comparison as text, Markdown, JSON or CSV. */
#include "tool/output/json.h"
#include "tool/output/wrapped.h"
#include "tool/verbs/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_MAX = 20 /* rows without --all */ };

/* How many changes text shows: the first ones. */
static size_t shown_of(const struct comparison *comparison, const struct compare_form *form)
{
    size_t shown = 0;
    while (shown < comparison->count &&
           (form->all ||
            (shown < SHOWN_MAX && comparison->change[shown].certainty < DIFFERENCE_ONE_SIDE)))
        shown++;
    return shown;
}

static bool is_data(const struct compare_form *form)
{
    return form->table.json || form->table.csv;
}

/* --- Cells ----------------------------------------------------------------------------------- */

/* With units, for people. */
static void fill_text(struct compare_texts *texts, const struct change *change)
{
    compare_value(texts->old, change->kind, change->old_median);
    compare_value(texts->new, change->kind, change->new_median);
    compare_part(texts->part, change, change->shift.estimate);
    compare_part(texts->low, change, change->shift.low);
    compare_part(texts->high, change, change->shift.high);
    snprintf(texts->interval, sizeof texts->interval, "%s to %s", texts->low, texts->high);
    snprintf(texts->name, sizeof texts->name, "%.*s", compare_name_length(change), change->name);
}

/* The cells point into `texts`. */
static void fill_row(union compare_row *row, struct compare_texts *texts,
                     const struct change *change, const struct compare_form *form)
{
    const bool has_room = form->table.wide || form->markdown;
    compare_row(row, texts, change);
    if (is_data(form)) return;
    fill_text(texts, change);
    row->of.interval =
        cell_text(has_room && row->of.low.known && row->of.part.known ? texts->interval : NULL);
}

/* --- Tables ---------------------------------------------------------------------------------- */

static int print_changes(const struct compared *compared, const struct compare_form *form,
                         struct sink *sink)
{
    int code;
    struct table *table = table_new(NULL, compare_columns, &form->table, &code);
    if (!table) return code;
    const struct comparison *comparison = &compared->comparison;
    const size_t shown = is_data(form) ? comparison->count : shown_of(comparison, form);
    bool done = true;
    for (size_t i = 0; i < shown && done; i++) {
        const struct change *change = &comparison->change[i];
        union compare_row row;
        struct compare_texts texts;
        fill_row(&row, &texts, change, form);
        done = table_row(table, sink, row.cells);
    }
    done = done && table_end(table, sink);
    table_free(table);
    return done ? TOOL_OK : TOOL_UNUSABLE;
}

/* --- JSON ------------------------------------------------------------------------------------ */

static int print_json(const struct judged *judged, const struct compare_form *form,
                      struct sink *sink)
{
    struct table_settings settings = form->table;
    struct json json = json_on_sink(sink);
    int code = TOOL_OK;
    settings.is_member = true;
    json_open(&json, NULL, '{');
    compared_put(&json, &judged->compared);
    if (judged->judgements.count > 0) {
        sink_print(sink, ",");
        code = judgements_print(&judged->judgements, &settings, sink);
    }
    sink_print(sink, "}\n");
    return code;
}

/* --- Text ------------------------------------------------------------------------------------ */

static bool is_listed(const struct compared *compared, const char *name,
                      const struct compare_form *form)
{
    const struct change *change = comparison_find(&compared->comparison, name);
    const size_t shown = shown_of(&compared->comparison, form);
    return change && change < compared->comparison.change + shown;
}

/* Those of numbers that are listed; parts that are almost nothing are left out. */
static void print_parts(const struct compared *compared, const struct compare_form *form,
                        struct sink *sink, const char *bullet)
{
    const struct causes *causes = &compared->causes;
    for (size_t i = 0, end; i < causes->count; i = end) {
        char line[SENTENCE_MAX * 4], change[COMPARE_VALUE];
        const char *of = causes->cause[i].of;
        double sum = 0, largest = 0;
        for (end = i; end < causes->count && causes->cause[end].of == of; end++) {
            sum += causes->cause[end].is_within ? 0 : causes->cause[end].ns;
            largest = fmax(largest, fabs(causes->cause[end].ns));
        }
        if (!is_listed(compared, of, form) || largest == 0) continue;
        compare_difference(change, HECTIC_COLUMN_NS, sum);
        size_t used = (size_t)snprintf(line, sizeof line, "%.*s: %s =", (int)column_bare_length(of),
                                       of, change);
        const char *separator = " ";
        for (size_t j = i; j < end && used < sizeof line; j++) {
            if (fabs(causes->cause[j].ns) < largest / 1000) continue;
            compare_difference(change, HECTIC_COLUMN_NS, causes->cause[j].ns);
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s %s",
                                     causes->cause[j].is_within ? "; " : separator, change,
                                     causes->cause[j].part);
            separator = ", ";
        }
        sink_print(sink, "%s", bullet);
        print_wrapped(sink, line, strlen(bullet), NULL);
    }
}

static bool are_same(const struct change *change)
{
    return change->certainty == DIFFERENCE_NONE && change->shift.estimate == 0;
}

/* "3 more changed, not certain: 80, equal: 12 (--all)." */
static void print_rest(const struct compared *compared, const struct compare_form *form,
                       struct sink *sink)
{
    const struct comparison *comparison = &compared->comparison;
    size_t changed = 0, one_side = 0, unclear = 0, same = 0;
    if (form->all) return;
    for (size_t i = shown_of(comparison, form); i < comparison->count; i++) {
        const struct change *change = &comparison->change[i];
        changed += change->certainty < DIFFERENCE_ONE_SIDE;
        one_side += change->certainty == DIFFERENCE_ONE_SIDE;
        same += are_same(change);
        unclear += change->certainty == DIFFERENCE_NONE && !are_same(change);
    }
    if (changed > 0) sink_print(sink, "%zu more changed, ", changed);
    if (one_side > 0) sink_print(sink, "known on one side only: %zu, ", one_side);
    if (unclear > 0) sink_print(sink, "not certain: %zu, ", unclear);
    sink_print(sink, "equal: %zu (--all).\n", same);
}

/* Up to two paragraphs, each after the bullet. */
static void print_findings(const struct comparison *comparison, struct sink *sink,
                           const char *bullet)
{
    char line[FINDINGS_MAX];
    for (int came = 1; came >= 0; came--) {
        if (!compare_findings(line, comparison, came)) continue;
        sink_print(sink, "%s", bullet);
        print_wrapped(sink, line, strlen(bullet), NULL);
    }
}

static int print_text(const struct judged *judged, const struct compare_verdict *verdict,
                      const struct compare_form *form, struct sink *sink)
{
    int code = TOOL_OK;
    const struct compared *compared = &judged->compared;
    for (size_t i = 0; i < verdict->count; i++)
        print_wrapped(sink, verdict->sentence[i], 0, NULL);
    sink_print(sink, "\n");
    const struct comparison *comparison = &compared->comparison;
    if (shown_of(comparison, form) > 0) {
        code = print_changes(compared, form, sink);
        if (!form->all || compared->causes.count > 0) sink_print(sink, "\n");
        print_parts(compared, form, sink, "");
    }
    print_findings(comparison, sink, "");
    print_rest(compared, form, sink);
    if (judged->judgements.count > 0) sink_print(sink, "\n");
    if (code == TOOL_OK && judged->judgements.count > 0)
        code = judgements_print(&judged->judgements, &form->table, sink);
    return code;
}

/* --- Markdown -------------------------------------------------------------------------------- */

/* In a cell of a table, as code. */
static void put_code(struct sink *sink, const char *text)
{
    sink_print(sink, "`");
    while (*text) {
        const size_t length = strcspn(text, "|`");
        sink_visible(sink, text, length);
        text += length;
        if (*text) sink_print(sink, "%s", *text++ == '|' ? "\xc2\xa6" : "'");
    }
    sink_print(sink, "`");
}

static void print_markdown_row(struct sink *sink, const struct change *change,
                               const struct compare_form *form)
{
    union compare_row row;
    struct compare_texts texts;
    fill_row(&row, &texts, change, form);
    sink_print(sink, "| ");
    put_code(sink, texts.name);
    sink_print(sink, " | %s | %s | %s | %s | %s |\n", row.of.old.known ? texts.old : "",
               row.of.new.known ? texts.new : "", row.of.part.known ? texts.part : "",
               row.of.interval.known ? texts.interval : "", row.of.certainty.text);
}

static void print_markdown(const struct judged *judged, const struct compare_verdict *verdict,
                           const struct compare_form *form, struct sink *sink)
{
    const struct compared *compared = &judged->compared;
    static const char *const marks[] = {"✅", "❌", "❌", "⚠️", "❌"};
    const struct comparison *comparison = &compared->comparison;
    for (size_t i = 0; i < verdict->count; i++) {
        sink_print(sink, "%s", i == 0 ? "**" : "");
        sink_visible(sink, verdict->sentence[i], strlen(verdict->sentence[i]));
        sink_print(sink, "%s\n", i == 0 ? "**" : "");
    }
    for (size_t i = 0; i < shown_of(comparison, form); i++) {
        if (i == 0)
            sink_print(sink, "\n| number | old | new | change | 95 %% interval | certainty |\n"
                             "|---|--:|--:|--:|--:|---|\n");
        print_markdown_row(sink, &comparison->change[i], form);
    }
    sink_print(sink, "\n");
    print_parts(compared, form, sink, "- ");
    print_findings(comparison, sink, "- ");
    for (size_t i = 0; i < judged->judgements.count; i++) {
        const struct judgement *judgement = &judged->judgements.judgement[i];
        char value[CONDITION_VALUE_MAX] = "N/A";
        if (judgement->has_value) condition_value(value, judgement->condition, judgement->value);
        sink_print(sink, "- %s ", marks[judgement->outcome]);
        put_code(sink, judgement->condition->text);
        sink_print(sink, ": %s%s%s\n", value, judgement->note ? ", " : "",
                   judgement->note ? judgement->note : "");
    }
}

int compare_print(const struct judged *judged, const struct compare_form *form, struct sink *sink)
{
    struct compare_verdict verdict;
    if (form->table.csv) return print_changes(&judged->compared, form, sink);
    if (form->table.json && !form->markdown) return print_json(judged, form, sink);
    compare_verdict(&verdict, &judged->compared);
    if (form->markdown) return print_markdown(judged, &verdict, form, sink), TOOL_OK;
    return print_text(judged, &verdict, form, sink);
}
