/* profile.h — one profile as the writers of formats take it: a tree of stacks with values. */
#ifndef HECTIC_EXPORT_PROFILE_H
#define HECTIC_EXPORT_PROFILE_H

#include "tool/verbs/export/about.h"

#include "profiles/time_samples.h"

enum profile_unit { PROFILE_SAMPLES, PROFILE_NS, PROFILE_BYTES };

/* The weights of the nodes on one cap. */
struct cap_weights {
    bool is_seen;     /* it has samples */
    uint64_t *weight; /* by node; NULL: not kept */
    uint32_t room;    /* of the first nodes; those of the others are 0 */
};

struct profile {
    const struct about *about;
    const hectic_symbols *symbols;
    const hectic_stack_node *node;
    uint32_t nodes;
    const char *title;             /* "time", "heap by type, at its peak" */
    hectic_time_source source;     /* of a time profile */
    enum profile_unit unit;        /* of the weights */
    const uint64_t *count;         /* of each node: its own samples; NULL: unknown */
    const uint64_t *weight;        /* of each node: its own weight */
    uint64_t total;                /* of all weights; saturates */
    uint64_t samples;              /* of all counts */
    uint64_t first, last;          /* ns: the first and last sample */
    uint64_t interval;             /* ns between ticks; 0: unknown */
    uint32_t caps;                 /* with samples */
    const struct cap_weights *cap; /* by number, if there are several; or NULL */
    uint32_t cap_end;              /* above all numbers */
};

/* The nodes with a weight or a count of their own or below, each followed by its descendants;
 * siblings are sorted by name. */
struct tree {
    uint32_t *node; /* the root is always the first */
    uint32_t count;
    uint64_t *samples, *weight; /* of each node of the profile: with all descendants; saturate */
};

/* False: out of memory. */
bool tree_make(struct tree *tree, const struct profile *profile);
void tree_clear(struct tree *tree);

/* The bytes of a frame's name, at most; longer ones are cut off. */
enum { FRAME_NAME = 4096 };

/* The name of a node's innermost frame: "Main.insert", "GHC.Conc.Signal.CAF", "GC"; "MAIN" for the
 * root. Untrusted. Returns `text`. */
const char *frame_name(const hectic_symbols *symbols, const hectic_stack_node *node,
                       char text[FRAME_NAME]);

enum { FRAME_VISIBLE = 4 * FRAME_NAME + 1 }; /* a name by hectic_render_visible, with a NUL */

/* Text for formats that repeat it with each stack: on one line, as UTF-8 (hectic_render_visible),
 * NUL-terminated, and cut off so that output cannot be many times as long as the log. */
enum { FRAME_SHORT = 255, FRAME_SHORT_ROOM = 4 * FRAME_SHORT + 1 };
void shorten(const char *text, char to[FRAME_SHORT_ROOM]);

/* The place of a frame in the source: of "src/Main.hs:12:3-20" or "Main.hs:(12,1)-(14,39)". */
struct place {
    const char *file; /* NULL: unknown; without a NUL */
    size_t file_length;
    uint32_t line, column; /* from 1; 0: unknown */
};
struct place place_of(const char *location);

#endif
