/* titles.c — see titles.h. */
#include "timeline/titles.h"

#include "render/text.h"
#include <hectic/catalogue.h>
#include <hectic/read_events.h>

/* A page may have the label of a thread in thousands of places. */
enum { BYTES_MAX = 1 << 23, LABELS_MAX = 1 << 18, LABEL_MAX = 255 };

void titles_clear(struct titles *n)
{
    texts_clear(&n->texts);
    map_clear(&n->label);
    *n = (struct titles){0};
}

/* What exceeds the limits has no label. */
static bool take_label(struct titles *n, uint32_t thread, const uint8_t *text, size_t size)
{
    const uint32_t number = texts_add(&n->texts, text, text_cut(text, size, LABEL_MAX));
    if (number == TEXTS_NONE) return !n->texts.no_memory;
    const bool is_left_out = n->label.count >= LABELS_MAX && !map_value_of(&n->label, thread);
    return is_left_out || map_set_value(&n->label, thread, number + UINT64_C(1));
}

static void take_capset(struct titles *n, uint32_t capset, uint16_t type)
{
    enum { OS_PROCESS = 2 };
    if (type != OS_PROCESS) return;
    n->has_several = n->has_several || (n->has_process && capset != n->process);
    n->has_process = true;
    n->process = capset;
}

bool titles_name(struct titles *n, uint16_t type, uint32_t id, const uint8_t *text, size_t size)
{
    n->texts.limit = BYTES_MAX;
    if (type == HECTIC_EVENT_THREAD_LABEL) return take_label(n, id, text, size);
    uint32_t *name = type == HECTIC_EVENT_PROGRAM_ARGS ? &n->program : &n->runtime;
    if (*name == 0) *name = texts_add(&n->texts, text, size) + 1; /* up to a NUL */
    return !n->texts.no_memory;
}

bool titles_take(struct titles *n, uint16_t type, const uint8_t *payload, size_t size)
{
    const hectic_event event = {.payload = payload, .size = (uint16_t)size};
    hectic_event_capset_create capset;
    uint32_t id;
    hectic_text text;
    if (type == HECTIC_EVENT_CAPSET_CREATE) {
        if (hectic_read_capset_create(&event, &capset))
            take_capset(n, capset.capset, capset.capset_type);
        return true;
    }
    if (!hectic_read_thread(&event, &id) || !hectic_read_text(&event, &text)) return true;
    return titles_name(n, type, id, text.bytes, text.length);
}

const char *titles_label(const struct titles *n, uint32_t thread)
{
    const uint64_t place = map_value_of(&n->label, thread);
    return place ? n->texts.bytes + place - 1 : NULL;
}

static const char *text_of(const struct titles *n, uint32_t number)
{
    return number ? n->texts.bytes + number - 1 : NULL;
}

const char *titles_program(const struct titles *n)
{
    return text_of(n, n->program);
}

const char *titles_runtime(const struct titles *n)
{
    return text_of(n, n->runtime);
}
