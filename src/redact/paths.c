/* paths.c — see paths.h. */
#include "redact/paths.h"

#include <string.h>

struct span {
    const char *at;
    size_t length;
};

/* How many bytes there are a home directory; 0: none. */
static size_t home_at(struct span text)
{
    static const char *const parents[] = {"/home/", "/Users/", "\\Users\\"};
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

/* How many bytes there name a user, and perhaps a password, in a URL: "alice:secret@". */
static size_t user_at(struct span text)
{
    for (size_t i = 0; i < text.length && (unsigned char)text.at[i] > ' '; i++) {
        if (text.at[i] == '@') return i + 1;
        if (strchr("/?#\"'<>", text.at[i])) return 0;
    }
    return 0;
}

size_t paths_shorten(const uint8_t *text, size_t size, bool is_path, uint8_t *out)
{
    static const char url[] = "://";
    struct span left = {(const char *)text, size};
    if (is_path) left = last_part(left);
    uint8_t *to = out;
    for (bool is_begun = false; left.length > 0;) {
        const bool is_url = left.length >= strlen(url) && memcmp(left.at, url, strlen(url)) == 0;
        const size_t home = home_at(left), path = path_at(left, is_begun);
        size_t length = is_url ? strlen(url) : path ? path : home ? home : 1;
        struct span put = {left.at, length};
        is_begun = is_url || path || home || is_of_path(*left.at);
        if (is_url)
            length += user_at((struct span){left.at + length, left.length - length});
        else if (home && home + 1 >= length)
            put = (struct span){"~", 1};
        else if (path)
            put = last_part(put);
        memmove(to, put.at, put.length);
        to += put.length;
        left.at += length;
        left.length -= length;
    }
    return (size_t)(to - out);
}
