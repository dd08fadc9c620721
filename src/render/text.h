/* Texts of a log as UTF-8: each function writes at `out` and returns the end of its output, beyond
 * which it does not write. Each invalid byte becomes U+FFFD, except in the exact forms: these write
 * it as \xE4, and a backslash as two, so that the bytes of the text can be found again. */
#ifndef HECTIC_SRC_TEXT_H
#define HECTIC_SRC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A byte that is not part of well-formed UTF-8. */
#define BAD_CHARACTER UINT32_MAX

/* The character that begins at bytes[0], of `length` > 0 bytes. Sets *size to its size in bytes: 1
 * for BAD_CHARACTER. */
uint32_t decode_utf8(const uint8_t *bytes, size_t length, size_t *size);

/* Is it valid UTF-8? */
bool text_is_utf8(const uint8_t *bytes, size_t length);

/* UTF-8, unchanged. At most 3 × length. */
char *put_utf8(char *out, const uint8_t *bytes, size_t length);

/* ISO 8859-1. At most 2 × length. */
char *put_latin1(char *out, const uint8_t *bytes, size_t length);

/* UTF-8 or other bytes, with "." for unprintable ones. At most length. */
char *put_dots(char *out, const uint8_t *bytes, size_t length);

/* Texts separated by NULs, as a Haskell list of strings. At most 4 + 8 × length. */
char *put_haskell_list(char *out, const uint8_t *bytes, size_t length);

/* Two hexadecimal digits for each byte. */
char *put_hex_bytes(char *out, const uint8_t *bytes, size_t length);

/* The exact form of UTF-8. At most 4 × length. */
char *put_exact(char *out, const uint8_t *bytes, size_t length);

/* A text that is valid, with a NUL: as it is, or in its exact form. `room` has space for 4 × length
 * + 1. Returns `room`. */
char *text_as_utf8(const char *text, size_t length, char *room);

/* The same up to a NUL, and cut to `most` (see text_cut): `room` has space for 4 × most + 1. */
char *text_cut_as_utf8(const void *text, size_t length, size_t most, char *room);

/* A JSON string of UTF-8, with its quotes; its exact form. At most 2 + 6 × length. */
char *put_json_utf8(char *out, const uint8_t *bytes, size_t length);
char *put_json_exact(char *out, const uint8_t *bytes, size_t length);

/* The exact form of ISO 8859-1, with quotes. At most 2 + 6 × length. */
char *put_json_latin1(char *out, const uint8_t *bytes, size_t length);

/* The length of a text of `length` bytes that is cut to `most`; a character is not divided. */
size_t text_cut(const void *text, size_t length, size_t most);

/* The length of texts without trailing NULs. */
size_t without_trailing_nuls(const uint8_t *bytes, size_t length);

/* Texts separated by NULs, one by one: those at the end separate nothing. There is at least one,
 * which may be empty. */
struct text_list {
    const uint8_t *text, *next, *end; /* next: NULL after the last one */
    size_t length;                    /* of `text` */
};

static inline struct text_list text_list(const uint8_t *bytes, size_t length)
{
    return (struct text_list){.next = bytes, .end = bytes + without_trailing_nuls(bytes, length)};
}

/* The next text. False: there is none. */
bool text_list_next(struct text_list *list);

/* A JSON string with quotes from UTF-8 bytes (invalid bytes become U+FFFD); escapes the same
 *  characters as hectic_render_visible, in JSON's syntax. Returns the length, at most 2 + 6 ×
 *  `length`. */
size_t hectic_render_json_string(const char *text, size_t length, char *out);

#endif
