/* titles.c — see titles.h. */
#include "timeline/titles.h"

#include "format/wire.h"

#include <hectic/catalogue.h>

enum { BYTES_MAX = 1 << 23, LABELS_MAX = 1 << 18 };

void titles_clear(struct titles *n)
{
    texts_clear(&n->texts);
    map_clear(&n->label);
    *n = (struct titles){0};
}

/* What exceeds the limits has no label. */
static bool take_label(struct titles *n, uint32_t thread, const uint8_t *text, size_t size)
{
    const uint32_t number = texts_add(&n->texts, text, size);
    if (number == TEXTS_NONE) return !n->texts.no_memory;
    const bool is_left_out = n->label.count >= LABELS_MAX && !ids_find(&n->label, thread);
    return is_left_out || ids_set(&n->label, thread, number);
}

static void take_capset(struct titles *n, uint32_t capset, uint16_t type)
{
    enum { OS_PROCESS = 2 };
    if (type != OS_PROCESS) return;
    n->has_several = n->has_several || (n->has_process && capset != n->process);
    n->has_process = true;
    n->process = capset;
}

bool titles_take(struct titles *n, uint16_t type, const uint8_t *payload, size_t size)
{
    n->texts.limit = BYTES_MAX;
    if (type == HECTIC_EVENT_CAPSET_CREATE) {
        take_capset(n, load32(payload), load16(payload + 4));
        return true;
    }
    if (type == HECTIC_EVENT_THREAD_LABEL)
        return take_label(n, load32(payload), payload + 4, size - 4);
    uint32_t *name = type == HECTIC_EVENT_PROGRAM_ARGS ? &n->program : &n->runtime;
    if (*name == 0) *name = texts_add(&n->texts, payload + 4, size - 4) + 1; /* up to a NUL */
    return !n->texts.no_memory;
}

const char *titles_label(const struct titles *n, uint32_t thread)
{
    const uint32_t place = ids_place(&n->label, thread);
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
