/* Pages of logs, for tests: their answers compared with those of another one. */
#ifndef HECTIC_TEST_PAGES_H
#define HECTIC_TEST_PAGES_H

#include "bytes.h"
#include "view/engine/engine.h"

static inline ptrdiff_t page_read(void *input, uint64_t position, void *buffer, size_t size)
{
    hectic_error error;
    return hectic_input_pread(input, position, buffer, size, &error);
}

static inline hectic_view *page_open(const hectic_view_source *source)
{
    hectic_view *view = hectic_view_new(source);
    assert_non_null(view);
    while (hectic_view_read(view, 1 << 20) == HECTIC_VIEW_MORE)
        ;
    return view;
}

/* Until it is complete. */
static inline bool page_ask(hectic_view *view, const char *request, hectic_view_answer *answer)
{
    static const char part[] = "{\"complete\":false";
    bool done;
    do
        done = hectic_view_ask(view, request, answer);
    while (answer->length >= sizeof part && memcmp(answer->bytes, part, sizeof part - 1) == 0);
    return done;
}

static inline size_t page_compare(const char *path, hectic_view *one, hectic_view *other,
                                  const char *request)
{
    hectic_view_answer a, b;
    assert_true(page_ask(one, request, &a));
    page_ask(other, request, &b);
    if (a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0) return 0;
    size_t i = 0;
    while (i < a.length && i < b.length && a.bytes[i] == b.bytes[i])
        i++;
    const size_t from = i < 60 ? 0 : i - 60;
    printf("%s: %s: %zu and %zu bytes, from %zu on", path, request, a.length, b.length, i);
    if (strcmp(a.type, "application/json") == 0)
        printf(": %.*s, not %.*s", (int)(b.length - from < 120 ? b.length - from : 120),
               (const char *)b.bytes + from, (int)(a.length - from < 120 ? a.length - from : 120),
               (const char *)a.bytes + from);
    puts("");
    return 1;
}

/* How many answers about random ranges differ; it stops at some. */
static inline size_t pages_compare(const char *path, hectic_view *one, hectic_view *other)
{
    static const char *const form[] = {
        "columns?section=%u&from=%llu&to=%llu&width=700",
        "stat?section=%u&from=%llu&to=%llu",
        "labels?section=%u&from=%llu&to=%llu&width=300",
        "curves?section=%u&from=%llu&to=%llu&width=400",
        "threads?section=%u&from=%llu&to=%llu",
        "gc?section=%u&from=%llu&to=%llu",
        "spans?section=%u&from=%llu&to=%llu",
        "span_rows?section=%u&from=%llu&to=%llu&width=100&by=thread",
        "message_rows?section=%u&from=%llu&to=%llu&width=100",
    };
    size_t bad = 0;
    for (unsigned section = 1; section <= one->sections && section < 3; section++) {
        uint64_t first, last;
        hectic_timeline_extent(one->section[section - 1].timeline, &first, &last);
        char whole[40];
        snprintf(whole, sizeof whole, "stat?section=%u", section);
        bad += page_compare(path, one, other, whole);
        for (int i = 0; i < 40 && bad < 3 && last > first; i++) {
            uint64_t a = first + (uint64_t)rand() * 1000003 % (last - first + 1);
            uint64_t b = first + (uint64_t)rand() * 1000003 % (last - first + 1);
            if (i == 0) a = first;
            if (i == 0) b = last;
            for (size_t k = 0; k < sizeof form / sizeof *form; k++) {
                char request[200];
                snprintf(request, sizeof request, form[k], section,
                         (unsigned long long)(a < b ? a : b), (unsigned long long)(a < b ? b : a));
                bad += page_compare(path, one, other, request);
            }
        }
    }
    return bad;
}

#endif
