/* Random programs: threads emit on caps that they hand to each other, and on the global buffer,
 * while others control the emitter. All destinations together have the events sent, cap by cap, in
 * order, byte for byte; missing events are counted, and reported in their place.
 *
 * HECTIC_SEED repeats a program (as far as threads can be repeated), HECTIC_ROUNDS makes more. */
#include "emit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

enum { CAPS = 5, WORKERS = 3, EVENTS = 30000, PLACES = 400, CUSTOM = 3, POOL = 8 };

static char directory[] = "/tmp/hectic-emit-XXXXXX";

/* --- What was sent -------------------------------------------------------------------------- */

/* Each event is identified by its own time; or, with real clocks, by a number at the start of its
 * payload. */
struct record {
    uint64_t time, hash;
    uint16_t cap, number, size;
    bool found;
    bool unsure; /* an event may look like a replayed one */
};

struct records {
    struct record *at;
    size_t count, capacity;
};

static uint64_t hash_of(const uint8_t *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash;
}

static void add(struct records *r, struct record record)
{
    if (r->count == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 4096;
        r->at = realloc(r->at, r->capacity * sizeof *r->at);
        assert_non_null(r->at);
    }
    r->at[r->count++] = record;
}

static int compare_times(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

static struct record *find(const struct records *r, uint64_t time)
{
    const struct record key = {.time = time};
    return bsearch(&key, r->at, r->count, sizeof key, compare_times);
}

/* --- Where it went -------------------------------------------------------------------------- */

enum way { WRITER, FILE_, REGULAR_FD, PIPE, FIFO, UNIX, TCP, RING, WAYS };

struct place {
    enum way way;
    hectic_destination destination;
    struct bytes bytes;
    char path[64], port[8];
    int fd; /* to read from, or to listen at */
    pthread_t reader;
    bool read;
    unsigned slow;  /* maximum duration of a write, in us */
    uint64_t stops; /* stops of the emitter before this destination */
};

/* --- A program ------------------------------------------------------------------------------ */

struct program {
    hectic_emitter *emitter;
    uint64_t seed, time;
    uint16_t custom[CUSTOM];
    uint16_t custom_size[CUSTOM];
    pthread_mutex_t owned[CAPS + 1];
    struct place place[PLACES];
    size_t places;
    uint64_t stops;
    bool started;
    bool drops;    /* destinations may be slow, with any policy for full buffers */
    bool numbered; /* events have numbers, and times of a real clock */
    unsigned working;
};

struct worker {
    struct program *program;
    pthread_t thread;
    uint64_t random;
    struct records records;
};

static _Thread_local uint64_t my_time; /* of this thread's latest event */

static uint64_t now(void *user)
{
    my_time = __atomic_add_fetch(&((struct program *)user)->time, 1, __ATOMIC_RELAXED);
    return my_time;
}

/* --- Workers -------------------------------------------------------------------------------- */

static hectic_emit_cap *cap_of(const struct program *p, uint16_t number)
{
    return number == HECTIC_CAP_NONE ? hectic_emitter_global(p->emitter)
                                     : hectic_emitter_cap(p->emitter, number);
}

static bool emit_custom(const struct program *p, hectic_emit_cap *cap, uint64_t *random,
                        struct record *record, uint8_t *payload)
{
    const size_t which = random_below(random, CUSTOM);
    /* Definitions are permanent: emit few. */
    uint64_t few = random_below(random, POOL);
    size_t size = p->custom_size[which];
    if (size == HECTIC_VARIABLE) size = random_below(&few, 50);
    for (size_t i = 0; i < size; i++)
        payload[i] = (uint8_t)random_next(&few);
    record->number = p->custom[which];
    record->size = (uint16_t)size;
    return hectic_emit_bytes(cap, record->number, payload, size);
}

static bool emit_large(hectic_emit_cap *cap, uint64_t *random, struct record *record,
                       uint8_t *payload)
{
    record->number = HECTIC_EVENT_USER_BINARY_MSG;
    record->size = (uint16_t)(UINT16_MAX - random_below(random, 3));
    memset(payload, (int)random_below(random, 256), record->size);
    return hectic_emit_user_binary_msg(cap, payload, record->size);
}

/* The next number before random bytes, in a message that is not part of the state.
 */
static bool emit_numbered(struct program *p, hectic_emit_cap *cap, uint64_t *random,
                          struct record *record, uint8_t *payload)
{
    now(p);
    record->number = HECTIC_EVENT_USER_BINARY_MSG;
    record->size = (uint16_t)(8 + random_below(random, random_below(random, 300) ? 60 : 65000));
    store64(payload, my_time);
    for (size_t i = 8; i < record->size; i++)
        payload[i] = (uint8_t)(my_time + i);
    const hectic_value message = {.bytes = payload, .length = record->size};
    switch (random_below(random, 3)) {
    case 0: return hectic_emit_user_binary_msg(cap, payload, record->size);
    case 1: return hectic_emit_fields(cap, record->number, &message, 1);
    default: return hectic_emit_bytes(cap, record->number, payload, record->size);
    }
}

static bool emit_shape(hectic_emit_cap *cap, uint64_t *random, struct record *record,
                       uint8_t *payload)
{
    static _Thread_local struct values values;
    size_t count;
    const hectic_shape *shapes = hectic_catalogue(&count), *shape;
    do {
        shape = &shapes[random_below(random, count)];
    } while (!emit_has_call(shape) || shape->number == HECTIC_EVENT_SYNC);
    uint64_t few = shape->number * POOL + random_below(random, POOL);
    values_fill(&values, shape, &few, 60);
    record->number = shape->number;
    record->size = (uint16_t)values_payload(&values, shape->number, payload);
    switch (random_below(random, 3)) {
    case 0: return emit_call(cap, shape->number, values.value);
    case 1: return hectic_emit_fields(cap, shape->number, values.value, values.count);
    default: return hectic_emit_bytes(cap, shape->number, payload, record->size);
    }
}

/* Emits an event by one of all functions; records it if it was logged. */
static void emit_one(struct program *p, uint16_t number, bool numbered, uint64_t *random,
                     struct records *to)
{
    static _Thread_local uint8_t payload[HECTIC_EVENT_MAX];
    hectic_emit_cap *cap = cap_of(p, number);
    struct record record = {.cap = number};
    const uint64_t kind = random_below(random, 300);
    const bool logged = numbered    ? emit_numbered(p, cap, random, &record, payload)
                        : kind == 0 ? emit_large(cap, random, &record, payload)
                        : kind < 20 ? emit_custom(p, cap, random, &record, payload)
                                    : emit_shape(cap, random, &record, payload);
    if (!logged) return;
    record.time = my_time;
    record.hash = hash_of(payload, record.size);
    add(to, record);
}

static void *work(void *user)
{
    struct worker *w = user;
    struct program *p = w->program;
    for (size_t i = 0; i < EVENTS;) {
        const uint16_t cap = (uint16_t)random_below(&w->random, CAPS + 1);
        /* The global buffer needs no owner, but numbers must be in the order of events. */
        const bool owned = cap < CAPS || p->numbered;
        if (owned && pthread_mutex_trylock(&p->owned[cap]) != 0) continue;
        for (uint64_t n = random_below(&w->random, 300); n-- > 0; i++) {
            emit_one(p, cap < CAPS ? cap : HECTIC_CAP_NONE, p->numbered, &w->random, &w->records);
            if (random_below(&w->random, 50) == 0)
                hectic_emit_due(cap_of(p, cap < CAPS ? cap : HECTIC_CAP_NONE),
                                (hectic_class)random_below(&w->random, HECTIC_CLASS_COUNT));
        }
        if (owned) pthread_mutex_unlock(&p->owned[cap]);
        usleep((useconds_t)random_below(&w->random, 500));
    }
    __atomic_sub_fetch(&p->working, 1, __ATOMIC_RELEASE);
    return NULL;
}

static bool is_working(struct program *p)
{
    return __atomic_load_n(&p->working, __ATOMIC_ACQUIRE) > 0;
}

/* --- Places ----------------------------------------------------------------------------------- */

static bool write_slowly(void *user, const void *bytes, size_t length)
{
    struct place *place = user;
    if (place->slow > 0) usleep(place->slow);
    return bytes_write(&place->bytes, bytes, length);
}
static const hectic_emit_writer writer = {.write = write_slowly};

static void *read_all(void *user)
{
    struct place *place = user;
    static _Thread_local uint8_t piece[1 << 16];
    int fd = place->fd;
    if (place->way == UNIX || place->way == TCP) fd = accept(place->fd, NULL, NULL);
    ssize_t got;
    while ((got = read(fd, piece, sizeof piece)) > 0) {
        bytes_write(&place->bytes, piece, (size_t)got);
        if (place->slow > 0) usleep(place->slow);
    }
    if (fd != place->fd) close(fd);
    return NULL;
}

static void listen_at(struct place *place)
{
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    struct sockaddr_in internet = {.sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const bool is_local = place->way == UNIX;
    memcpy(local.sun_path, place->path, sizeof place->path);
    place->fd = socket(is_local ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    assert_true(place->fd >= 0);
    if (is_local) {
        assert_int_equal(bind(place->fd, (struct sockaddr *)&local, sizeof local), 0);
    } else {
        socklen_t length = sizeof internet;
        assert_int_equal(bind(place->fd, (struct sockaddr *)&internet, length), 0);
        assert_int_equal(getsockname(place->fd, (struct sockaddr *)&internet, &length), 0);
        snprintf(place->port, sizeof place->port, "%u", ntohs(internet.sin_port));
    }
    assert_int_equal(listen(place->fd, 1), 0);
}

static void open_place(struct place *place, const struct program *p, size_t number,
                       uint64_t *random)
{
    *place = (struct place){.way = (enum way)random_below(random, WAYS), .fd = -1};
    hectic_destination *d = &place->destination;
    int ends[2];
    snprintf(place->path, sizeof place->path, "%s/%zu", directory, number);
    *d = (hectic_destination){.path = place->path, .host = "127.0.0.1", .port = place->port};
    if (p->drops) {
        d->when_blocked = (hectic_when_blocked)random_below(random, 4);
        d->wait_ms = 1 + (uint32_t)random_below(random, 10);
        place->slow = (unsigned)random_below(random, 3000);
    } else {
        d->when_blocked = HECTIC_BLOCKED_WAIT;
        d->wait_ms = 60000;
    }
    switch (place->way) {
    case WRITER:
        d->kind = HECTIC_TO_WRITER;
        d->writer = &writer;
        d->user = place;
        break;
    case FILE_: d->kind = HECTIC_TO_FILE; break;
    case REGULAR_FD:
        d->kind = HECTIC_TO_FD;
        place->fd = d->fd = open(place->path, O_RDWR | O_CREAT | O_TRUNC, 0600);
        assert_true(d->fd >= 0);
        break;
    case PIPE:
        d->kind = HECTIC_TO_FD;
        assert_int_equal(pipe(ends), 0);
        place->fd = ends[0];
        d->fd = ends[1];
        break;
    case FIFO:
        d->kind = HECTIC_TO_FIFO;
        assert_int_equal(mkfifo(place->path, 0600), 0);
        place->fd = open(place->path, O_RDONLY | O_NONBLOCK);
        assert_true(place->fd >= 0);
        break;
    case UNIX:
    case TCP:
        d->kind = place->way == UNIX ? HECTIC_TO_UNIX : HECTIC_TO_TCP;
        listen_at(place);
        break;
    case RING:
    default: d->kind = HECTIC_TO_RING; d->ring_size = p->drops ? 200000 : 1 << 30;
    }
}

/* The emitter writes there now: its reader may start. */
static void begin_place(struct place *place)
{
    place->read =
        place->way == PIPE || place->way == FIFO || place->way == UNIX || place->way == TCP;
    if (place->way == FIFO) fcntl(place->fd, F_SETFL, 0);
    if (place->read) assert_int_equal(pthread_create(&place->reader, NULL, read_all, place), 0);
}

/* The emitter has closed it. */
static void end_place(struct place *place)
{
    if (place->way == PIPE) close(place->destination.fd);
}

/* All bytes have arrived. */
static void close_place(struct place *place)
{
    if (place->read) pthread_join(place->reader, NULL);
    if (place->fd >= 0) close(place->fd);
    if (place->way == FILE_ || place->way == REGULAR_FD) place->bytes = bytes_of_file(place->path);
    unlink(place->path);
}

/* --- Control ---------------------------------------------------------------------------------- */

static void stop(struct program *p)
{
    assert_int_equal(hectic_emitter_stop(p->emitter), HECTIC_EMIT_OK);
    p->started = false;
    p->stops++;
    end_place(&p->place[p->places - 1]);
}

static void go_to(struct program *p, struct place *place)
{
    place->stops = p->stops;
    const hectic_emit_status status = p->started
                                          ? hectic_emitter_redirect(p->emitter, &place->destination)
                                          : hectic_emitter_start(p->emitter, &place->destination);
    assert_int_equal(status, HECTIC_EMIT_OK);
    begin_place(place);
    if (p->started) end_place(place - 1);
    p->started = true;
    p->places++;
}

/* Redirects the log repeatedly. */
static void *steer(void *user)
{
    struct program *p = user;
    uint64_t random = p->seed ^ 0x5ee2;
    while (is_working(p) && p->places < PLACES - 1) {
        if (p->started && random_below(&random, 8) == 0) {
            stop(p);
            usleep((useconds_t)random_below(&random, 300));
        }
        struct place *place = &p->place[p->places];
        open_place(place, p, p->places, &random);
        go_to(p, place);
        usleep((useconds_t)random_below(&random, 4000));
    }
    return NULL;
}

/* Calls all other control functions. */
static void *meddle(void *user)
{
    struct program *p = user;
    hectic_emitter *e = p->emitter;
    uint64_t random = p->seed ^ 0x3edd1e;
    while (is_working(p)) {
        const uint32_t ms = (uint32_t)random_below(&random, 6);
        const hectic_class class_ = (hectic_class)random_below(&random, HECTIC_CLASS_COUNT);
        const uint64_t parameter[] = {random_below(&random, 1000), 1};
        switch (random_below(&random, 11)) {
        case 0: hectic_emitter_flush(e, ms); break;
        case 1: hectic_emitter_flush(e, 0); break;
        case 2: hectic_emitter_sync(e); break;
        case 3:
            hectic_emitter_disable(e, class_);
            usleep(50);
            hectic_emitter_enable(e, class_, parameter, random_below(&random, 3));
            break;
        case 4:
            hectic_emitter_set_logging(e, false);
            usleep(50);
            hectic_emitter_set_logging(e, true);
            break;
        case 5: hectic_emitter_set_buffer_size(e, random_below(&random, 200000)); break;
        case 6: hectic_emitter_flush_every(e, ms); break;
        case 7: hectic_emitter_flush_idle(e, ms); break;
        case 8: hectic_emitter_sync_every(e, 30 * ms); break;
        case 9: hectic_emitter_get_state(e); break;
        default: hectic_emitter_classes(e);
        }
        usleep((useconds_t)random_below(&random, 500));
    }
    return NULL;
}

/* --- What came out ---------------------------------------------------------------------------- */

/* For each cap, the last event found. */
struct trail {
    size_t next;     /* in its records */
    uint64_t noted;  /* events reported as dropped since then */
    uint64_t stops;  /* before the last place where one was found for sure */
    uint64_t unsure; /* number of uncertain matches */
    uint64_t moved;  /* position of the last event whose time was changed */
};

struct trails {
    struct records *sent;
    bool numbered, drops;
    struct trail of[CAPS + 1];
    size_t *index[CAPS + 1]; /* the records of each cap, in order */
    size_t count[CAPS + 1];
    uint64_t missing;
};

static size_t slot(uint16_t cap)
{
    assert_true(cap < CAPS || cap == HECTIC_CAP_NONE);
    return cap < CAPS ? cap : CAPS;
}

/* A message of the emitter: the number of dropped events, or logging switched off or on. */
static bool is_note(const hectic_event *event, uint64_t *dropped)
{
    static const char logging[] = "hectic: logging";
    char text[64] = "";
    if (event->type != HECTIC_EVENT_LOG_MSG) return false;
    memcpy(text, event->payload, event->size < sizeof text ? event->size : sizeof text - 1);
    *dropped = 0;
    return memcmp(text, logging, sizeof logging - 1) == 0 ||
           sscanf(text, "hectic: %" SCNu64 " events were dropped here", dropped) == 1;
}

/* Events of a cap are missing before `next`: they must have been reported, unless the log was
 * stopped there. */
static void miss(struct trails *t, size_t cap, size_t next, uint64_t stops)
{
    struct trail *trail = &t->of[cap];
    const uint64_t missing = next - trail->next;
    const bool stopped = stops != trail->stops;
    if (stopped ? trail->noted > missing + trail->unsure
                : trail->noted < missing || trail->noted > missing + trail->unsure)
        fail_msg("cap %zu: %" PRIu64 " events are missing from %" PRIu64 " on, %" PRIu64
                 " were reported",
                 cap, missing, t->sent->at[t->index[cap][trail->next]].time, trail->noted);
    if (!t->drops && !stopped && missing > 0)
        fail_msg("cap %zu: %" PRIu64 " events were dropped, though there was time", cap, missing);
    t->missing += missing;
    trail->noted = 0;
}

/* Only one event of a cap can be in progress during a state replay. */
static void check_moved(const struct trails *t, struct trail *trail, const hectic_event *event,
                        const struct record *record)
{
    if (t->numbered || record->time == event->time) return;
    if (trail->moved == event->time)
        fail_msg("cap %u: the event of %" PRIu64 " is not the only one that was moved to %" PRIu64,
                 event->cap, record->time, event->time);
    trail->moved = event->time;
}

static void take(struct trails *t, const struct place *place, const hectic_event *event,
                 struct record *record)
{
    const size_t cap = slot(event->cap);
    struct trail *trail = &t->of[cap];
    check_moved(t, trail, event, record);
    const size_t which = (size_t)(record - t->sent->at);
    size_t next = trail->next;
    while (next < t->count[cap] && t->index[cap][next] != which)
        next++;
    if (next == t->count[cap]) fail_msg("cap %zu: an event is out of order", cap);
    miss(t, cap, next, place->stops);
    record->found = true;
    trail->next = next + 1;
    if (!record->unsure) trail->stops = place->stops;
}

static bool is_recorded(const struct record *record, const hectic_event *event)
{
    return record && record->cap == event->cap && record->number == event->type &&
           record->size == event->size && record->hash == hash_of(event->payload, event->size);
}

/* The last record of a cap before that time; NULL: none. */
static struct record *last_before(const struct trails *t, size_t cap, uint64_t time)
{
    size_t first = 0, end = t->count[cap];
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (t->sent->at[t->index[cap][middle]].time < time)
            first = middle + 1;
        else
            end = middle;
    }
    return first > 0 ? &t->sent->at[t->index[cap][first - 1]] : NULL;
}

/* The record of an event. An event in progress during a state replay has the time of the replay:
 * it is the last one of its cap before. */
static struct record *record_of(const struct trails *t, const hectic_event *event)
{
    struct record *record =
        find(t->sent, t->numbered && event->size >= 8 ? load64(event->payload) : event->time);
    if (is_recorded(record, event)) return record;
    record = last_before(t, slot(event->cap), event->time);
    return !t->numbered && is_recorded(record, event) ? record : NULL;
}

/* Whether that record may be the next of its cap. */
static bool may_be_next(const struct trails *t, const struct place *place,
                        const struct record *record)
{
    const size_t cap = slot(record->cap);
    const struct trail *trail = &t->of[cap];
    const size_t next = trail->next + trail->noted;
    return place->stops != trail->stops ||
           (next < t->count[cap] && record == &t->sent->at[t->index[cap][next]]);
}

/* Is this an event of the program, although it may look like a replayed one? Not if it follows
 * later, too. */
static bool may_be_sent(const struct trails *t, const struct place *place,
                        const struct found *found, size_t i)
{
    const hectic_event *event = &found->event[i];
    const struct record *record = record_of(t, event);
    if (!record || record->found || !may_be_next(t, place, record)) return false;
    for (size_t later = i + 1; later < found->count; later++)
        if (found->event[later].time == event->time && is_recorded(record, &found->event[later]))
            return false;
    return true;
}

/* Finds the first event after the state replay. The replay has events of a single time, in blocks
 * of only that time. The program's first event may have the same time, and so may events that were
 * being written then; but their blocks also have other times. */
static size_t after_replay(struct trails *t, const struct place *place, const struct found *found)
{
    if (found->count == 0 || t->numbered) return 0;
    const uint64_t time = found->event[0].time;
    uint64_t dropped;
    size_t end = 0;
    for (; end < found->count && found->event[end].time == time; end++)
        if (event_is_marker(&found->event[end]) && event_block_end(&found->event[end]) != time)
            break;
    size_t first = end;
    for (size_t i = end; i-- > 0;) {
        const hectic_event *event = &found->event[i];
        if (event_is_marker(event) || is_note(event, &dropped)) continue;
        struct trail *trail = &t->of[slot(event->cap)];
        const bool noted = i > 0 && is_note(event - 1, &dropped);
        trail->noted += noted ? dropped : 0;
        const bool sent = may_be_sent(t, place, found, i);
        trail->noted -= noted ? dropped : 0;
        if (!sent) break;
        trail->unsure++;
        record_of(t, event)->unsure = true;
        first = noted ? i - 1 : i;
    }
    return first;
}

/* Times do not decrease on a cap, and a block ends with its last event. */
static void check_times(const struct found *found)
{
    uint64_t last[CAPS + 1] = {0}, end = 0;
    for (size_t i = 0; i < found->count; i++) {
        const hectic_event *event = &found->event[i];
        uint64_t *of_cap = &last[slot(event->cap)];
        const bool ends = i + 1 == found->count || event_is_marker(event + 1);
        if (event_is_marker(event)) end = event_block_end(event);
        if (ends && event->time != end)
            fail_msg("event %u of cap %u at %" PRIu64
                     " is the last of a block that ends at %" PRIu64,
                     event->type, event->cap, event->time, end);
        if (event->time < *of_cap)
            fail_msg("event %u of cap %u at %" PRIu64 " comes after %" PRIu64, event->type,
                     event->cap, event->time, *of_cap);
        *of_cap = event->time;
    }
}

static void check_events(struct trails *t, const struct place *place, const struct found *found)
{
    for (size_t i = after_replay(t, place, found); i < found->count; i++) {
        const hectic_event *event = &found->event[i];
        uint64_t dropped;
        if (event_is_marker(event) || event->type == HECTIC_EVENT_SYNC) continue;
        if (is_note(event, &dropped)) {
            t->of[slot(event->cap)].noted += dropped;
            continue;
        }
        if (t->numbered && event->type != HECTIC_EVENT_USER_BINARY_MSG) continue;
        struct record *record = record_of(t, event);
        if (!record)
            fail_msg("event %u of cap %u at %" PRIu64 " was not sent", event->type, event->cap,
                     event->time);
        if (record->found && !record->unsure) fail_msg("event %u arrived twice", event->type);
        if (record->found)
            t->of[slot(event->cap)].noted = 0;
        else
            take(t, place, event, record);
    }
}

/* Same checks as `hectic check`. */
static void check_log(const struct bytes *bytes)
{
    hectic_error error;
    hectic_input *input = bytes_input(bytes->data, bytes->length);
    const hectic_log_options options = {.check = true, .threads = 1};
    hectic_log *log = hectic_log_open(input, &options, &error);
    assert_non_null(log);
    size_t kept;
    uint64_t count;
    const hectic_damage *damage = hectic_log_damage(log, &kept, &count);
    for (size_t i = 0; i < kept; i++) {
        char text[300];
        fail_msg("%s", hectic_error_text(&damage[i].error, text, sizeof text));
    }
    hectic_log_free(log);
}

static void check_place(struct trails *t, struct place *place)
{

    if (place->bytes.length == 0) {
        /* A ring, or a peer without a connection in time. */
        assert_true(place->way == RING || place->way == TCP || place->way == UNIX);
        return;
    }
    struct found found = found_in(place->bytes.data, place->bytes.length);
    assert_int_equal(found.errors, 0);
    assert_int_equal(found.headers, 1);
    assert_int_equal(found.ends, 1);
    assert_int_equal(found.tail, 0);
    check_log(&place->bytes);
    check_times(&found);
    check_events(t, place, &found);
    found_free(&found);
}

static void check_program(struct program *p, struct records *sent)
{
    struct trails t = {.sent = sent, .numbered = p->numbered, .drops = p->drops};
    qsort(sent->at, sent->count, sizeof *sent->at, compare_times);
    for (size_t cap = 0; cap <= CAPS; cap++) {
        t.index[cap] = malloc((sent->count + 1) * sizeof *t.index[cap]);
        assert_non_null(t.index[cap]);
    }
    for (size_t i = 0; i < sent->count; i++) {
        const size_t cap = slot(sent->at[i].cap);
        t.index[cap][t.count[cap]++] = i;
    }
    for (size_t i = 0; i < p->places; i++)
        check_place(&t, &p->place[i]);
    uint64_t unsure = 0;
    for (size_t cap = 0; cap <= CAPS; cap++) {
        miss(&t, cap, t.count[cap], t.of[cap].stops);
        unsure += t.of[cap].unsure;
        free(t.index[cap]);
    }
    const uint64_t dropped = hectic_emitter_get_state(p->emitter).events_dropped;
    if (getenv("HECTIC_VERBOSE"))
        print_message("seed %" PRIu64 ": %zu events, %zu places, %" PRIu64 " stops, %" PRIu64
                      " dropped\n",
                      p->seed, sent->count, p->places, p->stops, dropped);
    if (t.missing > dropped || t.missing + unsure < dropped)
        fail_msg("%" PRIu64 " events are missing, %" PRIu64 " were counted", t.missing, dropped);
}

/* --- All together ----------------------------------------------------------------------------- */

static struct program *make_program(uint64_t seed, bool drops, bool numbered)
{
    struct program *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->seed = seed;
    p->drops = drops;
    p->numbered = numbered;
    p->working = WORKERS;
    p->emitter = hectic_emitter_new(&(hectic_emitter_options){
        .caps = CAPS,
        .buffer_size = 1,
        .classes = HECTIC_CLASS_BIT(HECTIC_CLASS_COUNT) - 1,
        .clock = numbered ? (hectic_emit_clock)(seed % 3) : HECTIC_CLOCK_CALLER,
        .now = now,
        .user = p,
        .no_thread = !drops && seed % 3 == 0});
    assert_non_null(p->emitter);
    const uint16_t sizes[CUSTOM] = {0, 5, HECTIC_VARIABLE};
    for (size_t i = 0; i < CUSTOM; i++) {
        p->custom_size[i] = sizes[i];
        assert_int_equal(hectic_emitter_register(p->emitter, 0, sizes[i], HECTIC_CLASS_USER, i > 0,
                                                 "an event of this test", &p->custom[i]),
                         HECTIC_EMIT_OK);
    }
    for (size_t i = 0; i <= CAPS; i++)
        pthread_mutex_init(&p->owned[i], NULL);
    return p;
}

/* Flushes the buffers, and emits an event of each cap, preceded by the message about missing
 * events. */
static void finish(struct program *p, struct records *sent)
{
    struct place *place = &p->place[p->places];
    *place = (struct place){.way = WRITER, .fd = -1};
    place->destination = (hectic_destination){
        .kind = HECTIC_TO_WRITER, .writer = &writer, .user = place, .wait_ms = 60000};
    hectic_emitter_set_logging(p->emitter, true);
    go_to(p, place);
    uint64_t random = 1;
    for (unsigned i = 0; i <= CAPS; i++) {
        const uint16_t cap = i < CAPS ? (uint16_t)i : HECTIC_CAP_NONE;
        const size_t count = sent->count;
        emit_one(p, cap, true, &random, sent);
        assert_int_equal(sent->count, count + 1);
    }
    stop(p);
    for (size_t i = 0; i < p->places; i++)
        close_place(&p->place[i]);
}

static void run(uint64_t seed, bool drops, bool numbered)
{
    struct program *p = make_program(seed, drops, numbered);
    struct worker worker[WORKERS];
    pthread_t steers, meddles;
    for (uint64_t i = 0; i < WORKERS; i++) {
        worker[i] = (struct worker){.program = p, .random = seed * WORKERS + i};
        assert_int_equal(pthread_create(&worker[i].thread, NULL, work, &worker[i]), 0);
    }
    assert_int_equal(pthread_create(&steers, NULL, steer, p), 0);
    assert_int_equal(pthread_create(&meddles, NULL, meddle, p), 0);
    struct records sent = {0};
    for (size_t i = 0; i < WORKERS; i++) {
        pthread_join(worker[i].thread, NULL);
        for (size_t j = 0; j < worker[i].records.count; j++)
            add(&sent, worker[i].records.at[j]);
        free(worker[i].records.at);
    }
    pthread_join(steers, NULL);
    pthread_join(meddles, NULL);
    finish(p, &sent);
    check_program(p, &sent);
    hectic_emitter_free(p->emitter);
    for (size_t i = 0; i < p->places; i++)
        bytes_free(&p->place[i].bytes);
    free(sent.at);
    free(p);
}

static void run_all(bool drops, bool numbered)
{
    const char *seed = getenv("HECTIC_SEED"), *rounds = getenv("HECTIC_ROUNDS");
    const uint64_t count = seed ? 1 : rounds ? strtoull(rounds, NULL, 10) : 3;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t this = seed ? strtoull(seed, NULL, 10) : (uint64_t)getpid() * 1000 + i;
        print_message("HECTIC_SEED=%" PRIu64 "\n", this);
        run(this, drops, numbered);
    }
}

static void nothing_is_lost_if_destinations_keep_up(void **state)
{
    (void)state;
    run_all(false, false);
}

static void dropped_events_are_reported(void **state)
{
    (void)state;
    run_all(true, false);
}

static void works_with_real_clocks(void **state)
{
    (void)state;
    run_all(false, true);
    run_all(true, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_if_destinations_keep_up),
        cmocka_unit_test(dropped_events_are_reported),
        cmocka_unit_test(works_with_real_clocks),
    };
    if (!mkdtemp(directory)) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(directory);
    return failed;
}
