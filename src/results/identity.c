/* identity.c — see identity.h. */
#include "results/identity.h"

#include "read/time_pass.h"
#include "results/summary.h"

enum { FIRST_EVENTS = 1000, SECONDS_PER_DAY = 86400 };

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

struct first_events {
    hash *hash;
    size_t count;
};

static pass_next begin(void *self, const struct log_section *section)
{
    const struct first_events *first = self;
    size_t length;
    const uint8_t *bytes = hectic_header_bytes(section->header, &length);
    add_bytes(first->hash, bytes, length);
    return first->count > 0 ? PASS_ON : PASS_STOP;
}

static pass_next take_events(void *self, const hectic_event *event, size_t count)
{
    struct first_events *first = self;
    for (size_t i = 0; i < count && first->count > 0; i++, first->count--) {
        add_number(first->hash, event[i].time);
        add_number(first->hash, event[i].type);
        add_bytes(first->hash, event[i].payload, event[i].size);
    }
    return first->count > 0 ? PASS_ON : PASS_STOP;
}

static bool end(void *self, const struct log_section *section)
{
    (void)self, (void)section;
    return false; /* only the first section */
}

static void add_process(hash *hash, const hectic_summary *summary)
{
    add_number(hash, summary->pid);
    add_number(hash, summary->start_seconds);
    add_number(hash, summary->start_ns);
}

/* The processes of a merged log. */
static bool add_processes(hash *hash, hectic_log *log)
{
    hectic_summary *process;
    size_t count;
    if (!hectic_summarize_processes(log, &process, &count)) return false;
    for (size_t i = 0; i < count; i++)
        add_process(hash, &process[i]);
    hectic_summaries_free(process, count);
    return true;
}

bool log_identify(hectic_log *log, struct log_identity *identity)
{
    static const struct time_consumer consumer = {
        .begin = begin, .events = take_events, .end = end};
    hash hash = (unsigned __int128)0x6c62272e07bb0142 << 64 | 0x62b821756295c58d;
    hectic_summary summary = {0};
    struct first_events first = {.hash = &hash};
    const hectic_survey *survey = hectic_log_survey(log);
    if (survey->sections > 0 && !hectic_summarize_section(log, 0, &summary)) return false;
    const bool is_known = summary.has_pid && summary.has_wall_clock;
    if (is_known) add_process(&hash, &summary);
    bool done = add_processes(&hash, log);
    first.count = is_known ? 0 : FIRST_EVENTS;
    hectic_log_rewind(log);
    time_pass(log, &consumer, &first); /* as far as it can be read */
    hectic_log_rewind(log);
    *identity = (struct log_identity){
        .day = summary.has_wall_clock ? (uint32_t)(summary.start_seconds / SECONDS_PER_DAY) : 0};
    for (size_t i = 0; i < survey->sections; i++)
        identity->events += survey->section[i].events;
    for (size_t i = 0; i < sizeof identity->id; i++)
        identity->id[i] = (uint8_t)(hash >> (120 - 8 * i));
    hectic_summary_clear(&summary);
    return done;
}
