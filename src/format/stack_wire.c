/* stack_wire.c — see stack_wire.h. */
#include "format/stack_wire.h"

#include "format/event_bytes.h"

enum {
    TAG_VERSION = 0xffc0,
    TAG_LAST = 0xffca,
    TAG_PART = 0xffcb,
    TAG_STRING = 0xffcc,
    TAG_LOCATION = 0xffcd,
};
enum { FRAME_INFO_TABLE = 1, FRAME_STRING, FRAME_LOCATION };

/* How a release writes a stack. */
static const struct layout {
    size_t thread;   /* bytes of a thread number */
    size_t location; /* bytes of a frame with a source location, except its tag */
} layouts[] = {{4, 16}, {8, 16}, {4, 8}};
enum {
    LAYOUTS = sizeof layouts / sizeof *layouts,
    LAYOUT_LAST = 1,  /* after release 0.4 */
    LAYOUT_FIRST = 2, /* up to release 0.2 */
};

static size_t characters_in(const uint8_t *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += (text[i] & 0xc0) != 0x80;
    return count;
}

static enum stack_wire_kind read_string(const uint8_t *at, size_t size, struct stack_wire *wire)
{
    if (size < 10) return STACK_WIRE_MALFORMED;
    const size_t length = load16(at + 8);
    *wire = (struct stack_wire){.number = load64(at), .text = at + 10, .length = size - 10};
    /* The length counts characters; bytes in releases after 0.4. */
    return wire->number < STACK_WIRE_NUMBERS_END &&
                   (length == wire->length || length == characters_in(wire->text, wire->length))
               ? STACK_WIRE_STRING
               : STACK_WIRE_MALFORMED;
}

static enum stack_wire_kind read_location(const uint8_t *at, size_t size, stack_wire_layout *layout,
                                          struct stack_wire *wire)
{
    const bool has_function = size == 32; /* up to release 0.2 */
    if (size != 24 && !has_function) return STACK_WIRE_MALFORMED;
    *wire = (struct stack_wire){.number = load64(at),
                                .row = load32(at + 8),
                                .column = load32(at + 12),
                                .function = has_function ? load64(at + 16) : STACK_WIRE_NONE,
                                .file = load64(at + (has_function ? 24 : 16))};
    const bool is_numbered =
        wire->number < STACK_WIRE_NUMBERS_END && wire->file < STACK_WIRE_NUMBERS_END;
    if (!is_numbered || (has_function && wire->function >= STACK_WIRE_NUMBERS_END))
        return STACK_WIRE_MALFORMED;
    if (has_function || *layout == LAYOUT_FIRST) *layout = has_function ? LAYOUT_FIRST : 0;
    return STACK_WIRE_LOCATION;
}

/* The cap, the thread and the number of frames. */
static size_t head_size(stack_wire_layout layout)
{
    return 4 + layouts[layout].thread + 2;
}

static size_t frame_size(stack_wire_layout layout, const uint8_t *frame)
{
    return 1 + (*frame == FRAME_LOCATION ? layouts[layout].location : 8);
}

/* Does a stack with that layout fill the payload exactly? Sets *is_certain if it has a frame that
 * distinguishes this layout from others. */
static bool fits(stack_wire_layout layout, const uint8_t *at, size_t size, bool *is_certain)
{
    const size_t head = head_size(layout);
    if (size < head) return false;
    const uint8_t *const end = at + size;
    size_t count = load16(at + head - 2);
    *is_certain = layouts[layout].thread == 8;
    for (at += head; count > 0 && at < end; count--) {
        if (*at < FRAME_INFO_TABLE || *at > FRAME_LOCATION) return false;
        const size_t length = frame_size(layout, at);
        if (length > (size_t)(end - at)) return false;
        *is_certain |= *at == FRAME_LOCATION;
        at += length;
    }
    return count == 0 && at == end;
}

/* The layout of a stack; LAYOUTS: it is malformed. The last certain one is tried first. An empty
 * stack shows too little to change the layout. */
static stack_wire_layout layout_of(stack_wire_layout *last, const uint8_t *at, size_t size)
{
    for (size_t i = 0; i < LAYOUTS; i++) {
        const stack_wire_layout layout = (*last + i) % LAYOUTS;
        bool is_certain;
        if (i > 0 && size == head_size(layout)) continue;
        if (!fits(layout, at, size, &is_certain)) continue;
        if (is_certain) *last = layout;
        return layout;
    }
    return LAYOUTS;
}

static enum stack_wire_kind read_stack(enum stack_wire_kind kind, const uint8_t *at, size_t size,
                                       stack_wire_layout *last, struct stack_wire *wire)
{
    const stack_wire_layout layout = layout_of(last, at, size);
    if (layout == LAYOUTS) return STACK_WIRE_MALFORMED;
    const size_t head = head_size(layout);
    *wire =
        (struct stack_wire){.cap = load32(at),
                            .thread = layouts[layout].thread == 8 ? load64(at + 4) : load32(at + 4),
                            .frames = load16(at + head - 2),
                            .frame = at + head,
                            .layout = layout};
    return kind;
}

enum stack_wire_kind stack_wire_read(const hectic_event *event, stack_wire_layout *layout,
                                     struct stack_wire *wire)
{
    if (event->size < 2) return STACK_WIRE_OTHER;
    const uint8_t *at = event->payload + 2;
    const size_t size = event->size - 2u;
    switch (load16(event->payload)) {
    case TAG_VERSION: *layout = LAYOUT_LAST; return STACK_WIRE_VERSION;
    case TAG_LAST: return read_stack(STACK_WIRE_LAST, at, size, layout, wire);
    case TAG_PART: return read_stack(STACK_WIRE_PART, at, size, layout, wire);
    case TAG_STRING: return read_string(at, size, wire);
    case TAG_LOCATION: return read_location(at, size, layout, wire);
    default: return STACK_WIRE_OTHER;
    }
}

bool stack_wire_is_last(const hectic_event *event)
{
    return event->type == HECTIC_EVENT_USER_BINARY_MSG && event->size >= 2 &&
           load16(event->payload) == TAG_LAST;
}

bool stack_wire_is_innermost_first(stack_wire_layout layout)
{
    return layout == LAYOUT_FIRST;
}

struct stack_wire_frame stack_wire_next(struct stack_wire *wire)
{
    const uint8_t *const at = wire->frame;
    const uint64_t number = load64(at + 1);
    struct stack_wire_frame frame = {.string = STACK_WIRE_NONE, .location = STACK_WIRE_NONE};
    wire->frame += frame_size(wire->layout, at);
    if (*at == FRAME_INFO_TABLE) {
        frame.is_info_table = true;
        frame.info_table = number;
    } else if (*at == FRAME_STRING) {
        frame.string = number;
    } else if (layouts[wire->layout].location == 16) {
        frame.string = number;
        frame.location = load64(at + 9);
    } else {
        frame.location = number;
    }
    frame.has_numbers =
        (frame.string == STACK_WIRE_NONE || frame.string < STACK_WIRE_NUMBERS_END) &&
        (frame.location == STACK_WIRE_NONE || frame.location < STACK_WIRE_NUMBERS_END);
    return frame;
}
