#include "living/living_threads.h"

#include "format/stop_status.h"
#include "format/wire.h"

#include <hectic/encoder.h>

#include <stdlib.h>
#include <string.h>

enum { CAPS = 1 << 16 };

/* Where fields are, in all shapes of these events: the thread comes first. Most events of a log are
 * of threads; looking up their fields in the catalogue would take longer than all else. */
enum { STOP_STATUS = 4, STOP_INFO = 6, STOP_END = 10, MIGRATE_CAP = 4 };

/* What is known of a thread. */
enum {
    CREATED = 1,
    SPARKS = 2,     /* it was made to run sparks */
    RAN_SPARK = 4,  /* and has run one */
    IN_PROCESS = 8, /* of Eden */
    RUNNING = 16,   /* on its cap */
    STOPPED = 32,   /* why is known */
    RUNNABLE = 64,  /* it was woken since */
    DEAD = 128,     /* it has finished: nothing else is known of it */
};

typedef struct thread {
    map_key key;
    char *label;    /* NULL: none */
    uint64_t since; /* when it began what it was last known to do */
    uint64_t woken;
    uint32_t id;
    uint32_t process;
    uint32_t info; /* of STOP_THREAD */
    uint16_t status;
    uint16_t cap; /* where it was last */
    uint16_t label_size;
    uint16_t spark;  /* how the last spark came: SPARK_RUN, SPARK_STEAL */
    uint16_t victim; /* of SPARK_STEAL */
    uint16_t known;
} thread;

bool living_threads_init(living_threads *t, budget *given)
{
    *t = (living_threads){.threads.entry_size = sizeof(thread),
                          .budget = given,
                          .running = calloc(CAPS, sizeof *t->running),
                          .room = malloc(HECTIC_EVENT_MAX)};
    if (t->running && t->room) return true;
    living_threads_clear(t);
    return false;
}

void living_threads_clear(living_threads *t)
{
    for (thread *each = NULL; (each = map_next(&t->threads, each));)
        free(each->label);
    map_clear(&t->threads);
    free(t->running);
    free(t->room);
}

static map_key key_of(uint64_t id)
{
    return (map_key){id, 1};
}

static thread *find(const living_threads *t, uint64_t id)
{
    return map_find(&t->threads, key_of(id));
}

/* The second field of an event whose first names the thread. */
static hectic_value second_field(const hectic_event *event)
{
    hectic_value value[HECTIC_MAX_FIELDS];
    hectic_shape_walk(event->declared->shape, event->payload, event->size, value, NULL);
    return value[1];
}

static size_t label_memory(const thread *each)
{
    return each->label ? budget_allocation(each->label_size + (size_t)1) : 0;
}

static void forget_label(living_threads *t, thread *each)
{
    budget_give_back(t->budget, label_memory(each));
    free(each->label);
    each->label = NULL;
}

static living_result set_label(living_threads *t, thread *each, const hectic_event *event)
{
    const hectic_value label = second_field(event);
    const size_t size = label.length + (size_t)1;
    forget_label(t, each);
    if (!budget_take(t->budget, budget_allocation(size))) return LIVING_FULL;
    each->label = malloc(size);
    if (!each->label) budget_give_back(t->budget, budget_allocation(size));
    if (!each->label) return LIVING_FAILED;
    if (label.length) memcpy(each->label, label.bytes, label.length);
    each->label_size = (uint16_t)label.length;
    return LIVING_KEPT;
}

static void forget(living_threads *t, thread *each)
{
    forget_label(t, each);
    map_remove(&t->threads, each);
    t->recent = NULL;
}

static void die(living_threads *t, thread *each)
{
    if (!t->disordered) {
        forget(t, each);
        return;
    }
    forget_label(t, each);
    each->known = DEAD;
    t->dead++;
}

static void shrink(living_threads *t)
{
    const size_t before = map_memory(&t->threads);
    map_shrink(&t->threads);
    t->recent = NULL;
    budget_give_back(t->budget, before - map_memory(&t->threads));
}

/* A place that becomes free may be taken by an entry from further on. */
static void forget_dead(living_threads *t, uint64_t before)
{
    for (thread *last = NULL, *each; (each = map_next(&t->threads, last));) {
        if ((each->known & DEAD) && each->since < before) {
            forget(t, each);
            t->dead--;
        } else {
            last = each;
        }
    }
}

/* Now and then, so that it costs little; and never too many, though a cap that hardly tells
 * anything may then bring one of them back. */
void living_threads_forget(living_threads *t, uint64_t before)
{
    enum { FEW = 1 << 10, MANY = 1 << 16 };
    if (t->dead < FEW || t->dead < t->forget_at) return;
    forget_dead(t, before);
    if (t->dead > MANY) forget_dead(t, UINT64_MAX);
    t->forget_at = 2 * t->dead;
    shrink(t);
}

static void stop(living_threads *t, thread *each, const hectic_event *event)
{
    if (t->running[event->cap] == each->id) t->running[event->cap] = 0;
    each->status = load16(event->payload + STOP_STATUS);
    each->info = event->size >= STOP_END ? load32(event->payload + STOP_INFO) : 0;
    each->known = (uint16_t)((each->known & ~(RUNNING | RUNNABLE)) | STOPPED);
    if (each->woken > event->time) each->known |= RUNNABLE; /* by a cap that told of it first */
    if (each->status == STOP_FINISHED) die(t, each);
}

static void run(living_threads *t, thread *each, uint16_t cap)
{
    each->cap = cap;
    each->known = (uint16_t)((each->known & ~(STOPPED | RUNNABLE)) | RUNNING);
    t->running[cap] = each->id;
}

/* A spark is run by the thread that runs on the cap; until GHC 7.2 it was named. */
static living_result spark(living_threads *t, const hectic_event *event)
{
    hectic_value value[HECTIC_MAX_FIELDS];
    size_t count =
        hectic_shape_walk(event->declared->shape, event->payload, event->size, value, NULL);
    const hectic_value *victim = value;
    uint64_t id = event->cap == HECTIC_CAP_NONE ? 0 : t->running[event->cap];
    if (count > 0 && value[0].field->unit == HECTIC_UNIT_THREAD) {
        id = value[0].number;
        victim++;
        count--;
    }
    thread *each = find(t, id);
    if (!each) return LIVING_IGNORED;
    each->known |= RAN_SPARK;
    each->spark = event->type;
    each->victim = count > 0 ? (uint16_t)victim->number : 0;
    return LIVING_KEPT;
}

/* What an event does to the thread that its first field names. */
enum deed { NOTHING, CREATES, IS_FOR_SPARKS, RUNS, STOPS, WAKES, MIGRATES, LABELS, ASSIGNS, SPARK };

static const uint8_t deeds[] = {
    [HECTIC_EVENT_CREATE_THREAD] = CREATES,
    [HECTIC_EVENT_CREATE_SPARK_THREAD] = IS_FOR_SPARKS,
    [HECTIC_EVENT_RUN_THREAD] = RUNS,
    [HECTIC_EVENT_STOP_THREAD] = STOPS,
    [HECTIC_EVENT_THREAD_RUNNABLE] = WAKES,
    [HECTIC_EVENT_THREAD_WAKEUP] = WAKES,
    [HECTIC_EVENT_MIGRATE_THREAD] = MIGRATES,
    [HECTIC_EVENT_THREAD_LABEL] = LABELS,
    [HECTIC_EVENT_ASSIGN_THREAD_TO_PROCESS] = ASSIGNS,
    [HECTIC_EVENT_SPARK_RUN] = SPARK,
    [HECTIC_EVENT_SPARK_STEAL] = SPARK,
    [HECTIC_EVENT_RUN_SPARK] = SPARK,
    [HECTIC_EVENT_STEAL_SPARK] = SPARK,
};

static enum deed deed_of(uint16_t type)
{
    return type < sizeof deeds ? deeds[type] : NOTHING;
}

bool living_threads_heed(uint16_t type)
{
    return deed_of(type) != NOTHING;
}

static living_result change(living_threads *t, thread *each, const hectic_event *event)
{
    switch (deed_of(event->type)) {
    case CREATES:
        each->known |= CREATED;
        each->cap = event->cap;
        break;
    case IS_FOR_SPARKS: each->known |= SPARKS; break;
    case RUNS: run(t, each, event->cap); break;
    case STOPS: stop(t, each, event); break;
    case WAKES:
        each->woken = event->time;
        if (!(each->known & RUNNING)) each->known |= RUNNABLE;
        break;
    case MIGRATES: each->cap = load16(event->payload + MIGRATE_CAP); break;
    case ASSIGNS:
        each->known |= IN_PROCESS;
        each->process = (uint32_t)second_field(event).number;
        break;
    case LABELS: return set_label(t, each, event);
    default: break;
    }
    return LIVING_KEPT;
}

/* Caps tell in order of time, each by itself: who runs there is known even if what the thread has
 * done since is known, too. */
static void follow_cap(living_threads *t, const thread *each, const hectic_event *event)
{
    uint32_t *running = &t->running[event->cap];
    if (deed_of(event->type) == RUNS) *running = each->id;
    if (deed_of(event->type) == STOPS && *running == each->id) *running = 0;
}

/* An event from before what the thread was last known to do. */
static living_result change_past(living_threads *t, thread *each, const hectic_event *event)
{
    const enum deed deed = deed_of(event->type);
    follow_cap(t, each, event);
    if (deed == CREATES) each->known |= CREATED;
    const bool timeless = deed == IS_FOR_SPARKS || deed == LABELS || deed == ASSIGNS;
    return timeless ? change(t, each, event) : LIVING_KEPT;
}

/* Its number is given to another thread. */
static void revive(living_threads *t, thread *each)
{
    each->known = 0;
    t->dead--;
}

/* NULL, and *why: it is not known, and there is no room for it. */
static thread *named(living_threads *t, uint32_t id, living_result *why)
{
    thread *each = t->recent; /* who stops is mostly who was run */
    if (each && each->id == id) return each;
    each = find(t, id);
    if (!each) {
        const size_t growth = map_growth(&t->threads);
        *why = LIVING_FULL;
        if (!budget_take(t->budget, growth)) return NULL;
        *why = LIVING_FAILED;
        each = map_add(&t->threads, key_of(id));
        if (!each) budget_give_back(t->budget, growth);
        if (each) each->id = id;
    }
    return t->recent = each;
}

living_result living_threads_event(living_threads *t, const hectic_event *event)
{
    const enum deed deed = deed_of(event->type);
    if (deed == NOTHING) return LIVING_IGNORED;
    if (deed == SPARK) return spark(t, event);
    if (event->size < event->declared->shape->size) return LIVING_IGNORED;
    const bool creates = deed == CREATES || deed == IS_FOR_SPARKS;
    living_result why = LIVING_FULL;
    thread *each = named(t, load32(event->payload), &why);
    if (!each) return creates || why == LIVING_FAILED ? why : LIVING_IGNORED;
    const bool past = t->disordered && event->time < each->since;
    const bool anew = event->time > each->since && creates;
    if ((each->known & DEAD) && !anew) {
        follow_cap(t, each, event);
        return LIVING_KEPT;
    }
    if (each->known & DEAD) revive(t, each);
    if (past) return change_past(t, each, event);
    if (each->known == 0) each->cap = event->cap;
    if (deed != LABELS && deed != ASSIGNS && deed != WAKES) each->since = event->time;
    return change(t, each, event);
}

/* --- Telling -------------------------------------------------------------------------------- */

typedef struct teller {
    const hectic_header *header;
    uint64_t time;
    living_tell tell;
    void *user;
    uint8_t *room; /* HECTIC_EVENT_MAX bytes */
} teller;

/* An event made from its fields. What the header does not declare is not told. */
static bool tell_fields(const teller *t, uint16_t cap, uint16_t type, const hectic_value *value,
                        size_t count)
{
    const hectic_event_type *declared = hectic_header_type(t->header, type);
    if (!declared || !declared->shape) return true;
    if (count > declared->shape->field_count) count = declared->shape->field_count;
    const size_t size =
        hectic_encode_fields(t->room, HECTIC_EVENT_MAX, declared, t->time, value, count);
    if (size == 0) return true;
    const size_t head = declared->size == HECTIC_VARIABLE ? 12 : 10;
    const hectic_event event = {.time = t->time,
                                .payload = t->room + head,
                                .declared = declared,
                                .type = type,
                                .size = (uint16_t)(size - head),
                                .cap = cap};
    return t->tell(t->user, &event);
}

/* How it came to what it does now. Sparks have to be told with the running and stopping around
 * them; otherwise a thread that only waits for its turn need not have run. */
static bool tell_past(const teller *t, const thread *each)
{
    const bool waits = (each->known & RUNNABLE) || !(each->known & (RUNNING | STOPPED));
    if (waits && !(each->known & RAN_SPARK)) return true;
    const hectic_value stop[] = {
        {.number = each->id}, {.number = each->status}, {.number = each->info}};
    const hectic_value spark[] = {{.number = each->id}, {.number = each->victim}};
    const bool named =
        each->spark == HECTIC_EVENT_RUN_SPARK || each->spark == HECTIC_EVENT_STEAL_SPARK;
    if (!tell_fields(t, each->cap, HECTIC_EVENT_RUN_THREAD, stop, 1)) return false;
    if ((each->known & RAN_SPARK) &&
        !tell_fields(t, each->cap, each->spark, named ? spark : spark + 1, named ? 2 : 1))
        return false;
    return (each->known & RUNNING) || tell_fields(t, each->cap, HECTIC_EVENT_STOP_THREAD, stop, 3);
}

static bool tell_thread(const teller *t, const thread *each)
{
    const hectic_value id = {.number = each->id};
    const hectic_value label[] = {
        id, {.bytes = (const uint8_t *)each->label, .length = each->label_size}};
    const hectic_value process[] = {id, {.number = each->process}};
    if ((each->known & CREATED) && !tell_fields(t, each->cap, HECTIC_EVENT_CREATE_THREAD, &id, 1))
        return false;
    if ((each->known & SPARKS) &&
        !tell_fields(t, each->cap, HECTIC_EVENT_CREATE_SPARK_THREAD, &id, 1))
        return false;
    if (each->label && !tell_fields(t, each->cap, HECTIC_EVENT_THREAD_LABEL, label, 2))
        return false;
    if ((each->known & IN_PROCESS) &&
        !tell_fields(t, each->cap, HECTIC_EVENT_ASSIGN_THREAD_TO_PROCESS, process, 2))
        return false;
    return tell_past(t, each);
}

/* Cap by cap; who runs on a cap comes last there, since others have run before it. */
static int compare(const void *a, const void *b)
{
    const thread *x = a, *y = b;
    if (x->cap != y->cap) return x->cap < y->cap ? -1 : 1;
    const int running = (x->known & RUNNING) - (y->known & RUNNING);
    if (running) return running;
    return x->id < y->id ? -1 : x->id > y->id;
}

size_t living_threads_sort(const living_threads *t)
{
    map_sorted(&t->threads, compare);
    return t->threads.count;
}

bool living_threads_restate_one(const living_threads *t, size_t place, const hectic_header *header,
                                uint64_t time, living_tell tell, void *user)
{
    const teller teller = {header, time, tell, user, t->room};
    const thread *each = t->threads.sorted[place];
    return (each->known & DEAD) || tell_thread(&teller, each);
}
