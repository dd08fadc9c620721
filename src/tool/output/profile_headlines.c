/* profile_headlines.c — see profile_headlines.h. */
#include "tool/output/profile_headlines.h"

#include "tool/output/cells.h"
#include "tool/output/terminal_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOWN = 3, /* bands, or cost centres */
    WIDTH = 80,
    TITLE = 11,     /* columns */
    LABEL = 512,    /* bytes of the log */
    LABEL_MIN = 16, /* columns, of several */
};

static bool has_samples(const struct profiles *p, hectic_time_source source,
                        hectic_time_totals *totals)
{
    return hectic_time_profile_totals(p->time, source, totals) && totals->samples > 0;
}

/* --- Lines ----------------------------------------------------------------------------------- */

/* An element of a list: "LABEL NUMBER". */
struct element {
    char label[LABEL];
    char number[4 * CELL_ROOM];
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The most columns for each label, so that `count` elements fit into a line. */
static size_t label_limit(const struct element *element, size_t count)
{
    size_t width[SHOWN], numbers = 2 * (count - 1), limit = 0, used = 0;
    for (size_t i = 0; i < count; i++) {
        char fit[4 * LABEL + 3];
        terminal_text_fit(element[i].label, strlen(element[i].label), WIDTH, fit, &width[i]);
        numbers += 1 + strlen(element[i].number);
    }
    const size_t room = WIDTH - TITLE > numbers ? WIDTH - TITLE - numbers : 0;
    while (limit < WIDTH && used <= room) {
        limit++;
        used = 0;
        for (size_t i = 0; i < count; i++)
            used += least(width[i], limit);
    }
    return used <= room ? limit : limit - 1;
}

/* Prints elements in a line: as many as fit with readable labels. */
static void print_elements(struct sink *sink, const struct element *element, size_t count)
{
    size_t limit, width;
    while ((limit = label_limit(element, count)) < LABEL_MIN && count > 1)
        count--;
    sink_print(sink, "%*s", TITLE, "");
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(element[i].label);
        char *room = sink_room(sink, terminal_text_bound(length));
        sink_fill(sink, terminal_text_fit(element[i].label, length, limit, room, &width));
        sink_print(sink, " %s%s", element[i].number, i + 1 < count ? ", " : "\n");
    }
}

/* --- The heap -------------------------------------------------------------------------------- */

/* The bands with the largest size at the peak; the last of them may be replaced by the one that
 * grows most. */
struct chosen {
    const hectic_heap_totals *totals;
    struct band {
        hectic_heap_band_stats stats;
        hectic_heap_line line;
    } largest[SHOWN], rising;
    size_t count;
};

static bool choose(void *user, const hectic_heap_band_stats *stats)
{
    struct chosen *c = user;
    const struct band band = {*stats, hectic_heap_line_of(c->totals, stats->course)};
    size_t at = c->count;
    while (at > 0 && stats->at_peak > c->largest[at - 1].stats.at_peak)
        at--;
    if (stats->at_peak > 0 && at < SHOWN) {
        if (c->count < SHOWN) c->count++;
        memmove(c->largest + at + 1, c->largest + at, (c->count - 1 - at) * sizeof band);
        c->largest[at] = band;
    }
    if (band.line.is_steady &&
        (!c->rising.line.is_steady || band.line.growth > c->rising.line.growth))
        c->rising = band;
    return true;
}

/* The fastest one comes first. */
static void put_rising_first(struct chosen *c)
{
    size_t at = 0;
    if (!c->rising.line.is_steady || c->count == 0) return;
    while (at + 1 < c->count && c->largest[at].stats.node != c->rising.stats.node)
        at++;
    memmove(c->largest + 1, c->largest, at * sizeof *c->largest);
    c->largest[0] = c->rising;
}

/* Without the package of "containers-0.6.4.1:Data.Map.Internal.Bin". */
static void shorten(char *label)
{
    const size_t package = strspn(label, "abcdefghijklmnopqrstuvwxyz0123456789.-");
    if (package == 0 || label[package] != ':') return;
    if (label[package + 1] < 'A' || label[package + 1] > 'Z') return;
    memmove(label, label + package + 1, strlen(label + package + 1) + 1);
}

static void set_band(struct element *element, const hectic_heap_profile *heap,
                     const hectic_heap_totals *totals, const struct band *band)
{
    const double growth = band->line.growth;
    hectic_band_text(hectic_heap_profile_stacks(heap), hectic_heap_profile_symbols(heap),
                     band->stats.node, element->label, sizeof element->label);
    if (totals->kind->breakdown == HECTIC_BREAKDOWN_CLOSURE_TYPE) shorten(element->label);
    const struct printed size = printed(CELL_BYTES, band->stats.at_peak);
    const struct printed rise =
        printed(CELL_BYTES, growth > 0 && growth < 0x1p63 ? (uint64_t)growth : 0);
    snprintf(element->number, sizeof element->number, "%s%s%s%s", size.text,
             band->line.is_steady ? " (+" : "", band->line.is_steady ? rise.text : "",
             !band->line.is_steady     ? ""
             : totals->kind->has_times ? "/s)"
                                       : " a sample)");
}

static bool print_heap(struct sink *sink, const hectic_heap_profile *heap)
{
    hectic_heap_totals totals;
    struct chosen c = {.totals = &totals};
    struct element element[SHOWN];
    const uint32_t last = hectic_heap_profile_count(heap) - 1;
    hectic_heap_profile_totals(heap, last, &totals);
    if (!hectic_heap_profile_each(heap, last, choose, &c)) return false;
    sink_print(sink, "Heap use   largest %s", printed(CELL_BYTES, totals.peak).text);
    if (totals.kind->has_times) sink_print(sink, " at %s", printed(CELL_NS, totals.peak_time).text);
    sink_print(sink, ", at the end %s", printed(CELL_BYTES, totals.end).text);
    if (totals.kind->breakdown != HECTIC_BREAKDOWN_UNKNOWN)
        sink_print(sink, "; by %s", hectic_breakdown_text(totals.kind->breakdown));
    sink_print(sink, "\n");
    put_rising_first(&c);
    for (size_t i = 0; i < c.count; i++)
        set_band(&element[i], heap, &totals, &c.largest[i]);
    if (c.count > 0) print_elements(sink, element, c.count);
    return true;
}

/* --- The time -------------------------------------------------------------------------------- */

/* "Module.label", as prof --focus matches it. */
static void set_symbol(struct element *element, const hectic_symbol *symbol)
{
    char text[LABEL / 2];
    hectic_symbol_text(symbol, text, sizeof text);
    snprintf(element->label, sizeof element->label, "%.*s%s%s", LABEL / 2,
             symbol->module && !symbol->is_caf ? symbol->module : "",
             symbol->module && !symbol->is_caf ? "." : "", text);
}

static double share_of(uint64_t part, uint64_t all)
{
    return all > 0 ? 100 * (double)part / (double)all : 0;
}

static void print_kinds(struct sink *sink, const hectic_time_totals *totals)
{
    const uint64_t own = totals->all.samples[HECTIC_TIME_OWN];
    sink_print(sink, ": own %.1f%%", share_of(own, totals->samples));
    for (int kind = HECTIC_TIME_GC; kind <= HECTIC_TIME_IDLE; kind++)
        if (totals->all.samples[kind] > 0)
            sink_print(sink, ", %s %.1f%%", kind == HECTIC_TIME_GC ? "GC" : "idle",
                       share_of(totals->all.samples[kind], totals->samples));
    sink_print(sink, "\n");
}

static bool print_time(struct sink *sink, const struct profiles *p, hectic_time_source source,
                       const hectic_time_totals *totals)
{
    const hectic_symbols *symbols = hectic_time_profile_symbols(p->time);
    const uint64_t own = totals->all.samples[HECTIC_TIME_OWN];
    struct element element[SHOWN];
    size_t count, shown = 0;
    hectic_symbol_time *times = hectic_time_profile_symbol_times(p->time, source, &count);
    if (!times) return false;
    sink_print(sink, "Time use   %s", quantity(totals->samples, "sample").text);
    if (source == HECTIC_TIME_CALL_STACKS) sink_print(sink, " of call stacks");
    if (totals->interval > 0)
        sink_print(sink, ", every %s", printed(CELL_NS, totals->interval).text);
    print_kinds(sink, totals);
    for (size_t i = 0; i < count && shown < SHOWN; i++) {
        const hectic_symbol symbol = hectic_symbols_get(symbols, times[i].symbol);
        const uint64_t ticks = times[i].own[HECTIC_TIME_TICKS];
        if (hectic_time_kind_of(&symbol) != HECTIC_TIME_OWN || ticks == 0) continue;
        set_symbol(&element[shown], &symbol);
        snprintf(element[shown].number, sizeof element->number, "%.1f%%", share_of(ticks, own));
        shown++;
    }
    free(times);
    if (shown > 0) print_elements(sink, element, shown);
    return true;
}

bool profiles_print(struct sink *sink, const struct profiles *p)
{
    hectic_time_totals totals;
    if (profiles_have_heap(p) && !print_heap(sink, p->heap)) return false;
    for (hectic_time_source source = 0; p->time && source < HECTIC_TIME_SOURCES; source++)
        if (has_samples(p, source, &totals) && !print_time(sink, p, source, &totals)) return false;
    return true;
}
