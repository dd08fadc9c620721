/* view.c — see view.h: reads the log into the timelines of its sections. */
#include "view/engine/engine.h"

#include "read/decode/pass.h"
#include "view/engine/job.h"
#include "view/engine/marks.h"
#include "view/engine/snapshot.h"

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

bool view_refuse(hectic_view *v, enum view_error error, const char *message)
{
    v->error = error;
    snprintf(v->message, sizeof v->message, "%s", message);
    return false;
}

bool view_fail(hectic_view *v, const char *message)
{
    return view_refuse(v, VIEW_FAILED, message);
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

static void expect(void *user, const hectic_timeline_bytes *bytes, size_t count, bool at_once)
{
    const hectic_view *v = user;
    v->source.expect(v->source.user, bytes, count, at_once);
}

hectic_view *hectic_view_new(const hectic_view_source *source)
{
    hectic_view *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    v->source = *source;
    v->timeline_source = (hectic_timeline_source){v, read_exactly, source->expect ? expect : NULL};
    v->grows = source->grows;
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

static void put_error(hectic_view *v, const hectic_error *error)
{
    char text[300];
    snprintf(v->message, sizeof v->message, "byte %" PRIu64 ": %s", error->position,
             hectic_error_text(error, text, sizeof text));
}

static hectic_result pull_item(void *self, hectic_decoder *decoder)
{
    (void)decoder;
    const hectic_result result = divide_pull(self);
    if (result == HECTIC_GOT_EVENT) view_fail(self, "out of memory");
    return result;
}

static bool take_item(void *self, const hectic_decoder *decoder, hectic_result result,
                      const hectic_event *none)
{
    (void)decoder, (void)none;
    hectic_view *v = self;
    if (result == HECTIC_HEADER) return divide_begin(v);
    if (result == HECTIC_ERROR) divide_lose(v);
    if (result == HECTIC_COMPLETE) divide_complete(v);
    return result != HECTIC_COMPLETE || divide_end(v);
}

static bool take_piece(hectic_view *v, size_t size)
{
    static const struct pass_consumer consumer = {.item = take_item, .pull = pull_item};
    if (v->snapshot || (size > 0 && v->position == size && snapshot_begins(v->buffer, size)))
        return snapshot_take(v, v->buffer, size);
    const pass_end end = pass_piece(v->decoder, &consumer, v, v->buffer, size);
    if (end == PASS_UNUSABLE) put_error(v, hectic_decoder_error(v->decoder));
    return end == PASS_DONE && (!divide_was_wrong(v) || view_restart(v));
}

static hectic_view_result end(hectic_view *v)
{
    if (v->snapshot && v->sections == 0) v->has_failed = !snapshot_load(v);
    if (!v->has_failed && !v->grows && !v->snapshot) v->has_failed = !take_piece(v, 0);
    if (!v->has_failed && !v->grows && !v->snapshot) v->has_failed = !divide_end(v);
    if (v->has_failed) return HECTIC_VIEW_FAILED;
    v->is_complete = true;
    if (v->sections > 0 || v->grows) return HECTIC_VIEW_END;
    v->has_failed = true;
    put_error(v, &(hectic_error){.kind = HECTIC_HEADER_TRUNCATED, .number = v->position});
    return HECTIC_VIEW_FAILED;
}

/* Are there bytes after what was the end of the log? A section that was cut is then made anew. */
static bool has_grown(hectic_view *v)
{
    uint8_t byte;
    if (v->source.read(v->source.user, v->position, &byte, 1) <= 0) return false;
    const bool was_cut = v->dividing.number > 0 && !v->dividing.is_whole;
    v->has_failed = was_cut && !view_restart(v);
    return v->grows = true;
}

hectic_view_result hectic_view_read(hectic_view *v, size_t size)
{
    const bool has_ended = v->is_complete && !v->grows;
    if (!v->has_failed && has_ended && !has_grown(v)) return HECTIC_VIEW_END;
    if (v->has_failed) return HECTIC_VIEW_FAILED;
    v->is_complete = false;
    for (size_t done = 0; done < size || done == 0;) {
        uint64_t taken = 0;
        v->has_failed = v->source.run && !parallel_read(v, &taken);
        if (v->has_failed) return HECTIC_VIEW_FAILED;
        if (taken > 0) return HECTIC_VIEW_MORE;
        const size_t piece = v->source.run ? parallel_after(v, PIECE) : PIECE;
        const ptrdiff_t got = v->source.read(v->source.user, v->position, v->buffer, piece);
        if (got == 0 && v->grows) {
            v->grows = v->source.grows(v->source.user);
            if (v->grows) return end(v);
            continue; /* bytes may have come before that was asked */
        }
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

bool hectic_view_has_log(const hectic_view *v)
{
    return v->sections > 0;
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
    const bool is_number = request_number(&v->request, "section", 1, &number) && number > 0;
    if (is_number && number <= v->sections) return &v->section[number - 1];
    view_refuse(v, VIEW_NO_SECTION,
                v->is_complete ? "there is no such section" : "the section was not read yet");
    return NULL;
}

bool view_interval(hectic_view *v, const struct section *section, uint64_t *from, uint64_t *to)
{
    uint64_t first = 0, last = 0;
    hectic_timeline_extent(section->timeline, &first, &last);
    const bool are_numbers =
        request_number(&v->request, "from", first, from) &&
        request_number(&v->request, "to", last < UINT64_MAX ? last + 1 : last, to);
    return (are_numbers && *from < *to) || view_refuse(v, VIEW_MALFORMED, "the interval is empty");
}

bool view_picture(hectic_view *v, const struct section *section, struct picture *picture)
{
    picture->width = (size_t)view_value(v, "width");
    return view_interval(v, section, &picture->from, &picture->to);
}

uint64_t view_value(const hectic_view *v, const char *key)
{
    return request_value(v->kind, &v->request, key);
}

const char *hectic_view_message(const hectic_view *v)
{
    return *v->message ? v->message : NULL;
}

static void put_error_answer(hectic_view *v, struct json *json, bool with_code)
{
    static const char *const codes[] = {
#define ERROR(code, name, doc) name,
#include "view/engine/requests.def"
    };
    json_open(json, NULL, '{');
    json_text(json, "message", hectic_view_message(v));
    if (with_code) json_text(json, "code", codes[v->error]);
    json_close(json, '}');
}

bool answer_error(hectic_view *v, struct json *json)
{
    put_error_answer(v, json, false);
    return true;
}

static bool ask(hectic_view *v, const char *text, struct json *json)
{
    char problem[sizeof v->message];
    v->asked = text;
    v->steps = STEPS_MAX;
    if (!request_parse(&v->request, text))
        return view_refuse(v, VIEW_MALFORMED, "the request is malformed");
    v->kind = request_find(v->request.name);
    v->body = strchr(text, '\n');
    if (v->body) v->body++;
    if ((v->kind && v->kind->how == REQUEST_TEXT) != (v->body != NULL))
        return view_refuse(v, VIEW_MALFORMED, "a line of text is missing, or there are several");
    if (v->snapshot && !(v->kind && (v->body || v->kind->how == REQUEST_INDEX)))
        return answer_saved(v);
    if (!v->kind) return view_refuse(v, VIEW_UNKNOWN, "there is no such request");
    if (!request_check(v->kind, &v->request, problem, sizeof problem))
        return view_refuse(v, VIEW_MALFORMED, problem);
    return v->kind->answer(v, json);
}

static struct json begin_answer(struct answer *a)
{
    a->length = 0;
    a->is_bytes = a->is_lost = a->is_part = false;
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
        put_error_answer(v, &json, true);
    }
    answer->type = v->answer.is_bytes ? "application/octet-stream" : "application/json";
    answer->bytes = v->answer.is_lost ? (const uint8_t *)no_memory : v->answer.bytes;
    answer->length = v->answer.is_lost ? sizeof no_memory - 1 : v->answer.length;
    answer->is_part = v->answer.is_part;
    return done;
}
