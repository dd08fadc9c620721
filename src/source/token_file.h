/* Tokens in addresses that verbs connect to. */
#ifndef HECTIC_SRC_TOKEN_FILE_H
#define HECTIC_SRC_TOKEN_FILE_H

#include "sink/token.h"

enum { TOKEN_LINE_SIZE = TOKEN_MAX + 2 };

/* Removes ",token-file=FILE" from "HOST:PORT,token-file=FILE", the text after "tcp:". `line` is to
 * be sent after connecting: "" without a file, else the token and a newline. False: failed, with
 * the reason and a remedy in message[0 … size-1]. True: the message is empty or a warning. */
bool token_of_place(char *place, char line[TOKEN_LINE_SIZE], char *message, size_t size);

/* Why a connection may have been closed before a log arrived, with a remedy. */
const char *token_hint(const char *line);

#endif
