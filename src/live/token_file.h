/* Tokens, which who comes over TCP may have to say, stand in files: a command line can be read by
 * everyone. */
#ifndef HECTIC_SRC_TOKEN_FILE_H
#define HECTIC_SRC_TOKEN_FILE_H

#include "live/admission.h"

enum { TOKEN_LEAST = 16, TOKEN_LINE_SIZE = TOKEN_MOST + 2 };

/* The file's first line. False: why not is in message[0 … size-1], with the remedy. */
bool token_read(const char *path, char token[TOKEN_MOST + 1], char *message, size_t size);

/* Takes ",token-file=FILE" off the end of "HOST:PORT,token-file=FILE", as is behind "tcp:". The
 * line is what is to be said when connected: "" where no file is given, else the token and a
 * newline. */
bool token_of_place(char *place, char line[TOKEN_LINE_SIZE], char *message, size_t size);

/* Why a connection may have been closed before a log came, and the remedy. */
const char *token_doubt(const char *line);

#endif
