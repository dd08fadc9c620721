/* heap_samples.h — heap profiles as the log has them: sample by sample.
 *
 * Joins the events of a census into one sample: bands with the same label are summed, labels are
 * resolved to nodes of a tree of stacks (stacks.h), and the profiles of one log are told
 * apart by their number. A band is a node: that of a cost-centre stack; or a child of the root
 * whose symbol is a label, or an info table (-hi).
 *
 * Takes the events of a section in the order of the file or of time. Memory depends on the number
 * of different labels, within the limits of symbols and stacks.
 */
#ifndef HECTIC_SRC_HEAP_SAMPLES_H
#define HECTIC_SRC_HEAP_SAMPLES_H

#include "profiles/stacks.h"

/* What the bands of a profile are: the breakdown of HEAP_PROF_BEGIN. */
typedef enum hectic_breakdown {
    HECTIC_BREAKDOWN_UNKNOWN, /* the log has no HEAP_PROF_BEGIN, or an unknown breakdown */
    HECTIC_BREAKDOWN_COST_CENTRE,
    HECTIC_BREAKDOWN_MODULE,
    HECTIC_BREAKDOWN_DESCRIPTION,
    HECTIC_BREAKDOWN_TYPE,
    HECTIC_BREAKDOWN_RETAINER,
    HECTIC_BREAKDOWN_BIOGRAPHY,
    HECTIC_BREAKDOWN_CLOSURE_TYPE,
    HECTIC_BREAKDOWN_INFO_TABLE,
    HECTIC_BREAKDOWN_ERA,
} hectic_breakdown;

/* How bands of cost-centre stacks are combined; other breakdowns have a single frame. */
typedef enum hectic_band_group {
    HECTIC_BANDS_BY_STACK,  /* each stack is a band */
    HECTIC_BANDS_BY_LEAF,   /* by the innermost cost centre */
    HECTIC_BANDS_BY_ROOT,   /* by the outermost cost centre */
    HECTIC_BANDS_BY_MODULE, /* by the module of the innermost cost centre, or info table */
} hectic_band_group;

/* One profile: from its HEAP_PROF_BEGIN, or first sample, on. */
typedef struct hectic_heap_kind {
    uint8_t number; /* the profile's number in the log: 0, but for merged logs */
    hectic_breakdown breakdown;
    char flag;       /* of +RTS -h: 'c', 'm', 'd', 'y', 'r', 'b', 'T', 'i', 'e'; 0: unknown */
    uint64_t period; /* ns between samples, as requested; 0: unknown */
    /* The selectors, such as "drag,void"; "" for none: module, closure description, type, cost
     *  centre, cost-centre stack, retainer, biography. Of at most 255 bytes. */
    char selector[7][256];
    /* False: the profile has a selector of biography, so all samples are written at the end of
     *  the run, without their times. Samples are then numbered, and times are 0. */
    bool has_times;
} hectic_heap_kind;

typedef struct hectic_heap_band {
    uint32_t node; /* in the tree; HECTIC_STACKS_OTHERS: all bands beyond the limits */
    uint64_t bytes;
} hectic_heap_band;

typedef struct hectic_heap_sample {
    const hectic_heap_kind *kind;
    uint32_t profile; /* profiles are counted from 0, in the order in which they begin */
    uint64_t index;   /* of the sample in its profile, from 0 */
    uint64_t time;    /* ns: the time of the census; 0 if it has none */
    uint64_t era;     /* as the log has it */
    uint64_t total;   /* the sum of all bands; saturates */
    const hectic_heap_band *band; /* each node once, in no particular order; bytes may be 0 */
    size_t bands;
} hectic_heap_sample;

/* Takes a complete sample, valid during the call. Return false to stop. */
typedef bool (*hectic_heap_sample_callback)(void *user, const hectic_heap_sample *sample);

typedef struct hectic_heap_samples hectic_heap_samples;

typedef struct hectic_heap_samples_options {
    hectic_band_group group;
    hectic_breakdown assume; /* for a log without HEAP_PROF_BEGIN; UNKNOWN: determined from the
                                type of its events, as far as possible */
    size_t symbol_limit;     /* as for hectic_symbols_new */
    uint32_t node_limit;     /* as for hectic_stacks_new; 0: 65,536 */
} hectic_heap_samples_options;

/* `options` may be NULL. NULL: out of memory. */
hectic_heap_samples *hectic_heap_samples_new(const hectic_heap_samples_options *options,
                                             hectic_heap_sample_callback callback, void *user);
void hectic_heap_samples_free(hectic_heap_samples *samples);

/* Takes the next event of a section. False: out of memory, or the callback returned false. */
bool hectic_heap_samples_event(hectic_heap_samples *samples, const hectic_event *event);

/* What was left out, or is notable. */
typedef struct hectic_heap_warnings {
    uint64_t incomplete; /* samples without an end, so far: left out */
    uint64_t outside;    /* bands outside of a sample: left out */
    uint64_t malformed;  /* events that are too short, and profiles beyond 256: left out */
    uint64_t omitted;    /* bands counted as HECTIC_STACKS_OTHERS because of a limit */
    bool has_retainers;  /* a profile by retainer: sets that GHC counts as MANY are not in the
                            log, so its sums are smaller than those of a .hp file */
} hectic_heap_warnings;

hectic_heap_warnings hectic_heap_samples_warnings(const hectic_heap_samples *samples);

/* The names and stacks of the bands. Valid until the next event; complete at the section's end. */
const hectic_symbols *hectic_heap_samples_symbols(const hectic_heap_samples *samples);
const hectic_stacks *hectic_heap_samples_stacks(const hectic_heap_samples *samples);

/* The label of a band as GHC prints it in a .hp file, but without "(id)" and without a limit of
 *  its length: "f/g/Main.CAF" for a stack, "MAIN" for the root; an info table by its name;
 * "(others)". Writes a NUL-terminated text of less than `size` bytes, truncated if necessary;
 * returns the length that the whole text has. The text is untrusted. */
size_t hectic_band_text(const hectic_stacks *stacks, const hectic_symbols *symbols, uint32_t node,
                        char *text, size_t size);

/* The text of one frame of a band's stack: hectic_band_text joins them. As above. */
size_t hectic_frame_text(const hectic_symbols *symbols, uint32_t symbol, char *text, size_t size);

/* The same for people who read it: each cost centre and info table with its module, as in
 *  "Tree.insert/Main.main", but not built-in ones (PINNED). */
size_t hectic_band_name(const hectic_stacks *stacks, const hectic_symbols *symbols, uint32_t node,
                        char *name, size_t size);

/* "cost centre", "module", … "source location". */
const char *hectic_breakdown_text(hectic_breakdown breakdown);

#endif
