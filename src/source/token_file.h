/* Tokens in the places that verbs connect to. */
#ifndef HECTIC_SRC_TOKEN_FILE_H
#define HECTIC_SRC_TOKEN_FILE_H

#include "sink/token.h"

enum { TOKEN_LINE_SIZE = TOKEN_MAX + 2 };

/* Takes ",token-file=FILE" off the end of "HOST:PORT,token-file=FILE", as is behind "tcp:". The
 * line is what is to be said when connected: "" where no file is given, else the token and a
 * newline. False: why not is in message[0 … size-1], with the remedy. True: that is empty, or a
 * warning. */
bool token_of_place(char *place, char line[TOKEN_LINE_SIZE], char *message, size_t size);

/* Why a connection may have been closed before a log came, and the remedy. */
const char *token_hint(const char *line);

#endif
