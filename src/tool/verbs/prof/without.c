/* without.c — what is known about time without samples. */
#include "tool/cli/message.h"
#include "tool/output/cells.h"
#include "tool/verbs/prof/prof.h"

#include "tool/output/json.h"
#include "tool/output/verdict_lines.h"

#include <stdlib.h>
#include <string.h>

struct known {
    uint64_t present, running, gc, idle, rest; /* ns, of all caps */
};

static struct known known_of(const hectic_stat_result *result)
{
    struct known known = {0};
    for (uint32_t i = 0; i < result->caps; i++) {
        const hectic_stat_cap *cap = &result->cap[i];
        known.present += cap->present_ns;
        known.running += cap->running_ns;
        known.gc += cap->gc_ns;
        known.idle += cap->idle_ns;
        known.rest += cap->wait_begin_ns + cap->wait_end_ns + cap->wait_out_ns;
    }
    return known;
}

static void put_text(const struct known *known, const hectic_stat_result *result, const char *log,
                     struct sink *sink)
{
    const struct {
        bool is_known;
        uint64_t ns;
        const char *what, *command;
    } lines[] = {
        {result->has_threads, known->running, "running Haskell threads", "hectic threads LOG"},
        {result->has_gc, known->gc, "garbage collection", "hectic gc LOG"},
        {result->has_gc, known->rest, "waiting for a collection", "hectic gc --sort safepoint LOG"},
        {result->has_threads && result->has_gc, known->idle, "idle", "hectic threads LOG"},
    };
    sink_print(sink, "What the whole log says about the %.3fs of its %s:\n",
               (double)known->present / 1e9, quantity(result->caps, "cap").text);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!lines[i].is_known) continue;
        char *command = command_for_log(lines[i].command, log, NULL);
        sink_print(sink, "  %5.1f%%  %s: ", 100 * prof_share(lines[i].ns, known->present),
                   lines[i].what);
        sink_visible(sink, command, strlen(command));
        sink_print(sink, "\n");
        free(command);
    }
}

static void put_json(const struct known *known, const hectic_stat_result *result, struct sink *sink)
{
    struct json json = json_on_sink(sink);
    sink_print(sink, ",\n");
    record_put(&json, "known", prof_known, .present_ns = cell_number(known->present),
               .running_ns = cell_if(result->has_threads, known->running),
               .gc_ns = cell_if(result->has_gc, known->gc),
               .wait_ns = cell_if(result->has_gc, known->rest),
               .idle_ns = cell_if(result->has_threads && result->has_gc, known->idle));
}

bool prof_put_without(const hectic_stat *stat, const struct prof_settings *settings,
                      const char *log, struct sink *sink)
{
    hectic_stat_result result;
    if (!hectic_stat_get(stat, NULL, HECTIC_STAT_END, &result)) {
        tool_message("out of memory");
        return false;
    }
    const struct known known = known_of(&result);
    if (settings->table.json)
        put_json(&known, &result, sink);
    else if (prof_is_text(settings) && known.present > 0 && (result.has_threads || result.has_gc))
        put_text(&known, &result, log, sink);
    hectic_stat_result_clear(&result);
    return true;
}
