/* Generates code from the catalogue, each time to standard output:
 *
 *   event_code emit TEMPLATE   hectic/emit_events.h: a function for each event that a program emits
 *   event_code read TEMPLATE   hectic/read_events.h: the fields of each event, and what reads them
 *   event_code emit-calls      for tests: the cases of switches that call these functions
 *   event_code read-calls
 *   event_code haskell TEMPLATE   Hectic.Payload of the Haskell package
 *
 * Names, units and documentation come from the catalogue; what a wire type is in C or Haskell, from
 * a row of `wires`. A line @OUTPUT@ of a template stands for that output. It runs during the
 * library's build, so it uses the catalogue only. */
#include <hectic/catalogue.h>

#include "camel.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The line length; the size of an event's number and time, and of the payload's length; the maximum
 * number of an event's shapes. */
enum { COLUMNS = 100, PREFIX = 10, LENGTH = 2, SHAPES = 4 };

/* How each type of field is passed, written and read; $ is its name. A list of numbers is never
 * truncated, since no event has both a list and a text. */
static const struct wire {
    unsigned width; /* of an integer; otherwise of the NUL after, or the count before the bytes */
    const char *parameter;
    const char *argument; /* from a hectic_value, $ */
    const char *put;      /* the function that writes it: hectic_emit_put… */
    const char *length;   /* in bytes, except for integers */
    bool nul, count;
    const char *type;    /* of the struct's member */
    const char *load;    /* the function that reads it: hectic_read_… */
    const char *content; /* of bytes, for documentation */
    const char *value;   /* the members of a hectic_value, from $ */
    const char *haskell; /* the type in Haskell; NULL: a number, whose type its unit has */
    const char *get, *put_haskell; /* functions of Hectic.Internal.Fields */
} wires[] = {
    [HECTIC_U8] = {1, "uint8_t $", "(uint8_t)$.number", "8", NULL, false, false, "uint8_t ", "8",
                   NULL, ".number = $", NULL, "getWord8", "putWord8"},
    [HECTIC_U16] = {2, "uint16_t $", "(uint16_t)$.number", "16", NULL, false, false, "uint16_t ",
                    "16", NULL, ".number = $", NULL, "getWord16", "putWord16"},
    [HECTIC_U32] = {4, "uint32_t $", "(uint32_t)$.number", "32", NULL, false, false, "uint32_t ",
                    "32", NULL, ".number = $", NULL, "getWord32", "putWord32"},
    [HECTIC_U64] = {8, "uint64_t $", "$.number", "64", NULL, false, false, "uint64_t ", "64", NULL,
                    ".number = $", NULL, "getWord64", "putWord64"},
    [HECTIC_STRING] = {1, "const char *$", "(const char *)$.bytes", "",
                       "hectic_emit_fit_string($, &left)", true, false, "hectic_text ", "string",
                       "UTF-8", ".bytes = $.bytes, .length = (uint32_t)$.length", "Text",
                       "getString", "putString"},
    [HECTIC_TEXT] = {0, "const char *$", "(const char *)$.bytes", "",
                     "hectic_emit_fit_string($, &left)", false, false, "hectic_text ", "rest",
                     "UTF-8", ".bytes = $.bytes, .length = (uint32_t)$.length", "Text", "getText",
                     "putText"},
    [HECTIC_LATIN1] = {0, "const char *$", "(const char *)$.bytes", "",
                       "hectic_emit_fit(hectic_emit_length($), &left)", false, false,
                       "hectic_text ", "rest", "Latin-1",
                       ".bytes = $.bytes, .length = (uint32_t)$.length", "Text", "getLatin1",
                       "putLatin1"},
    [HECTIC_TEXTS] = {0, "const void *$,size_t $_size", "$.bytes,$.length", "",
                      "hectic_emit_fit_text((const char *)$, $_size, &left)", false, false,
                      "hectic_text ", "rest", "UTF-8 texts separated by NULs",
                      ".bytes = $.bytes, .length = (uint32_t)$.length", "[Text]", "getTexts",
                      "putTexts"},
    [HECTIC_BYTES] = {0, "const void *$,size_t $_size", "$.bytes,$.length", "",
                      "hectic_emit_fit($_size, &left)", false, false, "hectic_text ", "rest",
                      "bytes", ".bytes = $.bytes, .length = (uint32_t)$.length", "ByteString",
                      "getBytes", "putBytes"},
    [HECTIC_U32S] = {1, "const uint32_t *$,uint8_t $_count", "numbers_of(&$),(uint8_t)$.number",
                     "32s", "hectic_emit_fit((size_t)$_count * 4, &left)", false, true,
                     "hectic_numbers ", "numbers", NULL,
                     ".bytes = $.bytes, .length = 4 * $.count, .number = $.count", "[Word32]",
                     "getWord32s", "putWord32s"},
};

/* Fills lines with text that is broken at `separator`; further lines begin with `indent`. */
static void print_lines(const char *text, char separator, size_t column, const char *indent)
{
    const char *before = "";
    while (*text) {
        const size_t length = strcspn(text, (char[]){separator, 0});
        const bool last = !text[length];
        const char *const after = !last && separator != ' ' ? "," : "";
        if (column + strlen(before) + length + 1 > COLUMNS) {
            before = indent;
            column = 0;
        }
        column += (size_t)printf("%s%.*s%s", before, (int)length, text, after);
        before = " ";
        text += length + !last;
    }
}

/* A line of a function, broken if it is too long. */
static void print_line(const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    print_lines(line, ' ', 0, "\n        ");
    putchar('\n');
}

static void print_folded(const char *name, char first, char last, int add)
{
    for (; *name; name++)
        putchar(*name >= first && *name <= last ? *name + add : *name == '-' ? '_' : *name);
}

/* Appends `pattern` with the field's name for each $. */
static void name_into(char *out, size_t size, const char *pattern, const char *name)
{
    size_t used = strlen(out);
    for (; *pattern && used + 1 < size; pattern++)
        if (*pattern == '$')
            used += (size_t)snprintf(out + used, size - used, "%s", name);
        else
            out[used++] = *pattern, out[used] = 0;
}

static void print_signature(const hectic_shape *shape)
{
    static const char name[] = "static inline bool hectic_emit_";
    char parameters[1024] = "hectic_emit_cap *cap", indent[COLUMNS];
    for (size_t i = 0; i < shape->field_count; i++) {
        name_into(parameters, sizeof parameters, ",", "");
        name_into(parameters, sizeof parameters, wires[shape->field[i].wire].parameter,
                  shape->field[i].name);
    }
    const size_t column = strlen(name) + strlen(shape->name) + 1;
    snprintf(indent, sizeof indent, "\n%*s", (int)column, "");
    printf("%s", name);
    print_folded(shape->name, 'A', 'Z', 'a' - 'A');
    putchar('(');
    print_lines(parameters, ',', column, indent);
    puts(")");
}

/* "at + 10", or "rest" after fields of variable size. */
static void print_place(unsigned offset)
{
    if (offset > 0)
        printf("at + %u", offset);
    else
        printf("rest");
}

/* Writes the field at *offset, or at `rest` if that is 0, as for an optional field. */
static void print_field(const hectic_field *field, unsigned *offset)
{
    const struct wire *const w = &wires[field->wire];
    const bool first = *offset > 0;
    const char *const indent = field->optional ? "        " : "    ";
    if (field->optional) printf("    if (%s_given) {\n", field->name);
    if (!w->length || w->count) {
        printf("%shectic_emit_put%s(", indent, w->count ? "8" : w->put);
        print_place(*offset);
        printf(", %s%s);\n", field->name, w->count ? "_count" : "");
        if (first)
            *offset += w->width;
        else
            printf("%srest += %u;\n", indent, w->width);
    }
    if (w->length) {
        printf("%s%srest = hectic_emit_put%s(", indent, first ? "uint8_t *" : "", w->put);
        print_place(*offset);
        printf(", %s, %s_length);\n", field->name, field->name);
        if (w->nul) printf("%s*rest++ = 0;\n", indent);
        *offset = 0;
    }
    if (field->optional) printf("    }\n");
}

/* The size of its fields from `i` on, without those of variable size and optional ones. */
static unsigned width_from(const hectic_shape *shape, size_t i)
{
    unsigned width = 0;
    for (; i < shape->field_count; i++)
        if (!shape->field[i].optional) width += wires[shape->field[i].wire].width;
    return width;
}

/* Determines which optional fields are written: those with a value, and those before them. Reserves
 * space for them, as for all fields of fixed size. */
static void print_given(const hectic_shape *shape)
{
    const char *next = NULL;
    for (size_t i = shape->field_count; i-- > 0 && shape->field[i].optional;) {
        const char *const name = shape->field[i].name;
        const struct wire *const w = &wires[shape->field[i].wire];
        char holds[256] = "";
        name_into(holds, sizeof holds, w->length ? "($ && *$)" : "$ != 0", name);
        print_line("    const bool %s_given = %s%s%s%s;", name, holds, next ? " || " : "",
                   next ? next : "", next ? "_given" : "");
        printf("    if (%s_given) left -= %u;\n", name, w->width);
        next = name;
    }
}

/* Computes the `size` of a payload of variable size. */
static void print_lengths(const hectic_shape *shape)
{
    printf("    size_t left = 65535 - %u;\n", width_from(shape, 0));
    print_given(shape);
    for (size_t i = 0; i < shape->field_count; i++) {
        const hectic_field *const field = &shape->field[i];
        char length[256] = "";
        if (!wires[field->wire].length) continue;
        name_into(length, sizeof length, wires[field->wire].length, field->name);
        print_line("    const size_t %s_length = %s;", field->name, length);
    }
    printf("    const size_t size = 65535 - left;\n");
}

static void print_event(const hectic_shape *shape)
{
    const unsigned width = width_from(shape, 0);
    printf("\n/** ");
    print_lines(shape->doc, ' ', 4, "\n *  ");
    printf(" */\n");
    print_signature(shape);
    printf("{\n    if (!hectic_emit_enabled(cap, HECTIC_CLASS_");
    print_folded(hectic_class_name(shape->class_), 'a', 'z', 'A' - 'a');
    printf(")) return false;\n");

    unsigned offset = PREFIX;
    if (shape->variable) {
        offset += LENGTH;
        print_lengths(shape);
    }
    print_line("    uint8_t *const at = hectic_emit_begin(cap, HECTIC_EVENT_%s, %u%s);",
               shape->name, shape->variable ? offset : offset + width,
               shape->variable ? " + size" : "");
    printf("    if (!at) return false;\n");
    if (shape->variable) printf("    hectic_emit_put16(at + %d, (uint16_t)size);\n", PREFIX);
    for (size_t i = 0; i < shape->field_count; i++)
        print_field(&shape->field[i], &offset);
    printf("    hectic_emit_commit(cap, ");
    print_place(offset);
    printf(");\n    return true;\n}\n");
}

/* For tests: a call of each function with the values of the fields, from the event's number. */
static void print_call(const hectic_shape *shape)
{
    char arguments[1024] = "cap";
    for (size_t i = 0; i < shape->field_count; i++) {
        char value[16];
        snprintf(value, sizeof value, "value[%zu]", i);
        name_into(arguments, sizeof arguments, ",", "");
        name_into(arguments, sizeof arguments, wires[shape->field[i].wire].argument, value);
    }
    printf("    case HECTIC_EVENT_%s:\n        return hectic_emit_", shape->name);
    print_folded(shape->name, 'A', 'Z', 'a' - 'A');
    printf("(%s);\n", arguments);
}

/* --- Reading -------------------------------------------------------------------------------- */

/* The shapes of an event by size, the largest first, and the fields of all of them. */
typedef struct event {
    const hectic_shape *shape[SHAPES];
    const hectic_field *field[2 * HECTIC_MAX_FIELDS];
    size_t shapes, fields, common; /* fields that all shapes begin with */
} event;

static bool has_field(const hectic_shape *shape, const char *name)
{
    size_t i = 0;
    while (i < shape->field_count && strcmp(shape->field[i].name, name) != 0)
        i++;
    return i < shape->field_count;
}

static bool have_common(const hectic_shape *a, const hectic_shape *b, size_t i)
{
    return i < a->field_count && i < b->field_count && a->field[i].wire == b->field[i].wire &&
           strcmp(a->field[i].name, b->field[i].name) == 0;
}

static void add_shape(event *e, const hectic_shape *first, const hectic_shape *shape)
{
    for (size_t i = 0; i < shape->field_count; i++) {
        bool is_new = true;
        for (const hectic_shape *before = first; before < shape; before++)
            is_new = is_new && !has_field(before, shape->field[i].name);
        if (is_new) e->field[e->fields++] = &shape->field[i];
    }
    size_t common = 0, place = e->shapes++;
    while (have_common(first, shape, common))
        common++;
    if (common < e->common) e->common = common;
    for (; place > 0 && e->shape[place - 1]->size < shape->size; place--)
        e->shape[place] = e->shape[place - 1];
    e->shape[place] = shape;
}

/* The event whose first shape this is. */
static event event_of(const hectic_shape *first)
{
    size_t count;
    const hectic_shape *const shapes = hectic_catalogue(&count);
    event e = {.common = first->field_count};
    for (const hectic_shape *s = first; s < shapes + count && s->number == first->number; s++)
        add_shape(&e, first, s);
    return e;
}

/* True for a field that only some shapes of the event have: a second member says whether. */
static bool may_be_missing(const event *e, const hectic_field *field)
{
    size_t i = 0;
    while (i < e->shapes && has_field(e->shape[i], field->name))
        i++;
    return i < e->shapes;
}

/* "UTF-8", "bytes", … */
static void print_note(const hectic_field *field)
{
    const char *const content = wires[field->wire].content, *unit = hectic_unit_name(field->unit);
    if (content || *unit)
        printf(" /**< %s%s */", content ? content : unit,
               field->optional ? "; may be omitted" : "");
    putchar('\n');
}

static void print_struct(const event *e, const hectic_shape *shape)
{
    printf("\n/** %s: ", shape->name);
    print_lines(shape->doc, ' ', 6 + strlen(shape->name), "\n *  ");
    printf(" */\ntypedef struct hectic_event_");
    print_folded(shape->name, 'A', 'Z', 'a' - 'A');
    puts(" {");
    for (size_t i = 0; i < e->fields; i++) {
        printf("    %s%s;", wires[e->field[i]->wire].type, e->field[i]->name);
        print_note(e->field[i]);
        if (may_be_missing(e, e->field[i])) printf("    bool has_%s;\n", e->field[i]->name);
    }
    printf("} hectic_event_");
    print_folded(shape->name, 'A', 'Z', 'a' - 'A');
    puts(";\n");
}

/* A field of variable size, or after one: at `at`. */
static void print_later(const hectic_shape *shape, size_t i)
{
    const char *const name = shape->field[i].name;
    const struct wire *const w = &wires[shape->field[i].wire];
    const bool is_last = i + 1 == shape->field_count;
    if (!w->length) {
        printf("    out->%s = end - at < %u ? 0 : hectic_read_%s(at);\n", name, w->width, w->load);
        if (!is_last) printf("    at = end - at < %u ? end : at + %u;\n", w->width, w->width);
    } else if (w->count) {
        printf("    if (!hectic_read_%s(at, end, &out->%s)) return false;\n", w->load, name);
    } else {
        printf("    %shectic_read_%s(at, end", is_last ? "" : "at = ", w->load);
        if (w->width == 0 && !is_last) printf(" - %u", width_from(shape, i + 1));
        printf(", &out->%s);\n", name);
    }
}

/* The bytes without which an event cannot be read: its fields up to the first of variable size, and
 * those after a text that has no end of its own. */
static unsigned least_size(const hectic_shape *shape)
{
    unsigned size = 0;
    for (size_t i = 0; i < shape->field_count; i++) {
        const struct wire *const w = &wires[shape->field[i].wire];
        if (w->length) return size + (w->width == 0 ? width_from(shape, i + 1) : 0);
        size += w->width;
    }
    return size;
}

/* The fields of a shape from `i` on, the first of them at this offset. */
static void print_fields(const char *indent, const hectic_shape *shape, size_t i, unsigned offset)
{
    for (; i < shape->field_count && !wires[shape->field[i].wire].length; i++) {
        const struct wire *const w = &wires[shape->field[i].wire];
        printf("%sout->%s = hectic_read_%s(event->payload + %u);\n", indent, shape->field[i].name,
               w->load, offset);
        offset += w->width;
    }
    if (!shape->variable) return;
    printf("    const uint8_t *const end = event->payload + event->size, *at = event->payload + "
           "%u;\n",
           offset);
    for (; i < shape->field_count; i++)
        print_later(shape, i);
}

/* What shapes have after their common fields: numbers, since only events of fixed size have several
 * shapes. */
static void print_shapes(const event *e, unsigned offset)
{
    for (size_t s = 0; s < e->shapes; s++) {
        printf(s > 0 ? "    } else " : "    ");
        if (s + 1 < e->shapes) printf("if (event->size >= %u) ", e->shape[s]->size);
        puts("{");
        for (size_t i = 0; i < e->fields; i++) {
            const char *const name = e->field[i]->name;
            const bool is_there = has_field(e->shape[s], name);
            if (!is_there) printf("        out->%s = 0;\n", name);
            if (may_be_missing(e, e->field[i]))
                printf("        out->has_%s = %s;\n", name, is_there ? "true" : "false");
        }
        print_fields("        ", e->shape[s], e->common, offset);
    }
    puts("    }");
}

static void print_reader(const hectic_shape *shape)
{
    if (shape->field_count == 0) return;
    const event e = event_of(shape);
    const unsigned least = least_size(e.shape[e.shapes - 1]);
    print_struct(&e, shape);
    for (int part = 0; part < 2; part++) {
        printf(part == 0 ? "HECTIC_READ bool hectic_read_"
                         : "(const hectic_event *event,\n        hectic_event_");
        print_folded(shape->name, 'A', 'Z', 'a' - 'A');
    }
    puts(" *out)\n{");
    if (least > 0) printf("    if (event->size < %u) return false;\n", least);
    hectic_shape common = *shape;
    if (e.shapes > 1) common.field_count = (uint8_t)e.common;
    print_fields("    ", &common, 0, 0);
    if (e.shapes > 1) print_shapes(&e, width_from(&common, 0));
    puts("    return true;\n}");
}

/* For tests: reads an event, and sets each field as a value. */
static void print_read(const hectic_shape *shape)
{
    if (shape->field_count == 0) return;
    const event e = event_of(shape);
    for (int part = 0; part < 2; part++) {
        if (part == 0)
            printf("    case HECTIC_EVENT_%s: {\n        hectic_event_", shape->name);
        else
            printf(" out;\n        if (!hectic_read_");
        print_folded(shape->name, 'A', 'Z', 'a' - 'A');
    }
    puts("(event, &out)) return false;");
    for (size_t i = 0; i < e.fields; i++) {
        char name[64], value[256] = "";
        snprintf(name, sizeof name, "out.%s", e.field[i]->name);
        name_into(value, sizeof value, wires[e.field[i]->wire].value, name);
        printf("        read_set(read, \"%s\", (hectic_value){%s});\n", e.field[i]->name, value);
    }
    puts("        return true;\n    }");
}

/* --- Haskell -------------------------------------------------------------------------------- */

static const char *haskell_type(const hectic_field *field)
{
    if (wires[field->wire].haskell) return wires[field->wire].haskell;
    switch (field->unit) {
    case HECTIC_UNIT_THREAD: return "ThreadId";
    case HECTIC_UNIT_CAP: return "Cap";
    case HECTIC_UNIT_CAPSET: return "Capset";
    case HECTIC_UNIT_NS:
    case HECTIC_UNIT_TIME: return "Nanoseconds";
    case HECTIC_UNIT_BYTES: return "Bytes";
    default: return "Word64";
    }
}

static bool is_maybe(const event *e, const hectic_field *field)
{
    return field->optional || may_be_missing(e, field);
}

/* All fields of a name have the type of the first one in the catalogue; others get another name. */
static bool has_other_type(const event *e, const hectic_field *field)
{
    size_t count;
    const hectic_shape *const shapes = hectic_catalogue(&count);
    for (const hectic_shape *s = shapes; s < shapes + count; s++) {
        if (hectic_shape_by_number(s->number) != s) continue;
        const event first = event_of(s);
        for (size_t i = 0; i < first.fields; i++)
            if (strcmp(first.field[i]->name, field->name) == 0)
                return is_maybe(&first, first.field[i]) != is_maybe(e, field) ||
                       strcmp(haskell_type(first.field[i]), haskell_type(field)) != 0;
    }
    return false;
}

static void print_field_name(const event *e, const hectic_field *field)
{
    const bool is_other = has_other_type(e, field);
    if (is_other) print_camel(e->shape[0]->name, false);
    print_camel(field->name, is_other);
    if (strcmp(field->name, "module") == 0) putchar('_'); /* a keyword */
}

/* Text in a comment of Haddock: its markup is escaped. */
static void print_haddock(const char *text)
{
    for (; *text; text++) {
        if (strchr("\\'\"`@<", *text)) putchar('\\');
        putchar(*text);
    }
}

static void print_constructor(const hectic_shape *shape)
{
    const event e = event_of(shape);
    printf("  | -- | %s: ", shape->name);
    print_haddock(shape->doc);
    printf("\n    ");
    print_camel(shape->name, true);
    for (size_t i = 0; i < e.fields; i++) {
        const hectic_field *const field = e.field[i];
        const bool maybe = is_maybe(&e, field);
        printf(i == 0 ? "\n      { " : "\n      , ");
        print_field_name(&e, field);
        printf(maybe ? " :: !(Maybe %s)" : " :: !%s", haskell_type(field));
        if (*hectic_unit_name(field->unit)) printf(" -- ^ %s", hectic_unit_name(field->unit));
    }
    puts(e.fields > 0 ? "\n      }" : "");
}

/* The constructor of an event of a shape, with what `print_value` prints for each of its fields. */
static void print_construction(const event *e, const hectic_shape *from,
                               void (*print_value)(const event *e, const hectic_field *field,
                                                   unsigned offset))
{
    unsigned offset = 0;
    print_camel(e->shape[0]->name, true);
    for (size_t i = 0; i < e->fields; i++) {
        if (!has_field(from, e->field[i]->name)) {
            printf(" Nothing");
            continue;
        }
        offset = 0;
        size_t k = 0;
        for (; strcmp(from->field[k].name, e->field[i]->name) != 0; k++)
            offset += wires[from->field[k].wire].width;
        printf(may_be_missing(e, e->field[i]) ? " (Just " : " ");
        print_value(e, &from->field[k], offset);
        if (may_be_missing(e, e->field[i])) putchar(')');
    }
}

static void print_variable(const event *e, const hectic_field *field, unsigned offset)
{
    (void)offset;
    print_field_name(e, field);
    putchar('\'');
}

static void print_fixed(const event *e, const hectic_field *field, unsigned offset)
{
    (void)e;
    printf("(at%u b %u)", 8 * wires[field->wire].width, offset);
}

/* Lines of `decoder`. */
static void print_haskell_decoder(const hectic_shape *shape)
{
    const event e = event_of(shape);
    for (size_t s = 0; s < e.shapes; s++) {
        const hectic_shape *const from = e.shape[s];
        printf("decoder %u %u = ", shape->number, from->variable ? 65535 : from->size);
        if (!from->variable) {
            printf("Fixed %u $ \\%s -> ", from->size, from->field_count > 0 ? "b" : "_");
            print_construction(&e, from, print_fixed);
            putchar('\n');
            continue;
        }
        puts("Variable $ do");
        for (size_t i = 0; i < from->field_count; i++) {
            const hectic_field *const field = &from->field[i];
            printf("  ");
            print_field_name(&e, field);
            printf("' <- %s%s", field->optional ? "optional " : "", wires[field->wire].get);
            if (wires[field->wire].length && wires[field->wire].width == 0)
                printf(" %u", width_from(from, i + 1));
            putchar('\n');
        }
        printf("  pure $ ");
        print_construction(&e, from, print_variable);
        putchar('\n');
    }
}

/* An equation of `encoder`: the fields of a shape, if the payload has just these; `others`:
 * whatever it has. */
static void print_encoding(const event *e, const hectic_shape *shape, const hectic_shape *as,
                           bool others)
{
    printf("encoder (");
    print_camel(shape->name, true);
    for (size_t i = 0; i < e->fields; i++) {
        const bool is_there = has_field(as, e->field[i]->name);
        const bool is_known = !others && may_be_missing(e, e->field[i]);
        printf(is_there ? is_known ? " (Just " : " " : is_known ? " Nothing" : " _");
        if (!is_there) continue;
        print_field_name(e, e->field[i]);
        printf(is_known ? "')" : "'");
    }
    printf(") = Encoded %u %s", shape->number, shape->variable ? "True" : "False");
    for (size_t i = 0; i < as->field_count; i++) {
        const hectic_field *const field = &as->field[i];
        printf(i == 0 ? " $\n  " : " <> ");
        printf(field->optional                      ? "foldMap %s "
               : others && may_be_missing(e, field) ? "%s $? "
                                                    : "%s ",
               wires[field->wire].put_haskell);
        print_field_name(e, field);
        putchar('\'');
    }
    puts(as->field_count == 0 ? " mempty" : "");
}

static void print_haskell_encoder(const hectic_shape *shape)
{
    const event e = event_of(shape);
    size_t cases = 1;
    for (size_t i = 0; i < e.fields; i++)
        if (may_be_missing(&e, e.field[i])) cases *= 2;
    for (size_t s = 0; s < e.shapes; s++)
        print_encoding(&e, shape, e.shape[s], false);
    if (cases > e.shapes) print_encoding(&e, shape, shape, true);
}

/* An equation of `payloadNumber`, a row of `eventNames`, and one of `eventClasses`. */
static void print_haskell_number(const hectic_shape *shape)
{
    printf("payloadNumber ");
    print_camel(shape->name, true);
    printf("{} = %u\n", shape->number);
}

static void print_haskell_name(const hectic_shape *shape)
{
    printf("eventName %u = Just \"%s\"\n", shape->number, shape->name);
}

/* For tests: an arbitrary payload of each event. */
static void print_haskell_arbitrary(const hectic_shape *shape)
{
    const event e = event_of(shape);
    printf(e.fields > 0 ? "  , " : "  , pure ");
    print_camel(shape->name, true);
    for (size_t i = 0; i < e.fields; i++) {
        const hectic_field *const field = e.field[i];
        const bool is_there = has_field(shape, field->name);
        printf(i == 0 ? " <$> " : " <*> ");
        if (!is_there)
            printf("pure Nothing");
        else
            printf(is_maybe(&e, field) ? "(Just <$> %s)" : "%s", wires[field->wire].get);
    }
    putchar('\n');
}

/* --- Outputs -------------------------------------------------------------------------------- */

static const struct output {
    const char *name;
    void (*print)(const hectic_shape *shape);
    bool has_framing; /* also events that only the format itself uses */
} outputs[] = {
    {"emit", print_event, false},
    {"read", print_reader, true},
    {"emit-calls", print_call, false},
    {"read-calls", print_read, true},
    {"haskell", print_constructor, true},
    {"haskell-decoder", print_haskell_decoder, true},
    {"haskell-encoder", print_haskell_encoder, true},
    {"haskell-number", print_haskell_number, true},
    {"haskell-name", print_haskell_name, true},
    {"haskell-arbitrary", print_haskell_arbitrary, true},
};

/* NULL: there is none of this name, which has a length. */
static const struct output *output_of(const char *name, size_t length)
{
    const size_t count = sizeof outputs / sizeof *outputs;
    for (const struct output *output = outputs; output < outputs + count; output++)
        if (strlen(output->name) == length && memcmp(output->name, name, length) == 0)
            return output;
    return NULL;
}

static void print_each(const struct output *output)
{
    size_t count;
    const hectic_shape *const shapes = hectic_catalogue(&count);
    for (const hectic_shape *s = shapes; s < shapes + count; s++)
        if ((output->has_framing || s->class_ != HECTIC_CLASS_FRAMING) &&
            hectic_shape_by_number(s->number) == s)
            output->print(s);
}

/* The template, with the output of each line @NAME@. */
static bool print_template(const char *path)
{
    char line[256];
    FILE *file = fopen(path, "r");
    if (!file) return false;
    while (fgets(line, sizeof line, file)) {
        const char *const end = *line == '@' ? strrchr(line + 1, '@') : NULL;
        const struct output *output = end ? output_of(line + 1, (size_t)(end - line - 1)) : NULL;
        if (output)
            print_each(output);
        else
            fputs(line, stdout);
    }
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    const struct output *const output = argc > 1 ? output_of(argv[1], strlen(argv[1])) : NULL;
    if (!output) return 2;
    if (argc > 2 && !print_template(argv[2])) return 1;
    if (argc == 2) print_each(output);
    return ferror(stdout) != 0;
}
