/* places.h — the tracks of a trace: which there are, what they are called, and what is in which. */
#ifndef HECTIC_EXPORT_PLACES_H
#define HECTIC_EXPORT_PLACES_H

#include "base/map.h"
#include "tool/verbs/export/about.h"
#include "tool/verbs/export/trace/trace_writer.h"

enum trace_place {
    PLACE_NONE,
    PLACE_PROCESS,
    PLACE_CAPS,
    PLACE_CAP,
    PLACE_CAP_GC,
    PLACE_CAP_WAIT,
    PLACE_CAP_SPANS,
    PLACE_CAP_SAMPLES,
    PLACE_COLLECTIONS,
    PLACE_MARKERS,
    PLACE_MESSAGES,
    PLACE_SPANS,
    PLACE_OVERLAP,
    PLACE_THREADS,
    PLACE_THREAD,
    PLACE_THREAD_SPANS,
    PLACE_HEAP,
    PLACE_BLOCKS,
    PLACE_LIVE,
    PLACE_ALLOCATION,
    PLACE_POOL,
    PLACE_CREATED,
    PLACE_CONVERTED,
    PLACE_BANDS,
    PLACE_BAND,
    PLACES
};

/* A process of a section. */
struct trace_process {
    map_key key;
    uint64_t index; /* counted from 1 */
    uint32_t pid;   /* of the trace: the real one, if it is known */
    bool has_pid;
};

enum { PLACES_RECENT = 64 };

struct places {
    const struct trace_writer *writer;
    void *to;
    map processes, tracks;
    map threads; /* values: see places.c */
    map labels;  /* of threads: their numbers */
    char **label;
    size_t label_count, label_capacity, label_bytes;
    uint64_t overlaps; /* tracks of single spans */
    struct trace_process *last_process;
    struct map_value *recent_thread[PLACES_RECENT]; /* entries of `threads` */
    const struct about *about;                      /* of the current process; may be NULL */
};

void places_init(struct places *places, const struct trace_writer *writer, void *to);
void places_clear(struct places *places);

/* The process of a section; NULL: out of memory, or too many. Valid until the next one is added. */
struct trace_process *places_process(struct places *places, uint64_t section, bool has_process,
                                     uint64_t process);

/* Are there too many processes? Further ones are left out. */
bool places_are_full(const struct places *places);

/* The track of something with that number (0: there is one), announced if it is new, with `name` if
 * that is given. 0: out of memory. */
uint64_t places_track(struct places *places, const struct trace_process *process,
                      enum trace_place place, uint32_t number, const char *name);

/* The same for a slice that must not overlap others: of the first track of the place where it is
 * disjoint from all, from `lane` on. Slices come in any order. */
uint64_t places_lane(struct places *places, const struct trace_process *process,
                     enum trace_place place, uint32_t number, unsigned lane, uint64_t from,
                     uint64_t to);

/* Writes a value of a counter. */
bool places_count(struct places *places, const struct trace_process *process,
                  enum trace_place place, uint32_t number, const char *name, uint64_t time,
                  uint64_t value);

/* --- Threads --------------------------------------------------------------------------------- */

bool places_label(struct places *places, const struct trace_process *process, uint32_t thread,
                  const char *label);

/* NULL: it has none. */
const char *places_label_of(struct places *places, const struct trace_process *process,
                            uint32_t thread);

/* Remembers which thread woke it, or forgets it. */
bool places_wake(struct places *places, const struct trace_process *process, uint32_t thread,
                 bool is_woken, uint32_t waker);
bool places_waker(struct places *places, const struct trace_process *process, uint32_t thread,
                  uint32_t *waker);

#endif
