/* anonymous.c — see anonymous.h. */
#include "report/anonymous.h"

#include <stdbool.h>
#include <string.h>

struct span {
    const char *at;
    size_t length;
};

/* The end of the string whose first byte is `at`: its quote. */
static const char *end_of(const char *at, const char *end)
{
    while (at < end && *at != '"')
        at += *at == '\\' && end - at > 1 ? 2 : 1;
    return at;
}

static bool names_path(struct span key)
{
    static const char *const keys[] = {"program", "executable", "command", "file", "path",
                                       "source",  "location",   "src",     "log"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i]) == key.length && memcmp(keys[i], key.at, key.length) == 0) return true;
    return false;
}

/* How many bytes there are a home directory; 0: none. */
static size_t home_at(struct span text)
{
    static const char *const parents[] = {"/home/", "/Users/"};
    static const char root[] = "/root";
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
        size_t length = strlen(parents[i]);
        if (text.length <= length || memcmp(text.at, parents[i], length) != 0) continue;
        const size_t parent = length;
        while (length < text.length && !strchr("/\\ :;,'", text.at[length]))
            length++;
        if (length > parent) return length;
    }
    const size_t length = sizeof root - 1;
    if (text.length < length || memcmp(text.at, root, length) != 0) return 0;
    return text.length == length || text.at[length] == '/' ? length : 0;
}

/* The last part of a path: those of sources are often relative. */
static struct span last_part(struct span text)
{
    if (text.length == 0) return text;
    for (size_t i = text.length - 1; i > 0; i--)
        if (text.at[i - 1] == '/') return (struct span){text.at + i, text.length - i};
    return text;
}

static bool is_of_path(char c)
{
    return (unsigned char)c > ' ' && !strchr("\\\":;,'()[]{}<>|=&", c);
}

/* How many bytes there are an absolute path; 0: none. */
static size_t path_at(struct span text, bool is_begun)
{
    size_t length = 0;
    if (text.at[0] != '/' || is_begun) return 0;
    while (length < text.length && is_of_path(text.at[length]))
        length++;
    return length;
}

/* How many bytes an escape of JSON has; 0: it is none. */
static size_t escape_at(struct span text)
{
    if (text.at[0] != '\\' || text.length < 2) return 0;
    return text.at[1] == 'u' && text.length >= 6 ? 6 : 2;
}

/* Copies a text with only the last parts of absolute paths, and without home directories. Returns
 * the end of the copy. `is_json`: it has the escapes of JSON. */
static char *put_text(char *to, struct span text, bool is_json)
{
    for (bool is_begun = false; text.length > 0;) {
        const size_t escape = is_json ? escape_at(text) : 0, home = home_at(text);
        const size_t path = path_at(text, is_begun);
        size_t length = path ? path : escape ? escape : home ? home : 1;
        struct span put = {text.at, length};
        is_begun = path || home || (!escape && is_of_path(*text.at));
        if (home && home + 1 >= length)
            put = (struct span){"~", 1};
        else if (path)
            put = last_part(put);
        memmove(to, put.at, put.length);
        to += put.length;
        text.at += length;
        text.length -= length;
    }
    return to;
}

size_t anonymous_text(char *text, size_t length)
{
    return (size_t)(put_text(text, (struct span){text, length}, false) - text);
}

size_t anonymous_json(char *json, size_t length)
{
    const char *at = json, *end = json + length;
    char *to = json;
    struct span key = {json, 0};
    while (at < end) {
        *to++ = *at++;
        if (at[-1] != '"') continue;
        const char *quote = end_of(at, end);
        struct span text = {at, (size_t)(quote - at)};
        if (quote + 1 < end && quote[1] == ':') {
            memmove(to, text.at, text.length);
            key = (struct span){to, text.length};
            to += text.length;
        } else {
            to = put_text(to, names_path(key) ? last_part(text) : text, true);
        }
        at = quote;
        if (at < end) *to++ = *at++;
    }
    return (size_t)(to - json);
}
