/* view_wasm.c — the interface of view.h for JavaScript: the module view.wasm.
 *
 * It imports two functions, and needs nothing of WASI:
 *
 *     env.read(log, position, pointer, size) -> number of bytes, 0 at the end, -1 if it failed
 *
 * copies up to `size` bytes of a log, from `position` (a Number) on, into memory at `pointer`. It
 * is called during `read` and `ask`, and has to be synchronous: in a page, in a worker with
 * FileReaderSync. `log` is the number given to `new`.
 *
 *     env.expect(log, pointer, count, at_once)
 *
 * lists the bytes that a request reads next, in this order: `count` pairs of a position and a
 * length, 64 bits each, from `pointer` on. `at_once`, 1 or 0: it reads them before it returns, or
 * when it is asked again, until when they may be read ahead.
 *
 *     const { instance } = await WebAssembly.instantiate(bytes, { env: { read, expect } });
 *     const wasm = instance.exports;
 *     wasm._initialize();                      // once, first
 *     wasm.seed(low, high);                    // then: two random numbers, below 2^32
 *     const view = wasm.new(0);                // an engine for log 0; 0: out of memory
 *     while (wasm.read(view, 1 << 20) === 0)   // 0: more to read, 1: everything so far was read,
 *         …;                                   // 2: failed, see the request `error`
 *     const text = new TextEncoder().encode("stat?from=0&to=1000000");
 *     const room = wasm.alloc(text.length);    // 0: out of memory
 *     new Uint8Array(wasm.memory.buffer, room, text.length).set(text);
 *     const ok = wasm.ask(view, room, text.length);  // 1, or 0: the answer says why not
 *     wasm.release(room);
 *     const answer = new Uint8Array(wasm.memory.buffer, wasm.bytes(view),
 * wasm.length(view)).slice(); const isJson = wasm.json(view) === 1;    // otherwise bytes
 *     wasm.free(view);
 *
 * The answer is valid until the next `ask` of that engine: copy it. Memory may grow in any call, so
 * make a new Uint8Array of memory.buffer after each. Several engines may exist. A trap
 * (WebAssembly.RuntimeError) leaves the module unusable: instantiate it again. */
#include "view/engine/view.h"

#include "base/map.h"
#include "timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

__attribute__((import_module("env"), import_name("read"))) int32_t
view_import_read(uint32_t log, double position, void *buffer, uint32_t size);

__attribute__((import_module("env"), import_name("expect"))) void
view_import_expect(uint32_t log, const void *pairs, uint32_t count, int32_t at_once);

struct engine {
    hectic_view *view;
    uint32_t log;
    hectic_view_answer answer;
};

static ptrdiff_t read_log(void *user, uint64_t position, void *buffer, size_t size)
{
    const struct engine *engine = user;
    return view_import_read(engine->log, (double)position, buffer, (uint32_t)size);
}

_Static_assert(sizeof(hectic_timeline_bytes) == 16, "pairs of 64 bits");

static void expect_bytes(void *user, const hectic_timeline_bytes *bytes, size_t count, bool at_once)
{
    const struct engine *engine = user;
    view_import_expect(engine->log, bytes, (uint32_t)count, at_once);
}

static uint64_t seed;

uint64_t map_seed(void)
{
    return seed;
}

EXPORT(seed) void view_seed(uint32_t low, uint32_t high)
{
    seed = (uint64_t)high << 32 | low;
}

EXPORT(free) void view_free(struct engine *engine)
{
    if (!engine) return;
    hectic_view_free(engine->view);
    free(engine);
}

EXPORT(new) struct engine *view_new(uint32_t log)
{
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine) return NULL;
    engine->log = log;
    engine->view = hectic_view_new(
        &(hectic_view_source){.user = engine, .read = read_log, .expect = expect_bytes});
    if (engine->view) return engine;
    view_free(engine);
    return NULL;
}

EXPORT(read) int32_t view_read(struct engine *engine, uint32_t size)
{
    return (int32_t)hectic_view_read(engine->view, size);
}

EXPORT(ask) int32_t view_ask(struct engine *engine, const char *request, uint32_t length)
{
    char *text = malloc((size_t)length + 1);
    engine->answer = (hectic_view_answer){.type = ""};
    if (!text) return 0;
    memcpy(text, request, length);
    text[length] = 0;
    const bool done = hectic_view_ask(engine->view, text, &engine->answer);
    free(text);
    return done;
}

EXPORT(bytes) const uint8_t *view_bytes(const struct engine *engine)
{
    return engine->answer.bytes;
}

EXPORT(length) uint32_t view_length(const struct engine *engine)
{
    return (uint32_t)engine->answer.length;
}

EXPORT(json) int32_t view_json(const struct engine *engine)
{
    return engine->answer.type && strcmp(engine->answer.type, "application/json") == 0;
}

EXPORT(alloc) void *view_alloc(uint32_t size)
{
    return malloc(size);
}

EXPORT(release) void view_release(void *memory)
{
    free(memory);
}

/* What the libc's stderr, which snprintf refers to, would call: without these, the module would
 * import functions of WASI. Nothing is written. */
size_t __stdio_write(void *file, const unsigned char *bytes, size_t size);
size_t __stdio_write(void *file, const unsigned char *bytes, size_t size)
{
    (void)file, (void)bytes;
    return size;
}

long long __stdio_seek(void *file, long long offset, int whence);
long long __stdio_seek(void *file, long long offset, int whence)
{
    (void)file, (void)offset, (void)whence;
    return -1;
}

int __stdio_close(void *file);
int __stdio_close(void *file)
{
    (void)file;
    return 0;
}
