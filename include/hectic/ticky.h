/* hectic/ticky.h — ticky-ticky counters: what is entered, and what allocates.
 *
 * The values of samples are differences since the previous sample: they are summed. A sample may
 * come before the definition of its counter. Takes the events of a section in the order of the file
 * or of time. Memory depends on the number of counters, within a limit.
 */
#ifndef HECTIC_TICKY_H
#define HECTIC_TICKY_H

#include <hectic/decoder.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hectic_ticky hectic_ticky;

/** A counter. Texts are NULL if the log does not have them; untrusted; valid until the next event.
 */
typedef struct hectic_ticky_counter {
    uint64_t number;
    bool is_defined;
    const char *name;
    const char *kinds; /**< a letter for each argument, as GHC's -ticky prints them */
    const char *type;  /**< of the definition's JSON (since GHC 9.6): "fun", "thunk", … */
    const char *free_variables, *arguments; /**< from the JSON: a letter for each, or NULL */
    uint16_t arity;
    bool has_info_table;
    uint64_t info_table; /**< resolved to the next four by the log's IPE events */
    const char *ipe_name, *module, *location, *ipe_type;
    uint64_t entries;
    uint64_t allocs; /**< words: allocated by its code */
    uint64_t allocd; /**< words: of its closures that were allocated (-ticky-allocd) */
    uint64_t samples;
    uint64_t first, last; /**< ns: times of its first and last sample in the interval */
} hectic_ticky_counter;

typedef struct hectic_ticky_totals {
    uint64_t counters; /**< with samples in the interval */
    uint64_t defined;  /**< definitions in the log */
    uint64_t groups;   /**< TICKY_BEGIN_SAMPLE in the interval */
    uint64_t entries, allocs, allocd;
    uint64_t first, last; /**< ns: times of the first and last sample */
    bool has_allocated;
    uint64_t allocated; /**< bytes: the program's total allocation in the interval, by
                           HEAP_ALLOCATED; `allocs` words are part of it */
    uint64_t malformed; /**< events that are too short: left out */
    uint64_t omitted;   /**< samples and definitions beyond the limit */
} hectic_ticky_totals;

/** For the interval from <= t < to (ns); `limit`: number of counters; 0: 1,000,000. NULL: out of
 *  memory. */
hectic_ticky *hectic_ticky_new(uint64_t from, uint64_t to, uint32_t limit);
void hectic_ticky_free(hectic_ticky *ticky);

/** Takes the next event of a section. False: out of memory. */
bool hectic_ticky_event(hectic_ticky *ticky, const hectic_event *event);

/** Sets all sums to 0 and begins a new interval. */
void hectic_ticky_restart(hectic_ticky *ticky, uint64_t from, uint64_t to);

typedef bool (*hectic_ticky_callback)(void *user, const hectic_ticky_counter *counter);

/** Calls `callback` for each counter with samples in the interval, in the order in which they
 *  occurred first. False: the callback returned false. */
bool hectic_ticky_each(const hectic_ticky *ticky, hectic_ticky_callback callback, void *user);

hectic_ticky_totals hectic_ticky_get_totals(const hectic_ticky *ticky);

#ifdef __cplusplus
}
#endif
#endif
