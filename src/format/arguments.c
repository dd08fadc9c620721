/* arguments.c — see arguments.h. */
#include "format/arguments.h"

#include <string.h>

static const char *next_text(const char *list, size_t size, const char *text)
{
    const char *next = text ? text + strlen(text) + 1 : list;
    return next < list + size ? next : NULL;
}

/* As setupRtsFlags of GHC's runtime. */
bool argument_next(const char *list, size_t size, struct argument *argument)
{
    while ((argument->text = next_text(list, size, argument->text)) != NULL) {
        if (argument->is_over) return true;
        const bool begins = strcmp(argument->text, "+RTS") == 0;
        const bool ends = strcmp(argument->text, "-RTS") == 0;
        const bool is_last = strcmp(argument->text, "--RTS") == 0;
        argument->is_over = is_last || strcmp(argument->text, "--") == 0;
        if (begins || ends || argument->is_over) argument->is_rts = begins;
        if (!begins && !ends && !is_last) return true;
    }
    return false;
}
