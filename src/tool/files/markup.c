/* markup.c — see markup.h. */
#include "tool/files/markup.h"

#include "render/visible.h"

#include <string.h>

static const char *reference_of(uint32_t character)
{
    switch (character) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

void markup_text(struct sink *sink, const char *text)
{
    const size_t length = strlen(text);
    for (size_t i = 0, size; i < length; i += size) {
        char visible[16];
        uint32_t character;
        const char *const end =
            put_visible(visible, (const uint8_t *)text + i, length - i, &size, &character);
        const char *const reference = reference_of(character);
        if (reference)
            sink_text(sink, reference, strlen(reference));
        else
            sink_text(sink, visible, (size_t)(end - visible));
    }
}
