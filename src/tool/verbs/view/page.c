/* page.c — see page.h. */
#include "tool/verbs/view/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE_MAX = 64 << 20 };

const char page_missing[] =
    "this build of hectic lacks the page: a tool that builds it was missing or failed. Where you "
    "build hectic, install what docs/dependencies.md lists for the page (on Debian 12: make deps), "
    "and build again";

static char *read_at(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rbe");
    char *page = NULL;
    if (!file) return NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        const long size = ftell(file);
        if (size > 0 && size < PAGE_MAX) page = malloc((size_t)size);
        rewind(file);
        *length = page ? fread(page, 1, (size_t)size, file) : 0;
    }
    fclose(file);
    return page;
}

/* Relative to the command. */
char *page_read(size_t *length)
{
    static const char *const places[] = {"view.html", "../share/hectic/view.html"};
    char self[4096], path[sizeof self + 64];
    const ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    char *page = NULL;
    if (size <= 0) return NULL;
    self[size] = 0;
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places && !page; i++) {
        snprintf(path, sizeof path, "%s/%s", self, places[i]);
        page = read_at(path, length);
    }
    return page;
}
