/* wrapped.c — see wrapped.h. */
#include "tool/output/wrapped.h"

#include "tool/cli/message.h"
#include "tool/output/terminal_text.h"

#include <stdlib.h>
#include <string.h>

static size_t length_to_blank(const char *text)
{
    return strcspn(text, " ");
}

void print_wrapped(struct sink *sink, const char *text, size_t indent,
                   size_t (*word_length)(const char *text))
{
    enum { COLUMNS = 80 };
    char *const word = malloc(terminal_text_bound(strlen(text)));
    size_t column = indent;
    if (!word) tool_out_of_memory();
    if (!word_length) word_length = length_to_blank;
    for (const char *at = text; *at;) {
        const size_t length = word_length(at);
        size_t width;
        const size_t size = terminal_text_fit(at, length, SIZE_MAX, word, &width);
        if (at != text && column + 1 + width > COLUMNS) {
            sink_print(sink, "\n%*s", (int)indent, "");
            column = indent;
        } else if (at != text) {
            sink_text(sink, " ", 1);
            column++;
        }
        sink_text(sink, word, size);
        column += width;
        at += length + (at[length] == ' ');
    }
    sink_text(sink, "\n", 1);
    free(word);
}
