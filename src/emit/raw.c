/* Emits events by number; timing of samples. */
#include "emit/emitter.h"
#include "format/event_bytes.h"

#include <hectic/encoder.h>

/* The type of that number if its class is on. */
static const hectic_event_type *logged_type(const hectic_emit_cap *out, uint16_t number)
{
    /* A block marker would nest blocks. */
    if (number == HECTIC_EVENT_BLOCK_MARKER) return NULL;
    const event_type *type = emitter_type(((const cap *)out)->emitter, number);
    return type && hectic_emit_enabled(out, type->class_) ? &type->type : NULL;
}

bool hectic_emit_bytes(hectic_emit_cap *out, uint16_t number, const void *payload, size_t size)
{
    const hectic_event_type *type = logged_type(out, number);
    if (!type || size > UINT16_MAX) return false;
    const bool variable = type->size == HECTIC_VARIABLE;
    if (!variable && size != type->size) return false;
    const size_t before = variable ? VARIABLE_HEAD : EVENT_HEAD;
    uint8_t *at = hectic_emit_begin(out, number, before + size);
    if (!at) return false;
    if (variable) hectic_emit_put16(at + EVENT_HEAD, (uint16_t)size);
    hectic_emit_commit(out, hectic_emit_put(at + before, payload, size));
    return true;
}

bool hectic_emit_fields(hectic_emit_cap *out, uint16_t number, const hectic_value *value,
                        size_t count)
{
    const hectic_event_type *type = logged_type(out, number);
    const size_t size = type ? hectic_encode_fields(NULL, 0, type, 0, value, count) : 0;
    uint8_t *at = size > 0 ? hectic_emit_begin(out, number, size) : NULL;
    if (!at) return false;
    hectic_encode_fields(at, size, type, event_time_at(at), value, count);
    hectic_emit_commit(out, at + size);
    return true;
}

/* If several threads use a cap, only one of them takes the sample. */
bool hectic_emit_due(hectic_emit_cap *out, hectic_class class_)
{
    cap *c = (cap *)out;
    if (class_ >= HECTIC_CLASS_COUNT || !hectic_emit_enabled(out, class_)) return false;
    const uint64_t period = hectic_emitter_parameter(c->emitter, class_, 0);
    if (period == 0) return true;
    const uint64_t now = hectic_emit_now(out);
    uint64_t due = __atomic_load_n(&c->due[class_], __ATOMIC_RELAXED);
    /* More than a period ahead: the period has been shortened. */
    if (due > now && due - now <= period) return false;
    uint64_t next = (due <= now && now - due < period ? due : now) + period;
    if (next < now) next = UINT64_MAX;
    return __atomic_compare_exchange_n(&c->due[class_], &due, next, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}
