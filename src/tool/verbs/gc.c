/* gc.c — hectic gc: lists the garbage collections. */
#include "report/gc_report.h"
#include "tool/passes/table_verb.h"

static bool print(struct table_verb *base, void *table)
{
    struct table_rows rows;
    return gc_rows(base->reading, table_rows(&rows, base, table)) && table_end(table, base->sink);
}

static int run(void *settings, int argc, char **argv)
{
    static const struct table_verb_need need = {
        "collections", "+RTS -lg", {HECTIC_EVENT_GC_START, HECTIC_EVENT_GC_STATS_GHC}, 2, false};
    (void)argc;
    struct table_verb_settings *given = settings;
    int code;
    table_default_sort(&given->table, "pause");
    struct table *table = table_new(NULL, gc_columns, &given->table, &code);
    if (table) code = table_verb_run(argv[0], given, &need, print, table);
    table_free(table);
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
            "--limit N without --sort lists the N longest pauses.",
            "The reason follows from the thread that last ran on the requesting cap. heap "
            "overflow: "
            "it stopped for that. request: it made a foreign call less than 10 us before, and "
            "returned less than 10 ms after (performGC). idle: no thread ran on the cap for 0.1 s "
            "before or after. exit: it had finished, and the collection is the last one. other: it "
            "yielded. N/A: none of these; other threads may hide a request, or an idle collection.",
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
