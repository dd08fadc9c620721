/* The core of the library in use: a log from standard input, through the decoder in small pieces,
 * to standard output: as lines of text ("text"), encoded anew ("log"), or as statistics of its
 * profiles ("profiles"). */
#include "profiles/heap_profile.h"
#include "profiles/time_profile.h"
#include <hectic/catalogue.h>
#include <hectic/render.h>
#include <hectic/writer.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1000 };

#ifdef __wasm__
uint64_t map_seed(void);
uint64_t map_seed(void)
{
    return 7;
}
#endif

static bool print(void *user, const void *bytes, size_t length)
{
    (void)user;
    return fwrite(bytes, 1, length, stdout) == length;
}

static bool print_event(const hectic_decoder *decoder, const hectic_event *event)
{
    static hectic_renderer *renderer;
    static const hectic_header *header;
    if (header != hectic_decoder_header(decoder)) {
        header = hectic_decoder_header(decoder);
        hectic_renderer_free(renderer);
        renderer = hectic_renderer_new(header);
    }
    char *line = malloc(hectic_render_bound(event) + 1);
    if (!renderer || !line) return false;
    size_t length =
        hectic_render_line(renderer, event, HECTIC_TIME_RAW, HECTIC_UNKNOWN_NUMBERED, line);
    line[length] = '\n';
    bool printed = print(NULL, line, length + 1);
    free(line);
    return printed;
}

static bool encode_item(const hectic_decoder *decoder, hectic_writer *writer, hectic_result result,
                        const hectic_event *event)
{
    if (result == HECTIC_GOT_EVENT) return hectic_writer_event(writer, event);
    if (result == HECTIC_COMPLETE) return hectic_writer_data_end(writer);
    size_t count;
    const hectic_event_type *types = hectic_header_types(hectic_decoder_header(decoder), &count);
    return hectic_writer_header(writer, types, count);
}

static bool print_band(void *user, const hectic_heap_band_stats *band)
{
    const hectic_heap_profile *profile = user;
    char name[4096];
    hectic_band_text(hectic_heap_profile_stacks(profile), hectic_heap_profile_symbols(profile),
                     band->node, name, sizeof name);
    printf("%s: %" PRIu64 " at the peak, %" PRIu64 " at the end, %" PRIu64 " at most, %" PRIu64
           " samples, %" PRIx64 " %" PRIx64 ", mean %.12g, deviation %.12g, growth %.12g (%.12g)\n",
           name, band->at_peak, band->at_end, band->max, band->samples, band->integral_high,
           band->integral_low, band->mean, band->deviation, band->growth, band->growth_fit);
    return true;
}

static void print_heap(hectic_heap_profile *profile)
{
    for (uint32_t i = 0; i < hectic_heap_profile_count(profile); i++) {
        hectic_heap_totals totals;
        hectic_heap_profile_totals(profile, i, &totals);
        printf("%s: %" PRIu64 " samples, %" PRIu64 " ns and %" PRIu64 " gaps, mean %.12g\n",
               hectic_breakdown_text(totals.kind->breakdown), totals.samples, totals.covered,
               totals.gaps, totals.mean);
        for (uint32_t point = 0; point < totals.points; point++)
            printf("%" PRIu64 "%s", totals.course[point], point + 1 < totals.points ? " " : "\n");
        hectic_heap_profile_each(profile, i, print_band, profile);
    }
}

static bool print_time(hectic_time_profile *profile)
{
    for (int source = 0; source < HECTIC_TIME_SOURCES; source++) {
        hectic_time_totals totals;
        size_t count;
        hectic_symbol_time *times =
            hectic_time_profile_symbol_times(profile, (hectic_time_source)source, &count);
        if (!times || !hectic_time_profile_totals(profile, (hectic_time_source)source, &totals))
            return false;
        for (int kind = 0; kind < HECTIC_TIME_KINDS && totals.samples > 0; kind++)
            printf("%d: %" PRIu64 " samples, %" PRIu64 " ns\n", kind, totals.all.samples[kind],
                   totals.all.ns[kind]);
        for (size_t i = 0; i < count; i++) {
            char name[4096];
            const hectic_symbol symbol =
                hectic_symbols_get(hectic_time_profile_symbols(profile), times[i].symbol);
            printf("%s: %" PRIu64 " of %" PRIu64 " ticks, %" PRIu64 " of %" PRIu64 " ns\n",
                   hectic_symbol_text(&symbol, name, sizeof name), times[i].own[HECTIC_TIME_TICKS],
                   times[i].total[HECTIC_TIME_TICKS], times[i].own[HECTIC_TIME_NS],
                   times[i].total[HECTIC_TIME_NS]);
        }
        free(times);
    }
    return true;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "log";
    const bool as_text = strcmp(what, "text") == 0, as_log = strcmp(what, "log") == 0;
    hectic_decoder *decoder = hectic_decoder_new();
    hectic_writer *writer = hectic_writer_new(0, print, NULL);
    hectic_heap_profile *heap = hectic_heap_profile_new(NULL);
    hectic_time_profile *time = hectic_time_profile_new(NULL);
    if (!decoder || !writer || !heap || !time) return 2;

    char piece[PIECE];
    size_t length = 1;
    while (length > 0) {
        length = fread(piece, 1, sizeof piece, stdin);
        hectic_decoder_push(decoder, piece, length);
        hectic_event event;
        hectic_result result;
        while ((result = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL) {
            const bool has_event = result == HECTIC_GOT_EVENT;
            if (result == HECTIC_ERROR) return 1;
            if (as_log && !encode_item(decoder, writer, result, &event)) return 2;
            if (as_text && has_event && !print_event(decoder, &event)) return 2;
            if (has_event && !hectic_heap_profile_event(heap, &event)) return 2;
            if (has_event && !hectic_time_profile_event(time, &event)) return 2;
        }
    }
    size_t left;
    const uint8_t *tail = hectic_decoder_tail(decoder, &left);
    if (as_log)
        return hectic_writer_flush(writer) && (left == 0 || print(NULL, tail, left)) ? 0 : 2;
    if (!as_text) print_heap(heap);
    if (!as_text && !print_time(time)) return 2;
    hectic_time_profile_free(time);
    hectic_heap_profile_free(heap);
    hectic_writer_free(writer);
    hectic_decoder_free(decoder);
    return 0;
}
