/* startup.c — the request startup: how the program was started. */
#include "view/engine/job.h"

#include <hectic/read_events.h>

#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 20 /* bytes of all arguments, and of the environment */ };

/* NUL-terminated texts. */
struct texts_list {
    char *bytes;
    size_t size;
};

struct startup {
    struct texts_list arguments, environment;
};

static void free_startup(void *state)
{
    struct startup *s = state;
    free(s->arguments.bytes);
    free(s->environment.bytes);
    free(s);
}

static void *begin(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    struct startup *s = calloc(1, sizeof *s);
    (void)section;
    if (!s) return view_fail(v, "out of memory"), NULL;
    plan->has_types = true;
    type_set_add(&plan->types, HECTIC_EVENT_PROGRAM_ARGS);
    type_set_add(&plan->types, HECTIC_EVENT_PROGRAM_ENV);
    return s;
}

/* The first such event: of the first process, if there are several. */
static bool take(void *state, const hectic_event *event)
{
    hectic_text text;
    struct startup *s = state;
    struct texts_list *list =
        event->type == HECTIC_EVENT_PROGRAM_ARGS ? &s->arguments : &s->environment;
    if (list->bytes || !hectic_read_text(event, &text) || text.length == 0) return true;
    const size_t size = text.length < TEXT_MAX ? text.length : TEXT_MAX;
    list->bytes = malloc(size + 1);
    if (!list->bytes) return false;
    memcpy(list->bytes, text.bytes, size);
    list->bytes[size] = 0;
    list->size = size;
    return true;
}

static void put_list(struct json *json, const char *key, const struct texts_list *list)
{
    json_open(json, key, '[');
    for (size_t at = 0; at < list->size; at += strlen(list->bytes + at) + 1)
        json_text(json, NULL, list->bytes + at);
    json_close(json, ']');
}

static bool put(void *state, hectic_view *v, struct json *json)
{
    const struct startup *s = state;
    (void)v;
    put_list(json, "arguments", &s->arguments);
    put_list(json, "environment", &s->environment);
    return true;
}

bool answer_startup(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {
        .begin = begin, .take = take, .put = put, .free = free_startup};
    return answer_job(v, json, &kind);
}
