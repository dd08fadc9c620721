/* Answers requests from a file of lines as a page's engine does: each answer is a line with its
 * request, its type and its length, and then its bytes. A request that takes long is repeated until
 * it is complete. Lines of a request that has several are separated by U+001E. */
#define _GNU_SOURCE /* getline */
#include "view/engine/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ptrdiff_t read_file(void *user, uint64_t position, void *buffer, size_t size)
{
    FILE *file = user;
    if (fseek(file, (long)position, SEEK_SET) != 0) return -1;
    const size_t got = fread(buffer, 1, size, file);
    return ferror(file) ? -1 : (ptrdiff_t)got;
}

static void answer(hectic_view *view, const char *request)
{
    static const char part[] = "{\"complete\":false";
    hectic_view_answer a;
    bool done;
    do
        done = hectic_view_ask(view, request, &a);
    while (a.length > sizeof part && memcmp(a.bytes, part, sizeof part - 1) == 0);
    printf("%.*s %d %s %zu\n", (int)strcspn(request, "\n"), request, done, a.type, a.length);
    fwrite(a.bytes, 1, a.length, stdout);
    putchar('\n');
}

int main(int argc, char **argv)
{
    enum { PIECE = 100000 };
    FILE *log = argc == 2 ? fopen(argv[1], "rb") : NULL;
    hectic_view *view =
        log ? hectic_view_new(&(hectic_view_source){.user = log, .read = read_file}) : NULL;
    if (!view) return 1;
    hectic_view_result result;
    while ((result = hectic_view_read(view, PIECE)) == HECTIC_VIEW_MORE)
        ;
    printf("read %d\n", result);
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = 0;
        for (char *c = line; (c = strchr(c, '\036'));)
            *c = '\n';
        answer(view, line);
    }
    free(line);
    hectic_view_free(view);
    fclose(log);
    return 0;
}
