/* report_histograms.c — the pauses and spans of both sides, one histogram over the other. */
#include "tool/files/markup.h"
#include "tool/output/cells.h"
#include "tool/verbs/compare/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 560,
    HEIGHT = 150,
    LEFT = 8,
    RIGHT = 8,
    TOP = 16,
    BOTTOM = 20,
    BINS = 48,
    SHOWN_LABELS = 24,
};

/* What is counted in bins of equal width on a logarithmic axis. */
struct counts {
    const hectic_histogram *histogram[SIDES];
    double runs[SIDES];
    double low, high;        /* ns: of the axis */
    double bin[SIDES][BINS]; /* for each run */
    double most;
};

static const char *const side_names[SIDES] = {"old", "new"};

/* At least a factor of 10, so that equal numbers are not spread over the whole width. */
static void set_axis(struct counts *counts)
{
    counts->low = HUGE_VAL;
    for (enum side side = SIDE_OLD; side < SIDES; side++) {
        const hectic_histogram *histogram = counts->histogram[side];
        if (histogram->count == 0) continue;
        counts->low = fmin(counts->low, fmax((double)histogram->min, 1));
        counts->high = fmax(counts->high, (double)histogram->max);
    }
    const double missing = fmax(10 / (counts->high * 1.1 / (counts->low / 1.1)), 1);
    counts->low /= 1.1 * sqrt(missing);
    counts->high *= 1.1 * sqrt(missing);
}

static void set_bins(struct counts *counts)
{
    set_axis(counts);
    const double factor = pow(counts->high / counts->low, 1.0 / BINS);
    for (enum side side = SIDE_OLD; side < SIDES; side++) {
        uint64_t before = 0;
        for (int i = 0; i < BINS; i++) {
            const double end = counts->low * pow(factor, i + 1);
            const uint64_t within = hectic_histogram_within(
                counts->histogram[side], end < 0x1p63 ? (uint64_t)end : UINT64_MAX);
            counts->bin[side][i] = (double)(within - before) / fmax(counts->runs[side], 1);
            counts->most = fmax(counts->most, counts->bin[side][i]);
            before = within;
        }
    }
}

/* --- The picture ----------------------------------------------------------------------------- */

static double x_of(const struct counts *counts, double ns)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * log(ns / counts->low) / log(counts->high / counts->low);
}

/* What is there is seen, however rare it is. */
static double y_of(const struct counts *counts, double count)
{
    const double height = HEIGHT - TOP - BOTTOM;
    return HEIGHT - BOTTOM - (count > 0 ? fmax(height * count / counts->most, 2) : 0);
}

/* Powers of ten; 2 and 5 of each if there are few of them. */
static void put_axis(struct sink *sink, const struct counts *counts)
{
    static const double steps[] = {1, 2, 5};
    const bool is_fine = counts->high / counts->low < 1000;
    for (int exponent = 0; exponent < 20; exponent++)
        for (size_t i = 0; i < (is_fine ? sizeof steps / sizeof *steps : 1); i++) {
            const double ns = steps[i] * pow(10, exponent);
            char text[COMPARE_VALUE];
            if (ns < counts->low || ns > counts->high) continue;
            snprintf(text, sizeof text, "%g%s",
                     exponent < 9 ? steps[i] * pow(10, exponent % 3) : ns / 1e9,
                     exponent < 3   ? "ns"
                     : exponent < 6 ? "us"
                     : exponent < 9 ? "ms"
                                    : "s");
            const double x = x_of(counts, ns);
            sink_print(sink,
                       "<path class=\"axis\" d=\"M%.1f %dV%d\"/>"
                       "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n",
                       x, TOP, HEIGHT - BOTTOM + 3, x, HEIGHT - 4,
                       x < 24           ? "start"
                       : x > WIDTH - 24 ? "end"
                                        : "middle",
                       text);
        }
}

static void put_outline(struct sink *sink, const struct counts *counts, enum side side)
{
    const double width = (double)(WIDTH - LEFT - RIGHT) / BINS;
    sink_print(sink, "<path class=\"%s\" d=\"M%d %d", side_names[side], LEFT, HEIGHT - BOTTOM);
    for (int i = 0; i < BINS; i++)
        sink_print(sink, "V%.1fH%.1f", y_of(counts, counts->bin[side][i]), LEFT + (i + 1) * width);
    sink_print(sink, "V%d\"/>\n", HEIGHT - BOTTOM);
}

static void put_histogram(struct sink *sink, const struct counts *counts, const char *what)
{
    sink_print(sink, "<svg class=\"histogram\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
               WIDTH, HEIGHT);
    markup_text(sink, what);
    sink_print(sink, ": how many of each duration, old and new\">\n");
    put_axis(sink, counts);
    sink_print(sink, "<text x=\"%d\" y=\"11\">%.3g a run</text>\n", LEFT, counts->most);
    for (enum side side = SIDE_OLD; side < SIDES; side++)
        put_outline(sink, counts, side);
    sink_print(sink, "<path class=\"axis\" d=\"M%d %dH%d\"/></svg>\n", LEFT, HEIGHT - BOTTOM,
               WIDTH - RIGHT);
}

/* --- The numbers ----------------------------------------------------------------------------- */

static const double shares[] = {0.5, 0.9, 0.99, 1};
enum { SHARES = sizeof shares / sizeof *shares };

static void put_side(struct sink *sink, const struct counts *counts, enum side side)
{
    const hectic_histogram *histogram = counts->histogram[side];
    sink_print(sink, "<tr><th scope=\"row\" class=\"text\">%s</th><td>%.4g</td>", side_names[side],
               (double)histogram->count / fmax(counts->runs[side], 1));
    for (int i = 0; i < SHARES; i++) {
        char text[COMPARE_VALUE] = "";
        if (histogram->count > 0)
            compare_value(text, HECTIC_COLUMN_NS,
                          (double)hectic_histogram_quantile(histogram, shares[i]));
        sink_print(sink, "<td>%s</td>", text);
    }
    sink_print(sink, "</tr>\n");
}

static void put_part(struct sink *sink, double old, double new)
{
    char text[COMPARE_VALUE] = "";
    if (old > 0) snprintf(text, sizeof text, "%+.1f%%", fmin(100 * (new - old) / old, 1e8));
    sink_print(sink, "<td>");
    report_put_difference(sink, new - old, text);
    sink_print(sink, "</td>");
}

static void put_change(struct sink *sink, const struct counts *counts)
{
    const hectic_histogram *old = counts->histogram[SIDE_OLD], *new = counts->histogram[SIDE_NEW];
    if (old->count == 0 || new->count == 0) return;
    sink_print(sink, "<tr><th scope=\"row\" class=\"text\">change</th>");
    put_part(sink, (double)old->count / counts->runs[SIDE_OLD],
             (double)new->count / counts->runs[SIDE_NEW]);
    for (int i = 0; i < SHARES; i++)
        put_part(sink, (double)hectic_histogram_quantile(old, shares[i]),
                 (double)hectic_histogram_quantile(new, shares[i]));
    sink_print(sink, "</tr>\n");
}

static void put_table(struct sink *sink, const struct counts *counts)
{
    sink_print(sink, "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" "
                     "class=\"text\"></th>"
                     "<th scope=\"col\">a run</th><th scope=\"col\">median</th>"
                     "<th scope=\"col\">90&nbsp;%%</th><th scope=\"col\">99&nbsp;%%</th>"
                     "<th scope=\"col\">longest</th></tr></thead><tbody>\n");
    put_side(sink, counts, SIDE_OLD);
    put_side(sink, counts, SIDE_NEW);
    put_change(sink, counts);
    sink_print(sink, "</tbody></table></div>\n");
}

/* --- Sections -------------------------------------------------------------------------------- */

static void put_card(struct sink *sink, const struct report *report, const char *title,
                     const hectic_histogram histogram[SIDES])
{
    struct counts counts = {.histogram = {&histogram[SIDE_OLD], &histogram[SIDE_NEW]},
                            .runs = {(double)report->judged->compared.old.count,
                                     (double)report->judged->compared.new.count}};
    set_bins(&counts);
    sink_print(sink, "<div class=\"card\"><h3 class=\"name\">");
    markup_text(sink, title);
    sink_print(sink, "</h3>\n");
    put_histogram(sink, &counts, title);
    put_table(sink, &counts);
    sink_print(sink, "</div>\n");
}

static void put_key(struct sink *sink)
{
    sink_print(sink, "<ul class=\"key\"><li><i class=\"old\"></i>old: filled</li>"
                     "<li><i class=\"new\"></i>new: outlined</li></ul>\n");
}

static void put_pauses(struct sink *sink, const struct report *report)
{
    const hectic_histogram *pauses = report->distributions->pauses;
    if (pauses[SIDE_OLD].count + pauses[SIDE_NEW].count == 0) return;
    report_heading(sink, "pauses", "Pauses");
    sink_print(sink,
               "<p class=\"faint\">How long collections took: counts are means over the runs "
               "of a side, times are of all its runs. The axis of time is logarithmic.</p>\n");
    put_key(sink);
    sink_print(sink, "<div class=\"cards\">\n");
    put_card(sink, report, "Collections", pauses);
    sink_print(sink, "</div>\n");
}

static void put_spans(struct sink *sink, const struct report *report)
{
    const struct distributions *distributions = report->distributions;
    const size_t count = distributions->spans.count;
    if (count == 0) return;
    struct span_durations *const *spans = distribution_spans(distributions);
    const size_t shown = count < SHOWN_LABELS ? count : SHOWN_LABELS;
    report_heading(sink, "spans", "Spans");
    sink_print(sink, "<p class=\"faint\">From <code>START</code> to <code>STOP</code> of a label; "
                     "likewise.");
    if (shown < count || distributions->omits_labels)
        sink_print(sink, " The %zu labels with the longest times, of %zu%s.", shown, count,
                   distributions->omits_labels ? " or more" : "");
    sink_print(sink, "</p>\n");
    put_key(sink);
    sink_print(sink, "<div class=\"cards\">\n");
    for (size_t i = 0; i < shown; i++)
        put_card(sink, report, spans[i]->label, spans[i]->side);
    sink_print(sink, "</div>\n");
}

void report_put_distributions(struct sink *sink, const struct report *report)
{
    put_pauses(sink, report);
    put_spans(sink, report);
}
