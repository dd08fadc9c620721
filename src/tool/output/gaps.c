/* gaps.c — see gaps.h. */
#include "tool/output/gaps.h"

#include "tool/cli/message.h"
#include "tool/output/cells.h"

#include <inttypes.h>
#include <stdio.h>

enum { GAPS_TEXT = 300 };

/* "1,234 events dropped in 2 places", after the others. Returns the text's new length. */
static int put_missing(char text[GAPS_TEXT], int length, uint64_t number, const char *what,
                       const char *how, uint64_t places)
{
    if (places == 0) return length;
    return length + snprintf(text + length, GAPS_TEXT - (size_t)length, "%s%s %s in %s",
                             length ? "; " : "", quantity(number, what).text, how,
                             quantity(places, "place").text);
}

/* NULL: no gaps. */
static const char *gaps_text(const hectic_gaps *gaps, char text[GAPS_TEXT])
{
    int length = 0;
    if (!hectic_gaps_any(gaps)) return NULL;
    length = put_missing(text, 0, gaps->dropped_events, "event", "dropped", gaps->dropped_places);
    length = put_missing(text, length, gaps->lost_bytes, "damaged byte", "lost", gaps->lost_places);
    if (gaps->switched_off > 0 || gaps->off_ns > 0)
        snprintf(text + length, GAPS_TEXT - (size_t)length,
                 "%slogging, or some of it, was switched off %s, for %" PRIu64 ".%09" PRIu64 " s",
                 length ? "; " : "", quantity(gaps->switched_off, "time").text,
                 gaps->off_ns / 1000000000, gaps->off_ns % 1000000000);
    return text;
}

void gaps_print(struct sink *sink, const char *title, const hectic_gaps *gaps)
{
    char text[GAPS_TEXT];
    if (gaps_text(gaps, text)) sink_print(sink, "%s%s\n", title, text);
}

void gaps_note(const char *path, const hectic_gaps *gaps)
{
    char text[GAPS_TEXT];
    if (gaps_text(gaps, text)) tool_message("%s: %s", tool_log_name(path), text);
}
