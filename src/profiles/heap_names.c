/* heap_names.c — what the bands and breakdowns of heap profiles are called. */
#include "profiles/heap_samples.h"

#include <string.h>

/* A text that is longer than its room. */
struct text {
    char *at;
    size_t size, length;
};

static void append(struct text *text, const char *more)
{
    const size_t length = strlen(more);
    if (text->length + 1 < text->size) {
        const size_t room = text->size - 1 - text->length;
        memcpy(text->at + text->length, more, length < room ? length : room);
    }
    text->length += length;
}

/* GHC has only CAFs with their modules. */
static bool is_caf(const hectic_symbol *symbol)
{
    return symbol->kind == HECTIC_SYMBOL_COST_CENTRE && symbol->name &&
           strcmp(symbol->name, "CAF") == 0;
}

static bool is_built_in(const hectic_symbol *symbol)
{
    return symbol->location && strcmp(symbol->location, "<built-in>") == 0;
}

static void append_frame(struct text *out, const hectic_symbols *symbols, uint32_t index,
                         bool with_module)
{
    const hectic_symbol symbol = hectic_symbols_get(symbols, index);
    const char *name = symbol.name ? symbol.name : symbol.closure;
    char number[64];
    if (symbol.module && (with_module ? !is_built_in(&symbol) : is_caf(&symbol))) {
        append(out, symbol.module);
        append(out, ".");
    }
    append(out, name ? name : hectic_symbol_text(&symbol, number, sizeof number));
}

static size_t finish(const struct text *out)
{
    if (out->size > 0) out->at[out->length < out->size ? out->length : out->size - 1] = 0;
    return out->length;
}

static size_t write_text(const hectic_stacks *stacks, const hectic_symbols *symbols, uint32_t node,
                         bool with_modules, char *text, size_t size)
{
    struct text out = {text, size, 0};
    const hectic_stack_node *nodes = hectic_stacks_nodes(stacks);
    if (node >= hectic_stacks_count(stacks)) node = HECTIC_STACKS_OTHERS;
    if (node == HECTIC_STACKS_OTHERS) append(&out, "(others)");
    if (node == HECTIC_STACKS_ROOT) append(&out, "MAIN");
    for (; node > HECTIC_STACKS_OTHERS; node = nodes[node].parent) {
        append_frame(&out, symbols, nodes[node].symbol, with_modules);
        if (nodes[node].parent > HECTIC_STACKS_OTHERS) append(&out, "/");
    }
    return finish(&out);
}

size_t hectic_frame_text(const hectic_symbols *symbols, uint32_t symbol, char *text, size_t size)
{
    struct text out = {text, size, 0};
    append_frame(&out, symbols, symbol, false);
    return finish(&out);
}

size_t hectic_band_text(const hectic_stacks *stacks, const hectic_symbols *symbols, uint32_t node,
                        char *text, size_t size)
{
    return write_text(stacks, symbols, node, false, text, size);
}

size_t hectic_band_name(const hectic_stacks *stacks, const hectic_symbols *symbols, uint32_t node,
                        char *name, size_t size)
{
    return write_text(stacks, symbols, node, true, name, size);
}

const char *hectic_breakdown_text(hectic_breakdown breakdown)
{
    static const char *const texts[] = {
        [HECTIC_BREAKDOWN_UNKNOWN] = "unknown",
        [HECTIC_BREAKDOWN_COST_CENTRE] = "cost centre",
        [HECTIC_BREAKDOWN_MODULE] = "module",
        [HECTIC_BREAKDOWN_DESCRIPTION] = "closure description",
        [HECTIC_BREAKDOWN_TYPE] = "type",
        [HECTIC_BREAKDOWN_RETAINER] = "retainer",
        [HECTIC_BREAKDOWN_BIOGRAPHY] = "biography",
        [HECTIC_BREAKDOWN_CLOSURE_TYPE] = "closure type",
        [HECTIC_BREAKDOWN_INFO_TABLE] = "source location",
        [HECTIC_BREAKDOWN_ERA] = "era",
    };
    return texts[breakdown <= HECTIC_BREAKDOWN_ERA ? breakdown : HECTIC_BREAKDOWN_UNKNOWN];
}
