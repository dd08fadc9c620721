/* print.c — formatted text into a sink. */
#include "tool.h"

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
