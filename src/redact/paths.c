/* paths.c — see paths.h. */
#include "redact/paths.h"

#include <string.h>
#include <strings.h>

struct span {
    const char *at;
    size_t length;
};

static struct span rest_of(struct span text, size_t from)
{
    return (struct span){text.at + from, text.length - from};
}

static bool begins_with(struct span text, const char *what)
{
    const size_t length = strlen(what);
    return text.length >= length && strncasecmp(text.at, what, length) == 0;
}

/* How many bytes there are none of these, and no blanks. */
static size_t length_until(struct span text, const char *ends)
{
    size_t length = 0;
    while (length < text.length && (unsigned char)text.at[length] > ' ' &&
           !strchr(ends, text.at[length]))
        length++;
    return length;
}

static bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* A separator after it is within a word, such as and/or, or a relative path. */
static bool is_of_word(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || (c != 0 && strchr("_.-%+~/", c));
}

/* --- Paths ----------------------------------------------------------------------------------- */

static const char separators[] = "/\\";

/* The last part of a path: those of sources are often relative. */
static struct span last_part(struct span text, const char *by)
{
    if (text.length == 0) return text;
    for (size_t i = text.length - 1; i > 0; i--)
        if (strchr(by, text.at[i - 1]) && text.at[i - 1] != 0) return rest_of(text, i);
    return text;
}

/* How many bytes there are a home directory; 0: none. */
static size_t home_at(struct span text)
{
    static const char *const parents[] = {"/home/", "/Users/", "\\Users\\"};
    static const char root[] = "/root";
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
        if (!begins_with(text, parents[i])) continue;
        const size_t parent = strlen(parents[i]);
        const size_t name = length_until(rest_of(text, parent), "/\\:;,'");
        if (name > 0) return parent + name;
    }
    if (!begins_with(text, root)) return 0;
    const size_t length = strlen(root);
    return text.length == length || text.at[length] == '/' ? length : 0;
}

/* "C:" of a path of Windows; 0: there is none. */
static size_t drive_at(struct span text)
{
    const bool has_drive = text.length > 2 && is_letter(text.at[0]) && text.at[1] == ':';
    return has_drive && text.at[2] == '\\' ? 2 : 0;
}

/* An absolute path, and what is left of it; length 0: there is none. */
struct path {
    size_t length;
    struct span left;
};

static struct path path_at(struct span text)
{
    static const struct span home = {"~", 1};
    const size_t drive = drive_at(text);
    struct path path = {0};
    if (drive > 0 || begins_with(text, "\\\\"))
        path.length = length_until(text, "\"<>|*?;,'()[]{}`");
    else if (text.at[0] == '/')
        path.length = length_until(text, "\\\":;,'()[]{}<>|=&`");
    const struct span whole = {text.at, path.length};
    const size_t of_home = path.length > 0 ? home_at(rest_of(whole, drive)) : 0;
    path.left = of_home > 0 && drive + of_home + 1 >= path.length
                    ? home
                    : last_part(whole, drive > 0 || text.at[0] == '\\' ? separators : "/");
    return path;
}

/* --- URLs ------------------------------------------------------------------------------------ */

/* How many bytes there name a user, and perhaps a password, in a URL: "alice:secret@". A password
 * with a character that ends the host is recognized by the colon before it. */
static size_t user_at(struct span text)
{
    const size_t host = length_until(text, "/?#\"<>"), all = length_until(text, "");
    const char *colon = host > 0 ? memchr(text.at, ':', host) : NULL;
    bool has_password = false; /* or a port */
    for (size_t i = colon ? (size_t)(colon - text.at) + 1 : host; i < host; i++)
        has_password |= text.at[i] < '0' || text.at[i] > '9';
    size_t user = 0;
    for (size_t i = 0; i < host; i++)
        if (text.at[i] == '@') user = i + 1;
    for (size_t i = host; i < all && user == 0 && has_password; i++)
        if (text.at[i] == '@') user = i + 1;
    return user;
}

/* --- Texts ----------------------------------------------------------------------------------- */

/* Most bytes cannot be the first one of a path or a URL. */
static bool may_begin(struct span text)
{
    return *text.at == '/' || *text.at == '\\' || *text.at == ':' || drive_at(text) > 0;
}

/* One pass. What it leaves may be a path again. */
static size_t shorten(struct span left, uint8_t *out)
{
    static const char url[] = "://";
    uint8_t *to = out;
    char before[3] = {' ', ' ', ' '}; /* the bytes before `left`, the last one first */
    while (left.length > 0) {
        if (!may_begin(left)) {
            before[2] = before[1];
            before[1] = before[0];
            before[0] = *left.at;
            *to++ = (uint8_t)*left.at;
            left = rest_of(left, 1);
            continue;
        }
        size_t length = 1;
        struct span put = {left.at, 1};
        const bool is_option = before[2] <= ' ' && before[1] == '-' && is_letter(before[0]);
        const struct path path = path_at(left);
        const size_t home = home_at(left);
        char last = *left.at;
        if (begins_with(left, url)) {
            put.length = strlen(url);
            length = put.length + user_at(rest_of(left, put.length));
            last = ' ';
            if (length < left.length && left.at[length] != '/') last = '.';
        } else if (path.length > 0 && (!is_of_word(before[0]) || is_option)) {
            length = path.length;
            put = path.left;
        } else if (home > 0) {
            length = home;
            put = (struct span){"~", 1};
        }
        if (length > 1 && last == *left.at) last = put.length > 0 ? put.at[put.length - 1] : ' ';
        memmove(to, put.at, put.length);
        to += put.length;
        left = rest_of(left, length);
        before[2] = length > 1 ? 'a' : before[1];
        before[1] = length > 1 ? 'a' : before[0];
        before[0] = last;
    }
    return (size_t)(to - out);
}

size_t paths_shorten(const uint8_t *text, size_t size, bool is_path, uint8_t *out)
{
    enum { PASSES_MAX = 8 }; /* a text that needs more is removed */
    struct span left = {(const char *)text, size};
    /* Most texts have none. */
    if (size == 0 || (!memchr(text, '/', size) && !memchr(text, '\\', size))) {
        if (size > 0) memmove(out, text, size);
        return size;
    }
    for (size_t pass = 0; pass < PASSES_MAX; pass++) {
        if (is_path) left = last_part(left, "/");
        const size_t shorter = shorten(left, out);
        const bool is_same = shorter == left.length && (pass > 0 || shorter == size);
        left = (struct span){(const char *)out, shorter};
        if (is_same) return shorter;
    }
    return 0;
}
