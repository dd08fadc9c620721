/* ticky.h — ticky-ticky counters: what is entered, and what allocates.
 *
 * The values of samples are differences since the previous sample: they are summed, each at the
 * time of its sample. GHC writes the definitions of counters at the end of the program, so a sample
 * may come before the definition of its counter; some logs have none.
 *
 * Takes the events of a section in the order of the file or of time. Memory depends on the number
 * of counters and of the log's info tables (IPE), and on the length of their texts, each within a
 * limit.
 */
#ifndef HECTIC_SRC_TICKY_H
#define HECTIC_SRC_TICKY_H

#include <hectic/decoder.h>

typedef struct hectic_ticky hectic_ticky;

/* A counter. Texts are NULL if the log does not have them; untrusted; valid until the next event.
 *  Free variables and arguments are a letter for each, as GHC's -ticky prints them: upper case for
 *  a lifted type, lower case for an unlifted one. */
typedef struct hectic_ticky_counter {
    uint64_t number;
    bool is_defined;
    const char *name;
    const char *type; /* "fun", "thk" (a thunk), "thk_u" (one that is updated), "con", "lne" (a
                         let-no-escape binding); "tag": its entries are checks of pointer tags that
                         were avoided (-ticky-tag-checks) */
    const char *free_variables; /* since GHC 9.6 */
    const char *arguments;
    uint16_t arity;
    bool has_info_table;
    uint64_t info_table; /* resolved to the next four by the log's IPE events */
    const char *ipe_name, *module, *location, *ipe_type;
    uint64_t entries;
    uint64_t allocs; /* bytes: allocated by its code */
    uint64_t allocd; /* bytes: of its closures that were allocated (-ticky-allocd) */
    uint64_t samples;
    uint64_t first, last; /* ns: times of its first and last sample in the interval */
} hectic_ticky_counter;

typedef struct hectic_ticky_totals {
    uint64_t counters; /* with samples in the interval */
    uint64_t defined;  /* counters with a definition in the log so far */
    uint64_t samples;  /* TICKY_COUNTER_SAMPLE in the interval */
    uint64_t groups;   /* TICKY_BEGIN_SAMPLE in the interval */
    uint64_t entries, allocs, allocd;
    uint64_t first, last; /* ns: times of the first and last sample */
    bool has_allocated;
    uint64_t allocated; /* bytes: the growth of HEAP_ALLOCATED in the interval, of all caps: what
                           the program allocated. `allocs` is part of it, except that the runtime
                           reports both at different times */
    uint64_t malformed; /* events that are too short: left out */
    uint64_t omitted;   /* samples, definitions and texts beyond the limits */
} hectic_ticky_totals;

/* For the interval from <= t < to (ns); `limit`: number of counters; 0: 1,000,000. NULL: out of
 *  memory. */
hectic_ticky *hectic_ticky_new(uint64_t from, uint64_t to, uint32_t limit);
void hectic_ticky_free(hectic_ticky *ticky);

/* Takes the next event of a section. False: out of memory. */
bool hectic_ticky_event(hectic_ticky *ticky, const hectic_event *event);

typedef bool (*hectic_ticky_callback)(void *user, const hectic_ticky_counter *counter);

/* Calls `callback` for each counter with samples in the interval, in the order in which they
 *  occurred first. False: the callback returned false. */
bool hectic_ticky_each(const hectic_ticky *ticky, hectic_ticky_callback callback, void *user);

/* The counter with that number. False: the log has none so far. */
bool hectic_ticky_find(const hectic_ticky *ticky, uint64_t number, hectic_ticky_counter *counter);

hectic_ticky_totals hectic_ticky_get_totals(const hectic_ticky *ticky);

/* The number of closures that `allocd` bytes are, by the size of a closure of its type with its
 *  free variables in a program without -prof: a header of one word, or two in a thunk, and a word
 *  for each free variable. False: the log does not say that, as for constructors. `word`: bytes of
 *  a machine word. */
bool hectic_ticky_closures(const hectic_ticky_counter *counter, unsigned word, uint64_t *closures);

#endif
