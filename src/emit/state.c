/* The baseline snapshot for new readers: applied events that have left the buffers, replayed as
 * header and events. */
#include "emit/emitter.h"
#include "format/event_bytes.h"

#include <hectic/encoder.h>
#include <hectic/gaps.h>
#include <hectic/version.h>

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { OS_PROCESS = 0, CLOCK_DOMAIN = 1 };           /* capsets, as GHC numbers them */
enum { TYPE_OS_PROCESS = 2, TYPE_CLOCK_DOMAIN = 3 }; /* types of capsets */
enum { MAX_PAYLOAD = 65535, PREFIX = 10, QUICK_TYPES = 256 };

struct state {
    pthread_mutex_t lock;
    hectic_header *header; /* of the declared types in the catalogue */
    snapshot baseline;
    struct {
        const hectic_event_type *declared; /* in `header`; NULL: registered later */
        uint16_t size;
        bool used; /* events of this type may be part of the state */
    } quick[QUICK_TYPES];
};

/* --- Updating --------------------------------------------------------------------------------- */

/* The types for the header; to be freed. */
static hectic_event_type *declared(const hectic_emitter *e, size_t *count)
{
    *count = 0;
    for (const event_type *t = e->first_type; t; t = t->next)
        ++*count;
    hectic_event_type *types = calloc(*count, sizeof *types);
    size_t i = 0;
    for (const event_type *t = e->first_type; types && t; t = t->next)
        types[i++] = t->type;
    return types;
}

static void fill_quick(state *s)
{
    size_t count;
    const hectic_event_type *type = hectic_header_types(s->header, &count);
    for (const hectic_event_type *end = type + count; type < end; type++) {
        if (type->number >= QUICK_TYPES) continue;
        s->quick[type->number].declared = type;
        s->quick[type->number].size = type->size;
        s->quick[type->number].used = live_state_uses(s->baseline.live, type);
    }
}

state *state_new(const hectic_emitter *e)
{
    state *s = calloc(1, sizeof *s);
    size_t count;
    hectic_event_type *types = declared(e, &count);
    if (s && types) s->header = hectic_header_new(types, count);
    free(types);
    if (s && s->header) s->baseline.live = live_state_new(s->header, NULL);
    if (s && s->baseline.live) live_state_expect_disorder(s->baseline.live);
    if (!s || !s->baseline.live || pthread_mutex_init(&s->lock, NULL) != 0) {
        if (s) hectic_header_free(s->header);
        if (s) live_state_free(s->baseline.live);
        free(s);
        return NULL;
    }
    fill_quick(s);
    return s;
}

void state_free(state *s)
{
    if (!s) return;
    snapshot_clear(&s->baseline);
    hectic_header_free(s->header);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

pthread_mutex_t *state_mutex(state *s)
{
    return &s->lock;
}

/* Returns the event's size. The live state keeps the pointer to the declared type, which is stable.
 */
static size_t apply_declared(snapshot *f, const hectic_event_type *type, uint16_t cap,
                             const uint8_t *at)
{
    hectic_event event;
    const size_t size = event_view(type, at, cap, &event);
    if (live_state_event(f->live, &event) == LIVE_STATE_PERMANENT)
        definitions_add(&f->definitions, &event, NULL);
    return size;
}

static size_t apply_registered(snapshot *f, const event_type *type, uint16_t cap, const uint8_t *at)
{
    hectic_event event;
    const size_t size = event_view(&type->type, at, cap, &event);
    if (type->definition) definitions_add(&f->definitions, &event, NULL);
    return size;
}

/* Messages of the emitter itself do not count as events. */
static bool is_own(const uint8_t *at)
{
    static const char own[] = HECTIC_GAP_LOGGING;
    enum { LENGTH = sizeof own - 1 };
    return event_type_at(at) == HECTIC_EVENT_LOG_MSG && event_length_at(at) >= LENGTH &&
           memcmp(at + VARIABLE_HEAD, own, LENGTH) == 0;
}

uint64_t snapshot_update(const hectic_emitter *e, snapshot *f, uint16_t cap, const uint8_t *events,
                         size_t size)
{
    const state *s = e->state;
    uint64_t count = 0;
    for (const uint8_t *at = events; at < events + size; count++) {
        const uint16_t number = event_type_at(at);
        if (number >= QUICK_TYPES || !s->quick[number].declared)
            at += apply_registered(f, emitter_type(e, number), cap, at);
        else if (s->quick[number].used)
            at += apply_declared(f, s->quick[number].declared, cap, at);
        else if (s->quick[number].size == HECTIC_VARIABLE) {
            count -= is_own(at);
            at += VARIABLE_HEAD + (size_t)event_length_at(at);
        } else
            at += EVENT_HEAD + (size_t)s->quick[number].size;
    }
    return count;
}

uint64_t state_update(const hectic_emitter *e, uint16_t cap, const uint8_t *events, size_t size)
{
    pthread_mutex_lock(&e->state->lock);
    const uint64_t count = snapshot_update(e, &e->state->baseline, cap, events, size);
    pthread_mutex_unlock(&e->state->lock);
    return count;
}

void state_prune(const hectic_emitter *e, uint64_t before)
{
    pthread_mutex_lock(&e->state->lock);
    live_state_prune(e->state->baseline.live, before);
    pthread_mutex_unlock(&e->state->lock);
}

size_t state_until(const hectic_emitter *e, const uint8_t *events, size_t size, uint64_t time,
                   uint64_t *last)
{
    const uint8_t *at = events;
    while (at < events + size && event_time_at(at) <= time) {
        hectic_event event;
        *last = event_time_at(at);
        at += event_view(&emitter_type(e, event_type_at(at))->type, at, 0, &event);
    }
    return (size_t)(at - events);
}

void state_restamp(const hectic_emitter *e, uint8_t *events, size_t size, uint64_t earliest)
{
    for (uint8_t *at = events; at < events + size && event_time_at(at) < earliest;) {
        hectic_event event;
        event_set_time(at, earliest);
        at += event_view(&emitter_type(e, event_type_at(at))->type, at, 0, &event);
    }
}

/* --- Replaying -------------------------------------------------------------------------------- */

bool state_header(const hectic_emitter *e, bytes *out)
{
    size_t count;
    hectic_event_type *types = declared(e, &count);
    uint8_t *at = NULL;
    if (types) {
        const size_t size = hectic_encode_header(NULL, 0, types, count);
        if ((at = bytes_add(out, size))) hectic_encode_header(at, size, types, count);
    }
    free(types);
    return at != NULL;
}

static const hectic_event_type *declared_type(const void *user, uint16_t number)
{
    return &emitter_type(user, number)->type;
}

static bool replay_baseline(const hectic_emitter *e, replay_writer *t)
{
    const state *s = e->state;
    return replay_all(t, &s->baseline.definitions, s->baseline.live, s->header, declared_type, e);
}

bool state_replay(const hectic_emitter *e, bytes *out, uint64_t time)
{
    replay_writer t = {.out = out, .time = time};
    pthread_mutex_lock(&e->state->lock);
    const bool ok = replay_baseline(e, &t);
    pthread_mutex_unlock(&e->state->lock);
    return ok;
}

bool state_replay_sync(const hectic_emitter *e, bytes *out, uint64_t time, uint64_t without)
{
    replay_writer t = {.out = out,
                       .time = time,
                       .sync = &emitter_type(e, HECTIC_EVENT_SYNC)->type,
                       .omitted = without};
    pthread_mutex_lock(&e->state->lock);
    const bool ok = replay_baseline(e, &t);
    pthread_mutex_unlock(&e->state->lock);
    return ok;
}

bool state_replay_in_handler(const hectic_emitter *e, bytes *out, uint64_t time)
{
    return replay_baseline(e, &(replay_writer){.out = out, .time = time});
}

/* --- Snapshots -------------------------------------------------------------------------------- */

bool snapshot_new(const hectic_emitter *e, snapshot *f)
{
    *f = (snapshot){.live = live_state_new(e->state->header, NULL)};
    return f->live != NULL;
}

void snapshot_clear(snapshot *f)
{
    live_state_free(f->live);
    definitions_clear(&f->definitions);
    f->live = NULL;
}

/* Definitions are not copied: the copy gets only new ones. */
bool state_copy(const hectic_emitter *e, snapshot *f)
{
    pthread_mutex_lock(&e->state->lock);
    *f = (snapshot){.live = live_state_copy(e->state->baseline.live)};
    pthread_mutex_unlock(&e->state->lock);
    return f->live != NULL;
}

void state_drop_classes(const hectic_emitter *e, uint64_t classes)
{
    pthread_mutex_lock(&e->state->lock);
    live_state_drop_classes(e->state->baseline.live, classes);
    pthread_mutex_unlock(&e->state->lock);
}

static bool is_defined(const hectic_emitter *e, const snapshot *from, const hectic_event *event)
{
    pthread_mutex_lock(&e->state->lock);
    const bool known = definitions_hold(&e->state->baseline.definitions, event);
    pthread_mutex_unlock(&e->state->lock);
    return known || definitions_hold(&from->definitions, event);
}

bool snapshot_replay_change(const hectic_emitter *e, const snapshot *from, const snapshot *to,
                            uint64_t classes, live_state_emit emit, void *user)
{
    for (size_t at = 0; at < to->definitions.events.size;) {
        const hectic_event event = definitions_event(&to->definitions, &at, 0, declared_type, e);
        if (!is_defined(e, from, &event) && !emit(user, &event)) return false;
    }
    return live_state_replay_change(from->live, to->live, e->state->header, classes, 0, emit, user);
}

/* --- The process ------------------------------------------------------------------------------ */

/* Adds an event of the catalogue to the state. */
static void add_event(hectic_emitter *e, uint16_t number, uint64_t time, const hectic_value *value,
                      size_t count)
{
    const event_type *type = emitter_type(e, number);
    const size_t size = hectic_encode_fields(NULL, 0, &type->type, time, value, count);
    uint8_t *event = size > 0 ? malloc(size) : NULL;
    if (!event) return;
    hectic_encode_fields(event, size, &type->type, time, value, count);
    state_update(e, HECTIC_CAP_NONE, event, size);
    free(event);
}

#define ADD_EVENT(e, time, name, ...)                                                              \
    add_event(e, HECTIC_EVENT_##name, time, (const hectic_value[]){__VA_ARGS__},                   \
              sizeof(const hectic_value[]){__VA_ARGS__} / sizeof(hectic_value))
#define NUMBER(n)                                                                                  \
    {                                                                                              \
        .number = (n)                                                                              \
    }

static hectic_value text_of(const char *text, size_t length)
{
    enum { MOST = MAX_PAYLOAD - 4 }; /* after the capset */
    return (hectic_value){.bytes = (const uint8_t *)text,
                          .length = (uint32_t)(length < MOST ? length : MOST)};
}

static void add_texts(hectic_emitter *e, uint64_t time, uint16_t number, const bytes *texts)
{
    if (texts->size == 0) return;
    const hectic_value value[] = {NUMBER(OS_PROCESS),
                                  text_of((const char *)texts->at, texts->size - 1)};
    add_event(e, number, time, value, 2);
}

static void join(bytes *out, const char *const *texts)
{
    for (; texts && *texts; texts++) {
        const size_t size = strlen(*texts) + 1;
        uint8_t *at = bytes_add(out, size);
        if (at) memcpy(at, *texts, size);
    }
}

static void read_all(bytes *out, const char *path)
{
    enum { PIECE = 4096 };
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = 0;
    do {
        uint8_t *at = bytes_add(out, PIECE);
        if (!at) break;
        got = fd < 0 ? 0 : read(fd, at, PIECE);
        out->size -= (size_t)(PIECE - (got > 0 ? got : 0));
    } while (got > 0);
    if (fd >= 0) close(fd);
}

extern char **environ;

static void add_process(hectic_emitter *e, uint64_t time)
{
    const char *runtime = e->options.runtime ? e->options.runtime : "hectic " HECTIC_VERSION;
    ADD_EVENT(e, time, CAPSET_CREATE, NUMBER(OS_PROCESS), NUMBER(TYPE_OS_PROCESS));
    ADD_EVENT(e, time, CAPSET_CREATE, NUMBER(CLOCK_DOMAIN), NUMBER(TYPE_CLOCK_DOMAIN));
    ADD_EVENT(e, time, RTS_IDENTIFIER, NUMBER(OS_PROCESS), text_of(runtime, strlen(runtime)));

    bytes args = {0}, env = {0};
    if (e->options.args)
        join(&args, e->options.args);
    else
        read_all(&args, "/proc/self/cmdline");
    if (e->options.with_env) join(&env, (const char *const *)environ);
    add_texts(e, time, HECTIC_EVENT_PROGRAM_ARGS, &args);
    add_texts(e, time, HECTIC_EVENT_PROGRAM_ENV, &env);
    free(args.at);
    free(env.at);

    ADD_EVENT(e, time, OSPROCESS_PID, NUMBER(OS_PROCESS), NUMBER((uint32_t)getpid()));
    ADD_EVENT(e, time, OSPROCESS_PPID, NUMBER(OS_PROCESS), NUMBER((uint32_t)getppid()));
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    ADD_EVENT(e, time, WALL_CLOCK_TIME, NUMBER(OS_PROCESS), NUMBER((uint64_t)wall.tv_sec),
              NUMBER((uint64_t)wall.tv_nsec));
}

void state_describe(hectic_emitter *e)
{
    if (!e->options.no_process) add_process(e, clock_now(&e->clock));
}

void state_describe_cap(hectic_emitter *e, uint16_t number)
{
    if (e->options.no_process) return;
    const struct {
        uint16_t event;
        hectic_value value[2];
        size_t count;
    } events[] = {
        {HECTIC_EVENT_CAP_CREATE, {NUMBER(number)}, 1},
        {HECTIC_EVENT_CAPSET_ASSIGN_CAP, {NUMBER(OS_PROCESS), NUMBER(number)}, 2},
        {HECTIC_EVENT_CAPSET_ASSIGN_CAP, {NUMBER(CLOCK_DOMAIN), NUMBER(number)}, 2},
    };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (!hectic_emit_fields(&e->global->out, events[i].event, events[i].value, events[i].count))
            add_event(e, events[i].event, clock_now(&e->clock), events[i].value, events[i].count);
}
