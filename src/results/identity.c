/* identity.c — see identity.h. */
#include "results/identity.h"

#include "format/gap_message.h"
#include "read/time_pass.h"
#include "results/summary.h"

enum { FIRST_EVENTS = 16, SECONDS_PER_DAY = 86400 };

/* FNV-1a of 128 bits: http://www.isthe.com/chongo/tech/comp/fnv */
typedef unsigned __int128 hash;
static const hash first_hash = (hash)0x6c62272e07bb0142 << 64 | 0x62b821756295c58d;

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

static void begin(struct log_identifier *identifier, hash hash)
{
    *identifier = (struct log_identifier){.of_cap = hash, .of_all = hash, .has_begun = true};
}

bool log_identifier_take(struct log_identifier *identifier, const hectic_event *event)
{
    if (!identifier->has_begun) begin(identifier, first_hash);
    if (identifier->count_of_cap == FIRST_EVENTS) return false;
    if (event->type == HECTIC_EVENT_BLOCK_MARKER) return true;
    if (event->cap == 0 || is_gap(event)) add_event(&identifier->of_cap, event);
    identifier->count_of_cap += event->cap == 0;
    if (identifier->count_of_all < FIRST_EVENTS) {
        add_event(&identifier->of_all, event);
        identifier->count_of_all++;
    }
    return identifier->count_of_cap < FIRST_EVENTS;
}

void log_identifier_get(const struct log_identifier *identifier, uint8_t id[16])
{
    const hash hash = !identifier->has_begun         ? first_hash
                      : identifier->count_of_cap > 0 ? identifier->of_cap
                                                     : identifier->of_all;
    for (size_t i = 0; i < 16; i++)
        id[i] = (uint8_t)(hash >> (120 - 8 * i));
}

uint32_t log_day(uint64_t seconds)
{
    return (uint32_t)(seconds / SECONDS_PER_DAY);
}

static pass_next take_events(void *self, const hectic_event *event, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!log_identifier_take(self, &event[i])) return PASS_STOP;
    return PASS_ON;
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
    hectic_summary summary = {0};
    struct log_identifier identifier;
    hash hash = first_hash;
    const hectic_survey *survey = hectic_log_survey(log);
    if (survey->sections > 0 && !hectic_summarize_section(log, 0, &summary)) return false;
    bool done = add_processes(&hash, log);
    begin(&identifier, hash);
    hectic_log_rewind(log);
    time_pass(log, &consumer, &identifier); /* as far as it can be read */
    done = done && hectic_log_error(log)->kind != HECTIC_NO_MEMORY;
    hectic_log_rewind(log);
    *identity =
        (struct log_identity){.day = summary.has_wall_clock ? log_day(summary.start_seconds) : 0};
    log_identifier_get(&identifier, identity->id);
    for (size_t i = 0; i < survey->sections; i++)
        identity->events += survey->section[i].events;
    hectic_summary_clear(&summary);
    return done;
}
