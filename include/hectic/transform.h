/* hectic/transform.h — transforms logs: copy, cut, merge, salvage and redact.
 *
 * All functions encode incrementally: memory for output is at most one block, or a few megabytes of
 * blocks.
 */
#ifndef HECTIC_TRANSFORM_H
#define HECTIC_TRANSFORM_H

#include <hectic/input.h>
#include <hectic/log.h>
#include <hectic/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Returns true if the event is kept. Called for every event, including BLOCK_MARKERs, in the order
 *  of the file: the events of a cap are in order, as hectic_filter_pass requires. At the beginning
 *  of a section it is called with `event` NULL and the section's `header`; false then stops the
 *  copy.
 */
typedef bool (*hectic_keep_callback)(void *user, const hectic_header *header,
                                     const hectic_event *event);

/** True if other events refer to this one (a thread, a label, a cap, a cost centre, the program).
 *  Keep all of them in a partial copy. */
bool hectic_is_context(const hectic_event *event);

/** Copies a log. Without `keep` the copy is identical, including unknown events, unfinished blocks
 *  and a cut-off tail. With `keep`, events for which it returns false are removed: blocks are
 *  written with their new sizes and times; empty blocks and a cut-off tail are omitted; caps,
 *  headers and end markers stay.
 *
 *  False if the log is damaged, has no complete header or cannot be read, with *error set; or if
 *  `write` or `keep` returned false, with error->kind HECTIC_OK. The output is then the copy up to
 *  that point. Before it waits for a slow input (a pipe), it writes everything up to the last
 *  complete block. True with error->kind HECTIC_COMPRESSION: the input is compressed and damaged;
 *  everything before the damage was copied, as of a log that is cut off there. */
bool hectic_copy(hectic_input *input, hectic_keep_callback keep, void *keep_user,
                 hectic_write write, void *write_user, hectic_error *error);

/** Cuts a self-contained excerpt: copies, as hectic_copy, the events from `from` on, before `to`
 * (ns; UINT64_MAX: to the end), for which `keep` (NULL: all) returns true. Before them it writes
 * the live state, with the time `from`:
 *
 *  - earlier definitions (cost centres, info tables, ticky counters, the heap profile …);
 *  - live objects: capsets, caps and their capsets, the program, the wall clock (advanced to
 *    `from`), heap parameters, tasks on their caps, threads with their labels on their caps;
 *  - states: the thread that runs on each cap, why each other thread has stopped (as a run and stop
 *    at `from`), the last values of counters (but not the live bytes: a collection measures them),
 *    and the beginning of a collection or heap census in progress.
 *
 *  States are written only if `keep` returns true for them, too: it gets these events with position
 *  0, before the section's own. Definitions and objects are always written. With `from` 0, none of
 *  these are written. With a `to`, the excerpt extends up to there: each of its caps ends with a
 *  block without events at `to`, unless the cap ended before, or the log says less about it.
 *
 *  Takes ownership of `input` (it is freed in any case). It is read twice: in order of time up to
 *  `from`, then as a whole; memory depends on the live state at `from`. The result and *error are
 *  as in hectic_copy; a damaged log is not cut. */
bool hectic_cut(hectic_input *input, uint64_t from, uint64_t to, hectic_keep_callback keep,
                void *keep_user, hectic_write write, void *write_user, hectic_error *error);

/** How the clocks of merged logs are aligned. */
typedef enum hectic_alignment {
    HECTIC_ALIGN_WALL_CLOCK, /**< by their WALL_CLOCK_TIME */
    HECTIC_ALIGN_START,      /**< so that their earliest events are at the same time */
    HECTIC_ALIGN_NONE,       /**< not at all */
} hectic_alignment;

typedef enum hectic_merge_result {
    HECTIC_MERGED = 0, /**< success. If failure->error has kind HECTIC_COMPRESSION, a compressed
                          input is damaged, and its log ended there */
    HECTIC_MERGE_READ_FAILED,   /**< a log is damaged or cannot be read: failure->error */
    HECTIC_MERGE_WRITE_FAILED,  /**< `write` returned false */
    HECTIC_MERGE_NO_WALL_CLOCK, /**< a log has no wall clock time */
    HECTIC_MERGE_NO_NUMBERS,    /**< a log has too many, or too large, numbers of failure->unit */
} hectic_merge_result;

typedef struct hectic_merge_failure {
    size_t log;     /**< index of the log */
    size_t section; /**< index in the log, from 1; 0: a log with one section, or all sections */
    hectic_error error;
    hectic_unit unit;
} hectic_merge_failure;

/** Merges logs into one: their events in order of time, in blocks of one cap each.
 *
 *  - Times: logs are moved to later times according to `alignment`, never to earlier ones. Except
 *    with HECTIC_ALIGN_NONE, each run of a program begins with a CAPSET_CREATE of its process at
 *    the time when its clock was 0, which is added; if its log identifies no process, its caps are
 *    assigned to this one.
 *  - A log with several sections is treated as several logs, unless a section continues the one
 *    before (its times follow, and it has no other process or wall clock): GHC begins a section if
 *    a program ends its log and starts logging again.
 *  - Identifiers (of caps, capsets, threads, tasks, cost centres, heap profiles, ticky and perf
 *    counters, interned strings) are renumbered in every event, so that no two logs share one: a
 *    log's identifiers stay if they do not overlap those of earlier logs, and otherwise follow
 *    them. Identifiers of the operating system (pids, kernel threads), addresses, and Eden's
 *    machines and processes are not changed: logs of two machines may have the same ones.
 *  - Headers: types that are declared identically become one. If sizes differ but the catalogue's
 *    shape is the same, the smaller payload is padded with zeros. If the shapes differ (a
 *    GC_STATS_GHC without balanced bytes), the one with more fields keeps the number, and the other
 *    gets a free one from 1000 on, with its description: no event gets fields without a recorded
 *    value, but other tools do not recognize it. Stop statuses of GHC 7.8.2 are converted to the
 *    usual ones.
 *
 *  Takes ownership of all inputs (they are freed in any case), and reads each twice. Memory: that
 *  of one hectic_log per input, and about 8 MB. */
hectic_merge_result hectic_merge(hectic_input *const *inputs, size_t count,
                                 hectic_alignment alignment, hectic_write write, void *write_user,
                                 hectic_merge_failure *failure);

/** The result of hectic_salvage. */
typedef struct hectic_salvaged {
    uint64_t events;          /**< events written, including block markers */
    uint64_t blocks_repaired; /**< blocks whose size or end time was corrected */
    uint64_t places_damaged;  /**< places with losses or irreparable defects: calls of `lost` */
    uint64_t bytes_lost;      /**< total bytes skipped there */
    uint64_t tail;            /**< bytes of an incomplete item at the end of the input; lost too */
    bool end_missing;         /**< a section has no end marker: the log is cut short */
} hectic_salvaged;

/** Called for every place where bytes were lost, in order; and for types that a header declares
 *  with an invalid size, where none are lost: their events are written as those of an unknown type,
 *  with a number from 1000 on. */
typedef void (*hectic_lost_callback)(void *user, const hectic_damage *damage);

/** Repairs a damaged or cut-off log: writes the headers, every event that the decoder finds (after
 *  damage it continues at the next plausible place), blocks with their correct sizes and end times,
 *  and the end markers. A section without one stays cut short: its caps are known up to different
 *  times (hectic_section.covered_to). Malformed events count as lost. A sound log is copied
 *  unchanged. If reading fails in the middle (a bad disk, a damaged .gz), everything before is
 *  salvaged, and this counts as a damaged place.
 *
 *  False, with *error set, if the log does not begin with a header that declares events; or if
 *  `write` returned false, with error->kind HECTIC_OK. `lost` may be NULL. */
bool hectic_salvage(hectic_input *input, hectic_write write, void *write_user,
                    hectic_lost_callback lost, void *lost_user, hectic_salvaged *salvaged,
                    hectic_error *error);

/** What becomes of what a log can reveal. */
typedef enum hectic_treatment {
    HECTIC_KEEP,    /**< it stays */
    HECTIC_SHORTEN, /**< of paths, the last part stays; of arguments, only the program's name, and
                       options of the runtime that are letters and a number */
    HECTIC_REPLACE, /**< a text by a pseudonym, an id of the operating system by a small number; the
                       time of the day begins at 2000-01-01 00:00:00 */
    HECTIC_DROP,    /**< a text is empty, a number 0 */
} hectic_treatment;

/** The kinds of what a log can reveal, at most: docs/privacy.md has them. */
#define HECTIC_SECRETS_MAX 32

/** What hectic_redact does. hectic_redaction_begin sets all but the key. */
typedef struct hectic_redaction {
    uint8_t treatment[HECTIC_SECRETS_MAX]; /**< enum hectic_treatment, by kind */
    uint64_t key[2]; /**< pseudonyms depend on it: random bits, which nobody else knows */
} hectic_redaction;

/** Sets the treatments for a purpose: "team", "performance" or "structure" (docs/privacy.md).
 *  False: there is no such purpose. */
bool hectic_redaction_begin(hectic_redaction *redaction, const char *purpose);

/** Sets the treatment of a kind ("messages"). False: there is no such kind. */
bool hectic_redaction_set(hectic_redaction *redaction, const char *kind,
                          hectic_treatment treatment);

/** The result of hectic_redact. */
typedef struct hectic_redacted {
    uint64_t count[HECTIC_SECRETS_MAX][HECTIC_DROP + 1]; /**< texts and numbers, by kind and what
                                                            became of them */
    uint64_t
        unknown_events;   /**< events of unknown types or later than 2^60 ns, which were omitted */
    uint64_t extra_bytes; /**< bytes behind the fields of events, which were removed */
    hectic_salvaged salvaged;
} hectic_redacted;

/** Writes a log without what it can reveal: as hectic_salvage, which also removes damaged regions,
 *  but with each text as `redaction` says. A text of an event that the catalogue does not describe
 *  is removed, as are unknown events, bytes behind the fields of an event, and the descriptions in
 *  the header. Times, sizes and the structure of the log stay: analyses give the same numbers.
 *
 *  Redacting the result again, with any key, changes nothing. Memory does not depend on the
 *  size of the log. */
bool hectic_redact(hectic_input *input, const hectic_redaction *redaction, hectic_write write,
                   void *write_user, hectic_lost_callback lost, void *lost_user,
                   hectic_redacted *redacted, hectic_error *error);

#ifdef __cplusplus
}
#endif
#endif
