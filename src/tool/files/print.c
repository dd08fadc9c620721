/* print.c — formatted text into a sink. */

#include "tool/files/sink.h"

#include <stdarg.h>
#include <stdio.h>

void sink_print(struct sink *sink, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    if (length > 0) {
        vsnprintf(sink_room(sink, (size_t)length + 1), (size_t)length + 1, format, again);
        sink_fill(sink, (size_t)length);
    }
    va_end(again);
    va_end(arguments);
}

void sink_visible(struct sink *sink, const char *text, size_t size)
{
    sink_fill(sink, hectic_render_visible(text, size, sink_room(sink, 4 * size)));
}

char *sink_foreign_room(struct sink *sink, size_t size)
{
    return sink_is_terminal(sink) ? sink_room(sink, 5 * size) + 4 * size : sink_room(sink, size);
}

void sink_foreign_fill(struct sink *sink, const char *text, size_t size)
{
    char *out = sink_room(sink, 0);
    sink_fill(sink, text == out ? size : hectic_render_visible(text, size, out));
}
