/* symbols.c — see symbols.h. */
#include "profiles/symbols.h"
#include <hectic/read_events.h>

#include "base/map.h"
#include "base/texts.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    uint64_t number;
    uint32_t name, module, location, closure, type; /* texts */
    uint8_t kind;
    bool is_defined, is_caf;
};

struct place {
    map_key key;
    uint32_t index;
};

struct hectic_symbols {
    size_t limit; /* bytes */
    struct texts texts;
    struct entry *entry;
    uint32_t count, capacity;
    map places;
    uint64_t omitted;
    bool no_memory; /* for a symbol */
};

static const size_t DEFAULT_LIMIT = (size_t)128 << 20;

hectic_symbols *hectic_symbols_new(size_t limit)
{
    hectic_symbols *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->limit = limit ? limit : DEFAULT_LIMIT;
    s->texts.limit = s->limit / 2 < UINT32_MAX - 1 ? s->limit / 2 : UINT32_MAX - 2;
    s->places = (map){.entry_size = sizeof(struct place), .unsorted = true};
    return s;
}

void hectic_symbols_free(hectic_symbols *s)
{
    if (!s) return;
    texts_clear(&s->texts);
    map_clear(&s->places);
    free(s->entry);
    free(s);
}

/* --- Symbols --------------------------------------------------------------------------------- */

static uint32_t no_memory(hectic_symbols *s)
{
    s->no_memory = true;
    s->omitted++;
    return HECTIC_NO_SYMBOL;
}

static uint32_t add(hectic_symbols *s, hectic_symbol_kind kind, uint64_t number, map_key key)
{
    if (s->count == s->capacity) {
        const uint32_t capacity = s->capacity ? 2 * s->capacity : 64;
        const size_t memory = capacity * sizeof *s->entry + map_memory(&s->places);
        if (memory > s->limit / 2) return s->omitted++, HECTIC_NO_SYMBOL;
        struct entry *grown = realloc(s->entry, capacity * sizeof *grown);
        if (!grown) return no_memory(s);
        s->entry = grown;
        s->capacity = capacity;
    }
    struct place *place = map_add(&s->places, key);
    if (!place) return no_memory(s);
    place->index = s->count;
    s->entry[s->count] = (struct entry){
        .number = number,
        .name = TEXTS_NONE,
        .module = TEXTS_NONE,
        .location = TEXTS_NONE,
        .closure = TEXTS_NONE,
        .type = TEXTS_NONE,
        .kind = (uint8_t)kind,
    };
    return s->count++;
}

uint32_t hectic_symbols_index(hectic_symbols *s, hectic_symbol_kind kind, uint64_t number)
{
    const map_key key = {number, 1 + (uint64_t)kind};
    const struct place *place = map_find(&s->places, key);
    return place ? place->index : add(s, kind, number, key);
}

uint32_t hectic_symbols_label(hectic_symbols *s, const void *text, size_t length)
{
    const uint32_t name = texts_add(&s->texts, text, length);
    if (name == TEXTS_NONE) return s->omitted++, HECTIC_NO_SYMBOL;
    const uint32_t index = hectic_symbols_index(s, HECTIC_SYMBOL_LABEL, name);
    if (index == HECTIC_NO_SYMBOL) return index;
    s->entry[index].name = name;
    s->entry[index].is_defined = true;
    return index;
}

/* --- Definitions ----------------------------------------------------------------------------- */

/* False: the text is left out. */
static bool set_text(hectic_symbols *s, uint32_t *to, const void *text, size_t length)
{
    *to = TEXTS_NONE;
    if (!text) return true;
    *to = texts_add(&s->texts, text, length);
    s->omitted += *to == TEXTS_NONE;
    return *to != TEXTS_NONE;
}

bool hectic_symbols_define(hectic_symbols *s, uint32_t index, const char *name, const char *module,
                           const char *location)
{
    if (index >= s->count) return false;
    struct entry *entry = &s->entry[index];
    entry->is_defined = set_text(s, &entry->name, name, strlen(name));
    const bool has_module = set_text(s, &entry->module, module, module ? strlen(module) : 0);
    const bool has_location =
        set_text(s, &entry->location, location, location ? strlen(location) : 0);
    return entry->is_defined && has_module && has_location;
}

static void define_cost_centre(hectic_symbols *s, const hectic_event_heap_prof_cost_centre *p)
{
    const uint32_t index = hectic_symbols_index(s, HECTIC_SYMBOL_COST_CENTRE, p->cost_centre);
    if (index == HECTIC_NO_SYMBOL) return;
    struct entry *entry = &s->entry[index];
    set_text(s, &entry->name, p->label.bytes, p->label.length);
    set_text(s, &entry->module, p->module.bytes, p->module.length);
    set_text(s, &entry->location, p->location.bytes, p->location.length);
    entry->is_defined = entry->name != TEXTS_NONE;
    entry->is_caf = p->flags & 1;
}

/* An empty text is an unknown one. */
static void set_known(hectic_symbols *s, uint32_t *to, hectic_text text)
{
    set_text(s, to, text.length > 0 ? text.bytes : NULL, text.length);
}

static void define_info_table(hectic_symbols *s, const hectic_event_ipe *p)
{
    const uint32_t index = hectic_symbols_index(s, HECTIC_SYMBOL_INFO_TABLE, p->info);
    if (index == HECTIC_NO_SYMBOL) return;
    struct entry *entry = &s->entry[index];
    uint32_t table_name;
    set_known(s, &table_name, p->table_name);
    set_known(s, &entry->closure, p->closure_description);
    set_known(s, &entry->type, p->type_description);
    set_known(s, &entry->name, p->label);
    set_known(s, &entry->module, p->module);
    set_known(s, &entry->location, p->location);
    if (entry->name == TEXTS_NONE) entry->name = table_name;
    entry->is_defined = true;
}

bool hectic_symbols_event(hectic_symbols *s, const hectic_event *event)
{
    hectic_event_heap_prof_cost_centre cost_centre;
    hectic_event_ipe info_table;
    if (event->type == HECTIC_EVENT_HEAP_PROF_COST_CENTRE &&
        hectic_read_heap_prof_cost_centre(event, &cost_centre))
        define_cost_centre(s, &cost_centre);
    else if (event->type == HECTIC_EVENT_IPE && hectic_read_ipe(event, &info_table))
        define_info_table(s, &info_table);
    return !s->no_memory && !s->texts.no_memory;
}

/* --- Answers --------------------------------------------------------------------------------- */

uint32_t hectic_symbols_count(const hectic_symbols *s)
{
    return s->count;
}

hectic_symbol hectic_symbols_get(const hectic_symbols *s, uint32_t index)
{
    static const struct entry none = {0,          TEXTS_NONE, TEXTS_NONE,          TEXTS_NONE,
                                      TEXTS_NONE, TEXTS_NONE, HECTIC_SYMBOL_LABEL, false,
                                      false};
    const struct entry *entry = index < s->count ? &s->entry[index] : &none;
    return (hectic_symbol){
        .kind = entry->kind,
        .number = entry->number,
        .name = texts_get(&s->texts, entry->name),
        .module = texts_get(&s->texts, entry->module),
        .location = texts_get(&s->texts, entry->location),
        .closure = texts_get(&s->texts, entry->closure),
        .type = texts_get(&s->texts, entry->type),
        .is_defined = entry->is_defined,
        .is_caf = entry->is_caf,
    };
}

const char *hectic_symbol_text(const hectic_symbol *symbol, char *text, size_t size)
{
    static const char *const kinds[] = {
        [HECTIC_SYMBOL_COST_CENTRE] = "cost centre",
        [HECTIC_SYMBOL_LABEL] = "label",
        [HECTIC_SYMBOL_MESSAGE] = "string",
    };
    const int most = size < INT_MAX ? (int)size : INT_MAX; /* what exceeds it is not read */
    if (symbol->name && symbol->is_caf && symbol->module)
        snprintf(text, size, "%.*s.%.*s", most, symbol->module, most, symbol->name);
    else if (symbol->name)
        snprintf(text, size, "%.*s", most, symbol->name);
    else if (symbol->kind == HECTIC_SYMBOL_INFO_TABLE && symbol->closure)
        snprintf(text, size, "%.*s", most, symbol->closure);
    else if (symbol->kind == HECTIC_SYMBOL_INFO_TABLE)
        snprintf(text, size, "0x%" PRIx64, symbol->number);
    else
        snprintf(text, size, "%s %" PRIu64, kinds[symbol->kind], symbol->number);
    return text;
}

uint64_t hectic_symbols_omitted(const hectic_symbols *s)
{
    return s->omitted;
}
