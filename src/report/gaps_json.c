/* gaps_json.c — see gaps_json.h. */
#include "report/gaps_json.h"

struct gaps_cells gaps_cells(const hectic_gaps *gaps)
{
    return (struct gaps_cells){.dropped_events = cell_number(gaps->dropped_events),
                               .dropped_places = cell_number(gaps->dropped_places),
                               .lost_bytes = cell_number(gaps->lost_bytes),
                               .lost_places = cell_number(gaps->lost_places),
                               .switched_off = cell_number(gaps->switched_off),
                               .off_ns = cell_number(gaps->off_ns)};
}

void gaps_put(struct json *json, const hectic_gaps *gaps)
{
    record_put(json, "gaps", gaps, .of = gaps_cells(gaps));
}
