/* places.c — see places.h. */
#include "tool/verbs/export/trace/places.h"

#include "base/array.h"
#include "render/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name; /* may have the number */
    enum trace_kind kind;
    enum trace_place parent;
    const char *unit;
} descriptions[PLACES] = {
    [PLACE_PROCESS] = {NULL, TRACE_PROCESS, PLACE_NONE, NULL},
    [PLACE_CAPS] = {"Caps", TRACE_GROUP, PLACE_PROCESS, NULL},
    [PLACE_CAP] = {"cap %" PRIu32, TRACE_SLICES, PLACE_CAPS, NULL},
    [PLACE_CAP_GC] = {"cap %" PRIu32 ": GC", TRACE_SLICES, PLACE_CAPS, NULL},
    [PLACE_CAP_WAIT] = {"cap %" PRIu32 ": waits for GC", TRACE_SLICES, PLACE_CAPS, NULL},
    [PLACE_CAP_SPANS] = {"cap %" PRIu32 ": spans", TRACE_SLICES, PLACE_CAPS, NULL},
    [PLACE_CAP_SAMPLES] = {"cap %" PRIu32 ": samples", TRACE_SLICES, PLACE_CAPS, NULL},
    [PLACE_COLLECTIONS] = {"Collections", TRACE_SLICES, PLACE_PROCESS, NULL},
    [PLACE_MARKERS] = {"Markers", TRACE_SLICES, PLACE_PROCESS, NULL},
    [PLACE_MESSAGES] = {"Messages", TRACE_SLICES, PLACE_PROCESS, NULL},
    [PLACE_SPANS] = {"Spans", TRACE_SLICES, PLACE_PROCESS, NULL},
    [PLACE_OVERLAP] = {"Spans (%" PRIu32 ")", TRACE_SLICES, PLACE_PROCESS, NULL},
    [PLACE_THREADS] = {"Threads", TRACE_GROUP, PLACE_PROCESS, NULL},
    [PLACE_THREAD] = {"thread %" PRIu32, TRACE_SLICES, PLACE_THREADS, NULL},
    [PLACE_THREAD_SPANS] = {"thread %" PRIu32 ": spans", TRACE_SLICES, PLACE_THREAD, NULL},
    [PLACE_HEAP] = {"heap size", TRACE_COUNTER, PLACE_PROCESS, "bytes"},
    [PLACE_BLOCKS] = {"blocks in use", TRACE_COUNTER, PLACE_PROCESS, "bytes"},
    [PLACE_LIVE] = {"live data", TRACE_COUNTER, PLACE_PROCESS, "bytes"},
    [PLACE_ALLOCATION] = {"cap %" PRIu32 ": allocation", TRACE_COUNTER, PLACE_CAPS, "bytes/s"},
    [PLACE_POOL] = {"cap %" PRIu32 ": sparks in the pool", TRACE_COUNTER, PLACE_CAPS, ""},
    [PLACE_CREATED] = {"cap %" PRIu32 ": sparks created", TRACE_COUNTER, PLACE_CAPS, "1/s"},
    [PLACE_CONVERTED] = {"cap %" PRIu32 ": sparks evaluated", TRACE_COUNTER, PLACE_CAPS, "1/s"},
    [PLACE_BANDS] = {"Heap profile", TRACE_GROUP, PLACE_PROCESS, NULL},
    [PLACE_BAND] = {"band %" PRIu32, TRACE_COUNTER, PLACE_BANDS, "bytes"},
};

/* The bits of a track's id: small ids are short in a file. */
enum { PLACE_BITS = 5, NUMBER_BITS = 32, LANE_BITS = 11, PROCESSES_MAX = (1 << 16) - 1 };
enum { LANES_MAX = 256 };

/* What is known of a thread: a value of the map `threads`, by process and thread. */
enum {
    THREAD_KNOWN = 1,
    THREAD_ANNOUNCED = 2,
    THREAD_WOKEN = 4,
    LABEL_SHIFT = 8,
    WAKER_SHIFT = 32
};
enum { LABELS_MAX = (1 << 24) - 1, LABEL_BYTES_MAX = 8 << 20 };

struct track {
    map_key key;          /* the id, 1 */
    uint64_t first, last; /* ns: of its slices, if places_lane chose it */
};

struct label {
    map_key key;
    uint64_t number; /* from 1 */
};

void places_init(struct places *places, const struct trace_writer *writer, void *to)
{
    *places = (struct places){
        .writer = writer,
        .to = to,
        .processes = {.entry_size = sizeof(struct trace_process), .unsorted = true},
        .tracks = {.entry_size = sizeof(struct track), .unsorted = true, .by_number = true},
        .labels = {.entry_size = sizeof(struct label), .unsorted = true}};
}

void places_clear(struct places *places)
{
    map_clear(&places->processes);
    map_clear(&places->tracks);
    map_clear(&places->threads);
    map_clear(&places->labels);
    for (size_t i = 0; i < places->label_count; i++)
        free(places->label[i]);
    free(places->label);
}

struct trace_process *places_process(struct places *places, uint64_t section, bool has_process,
                                     uint64_t process)
{
    const map_key key = {section, has_process ? process + 1 : 0};
    struct trace_process *found = places->last_process;
    if (found && found->key.a == key.a && found->key.b == key.b) return found;
    found = map_find(&places->processes, key);
    if (!found && places->processes.count < PROCESSES_MAX) {
        found = map_add(&places->processes, key);
        if (found) found->index = places->processes.count;
    }
    return places->last_process = found;
}

bool places_are_full(const struct places *places)
{
    return places->processes.count >= PROCESSES_MAX;
}

/* --- Tracks ---------------------------------------------------------------------------------- */

static uint64_t id_of(const struct trace_process *process, enum trace_place place, uint32_t number,
                      unsigned lane)
{
    return place | (uint64_t)number << PLACE_BITS | (uint64_t)lane << (PLACE_BITS + NUMBER_BITS) |
           process->index << (PLACE_BITS + NUMBER_BITS + LANE_BITS);
}

static bool has_number(enum trace_place place)
{
    return descriptions[place].name && strchr(descriptions[place].name, '%');
}

static uint32_t pid_of(const struct trace_process *process)
{
    return process->has_pid ? process->pid : (uint32_t)process->index;
}

/* The tracks of a cap or thread stand together. */
static uint64_t rank_of(enum trace_place place, uint32_t number, unsigned lane)
{
    switch (descriptions[place].parent) {
    case PLACE_CAPS: return (uint64_t)number * PLACES + place;
    case PLACE_THREAD: return lane;
    case PLACE_THREADS:
    case PLACE_BANDS: return number & INT32_MAX;
    default: return place;
    }
}

/* The latest entry of the map with a number that is similar: of this thread, or of another one. */
static struct map_value **recent_of(struct places *places, uint64_t key)
{
    return &places->recent_thread[key % PLACES_RECENT];
}

/* What is known of a thread. */
static uint64_t known_of(struct places *places, const struct trace_process *process,
                         uint32_t thread)
{
    const uint64_t key = process->index << 32 | thread;
    struct map_value **recent = recent_of(places, key);
    if (!*recent || (*recent)->number != key) *recent = map_find_value(&places->threads, key);
    return *recent ? (*recent)->value : 0;
}

/* False: out of memory. */
static bool set_known(struct places *places, const struct trace_process *process, uint32_t thread,
                      uint64_t known)
{
    const uint64_t key = process->index << 32 | thread;
    if (known == known_of(places, process, thread)) return true;
    struct map_value *found = *recent_of(places, key);
    if (found) return found->value = known, true;
    memset(places->recent_thread, 0, sizeof places->recent_thread); /* entries move */
    return map_set_value(&places->threads, key, known);
}

#define NAME_ROOM 1100

static const char *name_of(struct places *places, const struct trace_process *process,
                           enum trace_place place, uint32_t number, unsigned lane,
                           char name[NAME_ROOM])
{
    const char *format = descriptions[place].name;
    if (place == PLACE_PROCESS) {
        char clean[NAME_ROOM];
        if (!places->about || !places->about->program.args) return NULL;
        const char *program = about_name(places->about);
        return strcpy(name, text_cut_as_utf8(program, strlen(program), NAME_ROOM / 4 - 1, clean));
    }
    int used = has_number(place)
                   ? snprintf(name, NAME_ROOM, "%.*s%" PRIu32 "%s", (int)strcspn(format, "%"),
                              format, number, strchr(format, '%') + sizeof "%" PRIu32 - 1)
                   : snprintf(name, NAME_ROOM, "%s", format);
    const char *label = place == PLACE_THREAD ? places_label_of(places, process, number) : NULL;
    if (label) used += snprintf(name + used, NAME_ROOM - (size_t)used, " %s", label);
    if (lane > 0) snprintf(name + used, NAME_ROOM - (size_t)used, " (%u)", lane + 1);
    return name;
}

static bool is_announced(struct places *places, const struct trace_process *process,
                         enum trace_place place, uint32_t number, uint64_t id)
{
    return place == PLACE_THREAD
               ? known_of(places, process, number) & THREAD_ANNOUNCED
               : map_find_number(&places->tracks, id, sizeof(struct track)) != NULL;
}

static bool note_announced(struct places *places, const struct trace_process *process,
                           enum trace_place place, uint32_t number, uint64_t id)
{
    if (place != PLACE_THREAD) return map_add(&places->tracks, (map_key){id, 1});
    return set_known(places, process, number,
                     known_of(places, process, number) | THREAD_KNOWN | THREAD_ANNOUNCED);
}

static bool announce(struct places *places, const struct trace_process *process,
                     enum trace_place place, uint32_t number, unsigned lane, const char *name)
{
    char room[NAME_ROOM];
    const enum trace_place parent = descriptions[place].parent;
    return places->writer->track(
        places->to, &(struct trace_track){
                        .id = id_of(process, place, number, lane),
                        .parent = parent == PLACE_NONE
                                      ? 0
                                      : id_of(process, parent, has_number(parent) ? number : 0, 0),
                        .kind = descriptions[place].kind,
                        .pid = pid_of(process),
                        .name = name ? name : name_of(places, process, place, number, lane, room),
                        .unit = descriptions[place].unit,
                        .rank = rank_of(place, number, lane)});
}

/* Its parents first: a track has two, at most three. */
static uint64_t track_of(struct places *places, const struct trace_process *process,
                         enum trace_place place, uint32_t number, unsigned lane, const char *name)
{
    enum trace_place chain[4];
    size_t length = 0;
    const uint64_t id = id_of(process, place, number, lane);
    if (is_announced(places, process, place, number, id)) return id;
    for (enum trace_place at = place; at != PLACE_NONE; at = descriptions[at].parent)
        chain[length++] = at;
    while (length-- > 0) {
        const enum trace_place at = chain[length];
        const uint32_t own_number = has_number(at) ? number : 0;
        const unsigned own_lane = at == place ? lane : 0;
        const uint64_t own = id_of(process, at, own_number, own_lane);
        if (is_announced(places, process, at, own_number, own)) continue;
        if (!note_announced(places, process, at, own_number, own) ||
            !announce(places, process, at, own_number, own_lane, at == place ? name : NULL))
            return 0;
    }
    return id;
}

uint64_t places_track(struct places *places, const struct trace_process *process,
                      enum trace_place place, uint32_t number, const char *name)
{
    return track_of(places, process, place, number, 0, name);
}

/* Slices at the same time would depend on their order in the file. */
static bool is_free(const struct track *track, uint64_t from, uint64_t to)
{
    return !track || from >= track->last || to < track->first;
}

uint64_t places_lane(struct places *places, const struct trace_process *process,
                     enum trace_place place, uint32_t number, unsigned lane, uint64_t from,
                     uint64_t to)
{
    struct track *track;
    uint64_t id;
    for (;; lane++) {
        if (lane == LANES_MAX)
            return track_of(places, process, PLACE_OVERLAP, (uint32_t)++places->overlaps, 0, NULL);
        id = id_of(process, place, number, lane);
        track = map_find_number(&places->tracks, id, sizeof *track);
        if (is_free(track, from, to)) break;
    }
    const bool is_new = !track;
    if (is_new && track_of(places, process, place, number, lane, NULL))
        track = map_find_number(&places->tracks, id, sizeof *track);
    if (!track) return 0;
    if (is_new || from < track->first) track->first = from;
    if (to > track->last) track->last = to;
    return id;
}

bool places_count(struct places *places, const struct trace_process *process,
                  enum trace_place place, uint32_t number, const char *name, uint64_t time,
                  uint64_t value)
{
    char room[NAME_ROOM];
    const uint64_t id = places_track(places, process, place, number, name);
    const struct trace_track track = {
        .id = id,
        .pid = pid_of(process),
        .name = name ? name : name_of(places, process, place, number, 0, room),
        .unit = descriptions[place].unit};
    return id &&
           places->writer->counter(places->to, &track, time, value > INT64_MAX ? INT64_MAX : value);
}

/* --- Threads --------------------------------------------------------------------------------- */

/* Sets the number of a label. 0: it is left out. False: out of memory. */
static bool find_label(struct places *places, const char *text, uint64_t *number)
{
    const size_t length = strlen(text), count = places->label_count;
    struct label *label = map_find_bytes(&places->labels, 0, text, length);
    *number = label ? label->number : 0;
    if (label || count >= LABELS_MAX || places->label_bytes + length > LABEL_BYTES_MAX) return true;
    if (!array_reserve(places->label, places->label_capacity, count + 1)) return false;
    label = map_add_bytes(&places->labels, 0, text, length);
    places->label[count] = label ? strdup(text) : NULL;
    if (!places->label[count]) return false;
    places->label_bytes += length + 1;
    *number = label->number = ++places->label_count;
    return true;
}

bool places_label(struct places *places, const struct trace_process *process, uint32_t thread,
                  const char *label)
{
    uint64_t number;
    if (!find_label(places, label, &number)) return false;
    const uint64_t others = (uint64_t)LABELS_MAX << LABEL_SHIFT;
    const uint64_t known = known_of(places, process, thread);
    if (!set_known(places, process, thread,
                   (known & ~others) | number << LABEL_SHIFT | THREAD_KNOWN))
        return false;
    return !(known & THREAD_ANNOUNCED) || announce(places, process, PLACE_THREAD, thread, 0, NULL);
}

const char *places_label_of(struct places *places, const struct trace_process *process,
                            uint32_t thread)
{
    const size_t number = known_of(places, process, thread) >> LABEL_SHIFT & LABELS_MAX;
    return number > 0 ? places->label[number - 1] : NULL;
}

bool places_wake(struct places *places, const struct trace_process *process, uint32_t thread,
                 bool is_woken, uint32_t waker)
{
    const uint64_t kept = known_of(places, process, thread) & (((uint64_t)1 << WAKER_SHIFT) - 1) &
                          ~(uint64_t)THREAD_WOKEN;
    return set_known(places, process, thread,
                     kept | THREAD_KNOWN |
                         (is_woken ? (uint64_t)waker << WAKER_SHIFT | THREAD_WOKEN : 0));
}

bool places_waker(struct places *places, const struct trace_process *process, uint32_t thread,
                  uint32_t *waker)
{
    const uint64_t known = known_of(places, process, thread);
    *waker = (uint32_t)(known >> WAKER_SHIFT);
    return known & THREAD_WOKEN;
}
