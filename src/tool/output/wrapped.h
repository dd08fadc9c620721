/* wrapped.h — texts in lines. */
#ifndef HECTIC_WRAPPED_H
#define HECTIC_WRAPPED_H

#include "tool/files/sink.h"

#include <stddef.h>

/* Prints a text in lines of at most 80 columns, where its words allow it. It begins at the column
 * `indent`, where further lines begin, too. `word_length` gives the length of the word at the
 * beginning of a text; NULL: words are separated by blanks. */
void print_wrapped(struct sink *sink, const char *text, size_t indent,
                   size_t (*word_length)(const char *text));

#endif
