/* report.c — see report.h. */
#include "tool/verbs/compare/report.h"

#include "render/text.h"
#include "tool/cli/message.h"
#include "tool/files/markup.h"
#include "tool/output/cells.h"
#include "tool/verbs/compare/flame.h"
#include "tool/verbs/export/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void report_heading(struct sink *sink, const char *id, const char *title)
{
    sink_print(sink, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

void report_put_difference(struct sink *sink, double difference, const char *text)
{
    const char *class = difference > 0 ? "grown" : difference < 0 ? "shrunk" : "";
    sink_print(sink, "<span class=\"%s\">%s</span>", class, text);
}

static void put_cell(struct sink *sink, bool known, const char *text)
{
    sink_print(sink, "<td>%s</td>", known ? text : "");
}

/* The name of rows: the first bytes of a text. */
static void put_name(struct sink *sink, const char *name, size_t length, size_t rows)
{
    char text[NUMBER_NAME_MAX];
    const size_t size = strlen(name), most = length < sizeof text ? length : sizeof text - 1;
    const size_t cut = text_cut(name, size, most);
    memcpy(text, name, cut);
    text[cut] = 0;
    sink_print(sink, "<th scope=\"row\" class=\"text name\"");
    if (rows > 1) sink_print(sink, " rowspan=\"%zu\"", rows);
    sink_print(sink, ">");
    markup_text(sink, text);
    sink_print(sink, "</th>");
}

/* --- Sides and verdict ----------------------------------------------------------------------- */

static void put_side(struct sink *sink, const struct report *report, enum side side)
{
    enum { SHOWN = 5 };
    static const char *const titles[SIDES] = {"Old", "New"};
    const struct runs *runs =
        side == SIDE_OLD ? &report->judged->compared.old : &report->judged->compared.new;
    const int count = report->operands[side].count;
    sink_print(sink, "<dt>%s</dt><dd>%s: ", titles[side], quantity(runs->count, "run").text);
    for (int i = 0; i < count && i < SHOWN; i++) {
        sink_print(sink, "%s", i > 0 ? ", " : "");
        markup_text(sink, report->operands[side].path[i]);
    }
    if (count > SHOWN) sink_print(sink, " and %d more", count - SHOWN);
    sink_print(sink, "</dd>");
}

static void put_verdict(struct sink *sink, const struct report *report)
{
    struct compare_verdict verdict;
    compare_verdict(&verdict, &report->judged->compared);
    sink_print(sink, "<div class=\"verdict\">\n");
    for (size_t i = 0; i < verdict.count; i++) {
        sink_print(sink, "<p>");
        markup_text(sink, verdict.sentence[i]);
        sink_print(sink, "</p>\n");
    }
    sink_print(sink, "</div>\n");
}

/* --- Numbers --------------------------------------------------------------------------------- */

static void put_change(struct sink *sink, const struct change *change)
{
    const bool has_old = change->old.count > 0, has_new = change->new.count > 0;
    char old[COMPARE_VALUE], new[COMPARE_VALUE], difference[COMPARE_VALUE], part[COMPARE_VALUE];
    char low[COMPARE_VALUE], high[COMPARE_VALUE];
    compare_value(old, change->kind, change->old_median);
    compare_value(new, change->kind, change->new_median);
    compare_difference(difference, change->kind, change->shift.estimate);
    compare_part(part, change, change->shift.estimate);
    compare_part(low, change, change->shift.low);
    compare_part(high, change, change->shift.high);
    sink_print(sink, "<tr>");
    put_name(sink, change->name, (size_t)compare_name_length(change), 1);
    put_cell(sink, has_old, old);
    put_cell(sink, has_new, new);
    put_cell(sink, has_old && has_new, difference);
    sink_print(sink, "<td>");
    if (has_old && has_new) report_put_difference(sink, change->shift.estimate, part);
    sink_print(sink, "</td><td>");
    if (has_old && has_new && change->shift.has_interval) sink_print(sink, "%s to %s", low, high);
    sink_print(sink, "</td><td class=\"text %s\">%s</td></tr>\n",
               compare_certainty(change->certainty), compare_certainty(change->certainty));
}

static void put_changes(struct sink *sink, const struct comparison *comparison, size_t first,
                        size_t end)
{
    sink_print(sink, "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" "
                     "class=\"text\">Number"
                     "</th><th scope=\"col\">Old</th><th scope=\"col\">New</th>"
                     "<th scope=\"col\">Difference</th><th scope=\"col\">Change</th>"
                     "<th scope=\"col\">95&nbsp;%% interval</th>"
                     "<th scope=\"col\" class=\"text\">Certainty</th></tr></thead><tbody>\n");
    for (size_t i = first; i < end; i++)
        put_change(sink, &comparison->change[i]);
    sink_print(sink, "</tbody></table></div>\n");
}

enum { REST_MAX = 2000 /* rows of numbers that have not changed */ };

static void put_numbers(struct sink *sink, const struct report *report)
{
    const struct comparison *comparison = &report->judged->compared.comparison;
    size_t changed = 0;
    while (changed < comparison->count &&
           comparison->change[changed].certainty < DIFFERENCE_ONE_SIDE)
        changed++;
    report_heading(sink, "numbers", "What has changed");
    sink_print(sink,
               "<p class=\"faint\">Medians over the runs; what matters most comes first.</p>\n");
    if (changed > 0)
        put_changes(sink, comparison, 0, changed);
    else
        sink_print(sink, "<p>No difference exceeds noise.</p>\n");
    if (changed == comparison->count) return;
    const size_t rest = comparison->count - changed, shown = rest < REST_MAX ? rest : REST_MAX;
    sink_print(sink,
               "<details><summary>%zu numbers that are equal, are not certain to differ, or are "
               "known on one side only</summary>\n",
               rest);
    put_changes(sink, comparison, changed, changed + shown);
    if (shown < rest)
        sink_print(sink, "<p>%zu more are in the output of <code>--json</code>.</p>\n",
                   rest - shown);
    sink_print(sink, "</details>\n");
}

/* --- Causes ---------------------------------------------------------------------------------- */

/* The causes of a number, from the first one to the end. */
static void put_parts(struct sink *sink, const struct cause *cause, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char difference[COMPARE_VALUE];
        compare_difference(difference, HECTIC_COLUMN_NS, cause[i].ns);
        sink_print(sink, i == 0 ? "<tr>" : "<tr class=\"part\">");
        if (i == 0) put_name(sink, cause->of, column_bare_length(cause->of), count);
        sink_print(sink, "<td class=\"text\">");
        markup_text(sink, cause[i].part);
        sink_print(sink, "</td><td>");
        report_put_difference(sink, cause[i].ns, difference);
        sink_print(sink, "</td></tr>\n");
    }
}

static void put_causes(struct sink *sink, const struct report *report)
{
    const struct causes *causes = &report->judged->compared.causes;
    if (causes->count == 0) return;
    report_heading(sink, "causes", "Causes");
    sink_print(
        sink, "<p class=\"faint\">What differences are made of; of means, so that the parts add up."
              "</p>\n<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" "
              "class=\"text\">"
              "Number</th><th scope=\"col\" class=\"text\">Part</th>"
              "<th scope=\"col\">Difference</th></tr></thead><tbody>\n");
    for (size_t i = 0, end; i < causes->count; i = end) {
        for (end = i + 1; end < causes->count && causes->cause[end].of == causes->cause[i].of;)
            end++;
        put_parts(sink, &causes->cause[i], end - i);
    }
    sink_print(sink, "</tbody></table></div>\n");
}

/* --- Findings -------------------------------------------------------------------------------- */

static void put_findings(struct sink *sink, const struct report *report)
{
    char line[FINDINGS_MAX];
    for (int came = 1; came >= 0; came--) {
        if (!compare_findings(line, &report->judged->compared.comparison, came)) continue;
        sink_print(sink, "<p>");
        markup_text(sink, line);
        sink_print(sink, "</p>\n");
    }
}

/* --- Conditions ------------------------------------------------------------------------------ */

static void put_judgement(struct sink *sink, const struct judgement *judgement)
{
    char value[CONDITION_VALUE_MAX] = "N/A";
    if (judgement->has_value) condition_value(value, judgement->condition, judgement->value);
    sink_print(sink, "<tr>");
    put_name(sink, judgement->condition->text, SIZE_MAX, 1);
    sink_print(sink, "<td>%s</td><td class=\"text\">%s</td><td class=\"text\">", value,
               outcome_word(judgement->outcome));
    markup_text(sink, judgement->note ? judgement->note : "");
    sink_print(sink, "</td></tr>\n");
}

static void put_conditions(struct sink *sink, const struct report *report)
{
    const struct judgements *judgements = &report->judged->judgements;
    if (judgements->count == 0) return;
    report_heading(sink, "conditions", "Conditions");
    sink_print(
        sink,
        "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" class=\"text\">"
        "Condition</th><th scope=\"col\">Value</th>"
        "<th scope=\"col\" class=\"text\">Outcome</th>"
        "<th scope=\"col\" class=\"text\">Note</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < judgements->count; i++)
        put_judgement(sink, &judgements->judgement[i]);
    sink_print(sink, "</tbody></table></div>\n");
}

/* --- Rows with bars -------------------------------------------------------------------------- */

/* A band of a heap profile, or a frame: of both sides. */
struct bar_row {
    const char *name;
    double value[SIDES];
};

static double bar_difference(const struct bar_row *row)
{
    return row->value[SIDE_NEW] - row->value[SIDE_OLD];
}

static int by_difference(const void *a, const void *b)
{
    const struct bar_row *x = a, *y = b;
    const double p = fabs(bar_difference(x)), q = fabs(bar_difference(y));
    return p != q ? (p < q ? 1 : -1) : strcmp(x->name, y->name);
}

static void put_bars(struct sink *sink, const struct bar_row *row, double most)
{
    sink_print(sink,
               "<td><svg class=\"bars\" viewBox=\"0 0 180 14\" aria-hidden=\"true\">"
               "<rect class=\"old\" width=\"%.1f\" height=\"6\"/>"
               "<rect class=\"new\" y=\"7\" width=\"%.1f\" height=\"6\"/></svg></td>",
               180 * row->value[SIDE_OLD] / most, 180 * row->value[SIDE_NEW] / most);
}

static void put_bar_row(struct sink *sink, const struct bar_row *row, hectic_column_kind unit,
                        double most)
{
    char old[COMPARE_VALUE], new[COMPARE_VALUE], by[COMPARE_VALUE], part[COMPARE_VALUE] = "";
    const double difference = bar_difference(row);
    compare_value(old, unit, row->value[SIDE_OLD]);
    compare_value(new, unit, row->value[SIDE_NEW]);
    compare_difference(by, unit, difference);
    if (row->value[SIDE_OLD] > 0)
        snprintf(part, sizeof part, "%+.1f%%", fmin(100 * difference / row->value[SIDE_OLD], 1e8));
    else
        snprintf(part, sizeof part, "only new");
    sink_print(sink, "<tr>");
    put_name(sink, row->name, SIZE_MAX, 1);
    sink_print(sink, "<td>%s</td><td>%s</td><td>", old, new);
    report_put_difference(sink, difference, by);
    sink_print(sink, "</td><td>%s</td>", part);
    put_bars(sink, row, most);
    sink_print(sink, "</tr>\n");
}

/* Those that differ most. */
static void put_bar_rows(struct sink *sink, const char *what, struct bar_row *row, size_t count,
                         hectic_column_kind unit)
{
    enum { SHOWN = 20 };
    double most = 0;
    qsort(row, count, sizeof *row, by_difference);
    const size_t shown = count < SHOWN ? count : SHOWN;
    for (size_t i = 0; i < shown; i++)
        most = fmax(most, fmax(row[i].value[SIDE_OLD], row[i].value[SIDE_NEW]));
    sink_print(sink,
               "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" "
               "class=\"text\">%s</th>"
               "<th scope=\"col\">Old</th><th scope=\"col\">New</th>"
               "<th scope=\"col\">Difference</th><th scope=\"col\">Change</th>"
               "<th scope=\"col\" class=\"text\">Old above new</th></tr></thead><tbody>\n",
               what);
    for (size_t i = 0; i < shown; i++)
        if (most > 0) put_bar_row(sink, &row[i], unit, most);
    sink_print(sink, "</tbody></table></div>\n");
    if (shown < count) sink_print(sink, "<p class=\"faint\">%zu more.</p>\n", count - shown);
}

/* --- Heap bands ------------------------------------------------------------------------------ */

static const char band_first[] = "heap(\"", band_last[] = "\").mean_bytes";

static bool is_band(const struct change *change)
{
    const size_t length = strlen(change->name), end = sizeof band_last - 1;
    return strncmp(change->name, band_first, sizeof band_first - 1) == 0 && length > end &&
           strcmp(change->name + length - end, band_last) == 0;
}

/* The label in the name of a number, as it is in the log. False: out of memory. */
static bool set_band(struct bar_row *row, const struct change *change)
{
    const char *from = change->name + sizeof band_first - 1;
    const char *const end = change->name + strlen(change->name) - (sizeof band_last - 1);
    char *label = malloc((size_t)(end - from) + 1), *to = label;
    row->name = label;
    if (!label) return false;
    for (; from < end; from++) {
        if (*from == '\\' && from + 1 < end) from++;
        *to++ = *from;
    }
    *to = 0;
    row->value[SIDE_OLD] = change->old.count > 0 ? change->old_median : 0;
    row->value[SIDE_NEW] = change->new.count > 0 ? change->new_median : 0;
    return true;
}

/* False: out of memory. */
static bool put_heap(struct sink *sink, const struct report *report)
{
    const struct comparison *comparison = &report->judged->compared.comparison;
    struct bar_row *row = calloc(comparison->count + 1, sizeof *row);
    size_t count = 0;
    bool done = row;
    for (size_t i = 0; i < comparison->count && done; i++)
        if (is_band(&comparison->change[i])) done = set_band(&row[count++], &comparison->change[i]);
    if (done && count > 0) {
        report_heading(sink, "heap", "Heap");
        sink_print(sink, "<p class=\"faint\">The mean size of each band of the heap profiles over "
                         "the time; medians over the runs.</p>\n");
        put_bar_rows(sink, "Band", row, count, HECTIC_COLUMN_BYTES);
    }
    for (size_t i = 0; i < count; i++)
        free((char *)(uintptr_t)row[i].name);
    free(row);
    return done;
}

/* --- The flame graph ------------------------------------------------------------------------- */

/* The frames with what they are themselves, over all stacks. False: out of memory. */
static bool put_frames(struct sink *sink, const struct flame *flame)
{
    const uint32_t symbols = hectic_symbols_count(flame->symbols);
    struct bar_row *row = calloc((size_t)symbols + 1, sizeof *row);
    size_t count = 0;
    if (!row) return false;
    for (uint32_t i = 0; i < symbols; i++)
        row[i].name = hectic_symbols_get(flame->symbols, i).name;
    for (uint32_t i = 0; i < flame->count; i++) {
        const uint32_t node = flame->order[i], symbol = flame->node[node].symbol;
        for (enum side side = SIDE_OLD; side < SIDES && symbol < symbols; side++)
            row[symbol].value[side] += flame->value[node].own[side];
    }
    for (uint32_t i = 0; i < symbols; i++)
        if (row[i].name && bar_difference(&row[i]) != 0) row[count++] = row[i];
    if (count > 0) put_bar_rows(sink, "Frame itself", row, count, flame->unit);
    free(row);
    return true;
}

/* False: out of memory. */
static bool put_flame(struct sink *sink, const struct report *report)
{
    struct flame flame;
    bool done = true;
    if (!report->has_baseline && flame_make(&flame, report->stacks, false) == TOOL_OK) {
        report_heading(sink, "flame", "Profile");
        sink_print(sink, "<div class=\"scroll graph\" tabindex=\"0\">\n");
        done = flame_put_svg(sink, &flame, true);
        sink_print(sink, "</div>\n");
        done = done && put_frames(sink, &flame);
        flame_clear(&flame);
    }
    return done;
}

/* --- The page -------------------------------------------------------------------------------- */

static void put_head(struct sink *sink, const struct report *report)
{
    sink_print(sink, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n"
                     "<title>Comparison of runs</title>\n<style>\n");
    sink_text(sink, report_style, strlen(report_style));
    sink_print(sink, "</style>\n</head>\n<body>\n<header>\n<h1>Comparison of runs</h1>\n"
                     "<dl class=\"sides\">");
    put_side(sink, report, SIDE_OLD);
    put_side(sink, report, SIDE_NEW);
    sink_print(sink, "</dl>\n");
    put_verdict(sink, report);
    sink_print(sink, "</header>\n<main>\n");
}

static bool put_page(struct sink *sink, const struct report *report)
{
    put_head(sink, report);
    put_numbers(sink, report);
    put_causes(sink, report);
    put_findings(sink, report);
    put_conditions(sink, report);
    if (report->has_baseline)
        sink_print(sink, "<p class=\"faint\">A baseline has the durations of pauses and spans only "
                         "to a sixteenth, and no stacks: there is no flame graph.</p>\n");
    report_put_distributions(sink, report);
    const bool done = put_heap(sink, report) && put_flame(sink, report);
    sink_print(sink, "</main>\n<footer>hectic %s</footer>\n</body>\n</html>\n", HECTIC_VERSION);
    return done;
}

int comparison_report_write(const struct report *report, const struct output_settings *output)
{
    struct sink *sink = sink_open(output);
    if (!sink) return TOOL_UNUSABLE;
    int code = TOOL_OK;
    if (!put_page(sink, report)) {
        tool_message("out of memory");
        code = TOOL_UNUSABLE;
    }
    return sink_close(sink, code);
}
