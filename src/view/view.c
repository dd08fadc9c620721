/* view.c — see hectic/view.h: reads the log into the timelines of its sections. */
#include "view/engine.h"

#include "view/excerpt.h"
#include "view/job.h"
#include "view/marks.h"
#include "view/snapshot.h"

#include <hectic/header.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 1 << 16,
    ANSWER_MAX = 1 << 28, /* bytes: a long label may occur in thousands of places */
    STEPS_MAX = 1 << 26,  /* of regular expressions, for an answer: some tenths of a second */
};

bool view_fail(hectic_view *v, const char *message)
{
    snprintf(v->message, sizeof v->message, "%s", message);
    return false;
}

static bool read_exactly(void *user, uint64_t position, void *buffer, size_t size)
{
    const hectic_view *v = user;
    uint8_t *to = buffer;
    while (size > 0) {
        const ptrdiff_t got = v->source.read(v->source.user, position, to, size);
        if (got <= 0 || (size_t)got > size) return false;
        to += got;
        position += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}

hectic_view *hectic_view_new(const hectic_view_source *source)
{
    hectic_view *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    v->source = *source;
    v->timeline_source = (hectic_timeline_source){v, read_exactly};
    v->decoder = hectic_decoder_new();
    v->buffer = malloc(PIECE);
    if (v->decoder && v->buffer) return v;
    hectic_view_free(v);
    return NULL;
}

static void free_sections(hectic_view *v)
{
    for (size_t i = 0; i < v->sections; i++) {
        hectic_timeline_free(v->section[i].timeline);
        hectic_header_free(v->section[i].header);
        marks_free(v->section[i].marks);
        marks_free(v->section[i].next_marks);
        excerpt_free(v->section[i].excerpt);
    }
    v->sections = 0;
}

void hectic_view_free(hectic_view *v)
{
    if (!v) return;
    jobs_free(v);
    snapshot_free(v);
    divide_free(v);
    free_sections(v);
    hectic_decoder_free(v->decoder);
    free(v->buffer);
    free(v->answer.bytes);
    free(v->owner);
    free(v);
}

/* --- Reading --------------------------------------------------------------------------------- */

bool view_restart(hectic_view *v)
{
    jobs_free(v); /* they use the sections */
    divide_free(v);
    free_sections(v);
    hectic_decoder_free(v->decoder);
    v->decoder = hectic_decoder_new();
    v->position = 0;
    v->is_ignored = false;
    v->source.run = NULL;
    return v->decoder || view_fail(v, "out of memory");
}

/* False: reading cannot go on. */
static bool take_error(hectic_view *v)
{
    const hectic_error *error = hectic_decoder_error(v->decoder);
    if (hectic_decoder_header(v->decoder) && error->kind != HECTIC_NO_MEMORY) {
        divide_lose(v);
        hectic_decoder_resync(v->decoder);
        return true;
    }
    char text[300];
    snprintf(v->message, sizeof v->message, "byte %" PRIu64 ": %s", error->position,
             hectic_error_text(error, text, sizeof text));
    return false;
}

static bool take_piece(hectic_view *v, size_t size)
{
    hectic_result result;
    if (v->snapshot || (v->position == size && snapshot_begins(v->buffer, size)))
        return snapshot_take(v, v->buffer, size);
    hectic_decoder_push(v->decoder, v->buffer, size);
    while ((result = divide_pull(v)) != HECTIC_PARTIAL) {
        if (result == HECTIC_GOT_EVENT) return view_fail(v, "out of memory");
        if (result == HECTIC_HEADER && !divide_begin(v)) return false;
        if (result == HECTIC_ERROR && !take_error(v)) return false;
        if (result == HECTIC_COMPLETE) divide_complete(v);
        if (result == HECTIC_COMPLETE) divide_end(v);
    }
    return !divide_was_wrong(v) || view_restart(v);
}

static hectic_view_result end(hectic_view *v)
{
    if (v->snapshot && v->sections == 0) v->has_failed = !snapshot_load(v);
    if (v->has_failed) return HECTIC_VIEW_FAILED;
    if (!v->source.grows && !v->snapshot) divide_end(v);
    v->is_complete = true;
    if (v->sections > 0 || v->source.grows) return HECTIC_VIEW_END;
    view_fail(v, v->position == 0 ? "the file is empty" : "the log ends inside its header");
    v->has_failed = true;
    return HECTIC_VIEW_FAILED;
}

hectic_view_result hectic_view_read(hectic_view *v, size_t size)
{
    if (v->has_failed) return HECTIC_VIEW_FAILED;
    v->is_complete = false;
    for (size_t done = 0; done < size || done == 0;) {
        uint64_t taken = 0;
        v->has_failed = v->source.run && !parallel_read(v, &taken);
        if (v->has_failed) return HECTIC_VIEW_FAILED;
        if (taken > 0) return HECTIC_VIEW_MORE;
        const size_t piece = v->source.run ? parallel_after(v, PIECE) : PIECE;
        const ptrdiff_t got = v->source.read(v->source.user, v->position, v->buffer, piece);
        if (got == 0) return end(v);
        v->has_failed = got < 0 || got > PIECE;
        if (v->has_failed) view_fail(v, "the log cannot be read");
        if (v->has_failed) return HECTIC_VIEW_FAILED;
        v->position += (uint64_t)got;
        done += (size_t)got;
        v->has_failed = !take_piece(v, (size_t)got);
        if (v->has_failed) return HECTIC_VIEW_FAILED;
    }
    return HECTIC_VIEW_MORE;
}

/* --- Answers --------------------------------------------------------------------------------- */

uint8_t *answer_room(struct answer *a, size_t size)
{
    if (a->is_lost || size > ANSWER_MAX - a->length) return a->is_lost = true, NULL;
    if (size > a->capacity - a->length) {
        size_t capacity = a->capacity ? a->capacity : 1024;
        while (capacity - a->length < size) {
            if (capacity > SIZE_MAX / 2) return a->is_lost = true, NULL;
            capacity *= 2;
        }
        uint8_t *bytes = realloc(a->bytes, capacity);
        if (!bytes) return a->is_lost = true, NULL;
        a->bytes = bytes;
        a->capacity = capacity;
    }
    return a->bytes + a->length;
}

/* For JSON. */
static void answer_put(void *answer, const char *bytes, size_t size)
{
    struct answer *a = answer;
    uint8_t *room = answer_room(a, size);
    if (!room) return;
    memcpy(room, bytes, size);
    a->length += size;
}

const struct section *view_section(hectic_view *v)
{
    uint64_t number;
    if (!request_number(&v->request, "section", 1, &number) || number == 0) {
        view_fail(v, "section: not a number from 1 on");
        return NULL;
    }
    if (number <= v->sections) return &v->section[number - 1];
    view_fail(v, v->is_complete ? "there is no such section" : "the section was not read yet");
    return NULL;
}

bool view_interval(hectic_view *v, const struct section *section, uint64_t *from, uint64_t *to)
{
    uint64_t first = 0, last = 0;
    hectic_timeline_extent(section->timeline, &first, &last);
    if (!request_number(&v->request, "from", first, from))
        return view_fail(v, "from: not a number of ns");
    if (!request_number(&v->request, "to", last < UINT64_MAX ? last + 1 : last, to))
        return view_fail(v, "to: not a number of ns");
    return *from < *to || view_fail(v, "the interval is empty");
}

bool view_picture(hectic_view *v, const struct section *section, struct picture *picture,
                  size_t most)
{
    uint64_t width;
    if (!view_interval(v, section, &picture->from, &picture->to)) return false;
    if (!request_number(&v->request, "width", 1000, &width) || width == 0 || width > most)
        return view_fail(v, "width: not a number of columns, or too large");
    picture->width = (size_t)width;
    return true;
}

const char *hectic_view_message(const hectic_view *v)
{
    return *v->message ? v->message : NULL;
}

static bool answer_error(hectic_view *v, struct json *json)
{
    json_open(json, NULL, '{');
    json_text(json, "message", hectic_view_message(v));
    json_close(json, '}');
    return true;
}

/* clang-format off */
static const struct {
    const char *name;
    bool (*answer)(hectic_view *view, struct json *json);
} requests[] = {
    {"overview", answer_overview},
    {"columns", answer_columns},
    {"labels", answer_labels},
    {"curves", answer_curves},
    {"stat", answer_stat},
    {"events", answer_events},
    {"search", answer_search},
    {"search_all", answer_search_all},
    {"instants", answer_instants},
    {"gc", answer_gc},
    {"mmu", answer_mmu},
    {"spans", answer_spans},
    {"sparks", answer_sparks},
    {"prof", answer_prof},
    {"heat", answer_heat},
    {"heap", answer_heap},
    {"gc_rows", answer_gc_rows},
    {"span_rows", answer_span_rows},
    {"message_rows", answer_message_rows},
    {"spark_rows", answer_spark_rows},
    {"ticky", answer_ticky},
    {"startup", answer_startup},
    {"snapshot", answer_snapshot},
    {"threads", answer_threads},
    {"thread_list", answer_thread_list},
    {"thread_rows", answer_thread_rows},
    {"latency", answer_latency},
    {"links", answer_links},
    {"error", answer_error},
};
/* clang-format on */

/* The index is enough to answer it: a snapshot has it. */
static bool is_index(const char *name)
{
    static const char *const names[] = {"overview", "columns",  "labels",
                                        "curves",   "snapshot", "error"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

const char *hectic_view_request(size_t index)
{
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (!is_index(requests[i].name) && index-- == 0) return requests[i].name;
    return NULL;
}

static bool ask(hectic_view *v, const char *text, struct json *json)
{
    v->asked = text;
    v->steps = STEPS_MAX;
    if (!request_parse(&v->request, text)) return view_fail(v, "the request is malformed");
    if (v->snapshot && !is_index(v->request.name)) return answer_saved(v);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (strcmp(requests[i].name, v->request.name) == 0) return requests[i].answer(v, json);
    return view_fail(v, "there is no such request");
}

static struct json begin_answer(struct answer *a)
{
    a->length = 0;
    a->is_bytes = a->is_lost = false;
    return (struct json){.put = answer_put, .to = a};
}

bool hectic_view_ask(hectic_view *v, const char *request, hectic_view_answer *answer)
{
    static const char no_memory[] = "{\"message\":\"out of memory\"}";
    struct json json = begin_answer(&v->answer);
    bool done = ask(v, request, &json) && !v->answer.is_lost;
    if (!done) {
        if (v->answer.is_lost) view_fail(v, "out of memory, or the answer is too large");
        json = begin_answer(&v->answer);
        answer_error(v, &json);
    }
    answer->type = v->answer.is_bytes ? "application/octet-stream" : "application/json";
    answer->bytes = v->answer.is_lost ? (const uint8_t *)no_memory : v->answer.bytes;
    answer->length = v->answer.is_lost ? sizeof no_memory - 1 : v->answer.length;
    return done;
}
