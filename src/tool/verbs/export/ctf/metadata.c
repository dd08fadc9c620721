/* metadata.c — the metadata of CTF 1.8, in its language TSDL: they describe what streams.c writes,
 * by the catalogue. */
#include "tool/verbs/export/ctf/ctf.h"

#include "base/buffer.h"
#include "format/stop_status.h"
#include "render/text.h"
#include "tool/cli/message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct buffer *out, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    const size_t room = (size_t)length + 1;
    char *text = (char *)buffer_room(out, room);
    if (text) vsnprintf(text, room, format, arguments);
    if (text) out->size += (size_t)length;
    va_end(arguments);
}

/* --- Events ---------------------------------------------------------------------------------- */

/* In TSDL, a name may be a keyword: readers remove an underscore before it. That of a length has
 * another one, by which they know it. */
static void put_sequence(struct buffer *out, const char *type, const char *name)
{
    put(out, "    uint32_t __%s_length;\n    %s _%s[__%s_length];\n", name, type, name, name);
}

static const char *name_of_number(hectic_unit unit, bool shifted_stop_status, uint64_t number)
{
    return hectic_enum_text(unit, unit == HECTIC_UNIT_STOP_STATUS
                                      ? usual_stop_status(shifted_stop_status, number)
                                      : number);
}

/* The last number up to `most` that has the name of all numbers from `first` on. */
static uint64_t last_of_name(hectic_unit unit, bool shifted_stop_status, uint64_t first,
                             uint64_t most)
{
    enum { NUMBERS = 256 }; /* from there on, all are the same */
    const char *name = name_of_number(unit, shifted_stop_status, first);
    uint64_t last = first;
    while (last < NUMBERS && last < most) {
        const char *next = name_of_number(unit, shifted_stop_status, last + 1);
        if (!name != !next || (name && strcmp(name, next) != 0)) return last;
        last++;
    }
    return most;
}

/* Of a unit that names numbers, an enumeration. */
static void put_integer(struct buffer *out, const hectic_field *field, bool shifted_stop_status)
{
    const unsigned bits = 8u << (field->wire - HECTIC_U8);
    const uint64_t most = UINT64_MAX >> (64 - bits);
    unsigned names = 0;
    put(out, "    ");
    for (uint64_t first = 0, last = 0; last < most; first = last + 1) {
        const char *name = name_of_number(field->unit, shifted_stop_status, first);
        last = last_of_name(field->unit, shifted_stop_status, first, most);
        if (!name) continue;
        if (names == 0) put(out, "enum : uint%u_t { ", bits);
        put(out, "%s\"%s\" = %" PRIu64, names++ > 0 ? ", " : "", name, first);
        if (last > first) put(out, " ... %" PRIu64, last);
    }
    if (names > 0)
        put(out, " }");
    else
        put(out, "uint%u_t", bits);
    put(out, " _%s;\n", field->name);
}

static void put_field(struct buffer *out, const hectic_field *field, bool shifted_stop_status)
{
    static const char *const elements[] = {
        [HECTIC_TEXTS] = "string", [HECTIC_BYTES] = "uint8_t", [HECTIC_U32S] = "uint32_t"};
    if (field->wire <= HECTIC_U64)
        put_integer(out, field, shifted_stop_status);
    else if (field->wire < HECTIC_TEXTS)
        put(out, "    string _%s;\n", field->name);
    else
        put_sequence(out, elements[field->wire], field->name);
}

static void put_fields(struct buffer *out, uint16_t class, bool shifted_stop_status)
{
    size_t shapes;
    const hectic_shape *shape = &hectic_catalogue(&shapes)[class >> CTF_SHAPE_SHIFT];
    const unsigned count = class >> CTF_COUNT_SHIFT & ((1 << (CTF_SHAPE_SHIFT - 1)) - 1);
    for (unsigned i = 0; i < count; i++)
        put_field(out, &shape->field[i], shifted_stop_status);
    if (class & CTF_REST)
        put_sequence(out, "uint8_t", count < shape->field_count ? "malformed" : "extra");
}

static void put_class(struct buffer *out, uint16_t class, unsigned stream, bool shifted_stop_status)
{
    size_t shapes;
    const char *name =
        class == CTF_UNKNOWN ? "unknown" : hectic_catalogue(&shapes)[class >> CTF_SHAPE_SHIFT].name;
    put(out, "event {\n  name = \"%s\";\n  id = %u;\n  stream_id = %u;\n  fields := struct {\n",
        name, class, stream);
    if (class == CTF_UNKNOWN) {
        put(out, "    uint16_t _type;\n    string _description;\n");
        put_sequence(out, "uint8_t", "payload");
    } else
        put_fields(out, class, shifted_stop_status);
    put(out, "  };\n};\n\n");
}

/* --- The environment ------------------------------------------------------------------------- */

static void put_text(struct buffer *out, const char *bytes, size_t length)
{
    enum { EXPANSION = 4 };
    struct buffer exact = {0};
    char *text = (char *)buffer_room(&exact, EXPANSION * length + 1);
    const char *end = text ? put_exact(text, (const uint8_t *)bytes, length) : text;
    for (const char *c = text; c < end; c++)
        if ((unsigned char)*c < ' ' || strchr("\"\\\x7f", *c))
            put(out, "\\%03o", (unsigned char)*c);
        else
            buffer_add_byte(out, (uint8_t)*c);
    out->failed |= exact.failed;
    buffer_free(&exact);
}

static void put_variable(struct buffer *out, const char *prefix, const char *name, const char *text,
                         size_t length)
{
    if (!text) return;
    put(out, "  %s%s = \"", prefix, name);
    put_text(out, text, length);
    put(out, "\";\n");
}

/* The arguments are separated by blanks, as in ghc-events. */
static void put_arguments(struct buffer *out, const char *prefix, const hectic_summary *program)
{
    if (!program->args) return;
    struct text_list list = text_list((const uint8_t *)program->args, program->args_length);
    text_list_next(&list); /* there is one */
    put_variable(out, prefix, "program", (const char *)list.text, list.length);
    struct buffer joined = {0};
    while (text_list_next(&list)) {
        if (joined.size > 0) buffer_add_byte(&joined, ' ');
        buffer_add(&joined, list.text, list.length);
    }
    if (joined.size > 0)
        put_variable(out, prefix, "arguments", (const char *)joined.bytes, joined.size);
    out->failed |= joined.failed;
    buffer_free(&joined);
}

static void put_program(struct buffer *out, const char *prefix, const hectic_summary *program)
{
    put_arguments(out, prefix, program);
    put_variable(out, prefix, "runtime", program->rts, program->rts ? strlen(program->rts) : 0);
    if (program->has_pid) put(out, "  %spid = %" PRIu32 ";\n", prefix, program->pid);
    if (program->has_ppid) put(out, "  %sppid = %" PRIu32 ";\n", prefix, program->ppid);
}

static void put_environment(struct buffer *out, const struct ctf_environment *environment)
{
    put(out, "env {\n  tracer_name = \"hectic\";\n  section = %zu;\n", environment->section);
    if (environment->processes == 0) put_program(out, "", &environment->program);
    for (size_t i = 0; i < environment->processes; i++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "process_%zu_", i + 1);
        if (environment->process[i].has_capset)
            put(out, "  %scapset = %" PRIu32 ";\n", prefix, environment->process[i].capset);
        put_program(out, prefix, &environment->process[i]);
    }
    put(out, "};\n\n");
}

/* Readers join the traces of a folder if their clocks count from the same time: those without a
 * time of day if they are the same clock. */
static void put_clock(struct buffer *out, const struct ctf_environment *environment)
{
    put(out, "clock {\n  name = eventlog;\n  freq = 1000000000;\n");
    if (environment->is_absolute)
        put(out, "  offset_s = %" PRIu64 ";\n  offset = %" PRIu32 ";\n  absolute = TRUE;\n",
            environment->program.start_seconds, environment->program.start_ns);
    else
        put(out, "  uuid = \"5d9d2c0e-6c1b-4f0a-9c43-0f7c8e3f5a11\";\n");
    put(out, "};\n\n");
}

/* --- All ------------------------------------------------------------------------------------- */

static const char types[] =
    "/* CTF 1.8 */\n\n"
    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
    "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n\n"
    "trace {\n  major = 1;\n  minor = 8;\n  byte_order = be;\n"
    "  packet.header := struct {\n    uint32_t magic;\n    uint32_t stream_id;\n  };\n};\n\n";

static const char time_type[] =
    "typealias integer { size = 64; align = 8; signed = false; map = clock.eventlog.value; } := "
    "clock_time_t;\n\n";

static void put_stream(struct buffer *out, unsigned stream)
{
    put(out,
        "stream {\n  id = %u;\n"
        "  event.header := struct {\n    uint16_t id;\n    clock_time_t timestamp;\n  };\n"
        "  packet.context := struct {\n"
        "    clock_time_t timestamp_begin;\n    clock_time_t timestamp_end;\n"
        "    uint64_t content_size;\n    uint64_t packet_size;\n%s  };\n};\n\n",
        stream, stream == CTF_STREAM_CAP ? "    uint32_t cpu_id;\n" : "");
}

static void put_all(struct buffer *out, const struct ctf_environment *environment,
                    const struct ctf_classes *classes)
{
    buffer_add(out, types, sizeof types - 1);
    put_environment(out, environment);
    put_clock(out, environment);
    buffer_add(out, time_type, sizeof time_type - 1);
    for (unsigned stream = CTF_STREAM_CAP; stream <= CTF_STREAM_NO_CAP; stream++) {
        put_stream(out, stream);
        for (unsigned class = 0; class < CTF_CLASSES; class ++)
            if (classes->set[class / 64] >> class % 64 & 1)
                put_class(out, (uint16_t) class, stream, environment->shifted_stop_status);
    }
}

bool ctf_metadata_write(struct ctf_folder *folder, const struct ctf_environment *environment,
                        const struct ctf_classes *classes)
{
    struct buffer out = {0};
    put_all(&out, environment, classes);
    const bool done = out.failed ? tool_message("out of memory"),
               false             : ctf_folder_write(folder, CTF_METADATA, out.bytes, out.size);
    buffer_free(&out);
    return done;
}
