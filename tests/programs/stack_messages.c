/* stack_messages FILE: a log with the messages of ghc-stack-profiler, as its releases write them,
 * on several caps: whole stacks, stacks in parts that interleave, definitions that come late; what
 * is malformed, and messages of others. Ticks of cost centres, too, with --ticks. */
#include <hectic/emit.h>
#include <hectic/emit_events.h>

#include <stdlib.h>
#include <string.h>

enum { CAPS = 3, LAST = 0xffca, PART = 0xffcb, STRING = 0xffcc, LOCATION = 0xffcd };
enum { MAIN_GO = 0x4711, WORK, DEEP = 0x10000 };

static hectic_emit_cap *caps[CAPS];

static uint8_t bytes[65535];
static size_t size;

static void put(uint64_t number, size_t count)
{
    for (size_t i = count; i-- > 0; number >>= 8)
        bytes[size + i] = (uint8_t)number;
    size += count;
}

static void put_tag(uint16_t tag)
{
    size = 0;
    put(tag, 2);
}

static void post(size_t cap)
{
    hectic_emit_user_binary_msg(caps[cap], bytes, size);
}

static void define_string(size_t cap, uint64_t number, const char *text, size_t length)
{
    put_tag(STRING);
    put(number, 8);
    put(length, 2);
    memcpy(bytes + size, text, strlen(text));
    size += strlen(text);
    post(cap);
}

static void define_location(size_t cap, uint64_t number, uint32_t row, uint32_t column,
                            uint64_t file)
{
    put_tag(LOCATION);
    put(number, 8);
    put(row, 4);
    put(column, 4);
    put(file, 8);
    post(cap);
}

/* Begins a stack of `count` frames. */
static void begin_stack(uint16_t tag, uint32_t cap, uint64_t thread, size_t count)
{
    put_tag(tag);
    put(cap, 4);
    put(thread, 4);
    put(count, 2);
}

static void put_info_table(uint64_t address)
{
    put(1, 1);
    put(address, 8);
}

static void put_string(uint64_t string)
{
    put(2, 1);
    put(string, 8);
}

static void put_both(uint64_t string, uint64_t location)
{
    put(3, 1);
    put(string, 8);
    put(location, 8);
}

/* main > go > work: 10 samples. */
static void whole_stacks(void)
{
    for (uint32_t i = 0; i < 10; i++) {
        begin_stack(LAST, i % CAPS, 1, 3);
        put_both(0, 0);
        put_info_table(MAIN_GO);
        put_info_table(WORK);
        post(0);
    }
}

/* A stack of 3 × 2 frames for each cap; the parts of all caps interleave. Then one without its last
 * part. */
static void parts(void)
{
    for (uint64_t part = 0; part < 3; part++) {
        for (uint32_t cap = 0; cap < CAPS; cap++) {
            begin_stack(part < 2 ? PART : LAST, cap, 2, 2);
            put_info_table(DEEP + 2 * part);
            put_info_table(DEEP + 2 * part + 1);
            post(cap);
        }
    }
    begin_stack(PART, 0, 3, 1);
    put_info_table(WORK);
    post(0);
}

static void malformed(void)
{
    begin_stack(LAST, 0, 1, 3); /* two frames are missing */
    put_info_table(WORK);
    post(1);
    begin_stack(LAST, 0, 1, 1);
    put(9, 1); /* no kind of frame */
    put(0, 8);
    post(1);
    put_tag(STRING);
    put(7, 3);
    post(1);
    hectic_emit_user_binary_msg(caps[1], "anything", 8);
    hectic_emit_user_binary_msg(caps[1], "\xff\x01", 2);
    hectic_emit_user_binary_msg(caps[1], "", 0);
}

/* The string and the location of 3 samples are defined after them. */
static void late(void)
{
    for (int i = 0; i < 3; i++) {
        begin_stack(LAST, 2, 4, 2);
        put_string(5);
        put_both(5, 5);
        post(2);
    }
    define_string(2, 5, "spät\x1b[31m", strlen("spät\x1b[31m") - 1); /* counted in characters */
    define_string(2, 6, "Late.hs", 7);
    define_location(2, 5, 3, 4, 6);
}

static void ticks(hectic_emit_cap *global)
{
    static const uint32_t stack[] = {12, 11};
    hectic_emit_heap_prof_cost_centre(global, 11, "outer", "Main", "Main.hs:1:1-9", 0);
    hectic_emit_heap_prof_cost_centre(global, 12, "inner", "Main", "Main.hs:2:1-9", 0);
    hectic_emit_heap_prof_cost_centre(global, 13, "GC", "GC", "<built-in>", 0);
    hectic_emit_prof_begin(global, 1000000);
    for (uint32_t tick = 1; tick <= 4; tick++)
        hectic_emit_prof_sample_cost_centre(global, 0, tick, stack, 2);
    hectic_emit_prof_sample_cost_centre(global, 0, 20, (const uint32_t[]){13}, 1);
}

int main(int argc, char **argv)
{
    hectic_emitter *e = hectic_emitter_new(NULL);
    if (argc < 2 || !e) return EXIT_FAILURE;
    const hectic_destination file = {.path = argv[1]};
    if (hectic_emitter_start(e, &file) != HECTIC_EMIT_OK) return EXIT_FAILURE;
    for (uint16_t cap = 0; cap < CAPS; cap++)
        caps[cap] = hectic_emitter_cap(e, cap);
    hectic_emit_cap *global = hectic_emitter_global(e);
    hectic_emit_ipe(global, MAIN_GO, "go_info", "1", "", "go", "Main", "Main.hs:10:1-20");
    hectic_emit_ipe(global, WORK, "work_info", "1", "", "work", "Work", "Work.hs:5:1-30");
    define_string(0, 0, "main", 4);
    define_string(0, 1, "Main.hs", 7);
    define_location(0, 0, 3, 8, 1);
    whole_stacks();
    parts();
    malformed();
    late();
    if (argc > 2 && strcmp(argv[2], "--ticks") == 0) ticks(global);
    hectic_emitter_free(e);
    return EXIT_SUCCESS;
}
