#include "transform/renumber.h"

#include "format/fields.h"
#include "format/stop_status.h"

#include <hectic/encoder.h>

/* The maximum of each unit whose numbers are identifiers local to a process or program; 0: not
 * identifiers, or global ones: processes and threads of the OS, addresses, and machines and
 * processes of Eden, which other machines' logs contain, too. */
static const uint64_t greatest[RENUMBER_UNITS] = {
    [HECTIC_UNIT_THREAD] = UINT32_MAX,      [HECTIC_UNIT_CAP] = HECTIC_CAP_NONE - 1,
    [HECTIC_UNIT_CAPSET] = UINT32_MAX,      [HECTIC_UNIT_TASK] = UINT64_MAX,
    [HECTIC_UNIT_COST_CENTRE] = UINT32_MAX, [HECTIC_UNIT_PROFILE] = UINT8_MAX,
    [HECTIC_UNIT_TICKY] = UINT64_MAX,       [HECTIC_UNIT_PERF] = UINT32_MAX,
    [HECTIC_UNIT_STRING] = UINT32_MAX,
};

static bool is_identifier(hectic_unit unit, uint64_t number)
{
    return greatest[unit] > 0 && number <= greatest[unit];
}

static void note(numbering *n, hectic_unit unit, uint64_t number)
{
    if (!is_identifier(unit, number)) return;
    range *r = &n->used[unit];
    if (!r->any || number < r->least) r->least = number;
    if (!r->any || number > r->most) r->most = number;
    r->any = true;
}

static uint64_t moved(const numbering *n, hectic_unit unit, uint64_t number)
{
    return is_identifier(unit, number) ? number + n->shift[unit] : number;
}

uint64_t numbering_time(const numbering *n, uint64_t time)
{
    return time > UINT64_MAX - n->time_shift ? UINT64_MAX : time + n->time_shift;
}

/* True if STOP_THREAD's info is the thread that owns the black hole; 0: none. */
static bool info_is_thread(const numbering *n, const hectic_value *value, size_t count)
{
    return count > 2 && value[2].number != 0 &&
           usual_stop_status(n->shifted_stop_status, value[1].number) == STOP_BLACK_HOLE;
}

static size_t walk(const hectic_event *event, const uint8_t *payload, hectic_value *value)
{
    const hectic_shape *shape = event->declared->shape;
    return shape ? hectic_shape_walk(shape, payload, event->size, value, NULL) : 0;
}

/* The event that a SYNC replays; a nested SYNC is not changed. */
typedef struct held {
    hectic_event_type type;
    hectic_event event;
} held;

static bool unwrap(const hectic_event *event, const hectic_value *value, size_t fields, held *h)
{
    if (event->type != HECTIC_EVENT_SYNC || fields < 3) return false;
    if (value[0].number == HECTIC_EVENT_SYNC) return false;
    h->type = hectic_type_of((uint16_t)value[0].number);
    h->event = (hectic_event){.declared = &h->type,
                              .type = h->type.number,
                              .payload = value[2].bytes,
                              .size = (uint16_t)value[2].length,
                              .cap = HECTIC_CAP_NONE};
    return true;
}

void numbering_note(numbering *n, const hectic_event *event)
{
    if (event->cap != HECTIC_CAP_NONE) note(n, HECTIC_UNIT_CAP, event->cap);
    hectic_value value[HECTIC_MAX_FIELDS];
    const size_t count = walk(event, event->payload, value);
    for (size_t i = 0; i < count; i++) {
        const hectic_field *field = value[i].field;
        if (field->wire != HECTIC_U32S) note(n, field->unit, value[i].number);
        for (uint64_t j = 0; field->wire == HECTIC_U32S && j < value[i].number; j++)
            note(n, field->unit, field_number(&value[i], j));
    }
    if (count == 0) return;
    if (event->type == HECTIC_EVENT_STOP_THREAD && info_is_thread(n, value, count))
        note(n, HECTIC_UNIT_THREAD, value[2].number);
    if (event->type == HECTIC_EVENT_STARTUP && value[0].number > 0)
        note(n, HECTIC_UNIT_CAP, value[0].number - 1);
    if (event->type == HECTIC_EVENT_CREATE_MACHINE && !n->has_machine) {
        n->has_machine = true;
        n->machine = (uint16_t)value[0].number;
    }
    held h;
    if (unwrap(event, value, count, &h)) numbering_note(n, &h.event);
}

void numbering_merge(numbering *n, const numbering *more)
{
    for (unsigned u = 0; u < RENUMBER_UNITS; u++) {
        if (!more->used[u].any) continue;
        note(n, (hectic_unit)u, more->used[u].least);
        note(n, (hectic_unit)u, more->used[u].most);
    }
    if (n->has_machine) return;
    n->has_machine = more->has_machine;
    n->machine = more->machine;
}

/* --- Planning ------------------------------------------------------------------------------- */

static bool is_apart(const range *a, const range *b)
{
    return !a->any || !b->any || a->most < b->least || b->most < a->least;
}

/* The numbers of a log after the shift. */
static range moved_range(const numbering *n, hectic_unit unit)
{
    range r = n->used[unit];
    r.least += n->shift[unit];
    r.most += n->shift[unit];
    return r;
}

static bool plan(numbering *logs, size_t log, hectic_unit unit)
{
    const range *used = &logs[log].used[unit];
    bool apart = true;
    uint64_t most = 0; /* of all previous logs */
    for (size_t i = 0; i < log; i++) {
        const range before = moved_range(&logs[i], unit);
        apart = apart && is_apart(&before, used);
        if (before.any && before.most > most) most = before.most;
    }
    if (apart) return true;
    /* They overlap, so used->least is at most `most`. */
    const uint64_t shift = most - used->least + 1;
    if (shift == 0 || shift > greatest[unit] - used->most) return false;
    logs[log].shift[unit] = shift;
    return true;
}

bool numbering_plan(numbering *logs, size_t count, size_t *log, hectic_unit *unit)
{
    for (*log = 0; *log < count; ++*log)
        for (unsigned u = 0; u < RENUMBER_UNITS; u++) {
            *unit = (hectic_unit)u;
            if (!plan(logs, *log, *unit)) return false;
        }
    return true;
}

/* --- Applying ------------------------------------------------------------------------------- */

static void apply_field(const numbering *n, const hectic_value *value, uint8_t *payload)
{
    const hectic_unit unit = value->field->unit;
    for (uint64_t j = 0; value->field->wire == HECTIC_U32S && j < value->number; j++)
        field_set_number(payload, value, j, (uint32_t)moved(n, unit, field_number(value, j)));
    if (value->field->wire > HECTIC_U64) return;
    field_set(payload, value,
              unit == HECTIC_UNIT_TIME ? numbering_time(n, value->number)
                                       : moved(n, unit, value->number));
}

static bool is_of_machine(const numbering *n, uint64_t machine)
{
    return n->has_machine && n->machine == machine;
}

/* The log of the threads in an event: its own, but for a received Eden message the sender's. */
static const numbering *of_threads(const numbering *logs, size_t count, size_t log,
                                   const hectic_event *event, const hectic_value *value,
                                   size_t fields)
{
    enum { SENDER_MACHINE = 3 };
    if (event->type != HECTIC_EVENT_RECEIVE_MESSAGE || fields <= SENDER_MACHINE) return &logs[log];
    const uint64_t machine = value[SENDER_MACHINE].number;
    for (size_t i = 0; i < count && !is_of_machine(&logs[log], machine); i++)
        if (is_of_machine(&logs[i], machine)) return &logs[i];
    return &logs[log];
}

void numbering_apply(const numbering *logs, size_t count, size_t log, hectic_event *event,
                     uint8_t *payload)
{
    const numbering *n = &logs[log];
    event->time = numbering_time(n, event->time);
    if (event->cap != HECTIC_CAP_NONE) event->cap = (uint16_t)moved(n, HECTIC_UNIT_CAP, event->cap);
    hectic_value value[HECTIC_MAX_FIELDS];
    const size_t fields = walk(event, payload, value);
    const numbering *threads = of_threads(logs, count, log, event, value, fields);
    for (size_t i = 0; i < fields; i++)
        apply_field(value[i].field->unit == HECTIC_UNIT_THREAD ? threads : n, &value[i], payload);
    held h;
    if (unwrap(event, value, fields, &h))
        numbering_apply(logs, count, log, &h.event, payload + (value[2].bytes - payload));
    if (event->type != HECTIC_EVENT_STOP_THREAD || fields < 2) return;
    field_set(payload, &value[1], usual_stop_status(n->shifted_stop_status, value[1].number));
    if (info_is_thread(n, value, fields))
        field_set(payload, &value[2], moved(n, HECTIC_UNIT_THREAD, value[2].number));
}
