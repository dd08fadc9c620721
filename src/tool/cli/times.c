/* times.c — see times.h. */
#include "tool/cli/times.h"

#include "tool/cli/options.h"

#include <stdio.h>
#include <string.h>

bool time_invalid(const char *text, const char *option, const char *hint)
{
    char unit[64];
    const bool has_none =
        text[strspn(text, "0123456789.")] == 0 && strspn(text, "0.") < strlen(text);
    if (has_none) snprintf(unit, sizeof unit, "it has no unit; did you mean %.20ss?", text);
    return tool_invalid("time", text, option, has_none ? unit : hint);
}
