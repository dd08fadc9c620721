/* hectic/view.h — what a page that shows a log asks, and the answers: the same code answers in the
 * page (compiled to wasm) and in the server of hectic view.
 *
 *     hectic_view *v = hectic_view_new(&source);
 *     while (hectic_view_read(v, 1 << 20) == HECTIC_VIEW_MORE) …;
 *     hectic_view_answer a;
 *     if (hectic_view_ask(v, "stat?from=0&to=1000000", &a)) … a.bytes, a.length …
 *
 * A request is a line of text, as the query of a URL: NAME?KEY=VALUE&…, with %XX for bytes. Times
 * are ns from the beginning of the log's clock. Unknown keys are ignored. An answer is JSON, or
 * bytes (little-endian).
 *
 * Some requests take long: each answer does a part of the work. Until it is done, the answer is the
 * JSON {"complete":false,"progress":P}, P from 0 to 1: ask the same again. Then it has the members
 * "complete" (true), "progress", and those of the table. A few such requests may be under way; if
 * there are more, the one that was not asked for the longest time begins again.
 *
 * `section` counts from 1, which is the default; `from` and `to` are by default the whole section;
 * `width` is the number of columns. If a section of the log has several processes (hectic merge),
 * each is a section here, in the order in which they begin: hectic/processes.h says which events it
 * has. Events of profiles that name no process are in those of all that run. Where an answer names
 * a section, it is that of the log.
 *
 * The requests (name: keys: answer):
 *
 * - overview: section: JSON: sections (an array of section, from_ns, to_ns, caps, program, runtime
 *   and, if it is one of several processes, process (its capset) and pid); of the section: from_ns,
 *   to_ns, caps (numbers), program, runtime, process and pid, recorded (by kind of events);
 *   progress (0 … 1; null: unknown), complete (everything so far was read), read_bytes,
 *   skipped_bytes (damaged)
 * - columns: section, from, to, width: bytes: "HCOL", u32 width, u32 caps, u32 1 if exact; then,
 *   cap by cap and column by column, 4 bytes: the shares (0 … 255) of running, collecting,
 *   waiting; 0
 * - labels: section, from, to, width: JSON: labels (an array of runs of threads of which at
 *   least 24 columns are in view: cap, from_ns, to_ns, thread, label, stop), complete (there are
 *   no others)
 * - curves: section, from, to, width: JSON: of heap_size, blocks, live and allocated: arrays min
 *   and max, bytes, a value for each column; null where there is none. Of allocated, both are the
 *   sum of the column, where amounts lie evenly between two HEAP_ALLOCATED of a cap
 * - stat: section, from, to: JSON: the object of hectic stat --json --from --to, or without
 *   these
 * - instants: section, from, to: JSON: instants (an array of events of caps that are of a point
 *   of time: cap, time_ns, event, thread, label, other_cap: creations, migrations and wakeups of
 *   threads, requests of collections, sparks), complete (there are no others in the interval: at
 *   most 4,096 are given, and none of a long interval)
 * - error: JSON: message: why reading or the last request failed, or null
 * - startup: section: takes long; JSON: arguments, environment (arrays of texts)
 * - snapshot: slots, path: bytes: what an engine reads instead of the log, to answer overview,
 *   columns, labels and curves: with that many slots of time (64 … 32768; default: all), and the
 *   program's directory if `path` is 1. See src/view/snapshot.h
 * - events: section, from, to, count (100), backward, beyond; filter: cap, thread, class, event
 *   (lists with commas; cap=none: of no cap), text, regex, case: takes long; JSON: events (the
 *   first `count` of the interval, or with backward=1 the last, in order of time: time_ns,
 *   position, cap, thread (that it is about), event, type, text (that of hectic show)), more
 *   (there are others in the interval). Of events at the time `from`, only those after the
 *   position `beyond`; backward: at the last time before `to`, only those before it
 * - search: as events, but not count: takes long; JSON: match (the first, or the last: an event
 *   as above), or null. text: the letters in either case, unless case=1; regex=1: a regular
 *   expression (docs/view.md lists its syntax), which fails if an answer would take too long
 * - search_all: section, from, to, width, filter: takes long; JSON: matches (their number),
 *   first_ns, last_ns, columns (the number in each), threads (those whose labels match: thread,
 *   label)
 * - threads: section, from, to, most (10,000): takes long; JSON: the members of hectic threads
 *   --json, with --from and --to; of the threads the `most` that ran longest, in this order;
 *   left_out (the number of the others)
 * - thread_list: section, most: takes long; JSON: threads (the `most` that ran longest, in order:
 *   thread, label, kind (program, runtime), cap (the last), from_ns (its first event), born_ns,
 *   ended_ns, running_ns, runnable_ns, runs, migrations, spark_thread), left_out
 * - gc: section, from, to, most (10,000): takes long; JSON: collections (the objects of hectic gc
 *   --json: at most so many, those with the longest pauses), left_out (how many others), pauses
 *   (count, sum_ns, p50_ns, p90_ns, p99_ns, max_ns, buckets: an array of from_ns, to_ns and
 *   count)
 * - mmu: section, from, to: takes long; JSON: minimum mutator utilisation (hectic/mmu.h): arrays
 *   window_ns and mutator_share
 * - spans: section, from, to: takes long; JSON: the members of hectic spans --json, left_out
 *   (labels beyond 10,000), slowest (at most 1,000 objects of hectic spans --each --json)
 * - sparks: section, from, to: takes long; JSON: the members of hectic sparks --json, sizes (the
 *   durations, as pauses of gc)
 * - thread_rows: section, from, to, width, threads (ID,ID,…): takes long until the threads are
 *   indexed; JSON: exact, states (names), from_ns, to_ns, width, rows (an array, as `threads`):
 *   thread, known (it has states there), and either runs (four numbers for each: from ns, to ns,
 *   index in states, cap or null), or first (a column) and, from there on, the shares 0 … 255 of
 *   columns in running, runnable and blocked
 * - latency: section, from, to, thread: takes long; JSON: of the waits between runnable and
 *   running that end in the interval, of all threads or one: count, total_ns, mean_ns, p50_ns,
 *   p90_ns, p99_ns, p999_ns, max_ns; buckets (from_ns, to_ns, count); causes (the same by after:
 *   created, yielded, woken, null); worst (the 100 longest: thread, label, from_ns, to_ns,
 *   wait_ns, cap, after: created, yielded, or the state from which it was woken); threads (the
 *   10,000 with the largest total: thread, label, kind, count, total_ns, mean_ns, max_ns,
 *   max_from_ns), left_out
 * - links: section, thread, from, to, time: takes long; JSON: thread, label, links (in the
 *   interval, up to 10,000: kind (created, woken, migrated; creates, wakes: what it does to
 *   others), time_ns, cap (of the event, or that it leaves), to_cap, thread, label, by, by_label),
 *   cut (there are more); with `time`, chain: who ended the thread's wait at that time, or its
 *   last one before, then who had woken that thread before it did so, and so on (thread, label,
 *   state (or created), from_ns, woken_ns, cap, by, by_label; null: by no thread, or it still
 *   waits). Without an interval, links are those before `time`
 * - gc_rows: section, from, to, width: takes long at first, then not; JSON: generations (an
 *   array of generation, null: unknown; collections, those of at least two columns: from_ns,
 *   to_ns, cap; and of the others arrays, with an element for each column that has some: column,
 *   count (that begin there), ns (of their pauses), longest_ns), too_many (some are left out);
 *   from_ns, to_ns and width of the picture
 * - span_rows: section, from, to, width, by (thread or name), first (0), count (30): which of
 *   the rows, those with the longest spans in total first: as gc_rows; JSON: row_count, rows (an
 *   array of thread, cap (of spans of no known thread), label (of the thread), name, span_count,
 *   total_ns, spans (those of at least two columns: depth, from_ns, to_ns, name, stopped, across),
 *   depths (an array of arrays of the others, as in gc_rows)), too_many. Spans of a row that
 *   overlap have different depths, 0 … 7; the last has all further ones
 * - message_rows: section, from, to, width: as gc_rows; JSON: markers, messages (each of total;
 *   listed, if there are at most 2,048: time_ns, cap, thread, text; otherwise column and count),
 *   too_many
 * - spark_rows: section, from, to, width (4,096 at most): takes long; JSON: from_ns, to_ns,
 *   source (as sparks); arrays with the sparks of each column: created, converted, overflowed,
 *   dud, gcd, fizzled; pool: arrays min, mean and max, of the sparks that are in the pools of all
 *   caps; null where that is unknown
 * - prof: section, from, to, width, cap, source (cost-centres, call-stacks): takes long; JSON:
 *   profiles (none, or one): the members of hectic prof --json --from --to (frames: the first
 *   10,000), left_out (further ones); tree: names (label, module, location), and of each node name
 *   (an index), parent (an index; null: the root; smaller than that of the node), own_ns,
 *   total_ns, own_ticks, total_ticks, without nodes of no time; left_out (nodes beyond the 50,000
 *   heaviest); by_time: from_ns, to_ns, and of each column node (the hottest, or null), node_ns,
 *   own_ns (of all nodes)
 * - heat: as prof, and rows (12): takes long; JSON: from_ns, to_ns, source, rows (the hottest:
 *   label, module, location, own_ns in each column), all (what caps did in each column: own_ns,
 *   gc_ns, idle_ns, system_ns, overhead_ns, dont_care_ns; null: no samples)
 * - heap: section, from, to, bands (100), by (stack, leaf, root, module), points (256): takes
 *   long; JSON: the object of hectic heap --json --bands --by --from --to, of one section; points:
 *   an even number, of courses
 * - ticky: section, from, to: takes long; JSON: the object of hectic ticky --json --from --to,
 *   of one section, with the 10,000 counters that allocated most; left_out (further ones)
 */
#ifndef HECTIC_VIEW_H
#define HECTIC_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hectic_view hectic_view;

/** A log whose bytes can be read at any position. */
typedef struct hectic_view_source {
    void *user;
    uint64_t size; /**< bytes, for progress; 0: unknown */
    bool grows;    /**< bytes may follow what is now its end */
    /** Reads up to `size` bytes; returns their number, 0 at the end, -1 if it failed. */
    ptrdiff_t (*read)(void *user, uint64_t position, void *buffer, size_t size);
    /** Calls `task` for each number below `threads`, in a thread each, and waits for all; `read` is
     *  then called by several threads. NULL: the log is read by one thread. */
    void (*run)(void (*task)(void *argument, unsigned number), void *argument, unsigned threads);
    unsigned threads; /**< for run */
} hectic_view_source;

/** NULL: out of memory. */
hectic_view *hectic_view_new(const hectic_view_source *source);
void hectic_view_free(hectic_view *view);

typedef enum hectic_view_result {
    HECTIC_VIEW_MORE,  /**< there is more to read */
    HECTIC_VIEW_END,   /**< everything so far was read; the log may grow */
    HECTIC_VIEW_FAILED /**< out of memory, no log, or the source failed: see the request `error` */
} hectic_view_result;

/** Reads about `size` bytes of the log into the index. */
hectic_view_result hectic_view_read(hectic_view *view, size_t size);

typedef struct hectic_view_answer {
    const char *type; /**< "application/json" or "application/octet-stream" */
    const uint8_t *bytes;
    size_t length;
} hectic_view_answer;

/** Answers a request; the answer is owned by the view, and valid until the next call. False: the
 *  request is malformed or failed; the answer is then that of `error`. */
bool hectic_view_ask(hectic_view *view, const char *request, hectic_view_answer *answer);

/** Why reading or the last request failed: as in the answer of `error`, but not as JSON. NULL: it
 * did not. */
const char *hectic_view_message(const hectic_view *view);

/** The names of the requests that are answered from events: a report has their answers for the
 *  whole run. NULL: there are no more. */
const char *hectic_view_request(size_t index);

#ifdef __cplusplus
}
#endif
#endif
