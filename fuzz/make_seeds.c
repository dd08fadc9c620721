/* Makes small logs of large ones, as seeds for the fuzzers: the header declares only the types in
 * use, with short descriptions, and only the first few events of each type are kept. Usage:
 * make_seeds LOG … DIRECTORY */
#include <hectic/hectic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = 1 << 16, KEPT = 3, LONGEST = 300, WORDS = 6, MOST = 1 << 20 };

static uint8_t log_bytes[1 << 24], seed[MOST];
static unsigned seen[TYPES];
static hectic_event_type declared[TYPES];
static char description[TYPES][WORDS];

static bool keep(const hectic_event *event)
{
    return event->size <= LONGEST && seen[event->type]++ < KEPT;
}

static hectic_decoder *begin(size_t length)
{
    hectic_decoder *decoder = hectic_decoder_new();
    if (!decoder) exit(1);
    hectic_decoder_push(decoder, log_bytes, length);
    memset(seen, 0, sizeof seen);
    return decoder;
}

/* First pass: find the types in use. */
static size_t find_types(size_t length)
{
    hectic_decoder *decoder = begin(length);
    hectic_event event;
    hectic_result result;
    size_t count = 0;
    while ((result = hectic_decoder_pull(decoder, &event)) == HECTIC_HEADER ||
           result == HECTIC_GOT_EVENT || result == HECTIC_COMPLETE) {
        if (result != HECTIC_GOT_EVENT || !keep(&event) || seen[event.type] != 1) continue;
        hectic_event_type type = *event.declared;
        if (type.description_length > WORDS) type.description_length = WORDS;
        type.description = memcpy(description[count], type.description, type.description_length);
        type.extra_length = 0;
        declared[count++] = type;
    }
    hectic_decoder_free(decoder);
    return count;
}

/* Second pass: the events, in blocks of the new size. */
static size_t write_seed(size_t length, size_t types)
{
    hectic_decoder *decoder = begin(length);
    hectic_event event;
    hectic_result result;
    uint8_t *out = seed, *end = seed + MOST / 2, *marker = NULL;
    out += hectic_encode_header(out, MOST / 2, declared, types);
    while ((result = hectic_decoder_pull(decoder, &event)) == HECTIC_HEADER ||
           result == HECTIC_GOT_EVENT || result == HECTIC_COMPLETE) {
        if (result != HECTIC_GOT_EVENT || out >= end || !keep(&event)) continue;
        if (event.type == HECTIC_EVENT_BLOCK_MARKER) marker = out;
        out += hectic_encode_event(out, MOST / 2, &event);
        if (!marker) continue;
        size_t size = (size_t)(out - marker);
        for (int i = 0; i < 4; i++)
            marker[10 + i] = (uint8_t)(size >> (24 - 8 * i));
    }
    out += hectic_encode_data_end(out, 2);
    hectic_decoder_free(decoder);
    return (size_t)(out - seed);
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i++) {
        FILE *in = fopen(argv[i], "rb");
        if (!in) continue;
        size_t length = fread(log_bytes, 1, sizeof log_bytes, in);
        fclose(in);
        size_t types = find_types(length);
        if (types == 0) continue;
        size_t size = write_seed(length, types);
        const char *slash = strrchr(argv[i], '/');
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[argc - 1], slash ? slash + 1 : argv[i]);
        FILE *out = fopen(path, "wb");
        if (!out || fwrite(seed, 1, size, out) != size || fclose(out) != 0) return 1;
    }
    return 0;
}
