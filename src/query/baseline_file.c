/* baseline_file.c — see baseline_file.h. */
#include "query/baseline_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool baseline_is(const char *path)
{
    static const char begin[] = "hectic-baseline ";
    char bytes[sizeof begin - 1];
    FILE *file = fopen(path, "re");
    const bool is = file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes &&
                    memcmp(bytes, begin, sizeof bytes) == 0;
    if (file) fclose(file);
    return is;
}

/* False: errno says why. */
static bool read_file(FILE *file, struct buffer *text)
{
    enum { PIECE = 1 << 16 };
    size_t got = PIECE;
    while (got == PIECE) {
        uint8_t *room = buffer_room(text, PIECE);
        got = room ? fread(room, 1, PIECE, file) : 0;
        text->size += got;
    }
    buffer_add_byte(text, 0);
    if (text->failed) errno = ENOMEM;
    return !text->failed && !ferror(file);
}

enum baseline_result baseline_read(struct runs *runs, const char *path, char **options,
                                   size_t *line)
{
    FILE *file = fopen(path, "re");
    struct buffer text = {0};
    enum baseline_result result = BASELINE_FAILED;
    *options = NULL;
    if (!file) return result;
    if (read_file(file, &text)) {
        result = baseline_parse(runs, (char *)text.bytes, text.size - 1, options, line);
        errno = ENOMEM; /* if it failed */
    }
    fclose(file);
    buffer_free(&text);
    return result;
}
