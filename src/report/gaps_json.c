/* gaps_json.c — see gaps_json.h. */
#include "report/gaps_json.h"

void gaps_put(struct json *json, const hectic_gaps *gaps)
{
    json_open(json, "gaps", '{');
    json_number(json, "dropped_events", true, gaps->dropped_events);
    json_number(json, "dropped_places", true, gaps->dropped_places);
    json_number(json, "switched_off", true, gaps->switched_off);
    json_number(json, "off_ns", true, gaps->off_ns);
    json_close(json, '}');
}
