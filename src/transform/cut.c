/* Cuts a self-contained excerpt. Reads the input twice: in order of time up to the cut, for the
 * live state; then in the order of the file, as a copy with a filter. */
#include "state/live_state.h"
#include "transform/copy.h"

typedef struct cutter {
    hectic_log *log;    /* one section ahead of the copy; NULL: nothing precedes the cut */
    hectic_result next; /* the log's last item: HECTIC_HEADER at the beginning of a section */
    uint64_t from;
    hectic_keep_callback keep;
    void *keep_user;
    hectic_error *error;

    /* The prologue being written. */
    const hectic_header *header;
    hectic_writer *writer;
    cap_times *written;
    bool begun; /* a block of `cap` */
    uint16_t cap;
} cutter;

static bool begin_block(cutter *c, const hectic_event_type *marker, uint16_t cap)
{
    c->begun = true;
    c->cap = cap;
    if (cap != HECTIC_CAP_NONE && !cap_times_raise_one(c->written, cap, c->from)) {
        c->error->kind = HECTIC_NO_MEMORY;
        return false;
    }
    return hectic_writer_begin_block(c->writer, marker, c->from, cap);
}

/* Each change of the cap begins a block. */
static bool write_event(cutter *c, const hectic_event *event)
{
    const hectic_event_type *marker = hectic_header_type(c->header, HECTIC_EVENT_BLOCK_MARKER);
    if (marker && marker->shape && (!c->begun || c->cap != event->cap) &&
        !begin_block(c, marker, event->cap))
        return false;
    return hectic_writer_event(c->writer, event);
}

/* Events that only describe a state are written only if `keep` accepts them. The live bytes are a
 * measurement by a collection, not a state: written again, they would count as one of the excerpt.
 */
static bool write_state_event(void *user, const hectic_event *event)
{
    cutter *c = user;
    if (event->type == HECTIC_EVENT_HEAP_LIVE) return true;
    if (!hectic_is_context(event) && c->keep && !c->keep(c->keep_user, c->header, event))
        return true;
    return write_event(c, event);
}

static bool write_permanent(cutter *c, const hectic_event *event)
{
    uint8_t buffer[LIVE_STATE_ROOM];
    const hectic_event moved = live_state_retime(event, c->from, buffer);
    return write_event(c, &moved);
}

/* Reads the log's section up to the cut. */
static bool read_section(cutter *c, live_state *l)
{
    hectic_event event;
    while ((c->next = hectic_log_next(c->log, &event)) == HECTIC_GOT_EVENT) {
        const live_state_result result = live_state_event(l, &event);
        if (result == LIVE_STATE_FAILED) c->error->kind = HECTIC_NO_MEMORY;
        if (result == LIVE_STATE_FAILED ||
            (result == LIVE_STATE_PERMANENT && !write_permanent(c, &event)))
            return false;
    }
    if (c->next != HECTIC_ERROR) return true;
    *c->error = *hectic_log_error(c->log);
    return false;
}

static bool write_live_state(cutter *c)
{
    live_state *l = live_state_new(c->header, NULL);
    if (!l) {
        c->error->kind = HECTIC_NO_MEMORY;
        return false;
    }
    const bool told =
        read_section(c, l) && live_state_replay(l, c->header, c->from, write_state_event, c);
    live_state_free(l);
    return told && hectic_writer_end_block(c->writer, 0);
}

static bool prologue(void *user, const hectic_header *header, hectic_writer *writer,
                     cap_times *written)
{
    cutter *c = user;
    c->header = header;
    c->writer = writer;
    c->written = written;
    c->begun = false;
    if (!c->log || c->next != HECTIC_HEADER) return true;
    return write_live_state(c);
}

static bool keep_from(void *user, const hectic_header *header, const hectic_event *event)
{
    cutter *c = user;
    if (!event) return !c->keep || c->keep(c->keep_user, header, NULL);
    const bool passes = !c->keep || c->keep(c->keep_user, header, event);
    return passes && event->time >= c->from;
}

/* Opens the log for the first pass. A damaged log has no reliable state; but damaged compressed
 * data only end the log early. */
static bool open_log(cutter *c, hectic_input *input)
{
    const hectic_log_options options = {.to = c->from};
    c->log = hectic_log_open(input, &options, c->error);
    if (!c->log) return false;
    size_t kept;
    uint64_t count;
    const hectic_damage *damage = hectic_log_damage(c->log, &kept, &count);
    if (count > 0)
        *c->error = kept > 0 ? damage[0].error : (hectic_error){.kind = HECTIC_NO_MEMORY};
    if (count > 0 && c->error->kind != HECTIC_COMPRESSION) return false;
    hectic_event event;
    c->next = hectic_log_next(c->log, &event);
    if (c->next == HECTIC_ERROR) *c->error = *hectic_log_error(c->log);
    return c->next != HECTIC_ERROR;
}

bool hectic_cut(hectic_input *input, uint64_t from, uint64_t to, hectic_keep_callback keep,
                void *keep_user, hectic_write write, void *write_user, hectic_error *error)
{
    *error = (hectic_error){0};
    cutter c = {.from = from, .keep = keep, .keep_user = keep_user, .error = error};
    const bool opened = from == 0 || open_log(&c, input);
    const bool cut =
        opened && copy_part(input, to, keep_from, prologue, &c, write, write_user, error);
    if (from == 0) hectic_input_free(input);
    hectic_log_free(c.log);
    return cut;
}
