/* flame_svg.c — differential flame graphs as SVG: the new side, and the old one below, in the same
 * scale, so that what has vanished is seen, too. Colors say by how much a frame itself differs; a
 * link changes that to the frame with all that it calls. No scripts: styles alone. */
#include "tool/files/markup.h"
#include "tool/output/cells.h"
#include "tool/output/terminal_text.h"
#include "tool/verbs/compare/compare.h"
#include "tool/verbs/compare/flame.h"
#include "tool/verbs/export/profile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 1200, /* of the picture, in pixels */
    MARGIN = 10,
    ROW = 18,   /* the height of a box, with the gap below it */
    HEAD = 92,  /* of the picture: above the first graph */
    TITLE = 30, /* of a graph */
    GRADES = 5, /* of colors, for each direction */
    LABEL = FRAME_NAME + COMPARE_VALUE + 8,
};

/* Of a character of 11 pixels. */
static const double character_width = 6.63;

struct picture {
    struct sink *sink;
    const struct flame *flame;
    struct flame_layout layout[SIDES];
    double most_own, most_total; /* the largest differences */
};

/* --- Values ---------------------------------------------------------------------------------- */

static void find_most(struct picture *picture)
{
    for (uint32_t i = 0; i < picture->flame->count; i++) {
        const struct flame_value *value = &picture->flame->value[picture->flame->order[i]];
        picture->most_own = fmax(picture->most_own, fabs(flame_own_difference(value)));
        picture->most_total = fmax(picture->most_total, fabs(flame_total_difference(value)));
    }
}

/* From -GRADES to GRADES. Less than a fiftieth of the largest difference is none. */
static int grade_of(double difference, double most)
{
    if (most <= 0 || fabs(difference) < most / 50) return 0;
    const int grade = (int)ceil(fabs(difference) / most * GRADES);
    return difference < 0 ? -grade : grade;
}

/* "self: 1.20s to 1.54s, +340ms (+28.3%)" */
static void put_change(const struct picture *picture, const char *what, double old, double new)
{
    char from[COMPARE_VALUE], to[COMPARE_VALUE], by[COMPARE_VALUE];
    compare_value(from, picture->flame->unit, old);
    compare_value(to, picture->flame->unit, new);
    compare_difference(by, picture->flame->unit, new - old);
    sink_print(picture->sink, "%s: %s to %s, %s", what, from, to, by);
    if (old > 0)
        sink_print(picture->sink, " (%+.1f%%)", fmin(100 * (new - old) / old, 1e8));
    else if (new > 0)
        sink_print(picture->sink, " (only new)");
}

/* --- Styles ---------------------------------------------------------------------------------- */

struct colors {
    const char *background, *text, *faint, *line, *none;
    const char *grown[GRADES], *shrunk[GRADES];
};

/* Every color contrasts with the text by 4.5. */
static const struct colors light = {"#ffffff",
                                    "#1b1f24",
                                    "#57606a",
                                    "#ffffff",
                                    "#e7eaee",
                                    {"#fae3dd", "#f7c9bd", "#f3ab9b", "#ee8d79", "#e77159"},
                                    {"#dfeaf8", "#c4daf3", "#a3c5ec", "#80ade3", "#6198db"}};
static const struct colors dark = {"#0f1318",
                                   "#e6edf3",
                                   "#9aa5b1",
                                   "#0f1318",
                                   "#272e37",
                                   {"#40241f", "#582b23", "#753327", "#923c2d", "#ae4433"},
                                   {"#1f2d40", "#1f3857", "#224873", "#25578f", "#2a67ab"}};

static void put_colors(struct sink *sink, const char *class, const struct colors *colors)
{
    sink_print(sink, "%s0{fill:%s}", class, colors->none);
    for (int i = 0; i < GRADES; i++)
        sink_print(sink, "%sg%d{fill:%s}%ss%d{fill:%s}", class, i + 1, colors->grown[i], class,
                   i + 1, colors->shrunk[i]);
}

static void put_theme(struct sink *sink, const struct colors *colors)
{
    sink_print(sink,
               ".flame text{fill:%s}.flame .faint{fill:%s}.flame rect{stroke:%s}"
               ".flame .back{fill:%s;stroke:none}",
               colors->text, colors->faint, colors->line, colors->background);
    put_colors(sink, ".flame .o", colors);
    put_colors(sink, "#flame-total:target .t", colors);
}

static void put_style(struct sink *sink)
{
    sink_print(sink,
               "<style>.flame{font:11px ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace}"
               ".flame .title{font:600 15px system-ui,\"DejaVu Sans\",sans-serif}"
               ".flame .note{font:13px system-ui,\"DejaVu Sans\",sans-serif}"
               ".flame a{text-decoration:underline}"
               ".flame .of-total,#flame-total:target .of-own{display:none}"
               "#flame-total:target .of-total{display:inline}"
               ".flame .one rect{stroke-dasharray:3 2;stroke:currentColor}"
               ".flame{print-color-adjust:exact;-webkit-print-color-adjust:exact;color:%s}",
               light.faint);
    put_theme(sink, &light);
    sink_print(sink, "@media screen and (prefers-color-scheme:dark){.flame{color:%s}", dark.faint);
    put_theme(sink, &dark);
    sink_print(sink, "}</style>\n");
}

/* --- Boxes ----------------------------------------------------------------------------------- */

static void put_class(struct sink *sink, char kind, int grade)
{
    if (grade == 0)
        sink_print(sink, "%c0", kind);
    else
        sink_print(sink, "%c%c%d", kind, grade > 0 ? 'g' : 's', grade > 0 ? grade : -grade);
}

static void put_tooltip(const struct picture *picture, uint32_t node, const char *name)
{
    const struct flame *flame = picture->flame;
    const struct flame_value *value = &flame->value[node];
    const uint32_t symbol = flame->node[node].symbol;
    const char *place = hectic_symbols_get(flame->symbols, symbol).location;
    sink_print(picture->sink, "<title>");
    markup_text(picture->sink, name);
    if (place) {
        char shortened[FRAME_SHORT_ROOM];
        shorten(place, shortened);
        sink_print(picture->sink, " (");
        markup_text(picture->sink, shortened);
        sink_print(picture->sink, ")");
    }
    put_change(picture, "\nself", value->own[SIDE_OLD], value->own[SIDE_NEW]);
    put_change(picture, "\ntotal", value->total[SIDE_OLD], value->total[SIDE_NEW]);
    sink_print(picture->sink, "</title>");
}

/* The name with the difference, as far as there is room; otherwise the sign before the name. */
static void put_label(const struct picture *picture, const struct flame_box *box, const char *name,
                      double y)
{
    char label[LABEL], by[COMPARE_VALUE], fitted[4 * LABEL + 3];
    const double difference = flame_own_difference(&picture->flame->value[box->node]);
    const size_t columns = (size_t)((box->width - 6) / character_width);
    size_t width;
    if (box->width < 6 + 3 * character_width) return;
    compare_difference(by, picture->flame->unit, difference);
    if (grade_of(difference, picture->most_own) == 0) *by = 0;
    snprintf(label, sizeof label, "%s %s", name, by);
    fitted[terminal_text_fit(label, strlen(label), SIZE_MAX, fitted, &width)] = 0;
    if (width > columns || !*by) {
        snprintf(label, sizeof label, "%.1s%s", by, name);
        fitted[terminal_text_fit(label, strlen(label), columns, fitted, &width)] = 0;
    }
    sink_print(picture->sink, "<text x=\"%.2f\" y=\"%.0f\">", MARGIN + box->x + 3, y + 12);
    markup_text(picture->sink, fitted);
    sink_print(picture->sink, "</text>");
}

static void put_box(const struct picture *picture, const struct flame_box *box, double top)
{
    const struct flame *flame = picture->flame;
    const struct flame_value *value = &flame->value[box->node];
    const double y = top + ROW * flame->node[box->node].depth;
    const bool is_one_side = value->total[SIDE_OLD] <= 0 || value->total[SIDE_NEW] <= 0;
    char name[FRAME_NAME], shortened[FRAME_SHORT_ROOM];
    shorten(flame_name(flame, box->node, name), shortened);
    sink_print(picture->sink, "<g%s>", is_one_side ? " class=\"one\"" : "");
    put_tooltip(picture, box->node, shortened);
    sink_print(picture->sink, "<rect class=\"");
    put_class(picture->sink, 'o', grade_of(flame_own_difference(value), picture->most_own));
    sink_print(picture->sink, " ");
    put_class(picture->sink, 't', grade_of(flame_total_difference(value), picture->most_total));
    sink_print(picture->sink, "\" x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\"/>",
               MARGIN + box->x, y, box->width, ROW - 1);
    put_label(picture, box, shortened, y);
    sink_print(picture->sink, "</g>\n");
}

static void put_runs(struct sink *sink, uint64_t runs)
{
    if (runs > 1) sink_print(sink, ", mean of %s runs", printed(CELL_COUNT, runs).text);
}

static double total_of(const struct flame *flame, enum side side)
{
    return flame->value[HECTIC_STACKS_ROOT].total[side];
}

static void put_graph(const struct picture *picture, enum side side, double top)
{
    static const char *const titles[SIDES] = {"Old", "New"};
    const struct flame_layout *layout = &picture->layout[side];
    char total[COMPARE_VALUE];
    compare_value(total, picture->flame->unit, total_of(picture->flame, side));
    sink_print(picture->sink, "<text class=\"note\" x=\"%d\" y=\"%.0f\">%s: %s", MARGIN, top + 19,
               titles[side], total);
    put_runs(picture->sink, picture->flame->runs[side]);
    if (layout->left_out > 0)
        sink_print(picture->sink, " (too narrow to be drawn: %s frames)",
                   printed(CELL_COUNT, layout->left_out).text);
    sink_print(picture->sink, "</text>\n");
    for (uint32_t i = 0; i < layout->count && !sink_failed(picture->sink); i++)
        put_box(picture, &layout->box[i], top + TITLE);
}

/* --- The picture ----------------------------------------------------------------------------- */

enum { SWATCH = 22, LEGEND = WIDTH - MARGIN - 90 - (2 * GRADES + 1) * SWATCH };

static void put_legend_ends(const struct picture *picture, const char *class, double most)
{
    char text[COMPARE_VALUE];
    compare_value(text, picture->flame->unit, most);
    sink_print(
        picture->sink,
        "<g class=\"%s\"><text class=\"faint\" x=\"%d\" y=\"24\" text-anchor=\"end\">-%s</text>"
        "<text class=\"faint\" x=\"%d\" y=\"24\">+%s</text></g>\n",
        class, LEGEND - 6, text, LEGEND + (2 * GRADES + 1) * SWATCH + 6, text);
}

/* A scale of colors, with the differences at its ends. */
static void put_legend(const struct picture *picture)
{
    for (int grade = -GRADES; grade <= GRADES; grade++) {
        sink_print(picture->sink, "<rect class=\"");
        put_class(picture->sink, 'o', grade);
        sink_print(picture->sink, "\" x=\"%d\" y=\"12\" width=\"%d\" height=\"16\"/>",
                   LEGEND + (grade + GRADES) * SWATCH, SWATCH);
    }
    put_legend_ends(picture, "of-own", picture->most_own);
    put_legend_ends(picture, "of-total", picture->most_total);
}

static void put_head(const struct picture *picture)
{
    const struct flame *flame = picture->flame;
    sink_print(picture->sink, "<text class=\"title\" x=\"%d\" y=\"25\">Difference of %s</text>\n",
               MARGIN, flame->title);
    put_legend(picture);
    sink_print(picture->sink, "<text class=\"note\" x=\"%d\" y=\"50\">", MARGIN);
    put_change(picture, "All", total_of(flame, SIDE_OLD), total_of(flame, SIDE_NEW));
    sink_print(picture->sink,
               "</text>\n<text class=\"note faint\" x=\"%d\" y=\"70\">Widths are the values of a "
               "side, in the same scale. Red has grown, blue has shrunk; with a dashed border: on "
               "one side only.</text>\n"
               "<text class=\"note faint\" x=\"%d\" y=\"88\">Colors show the difference of the "
               "frame <a href=\"#flame-own\">itself</a>, or with <a href=\"#flame-total\">all that "
               "it calls</a>.</text>\n",
               MARGIN, MARGIN);
}

static void put_picture(const struct picture *picture, bool is_inline)
{
    const double first = HEAD, second = first + TITLE + ROW * picture->layout[SIDE_NEW].depth + 8;
    const double height = second + TITLE + ROW * picture->layout[SIDE_OLD].depth + MARGIN;
    struct sink *sink = picture->sink;
    sink_print(sink,
               "<svg class=\"flame\" %swidth=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
               "role=\"group\" aria-label=\"Differential flame graph: %s\">\n",
               is_inline ? "" : "xmlns=\"http://www.w3.org/2000/svg\" ", WIDTH, height, WIDTH,
               height, picture->flame->title);
    put_style(sink);
    sink_print(sink,
               "<rect class=\"back\" width=\"%d\" height=\"%.0f\"/>\n<g id=\"flame-own\">"
               "<g id=\"flame-total\">\n",
               WIDTH, height);
    put_head(picture);
    put_graph(picture, SIDE_NEW, first);
    put_graph(picture, SIDE_OLD, second);
    sink_print(sink, "</g></g>\n</svg>\n");
}

bool flame_put_svg(struct sink *sink, const struct flame *flame, bool is_inline)
{
    struct picture picture = {.sink = sink, .flame = flame};
    const double most = fmax(total_of(flame, SIDE_OLD), total_of(flame, SIDE_NEW));
    const double scale = most > 0 ? (WIDTH - 2 * MARGIN) / most : 0;
    const bool done = flame_layout_make(&picture.layout[SIDE_NEW], flame, SIDE_NEW, scale) &&
                      flame_layout_make(&picture.layout[SIDE_OLD], flame, SIDE_OLD, scale);
    find_most(&picture);
    if (done) put_picture(&picture, is_inline);
    flame_layout_clear(&picture.layout[SIDE_OLD]);
    flame_layout_clear(&picture.layout[SIDE_NEW]);
    return done;
}
