/* stack_messages.c — see stack_messages.h. Releases up to 0.2 write a stack innermost frame first;
 * later ones outermost first. */
#include "analysis/stack_messages.h"

#include "analysis/texts.h"
#include "base/map.h"
#include "format/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TAG_VERSION = 0xffc0,
    TAG_LAST = 0xffca, /* the last part of a stack */
    TAG_PART = 0xffcb,
    TAG_STRING = 0xffcc,
    TAG_LOCATION = 0xffcd,
};
enum { FRAME_INFO_TABLE = 1, FRAME_STRING, FRAME_LOCATION };
enum {
    DEFINITIONS_MAX = 1 << 18, /* strings, locations, and names, each */
    TEXTS_MAX = 32 << 20,      /* bytes */
    PENDING_MAX = 256,         /* stacks of which parts are missing */
    FRAMES_MAX = 1 << 20,      /* of all those */
};

/* Numbers of strings and locations are smaller than this; larger symbol numbers are our own. */
static const uint64_t NUMBERS_END = UINT64_C(1) << 63;
static const uint64_t NONE = UINT64_MAX;

/* How a release writes a stack. */
struct layout {
    size_t thread;   /* bytes of a thread number */
    size_t location; /* bytes of a frame with a source location, except its tag */
};
static const struct layout layouts[] = {{4, 16}, {8, 16}, {4, 8}};
enum {
    LAYOUTS = sizeof layouts / sizeof *layouts,
    LAYOUT_LAST = 1,  /* after release 0.4 */
    LAYOUT_FIRST = 2, /* up to release 0.2 */
};

struct string {
    map_key key;
    uint32_t text;
};

struct location {
    map_key key;
    uint64_t file, function; /* numbers of strings; NONE: no function */
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
    size_t layout; /* of the last message whose layout was certain */
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
        number == NONE ? NULL : map_find(&m->locations, key_of(number));
    if (location) meaning.place = text_of_place(m, location);
    if (string == NONE && location) string = location->function;
    if (string != NONE) meaning.text = text_of_string(m, string);
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
    const bool has_number = !name && location == NONE;
    const uint64_t number = has_number ? string : NUMBERS_END + m->own_numbers++;
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

static size_t characters_in(const uint8_t *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += (text[i] & 0xc0) != 0x80;
    return count;
}

static enum stack_message define_string(struct stack_messages *m, const uint8_t *at, size_t size)
{
    if (size < 10) return STACK_MESSAGE_MALFORMED;
    const uint64_t number = load64(at);
    const size_t length = load16(at + 8);
    at += 10, size -= 10;
    /* The length counts characters; bytes in releases after 0.4. */
    if (number >= NUMBERS_END || (length != size && length != characters_in(at, size)))
        return STACK_MESSAGE_MALFORMED;
    bool is_new;
    const uint32_t text = texts_add(&m->texts, at, size);
    struct string *string =
        text == TEXTS_NONE ? NULL : add_definition(m, &m->strings, number, &is_new);
    if (!string) return STACK_MESSAGE_MALFORMED;
    m->edition += !is_new && string->text != text;
    string->text = text;
    return STACK_MESSAGE_OTHER;
}

static enum stack_message define_location(struct stack_messages *m, const uint8_t *at, size_t size)
{
    const bool has_function = size == 32; /* up to release 0.2 */
    if (size != 24 && !has_function) return STACK_MESSAGE_MALFORMED;
    const uint64_t number = load64(at), function = has_function ? load64(at + 16) : NONE;
    const uint64_t file = load64(at + (has_function ? 24 : 16));
    const bool is_numbered = number < NUMBERS_END && file < NUMBERS_END;
    if (!is_numbered || (has_function && function >= NUMBERS_END)) return STACK_MESSAGE_MALFORMED;
    if (has_function || m->layout == LAYOUT_FIRST) m->layout = has_function ? LAYOUT_FIRST : 0;
    bool is_new;
    struct location *location = add_definition(m, &m->locations, number, &is_new);
    if (!location) return STACK_MESSAGE_MALFORMED;
    const uint32_t row = load32(at + 8), column = load32(at + 12);
    m->edition += !is_new && (location->row != row || location->column != column ||
                              location->file != file || location->function != function);
    location->row = row;
    location->column = column;
    location->file = file;
    location->function = function;
    return STACK_MESSAGE_OTHER;
}

/* --- Stacks ---------------------------------------------------------------------------------- */

/* Does a stack with that layout fill the payload exactly? Sets *is_certain if it has a frame that
 * distinguishes this layout from others. */
static bool fits(const struct layout *layout, const uint8_t *at, size_t size, bool *is_certain)
{
    const size_t head = 4 + layout->thread + 2;
    if (size < head) return false;
    const uint8_t *const end = at + size;
    size_t count = load16(at + 4 + layout->thread);
    *is_certain = layout->thread == 8;
    for (at += head; count > 0 && at < end; count--) {
        const uint8_t tag = *at;
        if (tag < FRAME_INFO_TABLE || tag > FRAME_LOCATION) return false;
        const size_t length = 1 + (tag == FRAME_LOCATION ? layout->location : 8);
        if (length > (size_t)(end - at)) return false;
        *is_certain |= tag == FRAME_LOCATION;
        at += length;
    }
    return count == 0 && at == end;
}

/* The layout of a stack; NULL: it is malformed. The last certain one is tried first. An empty stack
 * shows too little to change the layout. */
static const struct layout *layout_of(struct stack_messages *m, const uint8_t *at, size_t size)
{
    for (size_t i = 0; i < LAYOUTS; i++) {
        const size_t layout = (m->layout + i) % LAYOUTS;
        bool is_certain;
        if (i > 0 && size == 4 + layouts[layout].thread + 2) continue;
        if (!fits(&layouts[layout], at, size, &is_certain)) continue;
        if (is_certain) m->layout = layout;
        return &layouts[layout];
    }
    return NULL;
}

static uint32_t frame(struct stack_messages *m, const struct layout *layout, const uint8_t *at)
{
    const uint64_t number = load64(at + 1);
    if (*at == FRAME_INFO_TABLE)
        return hectic_symbols_index(m->symbols, HECTIC_SYMBOL_INFO_TABLE, number);
    const bool has_both = *at == FRAME_LOCATION && layout->location == 16;
    const uint64_t string = *at == FRAME_STRING || has_both ? number : NONE;
    const uint64_t location = has_both ? load64(at + 9) : string == NONE ? number : NONE;
    const bool is_numbered =
        (string == NONE || string < NUMBERS_END) && (location == NONE || location < NUMBERS_END);
    return is_numbered ? symbol_of(m, string, location) : HECTIC_NO_SYMBOL;
}

static bool grow(struct pending *p, size_t more)
{
    if (p->count + more <= p->capacity) return true;
    const size_t capacity = 2 * (p->count + more);
    uint32_t *grown = realloc(p->symbol, capacity * sizeof *grown);
    if (!grown) return false;
    p->symbol = grown;
    p->capacity = capacity;
    return true;
}

static bool add_frames(struct stack_messages *m, struct pending *p, const struct layout *layout,
                       const uint8_t *at, const uint8_t *end)
{
    const size_t count = load16(at - 2);
    if (!grow(p, count)) return false;
    for (; at < end; at += 1 + (*at == FRAME_LOCATION ? layout->location : 8))
        p->symbol[p->count++] = frame(m, layout, at);
    return true;
}

static void remove_pending(struct stack_messages *m, struct pending *p)
{
    m->frames -= p->count;
    free(p->symbol);
    *p = m->pending[--m->pending_count];
}

static struct pending *find_pending(struct stack_messages *m, uint16_t event_cap, uint32_t cap,
                                    uint64_t thread)
{
    for (size_t i = 0; i < m->pending_count; i++) {
        struct pending *p = &m->pending[i];
        if (p->event_cap == event_cap && p->cap == cap && p->thread == thread) return p;
    }
    return NULL;
}

/* The node of a whole stack. UINT32_MAX: out of memory. */
static uint32_t node_of(struct stack_messages *m, const struct pending *p)
{
    const bool is_innermost_first = m->layout == LAYOUT_FIRST;
    uint32_t node = HECTIC_STACKS_ROOT;
    for (size_t i = 0; i < p->count && node != UINT32_MAX && node != HECTIC_STACKS_OTHERS; i++)
        node = hectic_stacks_child(m->stacks, node,
                                   p->symbol[is_innermost_first ? p->count - 1 - i : i]);
    return node;
}

static enum stack_message take_part(struct stack_messages *m, struct pending *p,
                                    const struct pending *of, const struct layout *layout,
                                    const uint8_t *frames, const uint8_t *end)
{
    const size_t count = load16(frames - 2);
    if ((!p && m->pending_count == PENDING_MAX) || m->frames + count > FRAMES_MAX) {
        if (p) remove_pending(m, p);
        m->incomplete++;
        return STACK_MESSAGE_OTHER;
    }
    if (!p) {
        p = &m->pending[m->pending_count++];
        *p = (struct pending){.thread = of->thread, .cap = of->cap, .event_cap = of->event_cap};
    }
    if (!add_frames(m, p, layout, frames, end)) return STACK_MESSAGE_NO_MEMORY;
    m->frames += count;
    return STACK_MESSAGE_OTHER;
}

static enum stack_message take_stack(struct stack_messages *m, bool is_last, uint16_t event_cap,
                                     const uint8_t *at, size_t size, struct call_stack *stack)
{
    const struct layout *layout = layout_of(m, at, size);
    if (!layout) return STACK_MESSAGE_MALFORMED;
    const uint8_t *const frames = at + 4 + layout->thread + 2, *const end = at + size;
    struct pending *whole = &m->whole;
    whole->cap = load32(at);
    whole->thread = layout->thread == 8 ? load64(at + 4) : load32(at + 4);
    whole->event_cap = event_cap;
    whole->count = 0;
    struct pending *p = find_pending(m, event_cap, whole->cap, whole->thread);
    if (!is_last) return take_part(m, p, whole, layout, frames, end);
    *stack = (struct call_stack){whole->cap, whole->thread, UINT32_MAX};
    if (p) {
        const size_t before = p->count;
        if (!add_frames(m, p, layout, frames, end)) return STACK_MESSAGE_NO_MEMORY;
        m->frames += p->count - before;
        stack->node = node_of(m, p);
        remove_pending(m, p);
    } else {
        if (!add_frames(m, whole, layout, frames, end)) return STACK_MESSAGE_NO_MEMORY;
        stack->node = node_of(m, whole);
    }
    return stack->node == UINT32_MAX ? STACK_MESSAGE_NO_MEMORY : STACK_MESSAGE_STACK;
}

enum stack_message stack_messages_event(struct stack_messages *m, const hectic_event *event,
                                        struct call_stack *stack)
{
    if (event->size < 2) return STACK_MESSAGE_OTHER;
    const uint8_t *at = event->payload + 2;
    const size_t size = event->size - 2u;
    const uint16_t tag = load16(event->payload);
    switch (tag) {
    case TAG_VERSION: m->layout = LAYOUT_LAST; return STACK_MESSAGE_OTHER;
    case TAG_LAST:
    case TAG_PART: return take_stack(m, tag == TAG_LAST, event->cap, at, size, stack);
    case TAG_STRING: return define_string(m, at, size);
    case TAG_LOCATION: return define_location(m, at, size);
    default: return STACK_MESSAGE_OTHER;
    }
}

uint64_t stack_messages_incomplete(const struct stack_messages *m)
{
    return m->incomplete + m->pending_count;
}
