/* Shared by the emitter's files: types, caps, and its locks. */
#include "emit/emitter.h"

const uint64_t emitter_ghc_classes =
    (HECTIC_CLASS_BIT(HECTIC_CLASS_COUNT) - 1) &
    ~(HECTIC_CLASS_BIT(HECTIC_CLASS_PERF) | HECTIC_CLASS_BIT(HECTIC_CLASS_MERCURY) |
      HECTIC_CLASS_BIT(HECTIC_CLASS_EDEN));

cap *emitter_nth_cap(const hectic_emitter *e, uint32_t i, uint32_t count)
{
    return i < count ? e->caps[i] : e->global;
}

const event_type *emitter_type(const hectic_emitter *e, unsigned number)
{
    return number < HECTIC_DATA_END ? __atomic_load_n(&e->types[number], __ATOMIC_ACQUIRE) : NULL;
}

uint64_t emitter_declared(const hectic_emitter *e)
{
    return emitter_ghc_classes | e->options.classes;
}

void emitter_use_clock(hectic_emitter *e)
{
    const uint32_t count = __atomic_load_n(&e->cap_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i <= count; i++)
        __atomic_store_n(&emitter_nth_cap(e, i, count)->out.line, e->clock.line, __ATOMIC_RELEASE);
}

void emitter_note_error(hectic_emitter *e, int error)
{
    pthread_mutex_lock(&e->pool.lock);
    e->pool.error = error;
    pthread_mutex_unlock(&e->pool.lock);
}

int emitter_lock(pthread_mutex_t *lock)
{
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_mutex_lock(lock);
    return cancel;
}

void emitter_unlock(pthread_mutex_t *lock, int cancel)
{
    pthread_mutex_unlock(lock);
    pthread_setcancelstate(cancel, &cancel);
}
