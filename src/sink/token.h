/* Tokens authenticate TCP clients, which send one first. They are read from files, because other
 * users can read command lines and environments. */
#ifndef HECTIC_SRC_TOKEN_H
#define HECTIC_SRC_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

enum { TOKEN_MIN = 16, TOKEN_MAX = 255 };

/* Removes ",token-file=FILE" from "HOST:PORT,token-file=FILE". *file: NULL if nothing follows the
 * port. False: something else follows. */
bool token_file_of(char *address, const char **file);

/* Reads the file's first line. 0: message[0 … size-1] (NULL, 0: not wanted) is empty, or warns that
 * others can read the file. Else an errno (EBADMSG: invalid token), with the reason and a remedy in
 * message. Waits for a pipe at most 5 s. */
int token_read(const char *path, char token[TOKEN_MAX + 1], char *message, size_t size);

#endif
