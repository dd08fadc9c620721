/* snapshot.c — see snapshot.h. */
#include "view/engine/snapshot.h"

#include "base/array.h"
#include "format/fields.h"
#include "view/engine/saved.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "hectic-snapshot 1\n";

enum { MAGIC = sizeof magic - 1, RECORD_HEAD = 5, PROCESS_SIZE = 9 };

struct saved {
    uint8_t what; /* enum saved_answer */
    const char *request;
    const uint8_t *bytes;
    size_t length;
};

struct snapshot {
    uint8_t *bytes;
    size_t size, capacity;
    size_t answers;
    struct saved answer[SAVED_ANSWERS_MAX];
    struct request request; /* of an answer, while one is looked for */
};

void snapshot_free(hectic_view *v)
{
    if (v->snapshot) free(v->snapshot->bytes);
    free(v->snapshot);
    v->snapshot = NULL;
}

/* --- Writing --------------------------------------------------------------------------------- */

static void put(void *to, const void *bytes, size_t size)
{
    struct answer *answer = to;
    uint8_t *room = answer->is_lost ? NULL : answer_room(answer, size);
    if (!room) return;
    memcpy(room, bytes, size);
    answer->length += size;
}

static void put_section(struct answer *answer, hectic_timeline *t, size_t slots)
{
    static const uint8_t head[RECORD_HEAD] = {'S'};
    const size_t begin = answer->length;
    put(answer, head, sizeof head);
    answer->is_lost |= !stat_marks_merge(t->stat); /* waits are known then */
    answer->is_lost |= !timeline_find_first(t);
    bins_reach(&t->spans, t->stat->last);
    timeline_save(t, slots, &(struct saved_output){answer, put});
    if (answer->is_lost) return;
    const size_t length = answer->length - begin - RECORD_HEAD;
    answer->is_lost = length > UINT32_MAX;
    for (unsigned i = 0; i < 4; i++)
        answer->bytes[begin + 1 + i] = (uint8_t)(length >> 8 * i);
}

static void put_process(struct answer *answer, const hectic_process *process)
{
    const uint8_t flags = (uint8_t)(process->has_capset | process->has_pid << 1);
    uint8_t record[RECORD_HEAD + PROCESS_SIZE] = {'P', PROCESS_SIZE};
    record[RECORD_HEAD] = flags;
    field_store(record + RECORD_HEAD + 1, 4, process->capset);
    field_store(record + RECORD_HEAD + 5, 4, process->pid);
    put(answer, record, sizeof record);
}

bool answer_snapshot(hectic_view *v, struct json *json)
{
    const size_t slots = (size_t)view_value(v, "slots");
    (void)json;
    if (v->sections == 0) return view_fail(v, "nothing was read yet");
    put(&v->answer, magic, MAGIC);
    for (size_t i = 0; i < v->sections; i++) {
        const struct section *section = &v->section[i];
        put_section(&v->answer, section->timeline, slots);
        if (section->is_process) put_process(&v->answer, &section->process);
    }
    v->answer.is_bytes = true;
    return true;
}

/* --- Reading --------------------------------------------------------------------------------- */

bool snapshot_begins(const uint8_t *bytes, size_t size)
{
    return size >= MAGIC && memcmp(bytes, magic, MAGIC) == 0;
}

bool snapshot_take(hectic_view *v, const uint8_t *bytes, size_t size)
{
    if (!v->snapshot) v->snapshot = calloc(1, sizeof *v->snapshot);
    struct snapshot *s = v->snapshot;
    if (!s) return view_fail(v, "out of memory");
    if (v->sections > 0) return view_fail(v, "the snapshot has changed");
    if (size > SNAPSHOT_MAX - s->size) return view_fail(v, "the snapshot is too large");
    if (!array_reserve(s->bytes, s->capacity, s->size + size)) return view_fail(v, "out of memory");
    memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
    return true;
}

static bool load_section(hectic_view *v, const uint8_t *bytes, size_t size)
{
    if (v->sections == SECTIONS_MAX) return false;
    const struct section section = {.timeline = timeline_load(bytes, size)};
    if (section.timeline) v->section[v->sections++] = section;
    return section.timeline;
}

/* Of the last section. */
static bool load_process(hectic_view *v, const uint8_t *bytes, size_t size)
{
    if (v->sections == 0 || size != PROCESS_SIZE) return false;
    struct section *section = &v->section[v->sections - 1];
    section->is_process = true;
    section->process = (hectic_process){.has_capset = bytes[0] & 1,
                                        .capset = (uint32_t)field_load(bytes + 1, 4),
                                        .has_pid = bytes[0] >> 1 & 1,
                                        .pid = (uint32_t)field_load(bytes + 5, 4)};
    return true;
}

static bool load_answer(struct snapshot *s, const uint8_t *bytes, size_t size)
{
    const uint8_t *end = size > 1 ? memchr(bytes + 1, 0, size - 1) : NULL;
    if (!end || s->answers == SAVED_ANSWERS_MAX || bytes[0] >> SAVED_ERROR >= VIEW_ERRORS)
        return false;
    const char *request = (const char *)bytes + 1;
    if (!request_parse(&s->request, request)) return false;
    s->answer[s->answers++] =
        (struct saved){bytes[0], request, end + 1, size - (size_t)(end + 1 - bytes)};
    return true;
}

static bool load_record(hectic_view *v, uint8_t what, const uint8_t *bytes, size_t size)
{
    switch (what) {
    case 'S': return load_section(v, bytes, size);
    case 'P': return load_process(v, bytes, size);
    case 'A': return load_answer(v->snapshot, bytes, size);
    default: return false;
    }
}

bool snapshot_load(hectic_view *v)
{
    const struct snapshot *s = v->snapshot;
    size_t at = MAGIC;
    while (at < s->size) {
        size_t length = 0;
        if (s->size - at < RECORD_HEAD) break;
        for (unsigned i = 0; i < 4; i++)
            length |= (size_t)s->bytes[at + 1 + i] << 8 * i;
        const uint8_t what = s->bytes[at];
        at += RECORD_HEAD;
        if (length > s->size - at || !load_record(v, what, s->bytes + at, length)) break;
        at += length;
    }
    return (at == s->size && v->sections > 0) || view_fail(v, "the snapshot is damaged");
}

/* --- Answers --------------------------------------------------------------------------------- */

/* Keys that say of what, and how finely, not what. */
static bool is_extent(const char *key)
{
    static const char *const keys[] = {"section", "from", "to", "width", "bands", "points", "rows"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0) return true;
    return false;
}

/* Does `b` have all keys of `a`, with the same values? */
static bool has_keys(const struct request *a, const struct request *b)
{
    for (size_t i = 0; i < a->keys; i++) {
        const char *key = a->pair[i].key, *value = request_text(b, key);
        if (!is_extent(key) && (!value || strcmp(value, a->pair[i].value) != 0)) return false;
    }
    return true;
}

/* A picture of rows has all rows that the report holds. */
static bool answers_for(struct snapshot *s, const struct saved *saved, const struct request *asked)
{
    uint64_t wanted, section;
    return request_parse(&s->request, saved->request) &&
           strcmp(s->request.name, asked->name) == 0 &&
           request_number(asked, "section", 1, &wanted) &&
           request_number(&s->request, "section", 1, &section) && wanted == section &&
           has_keys(&s->request, asked) &&
           (saved->what & SAVED_FOR_PARTS || has_keys(asked, &s->request));
}

static const struct saved *find(hectic_view *v)
{
    struct snapshot *s = v->snapshot;
    for (size_t i = 0; i < s->answers; i++)
        if (answers_for(s, &s->answer[i], &v->request)) return &s->answer[i];
    return NULL;
}

/* Names the command that has it. */
static bool refuse(hectic_view *v, enum view_error error, const char *why)
{
    static const struct {
        const char *request, *verb;
    } verbs[] = {
        {"stat", "stat"},   {"threads", "threads"}, {"thread_list", "threads"}, {"gc", "gc"},
        {"spans", "spans"}, {"sparks", "sparks"},   {"latency", "threads"},     {"events", "show"},
        {"search", "show"}, {"search_all", "show"}, {"prof", "prof"},           {"heap", "heap"},
        {"ticky", "ticky"},
    };
    char message[sizeof v->message];
    const char *verb = NULL;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (v->kind && strcmp(verbs[i].request, v->kind->name) == 0) verb = verbs[i].verb;
    if (!verb) return view_refuse(v, error, why);
    snprintf(message, sizeof message, "%s: use hectic %s --from TIME --to TIME LOG", why, verb);
    return view_refuse(v, error, message);
}

bool answer_saved(hectic_view *v)
{
    uint64_t from, to, first, last;
    const struct section *section = view_section(v);
    if (!section || !view_interval(v, section, &from, &to)) return false;
    const struct saved *found = find(v);
    if (!found) return refuse(v, VIEW_NOT_HELD, "the report does not hold this");
    hectic_timeline_extent(section->timeline, &first, &last);
    if (!(found->what & SAVED_FOR_PARTS) && (from > first || to < last))
        return refuse(v, VIEW_NOT_HELD, "the report holds this of the whole run only");
    if (found->what & SAVED_FAILED) {
        char message[sizeof v->message] = {0};
        const size_t most = sizeof message - 1;
        memcpy(message, found->bytes, found->length < most ? found->length : most);
        const enum view_error error = found->what >> SAVED_ERROR;
        return error == VIEW_LEFT_OUT ? refuse(v, error, message) : view_refuse(v, error, message);
    }
    put(&v->answer, found->bytes, found->length);
    v->answer.is_bytes = found->what & SAVED_BYTES;
    return true;
}
