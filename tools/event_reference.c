/* Prints docs/events.md from the catalogue. */
#include "users_guide.h"

#include <stdio.h>
#include <string.h>

/* The introduction of each class. */
static const struct {
    const char *title, *about;
} classes[HECTIC_CLASS_COUNT] = {
    [HECTIC_CLASS_PROCESS] =
        {"The process, its caps and capsets",
         "The program's identity, where and when it ran, and its caps. Every log has them."},
    [HECTIC_CLASS_SCHEDULER] =
        {"Threads and the scheduler",
         "The lifecycle of Haskell threads: created, running, stopped, migrated."},
    [HECTIC_CLASS_GC] = {"Garbage collection and the heap",
                         "The steps of garbage collections, and the size of the heap after them."},
    [HECTIC_CLASS_NONMOVING] = {"The non-moving collector",
                                "The concurrent collector of `+RTS --nonmoving-gc`."},
    [HECTIC_CLASS_SPARK] = {"Sparks, sampled", "The counters of each cap's spark pool."},
    [HECTIC_CLASS_SPARK_FULL] = {"Sparks, one by one",
                                 "Events for each spark. They cost more than counters."},
    [HECTIC_CLASS_TASK] = {"Tasks", "The OS threads of the runtime."},
    [HECTIC_CLASS_USER] = {"Messages and markers", "Messages and markers from the program itself."},
    [HECTIC_CLASS_TICKY] = {"Ticky-ticky counters",
                            "Entries and allocation by closure, in programs compiled with "
                            "`-ticky`."},
    [HECTIC_CLASS_HEAP_PROFILE] =
        {"Heap profiles", "A census of the heap at each sampling period. `-hT` works with every "
                          "program, most others need one compiled for profiling."},
    [HECTIC_CLASS_TIME_PROFILE] =
        {"Time profiles", "Samples of cost-centre stacks, in programs compiled for profiling."},
    [HECTIC_CLASS_INFO_TABLE] = {"Info tables",
                                 "Source locations of info tables, in programs compiled with "
                                 "`-finfo-table-map`."},
    [HECTIC_CLASS_PERF] = {"Hardware counters", "Added to a log after the run by ghc-events-perf."},
    [HECTIC_CLASS_MERCURY] = {"Mercury",
                              "Events of the runtime of the Mercury language, which writes "
                              "logs in the same format."},
    [HECTIC_CLASS_EDEN] = {"Eden",
                           "Events of GHC's parallel runtime for the Eden language: machines, "
                           "processes and messages between them."},
    [HECTIC_CLASS_FRAMING] = {"Framing", "Events that the format itself requires."},
};

static const char *const wires[] = {
    [HECTIC_U8] = "Word8",
    [HECTIC_U16] = "Word16",
    [HECTIC_U32] = "Word32",
    [HECTIC_U64] = "Word64",
    [HECTIC_STRING] = "UTF-8, NUL",
    [HECTIC_TEXT] = "UTF-8, rest",
    [HECTIC_LATIN1] = "Latin-1, rest",
    [HECTIC_TEXTS] = "UTF-8 list, rest",
    [HECTIC_BYTES] = "bytes, rest",
    [HECTIC_U32S] = "Word8 *n*, *n* × Word32",
};

static const char introduction[] =
    "# Events\n"
    "\n"
    "All known events of GHC eventlogs: number, encoding of the fields, the text that\n"
    "`hectic show` prints, and meaning.\n"
    "\n"
    "This page is generated from [`include/hectic/events.def`](../include/hectic/events.def) by\n"
    "`tools/event_reference.c`; a test compares them. In C the same table is\n"
    "`hectic_catalogue()` in [`hectic/catalogue.h`](../include/hectic/catalogue.h). GHC's own\n"
    "description [differs](#where-ghcs-users-guide-differs) in places.\n"
    "\n"
    "## Encoding\n"
    "\n"
    "All integers are big-endian. A log is a header, then events, then the end marker `ff ff`.\n"
    "\n"
    "| the header | |\n"
    "|---|---|\n"
    "| `hdrb` `hetb` | four bytes each |\n"
    "| one entry for each event type | `etb\\0`, Word16 number, Word16 size of the payload (65535: "
    "variable), Word32 length and description, Word32 length and extra bytes, `ete\\0` |\n"
    "| `hete` `hdre` `datb` | the events follow |\n"
    "\n"
    "| an event | |\n"
    "|---|---|\n"
    "| Word16 | number |\n"
    "| Word64 | time in nanoseconds since the program started |\n"
    "| Word16 | length of the payload: only if the size is variable according to the header |\n"
    "| payload | the fields in order, without padding |\n"
    "\n"
    "- **The header declares the sizes.** Skip unknown events by their size. A payload\n"
    "  may be longer than its fields (a newer GHC has added some). If an event has had\n"
    "  several shapes, a log uses the largest one that fits the size in its header.\n"
    "- **The cap** of an event is that of its [block](#18-block_marker). An\n"
    "  event outside blocks, or in a block of cap 65535, does not belong to a cap.\n"
    "- **Order:** events are in order of time only within a block. Sort by time, then by "
    "position.\n"
    "- **Definitions** are events that later ones refer to. A reader that connects late needs "
    "them.\n"
    "\n"
    "## Notation\n"
    "\n"
    "`UTF-8, NUL` ends with a NUL byte; `rest` extends to the end of the payload, except the\n"
    "fields after it; NULs separate the items of a list. *(optional)* fields may be missing at\n"
    "the end of a payload. The field names are the keys of `hectic show --json`.\n"
    "\n"
    "In a text, `{field}` is the field's value: a decimal number, the name of an enumerated "
    "value,\n"
    "a text unchanged, a list in Haskell's syntax, numbers separated by commas. After a "
    "colon:\n"
    "`x` hexadecimal; `inc` plus one; `pow2` two to the power of it; `low16` its low 16 bits;\n"
    "`digits` the number at the beginning of the text; `dots` with `.` for unprintable bytes;\n"
    "`caf` the word CAF if bit 0 is set; `stop` the status with details from the next "
    "field;\n"
    "`filters` the non-empty filters.\n";

/* GitHub's anchor of the heading "NUMBER NAME". */
void print_link(const hectic_shape *shape)
{
    printf("[%s](#%u-", shape->name, shape->number);
    for (const char *c = shape->name; *c; c++)
        putchar(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    putchar(')');
}

static void print_contents(const hectic_shape *shapes, size_t count)
{
    printf("\n## Contents\n\n| class | logged with | events |\n|---|---|---|\n");
    for (hectic_class c = 0; c < HECTIC_CLASS_COUNT; c++) {
        const char *const flag = hectic_class_flag(c);
        const char *separator = "";
        printf("| [%s](#class-%s) | %s%s%s |", hectic_class_name(c), hectic_class_name(c),
               *flag ? "`" : "", flag, *flag ? "`" : "");
        for (size_t i = 0; i < count; i++) {
            if (shapes[i].class_ != c || hectic_shape_by_number(shapes[i].number) != &shapes[i])
                continue;
            printf("%s %u ", separator, shapes[i].number);
            print_link(&shapes[i]);
            separator = ",";
        }
        printf(" |\n");
    }
}

/* An enumerated unit links to its values. */
static void print_unit(hectic_unit unit)
{
    const char *const name = hectic_unit_name(unit);
    if (hectic_enum_text(unit, 1) || hectic_enum_text(unit, 0x50))
        printf("[%s](#%s)", name, name);
    else
        printf("%s", name);
}

static void print_shape(const hectic_shape *shape)
{
    const bool written = hectic_shape_by_number(shape->number) == shape;
    if (written)
        printf("\n### %u %s\n\n%s\n", shape->number, shape->name, shape->doc);
    else
        printf("\n**Another shape.** %s\n", shape->doc);
    printf("\n%s%u byte%s%s.", shape->variable ? "Variable size, at least " : "", shape->size,
           shape->size == 1 ? "" : "s", shape->definition ? "; a definition" : "");
    if (written) printf(" Description in the header: “%s”.", shape->label);
    printf("\n");
    if (shape->text) {
        /* BLOCK_MARKER's text ends with a newline. */
        const size_t length = strcspn(shape->text, "\n");
        printf("\n> `%.*s`%s\n", (int)length, shape->text,
               shape->text[length] ? " and an empty line" : "");
    } else {
        printf("\n> *the description in the log's header*\n");
    }
    if (shape->field_count) printf("\n| field | type | unit |\n|---|---|---|\n");
    for (size_t i = 0; i < shape->field_count; i++) {
        const hectic_field *const field = &shape->field[i];
        printf("| `%s`%s | %s | ", field->name, field->optional ? " *(optional)*" : "",
               wires[field->wire]);
        print_unit(field->unit);
        printf(" |\n");
    }
}

static void print_values(const char *title, hectic_unit unit, uint64_t first, uint64_t last)
{
    printf("\n### %s\n\n| value | text |\n|---|---|\n", title);
    for (uint64_t value = first; value <= last; value++)
        printf("| %u | %s |\n", (unsigned)value, hectic_enum_text(unit, value));
}

int main(void)
{
    size_t count;
    const hectic_shape *const shapes = hectic_catalogue(&count);
    fputs(introduction, stdout);
    print_contents(shapes, count);
    for (hectic_class c = 0; c < HECTIC_CLASS_COUNT; c++) {
        printf("\n## Class %s\n\n**%s.** %s\n", hectic_class_name(c), classes[c].title,
               classes[c].about);
        for (size_t i = 0; i < count; i++)
            if (shapes[i].class_ == c) print_shape(&shapes[i]);
    }
    printf("\n## Enumerated values\n");
    print_values("stop-status", HECTIC_UNIT_STOP_STATUS, 0, 20);
    printf("\nGHC 7.8.2 wrote 8 for “blocked reading an MVar”, and 9 … 19 instead of 8 … 18. "
           "Such\nlogs declare USER_MARKER but not HACK_BUG_T9003.\n");
    print_values("capset-type", HECTIC_UNIT_CAPSET_TYPE, 1, 3);
    printf("\nOther values: %s.\n", hectic_enum_text(HECTIC_UNIT_CAPSET_TYPE, 0));
    print_values("breakdown", HECTIC_UNIT_BREAKDOWN, 1, 9);
    print_values("message-tag", HECTIC_UNIT_MESSAGE_TAG, 0x50, 0x5c);
    print_differences(shapes, count);
    return ferror(stdout) != 0;
}
