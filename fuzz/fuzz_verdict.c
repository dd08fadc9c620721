/* The verdict on arbitrary events, with the profiles of its section: findings are in order, and
 * have texts and commands. */
#include "fuzz.h"

#include "verdict/verdict.h"

#include <math.h>

struct section {
    hectic_stat_parts *stat;
    hectic_heap_profile *heap;
    hectic_time_profile *time;
    hectic_threads *threads; /* of all processes; without order of time */
    hectic_thread_sums sums;
    uint64_t events;
};

static void take(struct section *s, const hectic_event *event)
{
    uint32_t process;
    s->events++;
    REQUIRE(hectic_stat_parts_event(s->stat, event, &process));
    REQUIRE(hectic_heap_profile_event(s->heap, event) &&
            hectic_time_profile_event(s->time, event) && hectic_threads_event(s->threads, event));
}

static bool add(void *sums, const hectic_thread *thread)
{
    hectic_thread_sums_add(sums, thread);
    return true;
}

static void begin(struct section *s, const hectic_header *header)
{
    *s = (struct section){.stat = hectic_stat_parts_new(),
                          .heap = hectic_heap_profile_new(NULL),
                          .time = hectic_time_profile_new(NULL),
                          .threads = hectic_threads_new(0, UINT64_MAX, add, &s->sums)};
    REQUIRE(s->stat && s->heap && s->time && s->threads);
    hectic_threads_begin(s->threads, header);
}

static void check(const hectic_verdict *verdict)
{
    REQUIRE(verdict->count <= HECTIC_FINDINGS_MAX);
    REQUIRE((verdict->count == 0) == (verdict->nothing[0] != 0));
    for (size_t i = 0; i < verdict->count; i++) {
        const hectic_finding *f = &verdict->finding[i];
        REQUIRE(isfinite(f->value) && f->importance >= 0 && f->importance <= 1);
        REQUIRE(i == 0 || f->importance <= f[-1].importance);
        REQUIRE(strlen(f->text) > 20 && strlen(f->text) < sizeof f->text);
        REQUIRE(strstr(f->command, " LOG"));
    }
}

static void judge(const struct section *s, uint32_t process)
{
    hectic_stat_result r;
    hectic_verdict verdict;
    const hectic_stat *stat = hectic_stat_parts_get(s->stat, process);
    if (!stat) return;
    REQUIRE(hectic_stat_get(stat, NULL, HECTIC_STAT_END, &r));
    const hectic_verdict_input input = {
        .stat = &r, .threads = &s->sums, .heap = s->heap, .time = s->time, .events = process};
    REQUIRE(hectic_verdict_get(&input, &verdict));
    check(&verdict);
    hectic_stat_result_clear(&r);
}

static void end(struct section *s)
{
    if (s->threads) REQUIRE(hectic_threads_end(s->threads, s->events));
    for (uint32_t i = 0; s->stat && i < HECTIC_STAT_PARTS_MAX; i++)
        judge(s, i);
    hectic_stat_parts_free(s->stat);
    hectic_threads_free(s->threads);
    hectic_heap_profile_free(s->heap);
    hectic_time_profile_free(s->time);
    *s = (struct section){0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct section section = {0};
    hectic_decoder *decoder = hectic_decoder_new();
    hectic_event event;
    hectic_result result;
    REQUIRE(decoder);
    hectic_decoder_push(decoder, data, length);
    while ((result = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL) {
        if (result == HECTIC_GOT_EVENT) take(&section, &event);
        if (result == HECTIC_HEADER) {
            end(&section);
            begin(&section, hectic_decoder_header(decoder));
        } else if (result == HECTIC_COMPLETE) {
            hectic_stat_parts_end(section.stat);
        } else if (result == HECTIC_ERROR && !hectic_decoder_header(decoder)) {
            break;
        } else if (result == HECTIC_ERROR) {
            hectic_decoder_resync(decoder);
        }
    }
    end(&section);
    hectic_decoder_free(decoder);
    return 0;
}
