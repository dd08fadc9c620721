/* growth.c — which bands may be leaks. */
#include "tool/verbs/heap/heap.h"

const char heap_growth_note[] =
    "A band is a suspect if it rises steadily after the first quarter of the time: R^2 of its line "
    "is at least 0.6; if that time is divided into quarters, the mean of each is above that of the "
    "one before, the last one by at least 15 % of the rise from the first to the last; this rise "
    "is "
    "at least 1 % of the largest sample; and its growth is at least 5 % of the growth of all bands "
    "that grow. The last sample does not count, since the program may be ending.";

bool heap_is_suspect(const struct heap_view *view, const struct heap_row *row)
{
    const struct heap_report report = heap_report_of(view);
    return heap_report_is_suspect(&report, &row->line);
}
