/* growth.c — which bands may be leaks. */
#include "tool/verbs/heap/heap.h"

/* A band that rises steadily is a suspect if these hold, too. */
static const double peak_share_least = 0.01;   /* of the line's rise, of the largest sample */
static const double growth_share_least = 0.05; /* of the growth of all growing bands */

const char heap_growth_note[] =
    "A band is a suspect if it rises steadily after the first quarter of the time: R^2 of its line "
    "is at least 0.6; if that time is divided into quarters, the mean of each is above that of the "
    "one before, the last one by at least 15 % of the rise from the first to the last; this rise "
    "is "
    "at least 1 % of the largest sample; and its growth is at least 5 % of the growth of all bands "
    "that grow. The last sample does not count, since the program may be ending.";

bool heap_is_suspect(const struct heap_view *view, const struct heap_row *row)
{
    return row->line.is_steady && row->line.growth >= growth_share_least * view->bands.growing &&
           row->line.rise >= peak_share_least * (double)view->totals.peak;
}
