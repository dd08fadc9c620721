/* parallel.c — reads a log of one process by several threads: each takes the blocks of its caps. */
#include "base/array.h"
#include "format/header.h"
#include "read/decode/run.h"
#include "read/decode/step.h"
#include "timeline/fork.h"
#include "view/engine/engine.h"

#include "stat/stat_fork.h"

#include <stdlib.h>
#include <string.h>

#ifndef WINDOW               /* tests set smaller values */
#define WINDOW     (1 << 28) /* bytes that are divided at once */
#define WORTHWHILE (1 << 24) /* bytes; fewer are read at once by one thread */
#endif

enum { CAPS = 1 << 16 };

struct window {
    hectic_view *view;
    size_t count, capacity;
    struct timeline_block *block;
    uint64_t bytes, global; /* in all blocks; in those without a cap */
    size_t parts;
    struct timeline_part part[TIMELINE_PARTS_MAX];
};

/* --- The blocks ------------------------------------------------------------------------------ */

static bool read_marker(const hectic_view *v, uint64_t position, struct timeline_block *block)
{
    uint8_t p[HECTIC_BLOCK_MARKER_SIZE];
    if (!v->timeline_source.read(v->timeline_source.user, position, p, sizeof p)) return false;
    const hectic_event_block_marker marker = step_marker(p);
    *block = (struct timeline_block){position, marker.end_time, marker.size, marker.cap_no};
    return event_type_at(p) == HECTIC_EVENT_BLOCK_MARKER &&
           block->size >= HECTIC_BLOCK_MARKER_SIZE && block->end != 0;
}

/* Lists finished blocks that are followed by another one. False: out of memory. */
static bool list_blocks(struct window *w)
{
    struct timeline_block block, next;
    uint64_t position = w->view->position;
    if (!read_marker(w->view, position, &block)) return true;
    while (w->bytes < WINDOW && read_marker(w->view, position + block.size, &next)) {
        if (!array_reserve(w->block, w->capacity, w->count + 1)) return false;
        w->block[w->count++] = block;
        w->bytes += block.size;
        w->global += block.cap == HECTIC_CAP_NONE ? block.size : 0;
        position += block.size;
        block = next;
    }
    return true;
}

/* Each cap belongs to the part with the fewest bytes. */
static void divide(const struct window *w)
{
    uint64_t bytes[TIMELINE_PARTS_MAX] = {0}, *of_cap = calloc(CAPS, sizeof *of_cap);
    for (size_t i = 0; i < w->count && of_cap; i++)
        of_cap[w->block[i].cap] += w->block[i].size;
    for (size_t i = 0; i < w->count; i++) {
        const uint16_t cap = w->block[i].cap;
        size_t least = 0;
        if (!of_cap || of_cap[cap] == 0 || cap == HECTIC_CAP_NONE) continue;
        for (size_t k = 1; k < w->parts; k++)
            if (bytes[k] < bytes[least]) least = k;
        bytes[least] += of_cap[cap];
        of_cap[cap] = 0;
        w->view->owner[cap] = (uint8_t)least;
    }
    free(of_cap);
}

/* --- Reading --------------------------------------------------------------------------------- */

static void take(void *window, unsigned number)
{
    struct window *w = window;
    timeline_part_read(&w->part[number]);
}

static bool fork_parts(struct window *w, hectic_timeline *timeline)
{
    stat_begin_forks(timeline->stat);
    for (size_t i = 0; i < w->parts; i++) {
        w->part[i] = (struct timeline_part){
            .timeline = i == 0 ? timeline : timeline_fork(timeline, w->view->owner, (unsigned)i),
            .number = (uint8_t)i,
            .owner = w->view->owner,
            .block = w->block,
            .blocks = w->count,
            .source = &w->view->timeline_source,
        };
        if (!w->part[i].timeline) return false;
    }
    return true;
}

static void free_parts(struct window *w)
{
    for (size_t i = 0; i < w->parts; i++) {
        if (i > 0) hectic_timeline_free(w->part[i].timeline);
        chunks_free(&w->part[i].chunks);
        told_free(&w->part[i].told);
    }
}

static bool read_parts(struct window *w, hectic_timeline *timeline, bool *is_unfit)
{
    const hectic_view_source *source = &w->view->source;
    bool done = fork_parts(w, timeline);
    if (done) source->run(take, w, (unsigned)w->parts);
    for (size_t i = 0; i < w->parts && done; i++) {
        done = !w->part[i].has_failed;
        *is_unfit = *is_unfit || w->part[i].is_unfit;
    }
    if (done && !*is_unfit) done = timeline_join(w->part, w->parts);
    free_parts(w);
    return done;
}

bool parallel_read(hectic_view *v, uint64_t *taken)
{
    struct window w = {.view = v, .parts = v->source.threads};
    const struct section *section = divide_only(v);
    hectic_timeline *timeline = section ? section->timeline : NULL;
    const hectic_decoder *decoder = v->decoder;
    *taken = 0;
    if (w.parts < 2 || !timeline) return true;
    if (!timeline->header || !timeline->header->has_blocks) return true; /* a snapshot has none */
    if (hectic_decoder_block_remaining(decoder) != 0 ||
        hectic_decoder_position(decoder) != v->position)
        return true;
    if (w.parts > TIMELINE_PARTS_MAX) w.parts = TIMELINE_PARTS_MAX;
    if (!v->owner) v->owner = calloc(CAPS, 1);
    bool is_unfit = false;
    bool done = v->owner && list_blocks(&w);
    if (done && w.bytes >= WORTHWHILE && w.global < w.bytes / 8) {
        divide(&w);
        done = read_parts(&w, timeline, &is_unfit);
        for (size_t i = 0; i < w.count && done; i++)
            done = divide_note_block(v, w.block[i].cap, w.block[i].end);
        *taken = w.bytes;
    }
    free(w.block);
    if (!done) return view_fail(v, "out of memory, or the log cannot be read");
    v->dividing.was_parallel |= *taken > 0;
    if (is_unfit || divide_was_wrong(v)) return view_restart(v);
    if (*taken > 0) {
        decoder_skip(v->decoder, *taken);
        v->position += *taken;
    }
    return true;
}

size_t parallel_after(const hectic_view *v, size_t most)
{
    enum { FEW = 64 };
    const int64_t remaining = hectic_decoder_block_remaining(v->decoder);
    const uint64_t position = hectic_decoder_position(v->decoder);
    if (v->sections == 0 || remaining < 0 || remaining == INT64_MAX) return most;
    const uint64_t end = position + (uint64_t)remaining;
    if (end <= v->position) return position < v->position ? FEW : most;
    return end - v->position < most ? (size_t)(end - v->position) : most;
}
