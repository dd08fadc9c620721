/* identity.c — see identity.h. */
#include "results/identity.h"

#include "format/gap_message.h"
#include "read/time_pass.h"
#include "results/summary.h"

enum { FIRST_EVENTS = 16, SECONDS_PER_DAY = 86400 };

/* FNV-1a of 128 bits: http://www.isthe.com/chongo/tech/comp/fnv */
typedef unsigned __int128 hash;

static void add_bytes(hash *hash, const uint8_t *bytes, size_t size)
{
    static const unsigned __int128 prime = ((unsigned __int128)1 << 88) + 0x13b;
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ bytes[i]) * prime;
}

static void add_number(hash *hash, uint64_t number)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    add_bytes(hash, bytes, sizeof bytes);
}

/* The first events of cap 0, and those of all caps, for logs that have none of cap 0. */
struct first_events {
    hash of_cap, of_all;
    size_t missing_of_cap, missing_of_all;
};

static void add_event(hash *hash, const hectic_event *event)
{
    add_number(hash, event->time);
    add_number(hash, event->type);
    add_bytes(hash, event->payload, event->size);
}

/* Is it a message that events are missing? */
static bool is_gap(const hectic_event *event)
{
    uint64_t number;
    return event->type == HECTIC_EVENT_LOG_MSG &&
           gap_message(event->payload, event->size, &number) != GAP_NONE;
}

static pass_next take_events(void *self, const hectic_event *event, size_t count)
{
    struct first_events *first = self;
    for (size_t i = 0; i < count && first->missing_of_cap > 0; i++) {
        if (event[i].type == HECTIC_EVENT_BLOCK_MARKER) continue;
        if (event[i].cap == 0 || is_gap(&event[i])) add_event(&first->of_cap, &event[i]);
        if (first->missing_of_all > 0) add_event(&first->of_all, &event[i]);
        first->missing_of_cap -= event[i].cap == 0;
        first->missing_of_all -= first->missing_of_all > 0;
    }
    return first->missing_of_cap > 0 ? PASS_ON : PASS_STOP;
}

static bool end(void *self, const struct log_section *section)
{
    (void)self, (void)section;
    return false; /* only the first section */
}

/* The processes of a merged log. */
static bool add_processes(hash *hash, hectic_log *log)
{
    hectic_summary *process;
    size_t count;
    if (!hectic_summarize_processes(log, &process, &count)) return false;
    for (size_t i = 0; i < count; i++) {
        add_number(hash, process[i].pid);
        add_number(hash, process[i].start_seconds);
        add_number(hash, process[i].start_ns);
    }
    hectic_summaries_free(process, count);
    return true;
}

bool log_identify(hectic_log *log, struct log_identity *identity)
{
    static const struct time_consumer consumer = {.events = take_events, .end = end};
    hash hash = (unsigned __int128)0x6c62272e07bb0142 << 64 | 0x62b821756295c58d;
    hectic_summary summary = {0};
    struct first_events first = {.missing_of_cap = FIRST_EVENTS, .missing_of_all = FIRST_EVENTS};
    const hectic_survey *survey = hectic_log_survey(log);
    if (survey->sections > 0 && !hectic_summarize_section(log, 0, &summary)) return false;
    const bool done = add_processes(&hash, log);
    first.of_cap = first.of_all = hash;
    hectic_log_rewind(log);
    time_pass(log, &consumer, &first); /* as far as it can be read */
    hectic_log_rewind(log);
    hash = first.missing_of_cap < FIRST_EVENTS ? first.of_cap : first.of_all;
    *identity = (struct log_identity){
        .day = summary.has_wall_clock ? (uint32_t)(summary.start_seconds / SECONDS_PER_DAY) : 0};
    for (size_t i = 0; i < survey->sections; i++)
        identity->events += survey->section[i].events;
    for (size_t i = 0; i < sizeof identity->id; i++)
        identity->id[i] = (uint8_t)(hash >> (120 - 8 * i));
    hectic_summary_clear(&summary);
    return done;
}
