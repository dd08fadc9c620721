/* shell_word.h — names in commands that a person copies into a shell. */
#ifndef HECTIC_SRC_SHELL_WORD_H
#define HECTIC_SRC_SHELL_WORD_H

/* The text as one word of a shell, which no command takes for an option. What a terminal would not
 * show is escaped, in $'...'. Allocated; NULL: out of memory. */
char *shell_word(const char *text);

#endif
