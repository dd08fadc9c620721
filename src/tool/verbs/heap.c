/* heap.c — hectic heap: what fills the heap, and what grows. */
#include "tool/verbs/heap/heap.h"
#include "tool/cli/message.h"
#include "tool/input/markers.h"

#include "tool/cli/times.h"
#include "tool/output/terminal_text.h"
#include "tool/verbs/heap/nonmoving.h"

#include <inttypes.h>
#include <string.h>

enum {
    COURSE_NARROW = 11, /* columns of sparklines that fit lines of 80 columns */
    COURSE_WIDE_FROM = 100,
    SLICE_POINTS = 2, /* slices print no courses */
};

/* What is printed. */
enum form { REPORT, ONE_SAMPLE, TREE, SLICES, CSV, JSON };

struct heap {
    const struct heap_settings *settings;
    enum form form;
    struct file_reading reading;
    struct sink *sink;
    struct table *table; /* of all profiles; NULL: a table for each, or none */
    struct json json;
    struct label_choice choice;
    struct where *where; /* for bands; that of slices and trees is the table's */
    uint64_t at;
    /* Of the section: */
    hectic_heap_profile *profile;
    struct heap_sizes sizes;
    struct heap_program program;
    uint64_t samples; /* of slices that were printed */
    /* Of the log: */
    bool has_samples, has_retainers, has_no_stacks, has_times;
    hectic_heap_warnings warnings;
    uint64_t symbols_omitted, sizes_omitted;
    bool failed; /* printing, after a message */
};

/* --- Printing -------------------------------------------------------------------------------- */

static uint32_t sparkline_columns(const struct heap *heap)
{
    const bool is_wide = heap->settings->table.wide ||
                         (sink_is_terminal(heap->sink) && terminal_width() >= COURSE_WIDE_FROM);
    return is_wide ? SPARKLINE_WIDTH : COURSE_NARROW;
}

static bool is_part(const struct heap *heap)
{
    return heap->reading.interval.from > 0 || heap->reading.interval.to < UINT64_MAX;
}

static struct heap_view view_of(const struct heap *heap, const hectic_heap_profile *profile,
                                uint32_t number)
{
    struct heap_view view = {
        .settings = heap->settings,
        .sink = heap->sink,
        .section = heap->reading.section,
        .number = number,
        .symbols = hectic_heap_profile_symbols(profile),
        .stacks = hectic_heap_profile_stacks(profile),
        .profiles = hectic_heap_profile_count(profile),
        .program = &heap->program,
        .sizes = &heap->sizes,
        .is_cut = heap->reading.is_cut,
        .is_part = is_part(heap),
        .columns = sparkline_columns(heap),
        .where = heap->where,
    };
    hectic_heap_profile_totals(profile, number, &view.totals);
    return view;
}

static bool print_tree(const struct heap *heap, const struct heap_view *view)
{
    int code;
    if (heap->table) return heap_tree_rows(view, heap->table);
    if (!heap_print_sample_title(view)) return true;
    struct table *table = heap_tree_new(heap->settings, &code);
    const bool good = table && heap_tree_rows(view, table) && table_end(table, view->sink);
    table_free(table);
    return good;
}

static bool print_view(struct heap *heap, const struct heap_view *view)
{
    uint64_t from, to;
    switch (heap->form) {
    case REPORT:
        return heap_print_headline(view) && heap_print_bands(view) && heap_print_growth(view);
    case ONE_SAMPLE: return heap_print_at(view);
    case TREE: return print_tree(heap, view);
    case SLICES:
        hectic_heap_profile_slice(heap->profile, view->number, &from, &to);
        return heap_slice_rows(view, heap->table, from, to);
    case CSV: return heap_csv_rows(view, heap->table);
    case JSON: heap_json_profile(&heap->json, view); return true;
    }
    return true;
}

/* Prints a profile, or its slice. False after a message. */
static bool print_profile(struct heap *heap, const hectic_heap_profile *profile, uint32_t number)
{
    struct heap_view view = view_of(heap, profile, number);
    const hectic_heap_kind *kind = view.totals.kind;
    heap->has_samples = true;
    heap->has_no_stacks |= kind->breakdown != HECTIC_BREAKDOWN_COST_CENTRE;
    heap->has_times &= kind->has_times;
    const bool good = heap_rows_take(&view, profile, &heap->choice) && print_view(heap, &view);
    heap->failed = !good;
    heap_rows_clear(&view.bands);
    return good && !sink_failed(heap->sink);
}

static bool print_slice(void *user, const hectic_heap_profile *profile, uint32_t number,
                        uint64_t from, uint64_t to)
{
    (void)from;
    (void)to;
    return print_profile(user, profile, number);
}

static bool print_section(struct heap *heap)
{
    const uint32_t count = hectic_heap_profile_count(heap->profile);
    bool good = true;
    if (heap->form == JSON) {
        json_open(&heap->json, NULL, '{');
        json_number(&heap->json, "section", true, heap->reading.section);
        json_open(&heap->json, "profiles", '[');
    }
    for (uint32_t i = 0; i < count && good; i++)
        good = print_profile(heap, heap->profile, i);
    if (heap->form == JSON) {
        const hectic_heap_warnings warnings = hectic_heap_profile_warnings(heap->profile);
        json_close(&heap->json, ']');
        heap_report_sizes(&heap->json, &heap->sizes);
        heap_report_warnings(&heap->json, &warnings);
        json_close(&heap->json, '}');
    } else if (good && count == 0 && heap->form <= TREE && !heap->table) {
        const struct heap_view view = view_of(heap, heap->profile, 0);
        good = heap_print_sizes(&view);
    }
    return good;
}

/* --- Reading --------------------------------------------------------------------------------- */

static hectic_band_group group_of(enum heap_by by)
{
    static const hectic_band_group groups[] = {
        [HEAP_BY_STACK] = HECTIC_BANDS_BY_STACK, [HEAP_BY_LEAF] = HECTIC_BANDS_BY_LEAF,
        [HEAP_BY_ROOT] = HECTIC_BANDS_BY_ROOT,   [HEAP_BY_MODULE] = HECTIC_BANDS_BY_MODULE,
        [HEAP_BY_TREE] = HECTIC_BANDS_BY_STACK,
    };
    return groups[by];
}

static bool begin(void *user, const hectic_header *header)
{
    struct heap *heap = user;
    const struct interval *interval = &heap->reading.interval;
    const hectic_heap_profile_options options = {
        .samples = {.group = group_of(heap->settings->by), .assume = heap->settings->assume},
        .from = interval->from,
        .to = interval->to,
        .has_at = heap->settings->at == HEAP_AT_TIME,
        .at = heap->at,
        .points = heap->form == SLICES ? SLICE_POINTS : 0,
        .every = heap->settings->every,
        .slice = print_slice,
        .user = heap,
    };
    (void)header;
    heap->profile = hectic_heap_profile_new(&options);
    heap->sizes = (struct heap_sizes){.from = interval->from, .to = interval->to};
    heap->program = (struct heap_program){0};
    return heap->profile;
}

static bool event(void *user, const hectic_event *event)
{
    struct heap *heap = user;
    heap_sizes_event(&heap->sizes, event);
    heap_program_event(&heap->program, event);
    return hectic_heap_profile_event(heap->profile, event);
}

static void add_warnings(struct heap *heap)
{
    const hectic_heap_warnings section = hectic_heap_profile_warnings(heap->profile);
    hectic_heap_warnings *sum = &heap->warnings;
    sum->incomplete += section.incomplete;
    sum->outside += section.outside;
    sum->malformed += section.malformed;
    sum->omitted += section.omitted;
    sum->has_retainers |= section.has_retainers;
    heap->sizes_omitted += heap->sizes.omitted;
    heap->symbols_omitted += hectic_symbols_omitted(hectic_heap_profile_symbols(heap->profile));
}

static bool end(void *user)
{
    struct heap *heap = user;
    const bool good = print_section(heap);
    add_warnings(heap);
    hectic_heap_profile_free(heap->profile);
    heap->profile = NULL;
    return good;
}

/* --- Messages -------------------------------------------------------------------------------- */

static void say(const struct heap *heap, uint64_t count, const char *what)
{
    if (count > 0)
        tool_message("%s: %" PRIu64 " %s", tool_log_name(heap->reading.path), count, what);
}

static int report(const struct heap *heap, int code)
{
    const struct heap_settings *settings = heap->settings;
    const char *name = tool_log_name(heap->reading.path);
    const hectic_heap_warnings *warnings = &heap->warnings;
    if (!heap->has_samples && heap->program.has_profile && !heap->reading.is_cut)
        tool_message("%s: the log has no heap samples%s", name,
                     is_part(heap) ? " in this part" : "");
    else if (!heap->has_samples)
        logs_report_none(heap->reading.path, heap->reading.is_cut, "heap samples", "+RTS -hT -l");
    say(heap, warnings->incomplete, "samples are incomplete: they were left out");
    say(heap, warnings->outside, "bands are in no sample: they were left out");
    say(heap, warnings->malformed, "events are malformed: they were left out");
    say(heap, warnings->omitted,
        "bands of samples were counted as (others): there are too many different ones");
    say(heap, heap->symbols_omitted, "names were left out: there are too many");
    say(heap, heap->sizes_omitted,
        "sizes of the heap were left out: the log has too many processes");
    if (warnings->has_retainers && !settings->output.quiet)
        tool_message("%s: the runtime leaves closures with many retainers (MANY in a .hp file) out "
                     "of the log: the sums are smaller than the heap",
                     name);
    const bool wants_stacks = settings->by == HEAP_BY_LEAF || settings->by == HEAP_BY_ROOT ||
                              settings->by == HEAP_BY_TREE;
    if (heap->has_no_stacks && wants_stacks)
        tool_message("%s: --by: only profiles by cost centre (-hc) have stacks", name);
    if (settings->every > 0 && !heap->has_times)
        tool_message("%s: --every: the samples have no times: they are one slice", name);
    const bool is_wrong = !heap->has_samples || warnings->outside > 0 || warnings->malformed > 0;
    return code == TOOL_OK && is_wrong ? TOOL_DAMAGED : code;
}

/* --- The verb -------------------------------------------------------------------------------- */

static enum form form_of(const struct heap_settings *settings)
{
    if (settings->every > 0) return SLICES;
    if (settings->by == HEAP_BY_TREE) return TREE;
    if (settings->table.csv) return CSV;
    if (settings->table.json) return JSON;
    return settings->at != HEAP_AT_NONE ? ONE_SAMPLE : REPORT;
}

/* The table of all profiles, if there is one. Returns the exit code. */
static int make_table(struct heap *heap)
{
    const struct heap_settings *settings = heap->settings;
    const bool is_text = !settings->table.csv && !settings->table.json;
    int code = TOOL_OK;
    if (heap->form == SLICES) heap->table = heap_slices_new(settings, &code);
    if (heap->form == CSV) heap->table = heap_csv_new(settings, &code);
    if (heap->form == TREE && !is_text) heap->table = heap_tree_new(settings, &code);
    return code;
}

static int resolve_at(struct heap *heap)
{
    static const char marker[] = "marker:";
    const char *text = heap->settings->at_time;
    if (heap->settings->at != HEAP_AT_TIME || time_parse(text, &heap->at)) return TOOL_OK;
    return time_of_marker(heap->reading.input, heap->reading.path, text + strlen(marker), 0, NULL,
                          &heap->at);
}

static int print(struct heap *heap)
{
    static const struct file_reader reader = {
        .begin = begin, .event = event, .end = end, .of_one_process = true};
    if (heap->form == JSON) {
        heap->json = json_on_sink(heap->sink);
        json_open(&heap->json, NULL, '{');
        json_open(&heap->json, "sections", '[');
    }
    int code = file_reading_run(&heap->reading, &reader, heap);
    if (heap->reading.stopped) {
        if (!heap->failed && !sink_failed(heap->sink)) tool_message("out of memory");
        return TOOL_UNUSABLE;
    }
    if (heap->form == JSON) {
        json_close(&heap->json, ']');
        json_close(&heap->json, '}');
        json_end_line(&heap->json);
    }
    if (heap->table && code != TOOL_UNUSABLE && !table_end(heap->table, heap->sink))
        code = TOOL_UNUSABLE;
    return code == TOOL_UNUSABLE ? code : report(heap, code);
}

static int open_and_print(struct heap *heap, const char *path)
{
    const struct heap_settings *settings = heap->settings;
    int code = label_choice_new(&heap->choice, settings->include, settings->exclude);
    if (code == TOOL_OK) code = make_table(heap);
    if (code != TOOL_OK) return code;
    code = file_reading_open(&heap->reading, path, &settings->interval, &settings->output);
    if (code == TOOL_OK) code = resolve_at(heap);
    if (code == TOOL_OK) {
        heap->sink = sink_open(&settings->output);
        code = heap->sink ? sink_close(heap->sink, print(heap)) : TOOL_UNUSABLE;
    }
    file_reading_close(&heap->reading);
    return code;
}

static bool has_sample_options(const struct heap_settings *settings)
{
    return settings->at != HEAP_AT_NONE || settings->by != HEAP_BY_STACK || settings->every > 0 ||
           settings->sort != HEAP_SORT_SIZE || settings->bands > 0 || settings->depth > 0 ||
           settings->include || settings->exclude || settings->table.where || settings->assume != 0;
}

static int check(const struct heap_settings *settings)
{
    const char *problem = NULL;
    if (!table_forms_agree(&settings->table)) return TOOL_USAGE;
    if (settings->every > 0 && settings->at != HEAP_AT_NONE)
        problem = "--every and --at cannot be combined";
    else if (settings->every > 0 && settings->by == HEAP_BY_TREE)
        problem = "--every and --by tree cannot be combined";
    else if (settings->nonmoving && has_sample_options(settings))
        problem = "--nonmoving cannot be combined with options for heap samples";
    else if (settings->depth > 0 && settings->by != HEAP_BY_TREE)
        problem = "--depth needs --by tree";
    if (problem) tool_usage_error("%s", problem);
    return problem ? TOOL_USAGE : TOOL_OK;
}

/* --where chooses bands, or rows of slices and trees, which their tables choose. */
static int compile_where(struct heap *heap, struct heap_settings *settings)
{
    int code = TOOL_OK;
    if (!settings->table.where || heap->form == SLICES || heap->form == TREE) return code;
    heap->where = where_new(settings->table.where, heap_bands_columns, &code);
    settings->table.where = NULL;
    return code;
}

static int run(void *given, int argc, char **argv)
{
    struct heap_settings *settings = given;
    struct heap heap = {.settings = settings, .form = form_of(settings), .has_times = true};
    (void)argc;
    int code = check(settings);
    if (code == TOOL_OK && settings->nonmoving)
        return heap_nonmoving(argv[0], &settings->interval, &settings->table, &settings->output);
    if (code == TOOL_OK) code = compile_where(&heap, settings);
    if (code == TOOL_OK) code = open_and_print(&heap, argv[0]);
    hectic_heap_profile_free(heap.profile);
    table_free(heap.table);
    where_free(heap.where);
    label_choice_free(&heap.choice);
    return code;
}

/* --- Options --------------------------------------------------------------------------------- */

static const char by_words[] = "stack leaf root module tree"; /* as in enum heap_by */
static const char sort_words[] =
    "size end mean growth stddev name fit max"; /* as in enum heap_sort */
/* The columns of enum heap_sort, in text and in CSV. */
static const size_t sort_columns[][2] = {
    {CELL_AT(heap_text, at_peak), CELL_AT(heap_bands, peak_bytes)},
    {CELL_AT(heap_text, at_end), CELL_AT(heap_bands, end_bytes)},
    {CELL_AT(heap_text, mean), CELL_AT(heap_bands, mean_bytes)},
    {CELL_AT(heap_text, growth), CELL_AT(heap_bands, growth_bytes)},
    {CELL_AT(heap_text, stddev), CELL_AT(heap_bands, stddev_bytes)},
    {CELL_AT(heap_text, label), CELL_AT(heap_bands, label)},
    {CELL_AT(heap_text, fit), CELL_AT(heap_bands, growth_fit)},
    {CELL_AT(heap_text, max), CELL_AT(heap_bands, max_bytes)},
};

static bool set_by(void *field, const char *argument)
{
    const int by = tool_choose(argument, by_words);
    if (by >= 0) ((struct heap_settings *)field)->by = (enum heap_by)by;
    return by >= 0;
}

static bool set_sort(void *field, const char *argument)
{
    struct heap_settings *settings = field;
    settings->ascending = argument[0] == '-';
    argument += settings->ascending;
    const size_t in_text = column_find(heap_text_columns, argument);
    const size_t in_data = column_find(heap_bands_columns, argument);
    int sort = 0, sorts = sizeof sort_columns / sizeof *sort_columns;
    while (sort < sorts && sort_columns[sort][0] != in_text && sort_columns[sort][1] != in_data)
        sort++;
    if (sort == sorts) sort = tool_choose(argument, sort_words);
    if (sort >= 0) settings->sort = (enum heap_sort)sort;
    return sort >= 0;
}

static bool set_at(void *field, const char *argument)
{
    struct heap_settings *settings = field;
    uint64_t time;
    settings->at_time = argument;
    settings->at = strcmp(argument, "peak") == 0  ? HEAP_AT_PEAK
                   : strcmp(argument, "end") == 0 ? HEAP_AT_END
                                                  : HEAP_AT_TIME;
    if (settings->at != HEAP_AT_TIME || time_parse(argument, &time) ||
        strncmp(argument, "marker:", 7) == 0)
        return true;
    return time_invalid(argument, NULL, "peak, end, or a time: 1.5s, 20ms, marker:NAME");
}

/* As in enum hectic_breakdown; the flags of +RTS -h, and words. */
static const struct {
    char flag;
    const char *word;
} breakdowns[] = {
    [HECTIC_BREAKDOWN_COST_CENTRE] = {'c', "cost-centre"},
    [HECTIC_BREAKDOWN_MODULE] = {'m', "module"},
    [HECTIC_BREAKDOWN_DESCRIPTION] = {'d', "description"},
    [HECTIC_BREAKDOWN_TYPE] = {'y', "type"},
    [HECTIC_BREAKDOWN_RETAINER] = {'r', "retainer"},
    [HECTIC_BREAKDOWN_BIOGRAPHY] = {'b', "biography"},
    [HECTIC_BREAKDOWN_CLOSURE_TYPE] = {'T', "closure-type"},
    [HECTIC_BREAKDOWN_INFO_TABLE] = {'i', "info-table"},
    [HECTIC_BREAKDOWN_ERA] = {'e', "era"},
};

/* "T", "-hT" or "closure-type". */
static bool set_breakdown(void *field, const char *argument)
{
    const char *word = strncmp(argument, "-h", 2) == 0 ? argument + 2 : argument;
    for (size_t i = 0; i < sizeof breakdowns / sizeof *breakdowns; i++) {
        const char flag[] = {breakdowns[i].flag, 0};
        if (!breakdowns[i].word) continue;
        if (strcmp(word, flag) != 0 && strcmp(word, breakdowns[i].word) != 0) continue;
        ((struct heap_settings *)field)->assume = (hectic_breakdown)i;
        return true;
    }
    return tool_invalid("breakdown", argument, NULL, "c, m, d, y, r, b, T, i or e, as in +RTS -hT");
}

static const struct tool_option what_options[] = {
    {"at", 0, "WHEN", "one whole sample: peak, end, or at a time: 1.5s", "peak end", 0, set_at},
    {"by", 0, "WHAT", "stack, leaf, root, module; tree, with N levels (12)", by_words, 0, set_by},
    {"depth", 0, "N", NULL, NULL, offsetof(struct heap_settings, depth), tool_set_count},
    {"include", 0, "REGEX", "only bands whose labels match, do not; by any column", NULL,
     offsetof(struct heap_settings, include), tool_set_text},
    {"exclude", 0, "REGEX", NULL, NULL, offsetof(struct heap_settings, exclude), tool_set_text},
    {"where", 0, "CONDITION", NULL, NULL, offsetof(struct heap_settings, table.where),
     tool_set_text},
    {"nonmoving", 0, NULL, "the non-moving collector: its heap and phases", NULL,
     offsetof(struct heap_settings, nonmoving), tool_set_flag},
    {"breakdown", 0, "LETTER", "of +RTS -h, if the log does not name it", "c m d y r b T i e", 0,
     set_breakdown},
    {0},
};

static const struct tool_option part_options[] = {
    {"every", 'n', "TIME", "a row for each band in each slice of this length", NULL,
     offsetof(struct heap_settings, every), tool_set_duration},
    {0},
};

static const struct tool_option form_options[] = {
    {"sort", 0, "WHAT", "size, end, mean, growth, fit, stddev, max or name", sort_words, 0,
     set_sort},
    {"bands", 0, "N", "only N bands (15) and the sum of others; all columns", NULL,
     offsetof(struct heap_settings, bands), tool_set_count},
    {"wide", 0, NULL, NULL, NULL, offsetof(struct heap_settings, table.wide), tool_set_flag},
    TABLE_FORMS(struct heap_settings, table.),
    {0},
};

const struct verb verb_heap = {
    .name = "heap",
    .group = "It leaks memory",
    .brief = "what fills the heap, and what grows",
    .summary = "Report what fills the heap, and what grows",
    .usage = (const char *const[]){"[OPTION]... LOG", NULL},
    .description =
        (const char *const[]){
            "Adds up the samples of a heap profile. A program writes them if it runs with +RTS -l "
            "and one of -hT (closure type; any program), -hi (source location; GHC 9.2 and later), "
            "-hc, -hm, -hd, -hy, -hr, -hb (cost centre, module, closure description, type, "
            "retainer, biography; built with -prof) or -he (era; GHC 9.10 and later). Prints when "
            "the heap was largest, with the size of the runtime's heap and its live data; the "
            "bands, each with its bytes in the largest and the last sample, the mean over time, "
            "its growth in bytes per second, the fit of that line (R^2, 1 is best) and its sizes "
            "over time; then what grows, and which profile would show more. If the log has no "
            "samples, prints what else it has about the heap.",
            heap_growth_note,
            "--sort size sorts by the largest sample, or that of --at; the headings of the table "
            "and the columns of CSV are taken, too. A - before the word reverses the order. --by "
            "combines the stacks of cost "
            "centres: by the innermost one "
            "(leaf), the outermost one (root), or the module of the innermost one; tree prints "
            "what each stack and its extensions hold in the largest sample, or that of --at. "
            "--by module also combines info tables.",
            "A mean weighs the time between two samples with the mean of both. Where samples are "
            "missing (more than four periods), that time is left out. Profiles with a biography "
            "selector (-hc -hbdrag,void) have no times in the log: their samples are numbered. "
            "Closures with many retainers (MANY in a .hp file) are not in the log. With -hb and a "
            "short interval, programs of GHC 9.0.2 may crash: use a longer -i.",
            heap_nonmoving_note, NULL},
    .groups =
        (const struct option_group[]){
            {"What", what_options, 0, NULL},
            {"Which part", interval_options, offsetof(struct heap_settings, interval),
             interval_note},
            {"Which part", part_options, 0, NULL},
            {"Output", form_options, 0, NULL},
            {"Output", color_options, offsetof(struct heap_settings, output), NULL},
            {"Output", output_options, offsetof(struct heap_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic heap Main.eventlog", "what fills the heap, what grows"},
            {"hectic heap --by tree --at end LOG", "cost centres at the end, as a tree"},
            {"hectic heap --every 1s --csv LOG > heap.csv", "over time, for a spreadsheet"},
            {NULL, NULL}},
    .exits = {"Success; the log may be truncated.",
              "The log is damaged, has no heap samples, or lies outside of the interval; the rest "
              "was printed.",
              "The log cannot be read, or the output cannot be written."},
    .least = 1,
    .most = 1,
    .settings_size = sizeof(struct heap_settings),
    .run = run,
};
