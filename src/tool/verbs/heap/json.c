/* json.c — a profile as JSON. */
#include "tool/cli/message.h"
#include "tool/verbs/heap/heap.h"

static struct heap_report_sum sum_of(const struct heap_row *row)
{
    return (struct heap_report_sum){row->bands, row->stats.at_peak, row->stats.at_end,
                                    row->stats.mean, row->stats.growth};
}

void heap_json_profile(struct json *json, const struct heap_view *view)
{
    const struct heap_rows *bands = &view->bands;
    const struct heap_report report = heap_report_of(view);
    const struct heap_report_sum others = sum_of(&bands->others);
    const struct heap_report_sum excluded = sum_of(&bands->excluded);
    struct heap_labels labels = {0};
    heap_report_begin(json, &report);
    for (size_t i = 0; i < bands->shown; i++) {
        if (!heap_report_band(json, &report, &labels, &bands->row[i].stats, &bands->row[i].line))
            tool_out_of_memory();
        json_end_line(json);
        json->follows = true;
    }
    if (!heap_report_end(json, &report, &labels, &others, &excluded)) tool_out_of_memory();
}
