/* prof_json.c — GHC's report of a time profile as JSON (+RTS -pj). The log has neither entries nor
 * allocation: they are null. */
#include "tool/output/json.h"
#include "tool/verbs/export/export.h"

/* The numbers of frames that are not symbols. */
struct numbers {
    uint64_t root, others;
};

/* Cost centres have numbers; the symbols of call stacks are counted. */
static uint64_t number_of_symbol(const hectic_symbol *symbol, uint32_t index)
{
    return symbol->kind == HECTIC_SYMBOL_COST_CENTRE ? symbol->number : index;
}

static uint64_t number_of_node(const struct profile *profile, const struct numbers *numbers,
                               uint32_t node)
{
    const uint32_t index = profile->node[node].symbol;
    if (index == HECTIC_NO_SYMBOL)
        return node == HECTIC_STACKS_ROOT ? numbers->root : numbers->others;
    const hectic_symbol symbol = hectic_symbols_get(profile->symbols, index);
    return number_of_symbol(&symbol, index);
}

static bool is_main(const hectic_symbol *symbol)
{
    return symbol->name && symbol->module && symbol->location &&
           strcmp(symbol->name, "MAIN") == 0 && strcmp(symbol->module, "MAIN") == 0 &&
           strcmp(symbol->location, "<built-in>") == 0;
}

static void put_cost_centre(struct json *json, uint64_t number, const hectic_symbol *symbol)
{
    char name[FRAME_NAME];
    json_open(json, NULL, '{');
    json_number(json, "id", true, number);
    json_text(json, "label",
              symbol->name ? symbol->name : hectic_symbol_text(symbol, name, sizeof name));
    json_text(json, "module", symbol->module ? symbol->module : "");
    json_text(json, "src_loc", symbol->location ? symbol->location : "<no location info>");
    json_flag(json, "is_caf", true, symbol->is_caf);
    json_close(json, '}');
}

/* All that the stacks may consist of. */
static struct numbers put_cost_centres(struct json *json, const struct profile *profile)
{
    static const hectic_symbol main = {
        .name = "MAIN", .module = "MAIN", .location = "<built-in>", .is_defined = true};
    static const hectic_symbol others = {.name = "(others)", .is_defined = true};
    struct numbers numbers = {0};
    uint64_t largest = 0;
    bool has_main = false;
    json_open(json, "cost_centres", '[');
    for (uint32_t i = 0; i < hectic_symbols_count(profile->symbols); i++) {
        const hectic_symbol symbol = hectic_symbols_get(profile->symbols, i);
        const bool is_cost_centre = symbol.kind == HECTIC_SYMBOL_COST_CENTRE;
        const uint64_t number = number_of_symbol(&symbol, i);
        if (is_cost_centre != (profile->source == HECTIC_TIME_COST_CENTRES)) continue;
        if (number > largest) largest = number;
        if (is_main(&symbol)) numbers.root = number;
        has_main |= is_main(&symbol);
        put_cost_centre(json, number, &symbol);
    }
    if (!has_main) put_cost_centre(json, numbers.root = largest + 1, &main);
    numbers.others = largest + 2;
    if (profile->count[HECTIC_STACKS_OTHERS] > 0) put_cost_centre(json, numbers.others, &others);
    json_close(json, ']');
    return numbers;
}

static void close_nodes(struct json *json, uint32_t *open, uint32_t depth)
{
    for (; *open > depth; --*open) {
        json_close(json, ']');
        json_close(json, '}');
    }
}

static void put_tree(struct json *json, const struct profile *profile, const struct tree *tree,
                     const struct numbers *numbers)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        const uint32_t node = tree->node[i];
        close_nodes(json, &open, profile->node[node].depth);
        json_open(json, i == 0 ? "profile" : NULL, '{');
        json_number(json, "id", true, number_of_node(profile, numbers, node));
        json_number(json, "entries", false, 0);
        json_number(json, "alloc", false, 0);
        json_number(json, "ticks", true, profile->count[node]);
        json_open(json, "children", '[');
        open++;
    }
    close_nodes(json, &open, 0);
}

/* Both members: the runtime's options, and the others. */
static void put_arguments(struct json *json, const struct about *about)
{
    for (int pass = 0; pass < 2; pass++) {
        struct argument argument = {0};
        json_open(json, pass == 0 ? "arguments" : "rts_arguments", '[');
        while (about_next(about, &argument))
            if (argument.is_rts == (pass == 1)) json_text(json, NULL, argument.text);
        json_close(json, ']');
    }
}

bool prof_json_write(struct sink *sink, const struct profile *profile)
{
    struct tree tree;
    if (!tree_make(&tree, profile)) return false;
    struct json json = json_for_tool(sink);
    char date[32];
    json_open(&json, NULL, '{');
    json_text(&json, "program", about_name(profile->about));
    put_arguments(&json, profile->about);
    json_text(&json, "end_time", about_date(profile->about, profile->last, date));
    json_number(&json, "initial_capabilities", true, profile->caps);
    json_real(&json, "total_time", profile->interval > 0,
              (double)profile->samples * (double)profile->interval / 1e9 / profile->caps);
    json_number(&json, "total_ticks", true, profile->samples);
    json_number(&json, "tick_interval", profile->interval > 0, profile->interval / 1000);
    json_number(&json, "total_alloc", false, 0);
    const struct numbers numbers = put_cost_centres(&json, profile);
    put_tree(&json, profile, &tree, &numbers);
    json_close(&json, '}');
    json_end_line(&json);
    tree_clear(&tree);
    return true;
}
