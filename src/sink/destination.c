/* Parses destinations. */
#include "sink/token.h"

#include <hectic/emit.h>

#include <limits.h>
#include <stdlib.h>

/* Parses a decimal number; *end: the text after it. */
static bool parse_number(const char *text, uint64_t limit, uint64_t *number, const char **end)
{
    uint64_t n = 0;
    *end = text;
    for (; **end >= '0' && **end <= '9'; (*end)++) {
        const uint64_t digit = (uint64_t)(**end - '0');
        if (n > (limit - digit) / 10) return false;
        n = 10 * n + digit;
    }
    *number = n;
    return *end > text;
}

/* Each parses the text after "scheme:", which it may modify; false: invalid. */

static bool parse_path(hectic_destination *d, char *text)
{
    d->path = text;
    return *text;
}

static bool parse_fd(hectic_destination *d, char *text)
{
    uint64_t number;
    const char *end;
    if (!parse_number(text, INT_MAX, &number, &end) || *end) return false;
    d->fd = (int)number;
    return true;
}

/* HOST:PORT[,token-file=FILE]; a host with colons is in brackets. */
static bool parse_tcp(hectic_destination *d, char *text)
{
    char *colon;
    if (!token_file_of(text, &d->token_file)) return false;
    if (*text == '[') {
        char *bracket = strchr(++text, ']');
        if (!bracket) return false;
        *bracket = 0;
        colon = bracket + 1;
    } else {
        colon = strchr(text, ':');
    }
    if (!colon || *colon != ':') return false;
    *colon = 0;
    d->host = text;
    d->port = colon + 1;
    if (!*d->host || !*d->port || strchr(d->port, ':')) return false;
    const bool is_number = *d->port >= '0' && *d->port <= '9'; /* else the name of a service */
    uint64_t number;
    const char *end;
    return !is_number || parse_number(d->port, UINT16_MAX, &number, &end);
}

static bool parse_listen(hectic_destination *d, char *text)
{
    static const char local[] = "unix:", tcp[] = "tcp:";
    if (strncmp(text, local, sizeof local - 1) == 0) return parse_path(d, text + sizeof local - 1);
    return strncmp(text, tcp, sizeof tcp - 1) == 0 && parse_tcp(d, text + sizeof tcp - 1);
}

static bool parse_ring(hectic_destination *d, char *text)
{
    static const char units[] = "KMGT";
    uint64_t number;
    const char *end;
    if (!parse_number(text, SIZE_MAX, &number, &end) || !number) return false;
    if (*end) {
        const char *unit = strchr(units, *end++);
        if (!unit) return false;
        const unsigned shift = 10 * (unsigned)(unit - units + 1);
        if (number > SIZE_MAX >> shift) return false;
        number <<= shift;
    }
    d->ring_size = (size_t)number;
    return !*end;
}

static const struct scheme {
    const char *prefix;
    hectic_destination_kind kind;
    bool (*parse)(hectic_destination *d, char *text);
} schemes[] = {
    {"file:", HECTIC_TO_FILE, parse_path}, {"fifo:", HECTIC_TO_FIFO, parse_path},
    {"fd:", HECTIC_TO_FD, parse_fd},       {"unix:", HECTIC_TO_UNIX, parse_path},
    {"tcp:", HECTIC_TO_TCP, parse_tcp},    {"listen:", HECTIC_TO_LISTEN, parse_listen},
    {"ring:", HECTIC_TO_RING, parse_ring}, {"", HECTIC_TO_FILE, parse_path},
};

bool hectic_destination_parse(hectic_destination *destination, const char *text, char *room,
                              size_t room_size)
{
    *destination = (hectic_destination){.kind = HECTIC_TO_RING};
    if (strcmp(text, "ring") == 0) return true;
    if (strcmp(text, "-") == 0) text = "fd:1";
    const struct scheme *s = schemes;
    while (strncmp(text, s->prefix, strlen(s->prefix)) != 0)
        s++;
    text += strlen(s->prefix);
    const size_t size = strlen(text) + 1;
    if (size > room_size) return false;
    destination->kind = s->kind;
    return s->parse(destination, memcpy(room, text, size));
}
