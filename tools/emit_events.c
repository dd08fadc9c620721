/* Generates hectic/emit_events.h from the catalogue: a function for each event that a program may
 * emit; with --calls, for tests, the cases of a switch that calls them. It runs during the
 * library's build, so it uses the catalogue only. */
#include <hectic/catalogue.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The line length; the size of an event's number and time, and of the payload's length. */
enum { COLUMNS = 100, PREFIX = 10, LENGTH = 2 };

/* How each type of field is passed and written; $ is its name. A list of numbers is never
 * truncated, since no event has both a list and a text. */
static const struct wire {
    unsigned width; /* of an integer; otherwise of the NUL after, or the count before the bytes */
    const char *parameter;
    const char *argument; /* from a hectic_value, $ */
    const char *put;      /* the function that writes it: hectic_emit_put… */
    const char *length;   /* in bytes, except for integers */
    bool nul, count;
} wires[] = {
    [HECTIC_U8] = {1, "uint8_t $", "(uint8_t)$.number", "8", NULL, false, false},
    [HECTIC_U16] = {2, "uint16_t $", "(uint16_t)$.number", "16", NULL, false, false},
    [HECTIC_U32] = {4, "uint32_t $", "(uint32_t)$.number", "32", NULL, false, false},
    [HECTIC_U64] = {8, "uint64_t $", "$.number", "64", NULL, false, false},
    [HECTIC_STRING] = {1, "const char *$", "(const char *)$.bytes", "",
                       "hectic_emit_fit_string($, &left)", true, false},
    [HECTIC_TEXT] = {0, "const char *$", "(const char *)$.bytes", "",
                     "hectic_emit_fit_string($, &left)", false, false},
    [HECTIC_LATIN1] = {0, "const char *$", "(const char *)$.bytes", "",
                       "hectic_emit_fit(hectic_emit_length($), &left)", false, false},
    [HECTIC_TEXTS] = {0, "const void *$,size_t $_size", "$.bytes,$.length", "",
                      "hectic_emit_fit_text((const char *)$, $_size, &left)", false, false},
    [HECTIC_BYTES] = {0, "const void *$,size_t $_size", "$.bytes,$.length", "",
                      "hectic_emit_fit($_size, &left)", false, false},
    [HECTIC_U32S] = {1, "const uint32_t *$,uint8_t $_count", "numbers_of(&$),(uint8_t)$.number",
                     "32s", "hectic_emit_fit((size_t)$_count * 4, &left)", false, true},
};

static const char beginning[] =
    "/* hectic/emit_events.h — a function for each event, generated from the catalogue.\n"
    " *\n"
    " * Each logs its event on the cap and returns true; or returns false and logs nothing if the\n"
    " * event's class is off or the event cannot be logged. A class that is off costs one check.\n"
    " *\n"
    " * A `const char *` is a NUL-terminated text; NULL is \"\". Bytes and lists of texts "
    "(separated\n"
    " * by NULs) are passed with their size. A payload is truncated at 65,535 bytes, a text "
    "between\n"
    " * two characters. Optional fields at the end are omitted if they are 0, NULL or \"\": older\n"
    " * readers do not support them. docs/events.md has the meanings and units of the numbers. */\n"
    "#ifndef HECTIC_EMIT_EVENTS_H\n"
    "#define HECTIC_EMIT_EVENTS_H\n"
    "\n"
    "#include <hectic/emit.h>\n"
    "\n"
    "#ifdef __cplusplus\n"
    "extern \"C\" {\n"
    "#endif\n"
    "\n"
    "/* Internal: used by the functions below. */\n"
    "\n"
    "static inline size_t hectic_emit_length(const char *text)\n"
    "{\n"
    "    return text ? strlen(text) : 0;\n"
    "}\n"
    "\n"
    "/* The length of a field, limited to the bytes `left` in the payload. */\n"
    "static inline size_t hectic_emit_fit(size_t length, size_t *left)\n"
    "{\n"
    "    if (length > *left) length = *left;\n"
    "    *left -= length;\n"
    "    return length;\n"
    "}\n"
    "\n"
    "/* A UTF-8 character has up to three continuation bytes 10xxxxxx. */\n"
    "static inline size_t hectic_emit_fit_text(const char *text, size_t length, size_t *left)\n"
    "{\n"
    "    if (length > *left) {\n"
    "        length = *left;\n"
    "        for (int more = 0; more < 3 && length > 0 && (text[length] & 0xc0) == 0x80; more++)\n"
    "            length--;\n"
    "    }\n"
    "    return hectic_emit_fit(length, left);\n"
    "}\n"
    "\n"
    "static inline size_t hectic_emit_fit_string(const char *text, size_t *left)\n"
    "{\n"
    "    return hectic_emit_fit_text(text, hectic_emit_length(text), left);\n"
    "}\n"
    "\n"
    "static inline uint8_t *hectic_emit_put(uint8_t *out, const void *bytes, size_t length)\n"
    "{\n"
    "    if (length > 0) memcpy(out, bytes, length);\n"
    "    return out + length;\n"
    "}\n"
    "\n"
    "static inline uint8_t *hectic_emit_put32s(uint8_t *out, const uint32_t *numbers, size_t "
    "length)\n"
    "{\n"
    "    for (size_t i = 0; i < length; i += 4)\n"
    "        hectic_emit_put32(out + i, numbers[i / 4]);\n"
    "    return out + length;\n"
    "}\n"
    "\n"
    "static inline void hectic_emit_put8(uint8_t *out, uint8_t value)\n"
    "{\n"
    "    *out = value;\n"
    "}\n";

static const char end[] = "\n"
                          "#ifdef __cplusplus\n"
                          "}\n"
                          "#endif\n"
                          "#endif\n";

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

/* The size of its payload without fields of variable size and optional fields. */
static unsigned shape_width(const hectic_shape *shape)
{
    unsigned width = 0;
    for (size_t i = 0; i < shape->field_count; i++)
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
    printf("    size_t left = 65535 - %u;\n", shape_width(shape));
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
    const unsigned width = shape_width(shape);
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

static void print_each(void (*print)(const hectic_shape *shape))
{
    size_t count;
    const hectic_shape *const shapes = hectic_catalogue(&count);
    for (const hectic_shape *s = shapes; s < shapes + count; s++)
        if (s->class_ != HECTIC_CLASS_FRAMING && hectic_shape_by_number(s->number) == s) print(s);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--calls") == 0) {
        print_each(print_call);
    } else {
        fputs(beginning, stdout);
        print_each(print_event);
        fputs(end, stdout);
    }
    return ferror(stdout) != 0;
}
