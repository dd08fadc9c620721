/* gc.c — hectic gc: lists the garbage collections. */
#include "report/gc_report.h"
#include "tool/passes/table_verb.h"

struct gc {
    struct table_verb *base;
    struct table *table;
};

static bool take(void *user, const hectic_collection *taken)
{
    struct gc *gc = user;
    struct cell cell[GC_COLUMNS];
    hectic_collection collection = *taken;
    if (reading_section(gc->base->reading)->lacks_caps) gc_forget_others(&collection);
    reading_cells(gc->base->reading, cell);
    gc_put_cells(cell, &collection);
    return table_row(gc->table, gc->base->sink, cell);
}

static bool begin(const struct reading *reading)
{
    const struct interval *interval = &reading->interval;
    hectic_collections **analysis = reading->kept;
    if (!*analysis)
        *analysis = hectic_collections_new(interval->from, interval->to, take, reading->user);
    return *analysis;
}

READER_EVENTS(hectic_collections)

static bool end(const struct reading *reading, uint64_t now)
{
    return hectic_collections_end(*(hectic_collections **)reading->kept, now);
}

READER_FINISH(hectic_collections)

static bool print(struct table_verb *base, void *user)
{
    static const struct reader reader = {
        .begin = begin, .events = events, .end = end, .finish = finish};
    struct gc *gc = user;
    gc->base = base;
    if (base->reading->several) table_show_processes(gc->table);
    return reading_all(base->reading, &reader, gc) && table_end(gc->table, base->sink);
}

static int run(void *settings, int argc, char **argv)
{
    static const struct table_verb_need need = {
        "collections", "+RTS -lg", {HECTIC_EVENT_GC_START, HECTIC_EVENT_GC_STATS_GHC}, 2, false};
    (void)argc;
    struct table_verb_settings *given = settings;
    struct gc gc = {0};
    int code;
    table_default_sort(&given->table, "pause");
    gc.table = table_new(NULL, gc_columns, &given->table, &code);
    if (gc.table) code = table_verb_run(argv[0], given, &need, print, &gc);
    table_free(gc.table);
    return code;
}

const struct verb verb_gc = {
    .name = "gc",
    .group = "Its pauses are long",
    .brief = "each collection: cause, pause, live data",
    .summary = "List the garbage collections: cause, pause, and effect",
    .usage = (const char *const[]){"[OPTION]... LOG", NULL},
    .description =
        (const char *const[]){
            "Prints a row for each collection that starts in the interval. Cap is the GC leader: "
            "the cap that requested it; the pause is the leader's. Mean pause is the mean over the "
            "caps that took part, each from its stop to its restart. Safepoint is the time from "
            "the request until all caps had stopped. Caps is the number of caps that took part. "
            "Only major collections measure live data.",
            "--limit N without --sort lists the N longest pauses. The reason is why the thread "
            "stopped that last ran on the requesting cap: heap overflow; request, a foreign call "
            "such as performGC; idle, all threads were blocked; exit, it had finished; other, it "
            "yielded.",
            NULL},
    .columns = gc_columns,
    .groups = table_verb_groups,
    .examples = (const struct example[]){{"hectic gc --limit 10 LOG", "the ten longest pauses"},
                                         {"hectic gc --from 2s --to 3s LOG", "those of one second"},
                                         {"hectic gc --csv LOG > gc.csv", "for a spreadsheet"},
                                         {NULL, NULL}},
    .exits = TABLE_VERB_EXITS("collections"),
    .least = 1,
    .most = 1,
    .settings_size = sizeof(struct table_verb_settings),
    .run = run,
};
