/* The differences between GHC's description of the format and the catalogue, computed from a table
 * of GHC's descriptions. */
#include "users_guide.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIXED, VARIABLE, UNDOCUMENTED = 0xffff };

/* The section "Eventlog encodings" of GHC's User's Guide (eventlog-formats.rst), as documented
 * there: number, name, length, types of the fields. `note`: a difference of meaning.
 */
static const struct described {
    unsigned number;
    const char *name;
    unsigned length;
    const char *fields;
    const char *note;
} described[] = {
    {0, "CREATE_THREAD", FIXED, "ThreadId", NULL},
    {1, "RUN_THREAD", FIXED, "ThreadId", NULL},
    {2, "STOP_THREAD", FIXED, "ThreadId Word16 ThreadId",
     "The statuses are [these](#stop-status): throwTo is 18, not 16, and 20 is missing in the "
     "guide. Of status 2 the last field is the size of the stack."},
    {3, "THREAD_RUNNABLE", FIXED, "ThreadId", NULL},
    {4, "MIGRATE_THREAD", FIXED, "ThreadId CapNo", NULL},
    {8, "THREAD_WAKEUP", FIXED, "ThreadId CapNo", NULL},
    {9, "GC_START", FIXED, "", NULL},
    {10, "GC_END", FIXED, "", NULL},
    {11, "REQUEST_SEQ_GC", FIXED, "", NULL},
    {12, "REQUEST_PAR_GC", FIXED, "", NULL},
    {15, "CREATE_SPARK_THREAD", FIXED, "", NULL},
    {16, "LOG_MSG", VARIABLE, "String", NULL},
    {18, "BLOCK_MARKER", VARIABLE, "Word32 Word64 String", NULL},
    {19, "USER_MSG", VARIABLE, "String", NULL},
    {20, "GC_IDLE", FIXED, "", "A GC thread ran out of work; no collection begins."},
    {21, "GC_WORK", FIXED, "",
     "A thread of the parallel collector found work; nothing is concurrent."},
    {22, "GC_DONE", FIXED, "",
     "A thread of the parallel collector finished; nothing is concurrent."},
    {29, "RTS_IDENTIFIER", VARIABLE, "CapSetId String", NULL},
    {30, "PROGRAM_ARGS", VARIABLE, "CapSetId [String]", NULL},
    {31, "PROGRAM_ENV", VARIABLE, "CapSetId [String]", NULL},
    {34, "SPARK_COUNTERS", FIXED, "", NULL},
    {35, "SPARK_CREATE", FIXED, "", NULL},
    {36, "SPARK_DUD", FIXED, "", "Not described in the guide."},
    {37, "SPARK_OVERFLOW", FIXED, "", "Not described in the guide."},
    {38, "SPARK_RUN", FIXED, "", NULL},
    {39, "SPARK_STEAL", FIXED, "Word16", NULL},
    {40, "SPARK_FIZZLE", FIXED, "",
     "The spark was evaluated by other code; the collector is not involved."},
    {41, "SPARK_GC", FIXED, "", NULL},
    {44, "THREAD_LABEL", FIXED, "ThreadId String", NULL},
    {45, "CAP_CREATE", FIXED, "CapNo", NULL},
    {46, "CAP_DELETE", FIXED, "", NULL},
    {47, "CAP_DISABLE", FIXED, "", NULL},
    {48, "CAP_ENABLE", FIXED, "", NULL},
    {49, "HEAP_ALLOCATED", FIXED, "CapSetId Word64",
     "The total of the cap of its block, since its start."},
    {50, "HEAP_SIZE", FIXED, "CapSetId Word64", NULL},
    {51, "HEAP_LIVE", FIXED, "CapSetId Word64", NULL},
    {52, "HEAP_INFO_GHC", FIXED, "CapSetId Word16 Word64 Word64 Word64 Word64", NULL},
    {53, "GC_STATS_GHC", FIXED, "CapSetId Word16 Word64 Word64 Word64 Word64 Word64 Word64",
     "Written after each collection, not only major ones."},
    {54, "GC_GLOBAL_SYNC", FIXED, "", "Not described in the guide."},
    {55, "TASK_CREATE", FIXED, "TaskId CapNo ThreadId", NULL},
    {56, "TASK_MIGRATE", FIXED, "TaskId CapNo CapNo", NULL},
    {58, "USER_MARKER", VARIABLE, "String", NULL},
    {90, "MEM_RETURN", FIXED, "CapSetId Word32 Word32 Word32", NULL},
    {91, "BLOCKS_SIZE", FIXED, "CapSetId Word64", NULL},
    {160, "HEAP_PROF_BEGIN", VARIABLE,
     "Word8 Word64 Word32 String String String String String String String",
     "The breakdowns are [these](#breakdown); 8 and 9 are missing in the guide."},
    {161, "HEAP_PROF_COST_CENTRE", FIXED, "Word32 String String String Word8", NULL},
    {UNDOCUMENTED, "HEAP_PROF_SAMPLE_BEGIN", FIXED, "Word64", NULL},
    {163, "HEAP_PROF_SAMPLE_COST_CENTRE", VARIABLE, "Word8 Word64 Word8 Word32[]", NULL},
    {164, "HEAP_PROF_SAMPLE_STRING", VARIABLE, "Word8 Word64 String", NULL},
    {165, "HEAP_PROF_SAMPLE_END", FIXED, "Word64", NULL},
    {166, "HEAP_BIO_PROF_SAMPLE_BEGIN", FIXED, "Word64 Word64",
     "Described twice, the second time as BIO_PROF_SAMPLE_BEGIN."},
    {167, "PROF_SAMPLE_COST_CENTRE", VARIABLE, "Word32 Word64 Word8 Word32[]", NULL},
    {168, "PROF_BEGIN", FIXED, "Word64", NULL},
    {169, "IPE", FIXED, "Word64 String String String String String String", NULL},
    {200, "CONC_MARK_BEGIN", FIXED, "", NULL},
    {201, "CONC_MARK_END", FIXED, "", NULL},
    {202, "CONC_SYNC_BEGIN", FIXED, "", NULL},
    {203, "CONC_SYNC_END", FIXED, "", NULL},
    {204, "CONC_SWEEP_BEGIN", FIXED, "", NULL},
    {205, "CONC_SWEEP_END", FIXED, "", NULL},
    {206, "CONC_UPD_REM_SET_FLUSH", FIXED, "", NULL},
    {207, "NONMOVING_HEAP_CENSUS", FIXED, "Word8 Word32 Word32 Word32", NULL},
    {210, "TICKY_COUNTER_DEF", VARIABLE, "Word64 Word16 String String", NULL},
    {211, "TICKY_COUNTER_SAMPLE", FIXED, "Word64 Word64 Word64 Word64", NULL},
    {212, "TICKY_COUNTER_BEGIN_SAMPLE", FIXED, "", NULL},
};
enum { DESCRIBED = sizeof described / sizeof *described };

/* The guide's names of the encodings of fields. */
static const char *const encodings[] = {
    [HECTIC_U8] = "Word8",
    [HECTIC_U16] = "Word16",
    [HECTIC_U32] = "Word32",
    [HECTIC_U64] = "Word64",
    [HECTIC_STRING] = "String",
    [HECTIC_TEXT] = "text without a NUL",
    [HECTIC_LATIN1] = "Latin-1 text without a NUL",
    [HECTIC_TEXTS] = "[String]",
    [HECTIC_BYTES] = "bytes",
    [HECTIC_U32S] = "Word8 Word32[]",
};

static const struct {
    const char *name, *is;
} synonyms[] = {{"ThreadId", "Word32"}, {"CapNo", "Word16"}, {"CapSetId", "Word32"}};

/* A row of the table of differences. It is printed from the first difference on. */
struct row {
    const hectic_shape *shape;
    bool begun;
};

static void print(struct row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(struct row *row, const char *format, ...)
{
    if (row->begun) {
        putchar(' ');
    } else {
        printf("| %u ", row->shape->number);
        print_link(row->shape);
        printf(" | ");
    }
    row->begun = true;
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

/* Removes the type of `field` from the list. False: the list begins with another type, which is now
 * in `found`, or is empty, and `found` too. */
static bool remove_type(const char **list, const hectic_field *field, char *found, size_t size)
{
    const char *const word = encodings[field->wire];
    const size_t length = strlen(word);
    if (strncmp(*list, word, length) == 0 && strchr(" ", (*list)[length])) {
        *list += length + ((*list)[length] == ' ');
        return true;
    }
    const size_t other = strcspn(*list, " ");
    snprintf(found, size, "%.*s", (int)other, *list);
    *list += other + ((*list)[other] == ' ');
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (strcmp(found, synonyms[i].name) == 0 && strcmp(word, synonyms[i].is) == 0) return true;
    return false;
}

static void compare_fields(struct row *row, const char *list)
{
    char found[64];
    for (size_t i = 0; i < row->shape->field_count; i++) {
        const hectic_field *const field = &row->shape->field[i];
        if (remove_type(&list, field, found, sizeof found)) continue;
        if (*found)
            print(row, "`%s` is %s, not %s.", field->name, encodings[field->wire], found);
        else
            print(row, "Also has `%s`, %s%s.", field->name, encodings[field->wire],
                  field->optional ? " (optional)" : "");
    }
    if (*list) print(row, "Does not have %s after these fields.", list);
}

static void compare(const struct described *d, const hectic_shape *shape, const hectic_shape *end)
{
    struct row row = {.shape = shape};
    if (strcmp(d->name, shape->name) != 0) print(&row, "Called %s in the guide.", d->name);
    if (d->number == UNDOCUMENTED) print(&row, "The guide does not give its number.");
    if ((d->length == VARIABLE) != shape->variable)
        print(&row, "The size is %s.", shape->variable ? "variable" : "fixed");
    compare_fields(&row, d->fields);
    for (const hectic_shape *s = shape + 1; s < end && s->number == shape->number; s++)
        print(&row, "Has %u bytes in some logs.", s->size);
    if (d->note) print(&row, "%s", d->note);
    if (row.begun) printf(" |\n");
}

static const struct described *find(const hectic_shape *shape)
{
    for (size_t i = 0; i < DESCRIBED; i++)
        if (described[i].number == shape->number || strcmp(described[i].name, shape->name) == 0)
            return &described[i];
    return NULL;
}

void print_differences(const hectic_shape *shapes, size_t count)
{
    printf(
        "\n## Where GHC's User's Guide differs\n\n"
        "The section “Eventlog encodings” of GHC's User's Guide describes the format. Logs differ "
        "from it\nin these events; programs that read logs should follow the entries above. "
        "`String`, in the\nguide, ends with a NUL.\n\n"
        "| event | difference |\n|---|---|\n");
    for (const hectic_shape *s = shapes; s < shapes + count; s++)
        if (hectic_shape_by_number(s->number) == s && find(s)) compare(find(s), s, shapes + count);
    printf("\nThe guide does not have these events:");
    const char *separator = " ";
    for (const hectic_shape *s = shapes; s < shapes + count; s++) {
        if (hectic_shape_by_number(s->number) != s || find(s)) continue;
        printf("%s%u ", separator, s->number);
        print_link(s);
        separator = ", ";
    }
    printf(".\n");
}
