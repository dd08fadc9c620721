/* hostile_log FILE: a log in which every text is the content of FILE (in events, labels, messages,
 * the program's name and arguments, descriptions of types), each event of the catalogue once; with
 * a running thread, spans and a collection, so that every verb prints something. */
#include <hectic/hectic.h>
#include <hectic/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 8000, TYPES_MAX = 400, UNKNOWN_FIXED = 5000, UNKNOWN_VARIABLE };

static uint8_t text[TEXT_MAX];
static size_t text_size, until_nul;
static hectic_event_type types[TYPES_MAX];
static size_t type_count;
static uint64_t now;

static bool to_stdout(void *user, const void *bytes, size_t length)
{
    (void)user;
    return fwrite(bytes, 1, length, stdout) == length;
}

static void add_type(hectic_event_type type)
{
    type.description = (const char *)text;
    type.description_length = (uint32_t)text_size;
    types[type_count++] = type;
}

static void add_types(void)
{
    size_t count;
    const hectic_shape *shape = hectic_catalogue(&count);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || shape[i].number != shape[i - 1].number)
            add_type(hectic_type_of(shape[i].number));
    add_type((hectic_event_type){.number = UNKNOWN_FIXED, .size = 4});
    add_type((hectic_event_type){.number = UNKNOWN_VARIABLE, .size = HECTIC_VARIABLE});
}

static const hectic_event_type *type_of(uint16_t number)
{
    size_t i = 0;
    while (types[i].number != number)
        i++;
    return &types[i];
}

static void put_payload(hectic_writer *w, uint16_t number, const void *payload, size_t size)
{
    const hectic_event event = {.declared = type_of(number),
                                .type = number,
                                .time = now += 1000000,
                                .payload = payload,
                                .size = (uint16_t)size};
    if (!hectic_writer_event(w, &event)) exit(1);
}

/* Numbers are `number`; a text begins with `begin`. */
static void put(hectic_writer *w, uint16_t number, uint64_t value, const char *begin)
{
    static uint8_t bytes[HECTIC_EVENT_MAX], own[TEXT_MAX + 16];
    const hectic_event_type *type = type_of(number);
    const hectic_shape *shape = type->shape;
    hectic_value values[HECTIC_MAX_FIELDS] = {0};
    const size_t length = strlen(begin);
    memcpy(own, begin, length);
    memcpy(own + length, text, text_size);
    for (size_t i = 0; i < shape->field_count; i++) {
        const hectic_wire wire = shape->field[i].wire;
        values[i].number = value;
        values[i].bytes = own;
        values[i].length = (uint32_t)(length + (wire == HECTIC_STRING ? until_nul : text_size));
        if (wire == HECTIC_U32S) values[i].length = 4;
    }
    const size_t size =
        hectic_encode_fields(bytes, sizeof bytes, type, 0, values, shape->field_count);
    const size_t head = type->size == HECTIC_VARIABLE ? 12 : 10;
    if (size == 0 || size > sizeof bytes) {
        fprintf(stderr, "hostile_log: event %u cannot be made\n", number);
        exit(1);
    }
    put_payload(w, number, bytes + head, size - head);
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file) return 64;
    text_size = fread(text, 1, sizeof text, file);
    until_nul = strnlen((const char *)text, text_size);
    fclose(file);
    add_types();

    hectic_writer *w = hectic_writer_new(0, to_stdout, NULL);
    if (!w || !hectic_writer_header(w, types, type_count)) return 1;
    hectic_writer_begin_block(w, type_of(HECTIC_EVENT_BLOCK_MARKER), now, 0);
    static const uint16_t story[] = {HECTIC_EVENT_CREATE_THREAD, HECTIC_EVENT_THREAD_LABEL,
                                     HECTIC_EVENT_RUN_THREAD};
    for (size_t i = 0; i < sizeof story / sizeof *story; i++)
        put(w, story[i], 1, "");
    put(w, HECTIC_EVENT_USER_MSG, 1, "START ");
    put(w, HECTIC_EVENT_USER_MARKER, 1, "");
    put(w, HECTIC_EVENT_USER_MSG, 1, "STOP ");
    put(w, HECTIC_EVENT_STOP_THREAD, 1, "");
    size_t count;
    const hectic_shape *shape = hectic_catalogue(&count);
    for (size_t i = 0; i < count; i++)
        if (shape[i].number != HECTIC_EVENT_BLOCK_MARKER &&
            (i == 0 || shape[i].number != shape[i - 1].number))
            put(w, shape[i].number, 1, "");
    put_payload(w, UNKNOWN_FIXED, "\0\0\0", 4);
    put_payload(w, UNKNOWN_VARIABLE, text, text_size);
    const bool written = hectic_writer_data_end(w) && hectic_writer_flush(w) && fflush(stdout) == 0;
    hectic_writer_free(w);
    return written ? 0 : 1;
}
