/* Tokens, which who connects over TCP may have to say first, stand in files: a command line, or an
 * environment, can be read by others. */
#ifndef HECTIC_SRC_TOKEN_H
#define HECTIC_SRC_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

enum { TOKEN_MIN = 16, TOKEN_MAX = 255 };

/* Takes ",token-file=FILE" off the end of "HOST:PORT,token-file=FILE". *file: NULL where nothing
 * is behind the port. False: something else is. */
bool token_file_of(char *place, const char **file);

/* The file's first line. 0: message[0 … size-1] (NULL, 0: not wanted) is empty, or warns that
 * others can read the file; or an errno, where EBADMSG is a line that is no token: why it cannot
 * be, and the remedy, are in message. Waits for 5 s at most, for a pipe. */
int token_read(const char *path, char token[TOKEN_MAX + 1], char *message, size_t size);

#endif
