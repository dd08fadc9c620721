/* stack_messages.c — see stack_messages.h. */
#include "profiles/stack_messages.h"

#include "base/array.h"
#include "base/map.h"
#include "base/texts.h"
#include "format/stack_wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFINITIONS_MAX = 1 << 18, /* strings, locations, and names, each */
    TEXTS_MAX = 32 << 20,      /* bytes */
    PENDING_MAX = 256,         /* stacks of which parts are missing */
    FRAMES_MAX = 1 << 20,      /* of all those */
};

struct string {
    map_key key;
    uint32_t text;
};

struct location {
    map_key key;
    uint64_t file, function; /* numbers of strings; STACK_WIRE_NONE: no function */
    uint32_t row, column;
};

/* What a frame is called: a string, a location, or both. */
struct name {
    map_key key;
    uint32_t symbol;
    uint32_t text;  /* of the string, or TEXTS_NONE */
    uint32_t place; /* the text of the location, or TEXTS_NONE */
    uint64_t edition;
};

struct pending {
    uint64_t thread;
    uint32_t cap;
    uint16_t event_cap;
    uint32_t *symbol; /* frames in the order of the log */
    size_t count, capacity;
};

struct stack_messages {
    hectic_symbols *symbols;
    hectic_stacks *stacks;
    struct texts texts;
    map strings, locations, names;
    uint64_t edition; /* number of definitions that have replaced another */
    uint64_t own_numbers;
    bool is_dirty; /* definitions have come since names were resolved */
    stack_wire_layout layout;
    struct pending pending[PENDING_MAX];
    size_t pending_count, frames;
    struct pending whole; /* the stack of the current message */
    uint64_t incomplete;
};

struct stack_messages *stack_messages_new(hectic_symbols *symbols, hectic_stacks *stacks)
{
    struct stack_messages *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->symbols = symbols;
    m->stacks = stacks;
    m->texts.limit = TEXTS_MAX;
    m->strings = (map){.entry_size = sizeof(struct string), .unsorted = true};
    m->locations = (map){.entry_size = sizeof(struct location), .unsorted = true};
    m->names = (map){.entry_size = sizeof(struct name), .unsorted = true};
    return m;
}

void stack_messages_free(struct stack_messages *m)
{
    if (!m) return;
    texts_clear(&m->texts);
    map_clear(&m->strings);
    map_clear(&m->locations);
    map_clear(&m->names);
    for (size_t i = 0; i < m->pending_count; i++)
        free(m->pending[i].symbol);
    free(m->whole.symbol);
    free(m);
}

/* --- Names ----------------------------------------------------------------------------------- */

static map_key key_of(uint64_t number)
{
    return (map_key){number, 1};
}

static uint32_t text_of_string(const struct stack_messages *m, uint64_t number)
{
    const struct string *string = map_find(&m->strings, key_of(number));
    return string ? string->text : TEXTS_NONE;
}

/* "Main.hs:12:3". Longer names of files are truncated, since a short frame names one. */
static uint32_t text_of_place(struct stack_messages *m, const struct location *location)
{
    enum { FILE_MAX = 1024 };
    char text[FILE_MAX + 32];
    const uint32_t file = text_of_string(m, location->file);
    if (file == TEXTS_NONE) return TEXTS_NONE;
    const int length = snprintf(text, sizeof text, "%.*s:%" PRIu32 ":%" PRIu32, FILE_MAX,
                                texts_get(&m->texts, file), location->row, location->column);
    return texts_add(&m->texts, text, (size_t)length);
}

struct meaning {
    uint32_t text, place;
};

/* What the definitions so far say about a name. */
static struct meaning meaning_of(struct stack_messages *m, uint64_t string, uint64_t number)
{
    struct meaning meaning = {TEXTS_NONE, TEXTS_NONE};
    const struct location *location =
        number == STACK_WIRE_NONE ? NULL : map_find(&m->locations, key_of(number));
    if (location) meaning.place = text_of_place(m, location);
    if (string == STACK_WIRE_NONE && location) string = location->function;
    if (string != STACK_WIRE_NONE) meaning.text = text_of_string(m, string);
    return meaning;
}

/* The string and the location of a name's key. */
static map_key name_key(uint64_t string, uint64_t location)
{
    return (map_key){string + 1, location + 1};
}

static void define(struct stack_messages *m, struct name *name, struct meaning meaning)
{
    name->text = meaning.text;
    name->place = meaning.place;
    name->edition = m->edition;
    if (name->text != TEXTS_NONE)
        hectic_symbols_define(m->symbols, name->symbol, texts_get(&m->texts, name->text), NULL,
                              texts_get(&m->texts, name->place));
}

static bool is_resolved(const struct name *name)
{
    return name->text != TEXTS_NONE && (name->key.b == 0 || name->place != TEXTS_NONE);
}

/* The symbol of a frame. HECTIC_NO_SYMBOL: a limit is reached. */
static uint32_t symbol_of(struct stack_messages *m, uint64_t string, uint64_t location)
{
    const map_key key = name_key(string, location);
    struct name *name = map_find(&m->names, key);
    if (name && (name->edition == m->edition || !is_resolved(name))) return name->symbol;
    const struct meaning meaning = meaning_of(m, string, location);
    if (name && meaning.text == name->text && meaning.place == name->place)
        return name->edition = m->edition, name->symbol;
    if (!name && m->names.count >= DEFINITIONS_MAX) return HECTIC_NO_SYMBOL;
    const bool has_number = !name && location == STACK_WIRE_NONE;
    const uint64_t number = has_number ? string : STACK_WIRE_NUMBERS_END + m->own_numbers++;
    if (!name) name = map_add(&m->names, key);
    if (!name) return HECTIC_NO_SYMBOL;
    name->symbol = hectic_symbols_index(m->symbols, HECTIC_SYMBOL_MESSAGE, number);
    define(m, name, meaning);
    return name->symbol;
}

void stack_messages_resolve(struct stack_messages *m)
{
    if (!m->is_dirty) return;
    m->is_dirty = false;
    for (struct name *name = NULL; (name = map_next(&m->names, name));)
        if (!is_resolved(name)) define(m, name, meaning_of(m, name->key.a - 1, name->key.b - 1));
}

/* --- Definitions ----------------------------------------------------------------------------- */

/* Adds an entry to a map of definitions; NULL: there are too many. */
static void *add_definition(struct stack_messages *m, map *definitions, uint64_t number,
                            bool *is_new)
{
    void *entry = map_find(definitions, key_of(number));
    *is_new = !entry;
    m->is_dirty = true;
    if (entry || definitions->count >= DEFINITIONS_MAX) return entry;
    return map_add(definitions, key_of(number));
}

static enum stack_message define_string(struct stack_messages *m, const struct stack_wire *wire)
{
    bool is_new;
    const uint32_t text = texts_add(&m->texts, wire->text, wire->length);
    struct string *string =
        text == TEXTS_NONE ? NULL : add_definition(m, &m->strings, wire->number, &is_new);
    if (!string) return STACK_MESSAGE_MALFORMED;
    m->edition += !is_new && string->text != text;
    string->text = text;
    return STACK_MESSAGE_OTHER;
}

static enum stack_message define_location(struct stack_messages *m, const struct stack_wire *wire)
{
    bool is_new;
    struct location *location = add_definition(m, &m->locations, wire->number, &is_new);
    if (!location) return STACK_MESSAGE_MALFORMED;
    m->edition += !is_new && (location->row != wire->row || location->column != wire->column ||
                              location->file != wire->file || location->function != wire->function);
    location->row = wire->row;
    location->column = wire->column;
    location->file = wire->file;
    location->function = wire->function;
    return STACK_MESSAGE_OTHER;
}

/* --- Stacks ---------------------------------------------------------------------------------- */

static uint32_t symbol_of_frame(struct stack_messages *m, const struct stack_wire_frame *frame)
{
    if (frame->is_info_table)
        return hectic_symbols_index(m->symbols, HECTIC_SYMBOL_INFO_TABLE, frame->info_table);
    return frame->has_numbers ? symbol_of(m, frame->string, frame->location) : HECTIC_NO_SYMBOL;
}

static bool add_frames(struct stack_messages *m, struct pending *p, struct stack_wire *wire)
{
    if (!array_reserve(p->symbol, p->capacity, p->count + wire->frames)) return false;
    for (size_t i = 0; i < wire->frames; i++) {
        const struct stack_wire_frame frame = stack_wire_next(wire);
        p->symbol[p->count++] = symbol_of_frame(m, &frame);
    }
    return true;
}

static void remove_pending(struct stack_messages *m, struct pending *p)
{
    m->frames -= p->count;
    free(p->symbol);
    *p = m->pending[--m->pending_count];
}

static struct pending *find_pending(struct stack_messages *m, uint16_t event_cap,
                                    const struct stack_wire *wire)
{
    for (size_t i = 0; i < m->pending_count; i++) {
        struct pending *p = &m->pending[i];
        if (p->event_cap == event_cap && p->cap == wire->cap && p->thread == wire->thread) return p;
    }
    return NULL;
}

/* The node of a whole stack. UINT32_MAX: out of memory. */
static uint32_t node_of(struct stack_messages *m, const struct pending *p)
{
    const bool is_innermost_first = stack_wire_is_innermost_first(m->layout);
    uint32_t node = HECTIC_STACKS_ROOT;
    for (size_t i = 0; i < p->count && node != UINT32_MAX && node != HECTIC_STACKS_OTHERS; i++)
        node = hectic_stacks_child(m->stacks, node,
                                   p->symbol[is_innermost_first ? p->count - 1 - i : i]);
    return node;
}

static enum stack_message take_part(struct stack_messages *m, uint16_t event_cap,
                                    struct stack_wire *wire)
{
    struct pending *p = find_pending(m, event_cap, wire);
    if ((!p && m->pending_count == PENDING_MAX) || m->frames + wire->frames > FRAMES_MAX) {
        if (p) remove_pending(m, p);
        m->incomplete++;
        return STACK_MESSAGE_OTHER;
    }
    if (!p) {
        p = &m->pending[m->pending_count++];
        *p = (struct pending){.thread = wire->thread, .cap = wire->cap, .event_cap = event_cap};
    }
    if (!add_frames(m, p, wire)) return STACK_MESSAGE_NO_MEMORY;
    m->frames += wire->frames;
    return STACK_MESSAGE_OTHER;
}

static enum stack_message take_last(struct stack_messages *m, uint16_t event_cap,
                                    struct stack_wire *wire, struct call_stack *stack)
{
    struct pending *p = find_pending(m, event_cap, wire), *whole = p ? p : &m->whole;
    if (!p) whole->count = 0;
    if (!add_frames(m, whole, wire)) return STACK_MESSAGE_NO_MEMORY;
    *stack = (struct call_stack){wire->cap, wire->thread, node_of(m, whole)};
    if (p) {
        m->frames += wire->frames;
        remove_pending(m, p);
    }
    return stack->node == UINT32_MAX ? STACK_MESSAGE_NO_MEMORY : STACK_MESSAGE_STACK;
}

enum stack_message stack_messages_event(struct stack_messages *m, const hectic_event *event,
                                        struct call_stack *stack)
{
    struct stack_wire wire;
    switch (stack_wire_read(event, &m->layout, &wire)) {
    case STACK_WIRE_STRING: return define_string(m, &wire);
    case STACK_WIRE_LOCATION: return define_location(m, &wire);
    case STACK_WIRE_PART: return take_part(m, event->cap, &wire);
    case STACK_WIRE_LAST: return take_last(m, event->cap, &wire, stack);
    case STACK_WIRE_MALFORMED: return STACK_MESSAGE_MALFORMED;
    default: return STACK_MESSAGE_OTHER;
    }
}

uint64_t stack_messages_incomplete(const struct stack_messages *m)
{
    return m->incomplete + m->pending_count;
}
