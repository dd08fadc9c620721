/* The index of a page natively, by several threads, as hectic view makes it.
 *
 *     overview LOG THREADS            reads all of the log
 *     overview LOG THREADS REQUEST    and asks then, until the answer is complete
 */
#define _DEFAULT_SOURCE
#include "tool/verbs/view/threads.h"

#include "view/engine/view.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

static ptrdiff_t read_file(void *user, uint64_t position, void *buffer, size_t size)
{
    return pread(*(const int *)user, buffer, size, (off_t)position);
}

static bool ask(hectic_view *view, const char *request)
{
    hectic_view_answer answer = {0};
    bool done;
    do
        done = hectic_view_ask(view, request, &answer);
    while (done && answer.is_part);
    return done;
}

int main(int argc, char **argv)
{
    int fd = argc > 2 ? open(argv[1], O_RDONLY) : -1;
    const int threads = argc > 2 ? atoi(argv[2]) : 0;
    if (fd < 0 || threads < 1 || threads > THREADS_MAX) {
        fprintf(stderr, "overview: cannot open the log\n");
        return 1;
    }
    hectic_view *view = hectic_view_new(&(hectic_view_source){
        .user = &fd, .read = read_file, .run = threads_run, .threads = (unsigned)threads});
    hectic_view_result result = HECTIC_VIEW_FAILED;
    while (view && (result = hectic_view_read(view, PIECE)) == HECTIC_VIEW_MORE)
        ;
    const bool done = result == HECTIC_VIEW_END && (argc < 4 || ask(view, argv[3]));
    hectic_view_free(view);
    return done ? 0 : 1;
}
