/* symbols.h — what the frames of a profile are called: cost centres, info tables, labels.
 *
 * A symbol is one of these. It has an index that never changes, so stacks refer to symbols by
 * index. Its definition in the log may come before or after its first use; until then its names are
 * NULL. One object serves one section of a log. It may be used by one thread at a time.
 *
 * Memory depends on the number of symbols and the length of their texts, each kept once. Beyond the
 * limit, further symbols are HECTIC_NO_SYMBOL and further texts are left out; both are counted.
 */
#ifndef HECTIC_SRC_SYMBOLS_H
#define HECTIC_SRC_SYMBOLS_H

#include <hectic/decoder.h>

/* As an index: a symbol beyond the limit. */
#define HECTIC_NO_SYMBOL UINT32_MAX

typedef enum hectic_symbol_kind {
    HECTIC_SYMBOL_COST_CENTRE, /* defined by HEAP_PROF_COST_CENTRE */
    HECTIC_SYMBOL_INFO_TABLE,  /* defined by IPE */
    HECTIC_SYMBOL_LABEL,       /* a text that is its own definition: a type, a module … */
    HECTIC_SYMBOL_MESSAGE,     /* defined by a message of ghc-stack-profiler */
} hectic_symbol_kind;

/* Texts are NULL if they are not defined, and valid until the next change of the symbols. They are
 *  untrusted bytes up to a NUL, usually UTF-8. */
typedef struct hectic_symbol {
    hectic_symbol_kind kind;
    uint64_t number;      /* of the cost centre; the address of the info table */
    const char *name;     /* the cost centre's label; the info table's label, or else its table
                             name; the text of a label or message */
    const char *module;   /* or NULL */
    const char *location; /* "Main.hs:12:3-20", "<built-in>", or NULL */
    const char *closure;  /* the info table's closure description, or NULL */
    const char *type;     /* the info table's type, or NULL */
    bool is_defined;
    bool is_caf; /* a cost centre of CAFs: GHC prints it as "Module.CAF" */
} hectic_symbol;

typedef struct hectic_symbols hectic_symbols;

/* `limit`: bytes of symbols and texts (their hash table takes at most as much); 0: 128 MiB. NULL:
 *  out of memory. */
hectic_symbols *hectic_symbols_new(size_t limit);
void hectic_symbols_free(hectic_symbols *symbols);

/* Takes the definitions HEAP_PROF_COST_CENTRE and IPE; ignores other events. The last definition
 *  of a symbol counts. False: out of memory, now or for an earlier symbol or text. */
bool hectic_symbols_event(hectic_symbols *symbols, const hectic_event *event);

/* The index of the symbol of that kind and number, which is added if it is new. HECTIC_NO_SYMBOL:
 *  the limit is reached, or out of memory. */
uint32_t hectic_symbols_index(hectic_symbols *symbols, hectic_symbol_kind kind, uint64_t number);

/* The index of the label with that text (`length` bytes, or less up to a NUL). */
uint32_t hectic_symbols_label(hectic_symbols *symbols, const void *text, size_t length);

/* Defines a symbol. `module` and `location` may be NULL. False: the limit is reached, or out of
 *  memory. */
bool hectic_symbols_define(hectic_symbols *symbols, uint32_t index, const char *name,
                           const char *module, const char *location);

uint32_t hectic_symbols_count(const hectic_symbols *symbols);

/* A symbol by its index, below the count; otherwise one that is not defined. */
hectic_symbol hectic_symbols_get(const hectic_symbols *symbols, uint32_t index);

/* What a user reads, without the location: GHC's label ("main.\\", "Main.CAF" of a module's CAFs);
 *  of an info table its label, or else its closure or address; "cost centre 12" if it is not
 *  defined. Writes a NUL-terminated text of less than `size` bytes, truncated if necessary. Returns
 *  `text`. The text is untrusted. */
const char *hectic_symbol_text(const hectic_symbol *symbol, char *text, size_t size);

/* Definitions and symbols that the limit has left out. */
uint64_t hectic_symbols_omitted(const hectic_symbols *symbols);

#endif
