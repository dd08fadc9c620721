/* Authentication of clients: pure functions over untrusted bytes. */
#ifndef HECTIC_SRC_AUTHENTICATION_H
#define HECTIC_SRC_AUTHENTICATION_H

#include "sink/token.h"

/* A TCP client sends the token first, as a line. It is read byte by byte, because the data after it
 * belongs to another reader. Initialize with zeros. */
typedef struct token_line {
    size_t length;
    char text[TOKEN_MAX + 1]; /* with a carriage return */
} token_line;

typedef enum token_verdict { TOKEN_UNFINISHED, TOKEN_RIGHT, TOKEN_WRONG } token_verdict;

/* Takes the next byte; not to be called after a verdict. */
token_verdict token_take(token_line *line, const char *token, char byte);

/* Are the bytes that token? In constant time for a length. */
bool token_equals(const char *token, const char *received, size_t length);

/* Does the HTTP header "Authorization" (or NULL) present that token? */
bool token_matches_header(const char *token, const char *authorization);

/* Does the HTTP header "Host" (or NULL) name this host or `own`, with any port? This stops DNS
 * rebinding: a foreign web page whose name resolves to this host sends its own name. */
bool host_is_local(const char *own, const char *host);

/* False: the HTTP header "Sec-Fetch-Site" says that the request comes from another web page. Old
 * browsers and other programs do not send it (NULL). */
bool site_is_own(const char *site);

#endif
