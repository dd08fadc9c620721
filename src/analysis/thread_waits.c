/* thread_waits.c — see thread_waits.h. */
#include "analysis/thread_waits.h"

#include "analysis/amount.h"
#include "format/stop_status.h"

#include <string.h>

/* The state of a thread on a cap: AWAY, HERE, or a hectic_wait plus WAITS. */
enum { AWAY, HERE, WAITS };

enum { THREADS_MAX = 196608, PAGES_MAX = 1 << 14 };

void thread_waits_free(struct thread_waits *waits)
{
    keys_free(&waits->thread);
    keys_free(&waits->waited);
}

static uint64_t key_of(uint16_t cap, uint32_t thread)
{
    return (uint64_t)thread << 16 | cap;
}

static void lose(struct thread_waits *waits)
{
    thread_waits_free(waits);
    *waits = (struct thread_waits){.is_lost = true};
}

/* The slot of a thread on a cap; NULL: out of memory, or lost. */
static struct key_slot *slot_of(struct thread_waits *waits, uint16_t cap, uint32_t thread)
{
    struct key_slot *slot = keys_find(&waits->thread, key_of(cap, thread));
    if (slot) return slot;
    if (waits->thread.count >= THREADS_MAX && keys_count_live(&waits->thread) >= THREADS_MAX) {
        lose(waits);
        return NULL;
    }
    return keys_add(&waits->thread, key_of(cap, thread));
}

/* The slot of a thread that has run on the cap; usually it is the last one that began to. */
static struct key_slot *slot_of_running(struct thread_waits *waits, uint16_t cap, uint32_t thread)
{
    const struct keys *threads = &waits->thread;
    const size_t last = waits->last[cap % THREAD_WAITS_LAST];
    if (threads->slot && last <= threads->mask) {
        struct key_slot *slot = &threads->slot[last];
        if (slot->is_used && slot->key == key_of(cap, thread)) return slot;
    }
    return slot_of(waits, cap, thread);
}

static void count(hectic_stat_wait *wait, uint64_t foreign_ns[THREAD_WAITS_FIRST],
                  const struct key_slot *slot, uint64_t now)
{
    hectic_stat_wait *of = &wait[slot->state - WAITS];
    const uint64_t ns = amount_less(now, slot->since), thread = slot->key >> 16;
    of->times++;
    amount_add(&of->ns, ns);
    if (slot->state == WAITS + HECTIC_WAIT_FOREIGN && thread < THREAD_WAITS_FIRST)
        amount_add(&foreign_ns[thread], ns);
}

static void turn(struct thread_waits *waits, struct key_slot *slot, unsigned state, uint64_t time)
{
    if (slot->state >= WAITS) count(waits->wait, waits->foreign_ns, slot, time);
    slot->state = (uint8_t)state;
    slot->since = time;
}

static bool begin(struct thread_waits *waits, struct key_slot *slot, uint32_t thread,
                  hectic_wait reason, uint64_t time)
{
    const uint64_t bit = UINT64_C(1) << reason;
    turn(waits, slot, WAITS + reason, time);
    if (slot->place & bit) return true;
    slot->place |= bit;
    const uint64_t pair = (uint64_t)thread * 8 + reason;
    if (keys_hold(&waits->waited, pair)) return true;
    if (waits->waited.count >= PAGES_MAX) keys_free(&waits->waited);
    waits->wait[reason].threads++;
    return keys_put(&waits->waited, pair);
}

bool thread_waits_create(struct thread_waits *waits, uint16_t cap, uint32_t thread, uint64_t time)
{
    waits->born++;
    waits->born_ns += time;
    struct key_slot *slot = slot_of(waits, cap, thread);
    if (!slot) return waits->is_lost;
    return slot->state != AWAY || begin(waits, slot, thread, HECTIC_WAIT_CAP, time);
}

bool thread_waits_run(struct thread_waits *waits, uint16_t cap, uint32_t thread, uint64_t time)
{
    struct key_slot *slot = slot_of(waits, cap, thread);
    if (!slot) return waits->is_lost;
    if (slot->state == AWAY) {
        waits->arrived++;
        waits->arrived_ns += time;
    }
    turn(waits, slot, HERE, time);
    waits->last[cap % THREAD_WAITS_LAST] = (size_t)(slot - waits->thread.slot);
    return true;
}

static hectic_wait reason_of(uint64_t status)
{
    enum { MIGRATING = 17 };
    static const uint8_t reasons[] = {
        [0] = HECTIC_WAIT_OTHER,      [STOP_HEAP_OVERFLOW] = HECTIC_WAIT_CAP,
        [2] = HECTIC_WAIT_CAP,        [STOP_YIELDING] = HECTIC_WAIT_CAP,
        [4] = HECTIC_WAIT_OTHER,      [STOP_FINISHED] = HECTIC_WAIT_OTHER,
        [6] = HECTIC_WAIT_FOREIGN,    [7] = HECTIC_WAIT_MVAR,
        [8] = HECTIC_WAIT_BLACK_HOLE, [9] = HECTIC_WAIT_OTHER,
        [10] = HECTIC_WAIT_OTHER,     [11] = HECTIC_WAIT_OTHER,
        [12] = HECTIC_WAIT_STM,       [13] = HECTIC_WAIT_OTHER,
        [14] = HECTIC_WAIT_FOREIGN,   [15] = HECTIC_WAIT_FOREIGN,
        [16] = HECTIC_WAIT_OTHER,     [MIGRATING] = HECTIC_WAIT_CAP,
        [18] = HECTIC_WAIT_OTHER,     [19] = HECTIC_WAIT_OTHER,
        [20] = HECTIC_WAIT_MVAR,
    };
    return status < sizeof reasons ? (hectic_wait)reasons[status] : HECTIC_WAIT_OTHER;
}

bool thread_waits_stop(struct thread_waits *waits, uint16_t cap, uint32_t thread, uint64_t time,
                       uint16_t status)
{
    struct key_slot *slot = slot_of_running(waits, cap, thread);
    if (!slot) return waits->is_lost;
    const uint64_t usual = usual_stop_status(waits->is_shifted, status);
    if (usual != STOP_FINISHED) return begin(waits, slot, thread, reason_of(usual), time);
    waits->died++;
    waits->died_ns += time;
    turn(waits, slot, AWAY, time);
    return true;
}

void thread_waits_wakeup(struct thread_waits *waits, uint16_t cap, uint32_t thread, uint64_t time,
                         uint16_t to)
{
    if (cap != to) return;
    struct key_slot *slot = keys_find(&waits->thread, key_of(cap, thread));
    if (!slot || slot->state <= WAITS + HECTIC_WAIT_CAP) return;
    turn(waits, slot, WAITS + HECTIC_WAIT_CAP, time);
}

void thread_waits_migrate(struct thread_waits *waits, uint16_t cap, uint32_t thread, uint64_t time)
{
    struct key_slot *slot = keys_find(&waits->thread, key_of(cap, thread));
    /* On its way through this cap; or it is unknown. */
    if (!slot || slot->state == AWAY) return;
    waits->left++;
    waits->left_ns += time;
    turn(waits, slot, AWAY, time);
}

void thread_waits_label(struct thread_waits *waits, uint32_t thread, const uint8_t *label,
                        size_t length)
{
    /* As GHC.Event.Thread labels them. */
    static const char timer[] = "TimerManager", io[] = "IOManager on cap ";
    const bool is_timer = length == sizeof timer - 1 && memcmp(label, timer, length) == 0;
    const bool is_io = length > sizeof io - 1 && memcmp(label, io, sizeof io - 1) == 0;
    if (thread < THREAD_WAITS_FIRST && (is_timer || is_io)) waits->is_manager[thread] = true;
}

hectic_stat_waits thread_waits_get(const struct thread_waits *waits, uint64_t now)
{
    hectic_stat_waits result = {.known = waits->is_measured && waits->born > 0};
    if (!result.known) return result;
    result.has_cap = waits->arrived <= waits->left;
    result.thread_ns = waits->died_ns - waits->born_ns + (waits->born - waits->died) * now;
    for (unsigned i = 0; i < HECTIC_WAITS; i++)
        result.wait[i] = waits->wait[i];
    uint64_t foreign_ns[THREAD_WAITS_FIRST];
    memcpy(foreign_ns, waits->foreign_ns, sizeof foreign_ns);
    for (size_t i = 0; waits->thread.slot && i <= waits->thread.mask; i++) {
        const struct key_slot *slot = &waits->thread.slot[i];
        if (slot->is_used && slot->state >= WAITS) count(result.wait, foreign_ns, slot, now);
    }
    result.wait[HECTIC_WAIT_CAP].ns +=
        waits->arrived_ns + (waits->left - waits->arrived) * now - waits->left_ns;
    for (unsigned i = 0; i < THREAD_WAITS_FIRST; i++)
        if (waits->is_manager[i]) amount_add(&result.manager_ns, foreign_ns[i]);
    return result;
}
