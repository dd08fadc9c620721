/* Who is let in: what visitors say of themselves, judged. Pure functions over untrusted bytes. */
#ifndef HECTIC_SRC_AUTHENTICATION_H
#define HECTIC_SRC_AUTHENTICATION_H

#include "sink/token.h"

/* Over TCP the token comes first: a line, read byte by byte, as what follows is for others. Begins
 * as all zeros. */
typedef struct token_line {
    size_t length;
    char text[TOKEN_MAX + 1]; /* and a carriage return */
} token_line;

typedef enum token_verdict { TOKEN_UNFINISHED, TOKEN_RIGHT, TOKEN_WRONG } token_verdict;

/* The next byte; none is to come after a verdict. */
token_verdict token_take(token_line *line, const char *token, char byte);

/* Is an HTTP header "Authorization", or NULL, of that token? */
bool token_matches_header(const char *token, const char *authorization);

/* Does an HTTP header "Host", or NULL, name this host, or `own`, whatever the port? The page of a
 * stranger whose name was made to lead here says its own. */
bool host_is_local(const char *own, const char *host);

#endif
