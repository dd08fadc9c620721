/* Items of OTLP of arbitrary events, in any order: all requests can be decoded, names are UTF-8,
 * and ids are not zero, and unique if the events of each cap are in order. */
#include "base/map.h"
#include "fuzz.h"
#include "otlp/program.h"
#include "render/text.h"
#include "stat/live_stats.h"

struct taken {
    map spans; /* by their ids */
    size_t items;
    uint64_t latest[UINT16_MAX + 1]; /* time of each cap */
    bool is_disordered;              /* the events of a cap are not in order */
};

static bool is_text(const char *text)
{
    return text_is_utf8((const uint8_t *)text, strlen(text));
}

static void check_span(struct taken *taken, const Otlp__Span *span)
{
    map_key key = {0, 1};
    REQUIRE(span->span_id.len == 8 && span->trace_id.len == 16 && is_text(span->name));
    REQUIRE(span->parent_span_id.len == 0 || span->parent_span_id.len == 8);
    memcpy(&key.a, span->span_id.data, sizeof key.a);
    REQUIRE(key.a != 0 && (taken->is_disordered || !map_find(&taken->spans, key)));
    REQUIRE(map_add(&taken->spans, key));
}

static bool put(void *user, enum otlp_signal signal, const struct buffer *request, size_t items)
{
    struct taken *taken = user;
    const size_t before = taken->items;
    if (signal == OTLP_TRACES) {
        Otlp__ExportTraceServiceRequest *traces =
            otlp__export_trace_service_request__unpack(NULL, request->size, request->bytes);
        REQUIRE(traces && traces->n_resource_spans == 1);
        const Otlp__ScopeSpans *scope = traces->resource_spans[0]->scope_spans[0];
        for (size_t i = 0; i < scope->n_spans; i++)
            check_span(taken, scope->spans[i]);
        taken->items += scope->n_spans;
        otlp__export_trace_service_request__free_unpacked(traces, NULL);
    } else if (signal == OTLP_LOGS) {
        Otlp__ExportLogsServiceRequest *logs =
            otlp__export_logs_service_request__unpack(NULL, request->size, request->bytes);
        REQUIRE(logs && logs->n_resource_logs == 1);
        const Otlp__ScopeLogs *scope = logs->resource_logs[0]->scope_logs[0];
        for (size_t i = 0; i < scope->n_log_records; i++)
            REQUIRE(is_text(scope->log_records[i]->body->string_value));
        taken->items += scope->n_log_records;
        otlp__export_logs_service_request__free_unpacked(logs, NULL);
    } else {
        Otlp__ExportMetricsServiceRequest *metrics =
            otlp__export_metrics_service_request__unpack(NULL, request->size, request->bytes);
        REQUIRE(metrics && metrics->n_resource_metrics == 1);
        taken->items += items;
        otlp__export_metrics_service_request__free_unpacked(metrics, NULL);
    }
    REQUIRE(taken->items - before == items);
    return true;
}

/* A program has one log: the events of a header are used until its end. */
static size_t length_of_first(const uint8_t *data, size_t length)
{
    hectic_decoder *decoder = decoder_of(data, length);
    hectic_event event;
    hectic_result result;
    size_t headers = 0, end = length;
    while (headers < 2 && pull_next(decoder, &event, &result)) {
        size_t size = 0;
        if (result != HECTIC_HEADER || ++headers < 2) continue;
        hectic_header_bytes(hectic_decoder_header(decoder), &size);
        end = (size_t)hectic_decoder_position(decoder) - size;
    }
    hectic_decoder_free(decoder);
    return end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static struct taken taken;
    taken = (struct taken){.spans = {.entry_size = sizeof(map_key), .unsorted = true}};
    const struct otlp_target target = {put, &taken};
    otlp_program *program =
        otlp_program_new(&(struct otlp_program_options){.target = &target, .to = UINT64_MAX});
    hectic_live_stats *live = hectic_live_stats_new();
    hectic_decoder *decoder = decoder_of(data, length_of_first(data, length));
    REQUIRE(program && live);
    hectic_event event;
    hectic_result result;
    uint64_t latest = 0;
    bool has_header = false;
    while (pull_next(decoder, &event, &result)) {
        if (result == HECTIC_HEADER && has_header) break;
        if (result == HECTIC_HEADER)
            has_header = hectic_live_stats_begin(live, hectic_decoder_header(decoder));
        if (result != HECTIC_GOT_EVENT) continue;
        if (event.time > latest) latest = event.time;
        taken.is_disordered |= event.time < taken.latest[event.cap];
        taken.latest[event.cap] = event.time;
        REQUIRE(hectic_live_stats_event(live, &event) && otlp_program_event(program, &event));
    }
    REQUIRE(otlp_program_end(program, latest));
    const struct metrics_program metrics = {.name = "", .live_stats = live, .is_log = true};
    if (has_header) REQUIRE(otlp_program_metrics(program, &metrics, latest));
    REQUIRE(otlp_program_flush(program));
    REQUIRE(taken.is_disordered || otlp_program_counts(program).spans == taken.spans.count);
    map_clear(&taken.spans);
    otlp_program_free(program);
    hectic_live_stats_free(live);
    hectic_decoder_free(decoder);
    return 0;
}
