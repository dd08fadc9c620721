/* The writing side: a cap's thread asks for room when its buffer is full. */
#include "emit/emitter.h"

#include <stdlib.h>

cap *cap_new(hectic_emitter *e, uint16_t number)
{
    cap *c = aligned_alloc(_Alignof(cap), sizeof *c);
    if (!c) return NULL;
    *c = (cap){.emitter = e, .number = number, .out.shared = number == HECTIC_CAP_NONE};
    c->out.line = e->clock.line;
    return c;
}

void cap_free(cap *c)
{
    free(c);
}

uint8_t *cap_at(const cap *c)
{
    return __atomic_load_n(c->out.shared ? &c->at : &c->out.at, __ATOMIC_ACQUIRE);
}

void cap_open(cap *c, buffer *b)
{
    uint8_t *at = b ? b->bytes : NULL;
    c->open = b;
    if (b) b->owner = c;
    *(c->out.shared ? &c->end : &c->out.end) = b ? at + b->size : NULL;
    __atomic_store_n(c->out.shared ? &c->at : &c->out.at, at, __ATOMIC_RELEASE);
}

/* Threads must not be canceled while they hold locks. */
static bool next_buffer(cap *c)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    const bool found = pool_next(c->emitter, c);
    pthread_setcancelstate(before, &before);
    return found;
}

uint8_t *hectic_emit_reserve(hectic_emit_cap *out, size_t size)
{
    cap *c = (cap *)out;
    if (c->report) return report_room(c->report);
    if (!out->shared) return next_buffer(c) ? out->at : NULL;
    pthread_mutex_lock(&c->emitter->shared);
    if ((size_t)(c->end - c->at) >= size || next_buffer(c)) return c->at;
    pthread_mutex_unlock(&c->emitter->shared);
    return NULL;
}

void hectic_emit_release(hectic_emit_cap *out, uint8_t *end)
{
    cap *c = (cap *)out;
    __atomic_store_n(&c->at, end, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&c->emitter->shared);
}
