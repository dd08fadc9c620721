/* ticky.c — see ticky.h. */
#include "profiles/ticky.h"
#include "profiles/symbols.h"
#include <hectic/read_events.h>

#include "base/map.h"
#include "base/texts.h"
#include "format/per_cap.h"
#include "numbers/saturating.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t DEFAULT_LIMIT = 1000000;
static const size_t TEXTS_LIMIT = (size_t)64 << 20;

struct counter {
    uint64_t number, info_table;
    uint32_t name, type, free_variables, arguments; /* texts */
    uint32_t symbol;                                /* of the info table */
    uint16_t arity;
    bool is_defined, has_info_table;
    uint64_t entries, allocs, allocd, samples, first, last; /* in the interval */
};

struct place {
    map_key key;
    uint32_t index;
};

struct hectic_ticky {
    uint64_t from, to;
    uint32_t limit;
    struct counter *counter;
    uint32_t count, capacity;
    map places;        /* of counters, by number */
    uint32_t *sampled; /* the counters with samples in the interval; as many as `capacity` */
    struct texts texts;
    hectic_symbols *symbols; /* info tables */
    cap_times allocated;     /* bytes, not times: the last HEAP_ALLOCATED of each cap */
    hectic_ticky_totals totals;
};

hectic_ticky *hectic_ticky_new(uint64_t from, uint64_t to, uint32_t limit)
{
    hectic_ticky *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->limit = limit ? limit : DEFAULT_LIMIT;
    t->places = (map){.entry_size = sizeof(struct place), .unsorted = true};
    t->texts.limit = TEXTS_LIMIT;
    t->symbols = hectic_symbols_new(0);
    if (!t->symbols) {
        hectic_ticky_free(t);
        return NULL;
    }
    t->from = from;
    t->to = to;
    return t;
}

void hectic_ticky_free(hectic_ticky *t)
{
    if (!t) return;
    hectic_symbols_free(t->symbols);
    texts_clear(&t->texts);
    map_clear(&t->places);
    cap_times_clear(&t->allocated);
    free(t->counter);
    free(t->sampled);
    free(t);
}

static bool is_inside(const hectic_ticky *t, uint64_t time)
{
    return time_is_inside(time, t->from, t->to);
}

/* --- Counters -------------------------------------------------------------------------------- */

static bool grow(hectic_ticky *t)
{
    const uint32_t capacity = t->capacity ? 2 * t->capacity : 64;
    struct counter *counter = realloc(t->counter, capacity * sizeof *counter);
    if (!counter) return false;
    t->counter = counter;
    uint32_t *sampled = realloc(t->sampled, capacity * sizeof *sampled);
    if (!sampled) return false;
    t->sampled = sampled;
    t->capacity = capacity;
    return true;
}

/* Sets *found to the counter with that number, which is added if it is new; NULL beyond the limit.
 * False: out of memory. */
static bool find_or_add(hectic_ticky *t, uint64_t number, struct counter **found)
{
    const map_key key = {number, 1};
    struct place *place = map_find(&t->places, key);
    *found = place ? &t->counter[place->index] : NULL;
    if (place) return true;
    if (t->count == t->limit) return t->totals.omitted++, true;
    if (t->count == t->capacity && !grow(t)) return false;
    place = map_add(&t->places, key);
    if (!place) return false;
    place->index = t->count;
    *found = &t->counter[t->count++];
    **found = (struct counter){.number = number,
                               .name = TEXTS_NONE,
                               .type = TEXTS_NONE,
                               .free_variables = TEXTS_NONE,
                               .arguments = TEXTS_NONE,
                               .symbol = HECTIC_NO_SYMBOL};
    return true;
}

static bool take_sample(hectic_ticky *t, const hectic_event *event)
{
    if (!is_inside(t, event->time)) return true;
    hectic_event_ticky_counter_sample sample;
    if (!hectic_read_ticky_counter_sample(event, &sample)) return t->totals.malformed++, true;
    struct counter *counter;
    if (!find_or_add(t, sample.counter, &counter)) return false;
    if (!counter) return true;
    hectic_ticky_totals *totals = &t->totals;
    if (counter->samples == 0) {
        t->sampled[totals->counters++] = (uint32_t)(counter - t->counter);
        counter->first = event->time;
    }
    if (totals->samples == 0) totals->first = event->time;
    counter->last = totals->last = event->time;
    counter->samples++;
    totals->samples++;
    saturating_add(&counter->entries, sample.entries);
    saturating_add(&counter->allocs, sample.allocs);
    saturating_add(&counter->allocd, sample.allocd);
    saturating_add(&totals->entries, sample.entries);
    saturating_add(&totals->allocs, sample.allocs);
    saturating_add(&totals->allocd, sample.allocd);
    return true;
}

/* --- Definitions ----------------------------------------------------------------------------- */

static uint32_t keep_text(hectic_ticky *t, const void *text, size_t length)
{
    const uint32_t number = texts_add(&t->texts, text, length);
    t->totals.omitted += number == TEXTS_NONE;
    return number;
}

struct slice {
    const uint8_t *text; /* NULL: none */
    size_t length;
};

/* The text of a JSON string, whose quote is at *at, as it is written; moves *at behind it. */
static struct slice json_string(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *text = ++*at, *p = text;
    while (p < end && *p != '"')
        p += *p == '\\' && end - p > 1 ? 2 : 1;
    *at = p < end ? p + 1 : end;
    return (struct slice){text, (size_t)(p - text)};
}

/* Finds string members of a JSON object, by their names. Whatever else the text holds is skipped,
 * also if it is not JSON: GHC's counters have texts of letters only. */
static void json_members(const uint8_t *at, size_t length, const char *const *names, size_t count,
                         struct slice *values)
{
    const uint8_t *end = at + length;
    struct slice key = {0};
    bool is_value = false;
    for (size_t depth = 0; at < end;) {
        const uint8_t c = *at;
        if (c != '"') {
            at++;
            depth += c == '{' || c == '[';
            depth -= depth > 0 && (c == '}' || c == ']');
            if (depth == 1 && c == ':') is_value = true;
            if (depth == 1 && c == ',') is_value = false;
            continue;
        }
        const struct slice string = json_string(&at, end);
        if (depth != 1) continue;
        for (size_t i = 0; i < count && is_value; i++)
            if (key.length == strlen(names[i]) && memcmp(key.text, names[i], key.length) == 0)
                values[i] = string;
        key = is_value ? (struct slice){0} : string;
    }
}

/* GHC writes {"type":"entCntr","subTy":"fun","fvs_c":1,"fvs":"M","args":"iL"}. */
static void take_json(hectic_ticky *t, struct counter *counter, const hectic_value *json)
{
    static const char *const names[] = {"fvs", "args", "type", "subTy"};
    enum { COUNT = sizeof names / sizeof *names };
    uint32_t *const texts[COUNT] = {&counter->free_variables, &counter->arguments, &counter->type,
                                    &counter->type};
    struct slice values[COUNT] = {0};
    json_members(json->bytes, json->length, names, COUNT, values);
    for (size_t i = 0; i < COUNT; i++)
        if (values[i].text) *texts[i] = keep_text(t, values[i].text, values[i].length);
}

/* Names end in " (fun)", " (thk,se) in r3mK", " (con: GHC.Types.I#{…})", " (LNE)". */
static const char *type_in_name(const hectic_value *name)
{
    static const struct {
        const char *text, *type;
    } types[] = {{" (fun", "fun"}, {" (thk", "thk"}, {" (con", "con"}, {" (LNE", "lne"}};
    enum { LENGTH = 5 };
    for (size_t i = name->length; i >= LENGTH; i--)
        for (size_t j = 0; j < sizeof types / sizeof *types; j++)
            if (memcmp(name->bytes + i - LENGTH, types[j].text, LENGTH) == 0) return types[j].type;
    return NULL;
}

/* Sets the texts of a definition. Of a counter of tag checks, the kinds are "infer". */
static void set_texts(hectic_ticky *t, struct counter *counter, const hectic_value *kinds,
                      const hectic_value *name, const hectic_value *json)
{
    static const char tag[] = "infer";
    const bool is_tag =
        kinds->length == sizeof tag - 1 && memcmp(kinds->bytes, tag, kinds->length) == 0;
    const char *type = is_tag ? "tag" : type_in_name(name);
    counter->name = keep_text(t, name->bytes, name->length);
    counter->type = type ? keep_text(t, type, strlen(type)) : TEXTS_NONE;
    counter->free_variables = TEXTS_NONE;
    counter->arguments = is_tag ? TEXTS_NONE : keep_text(t, kinds->bytes, kinds->length);
    if (json && !is_tag) take_json(t, counter, json);
}

/* The last definition counts. */
static bool take_definition(hectic_ticky *t, const hectic_event *event)
{
    enum { COUNTER, ARITY, KINDS, NAME, INFO_TABLE, JSON };
    hectic_value value[HECTIC_MAX_FIELDS];
    const size_t fields = hectic_shape_walk(hectic_shape_by_number(HECTIC_EVENT_TICKY_COUNTER_DEF),
                                            event->payload, event->size, value, NULL);
    struct counter *counter;
    if (fields <= NAME) return t->totals.malformed++, true;
    if (!find_or_add(t, value[COUNTER].number, &counter)) return false;
    if (!counter) return true;
    t->totals.defined += !counter->is_defined;
    counter->is_defined = true;
    counter->arity = (uint16_t)value[ARITY].number;
    set_texts(t, counter, &value[KINDS], &value[NAME], fields > JSON ? &value[JSON] : NULL);
    counter->has_info_table = fields > INFO_TABLE && value[INFO_TABLE].number != 0;
    counter->info_table = counter->has_info_table ? value[INFO_TABLE].number : 0;
    counter->symbol =
        counter->has_info_table
            ? hectic_symbols_index(t->symbols, HECTIC_SYMBOL_INFO_TABLE, counter->info_table)
            : HECTIC_NO_SYMBOL;
    return !t->texts.no_memory;
}

/* --- Events ---------------------------------------------------------------------------------- */

/* The counter of a cap, which runs since the start of the program. A replayed one is not new. */
static bool take_allocated(hectic_ticky *t, const hectic_event *event, bool is_replayed)
{
    hectic_event_heap_allocated now;
    if (!hectic_read_heap_allocated(event, &now)) return t->totals.malformed++, true;
    uint64_t *last = cap_times_at(&t->allocated, event->cap);
    if (!last) return false;
    if (!is_replayed && is_inside(t, event->time)) {
        t->totals.has_allocated = true;
        saturating_add(&t->totals.allocated, saturating_less(now.bytes, *last));
    }
    if (now.bytes > *last) *last = now.bytes;
    return true;
}

static bool take(hectic_ticky *t, const hectic_event *event, bool is_replayed)
{
    switch (event->type) {
    case HECTIC_EVENT_TICKY_COUNTER_SAMPLE: return is_replayed || take_sample(t, event);
    case HECTIC_EVENT_TICKY_BEGIN_SAMPLE:
        t->totals.groups += !is_replayed && is_inside(t, event->time);
        return true;
    case HECTIC_EVENT_TICKY_COUNTER_DEF: return take_definition(t, event);
    case HECTIC_EVENT_IPE: return hectic_symbols_event(t->symbols, event);
    case HECTIC_EVENT_HEAP_ALLOCATED: return take_allocated(t, event, is_replayed);
    default: return true;
    }
}

bool hectic_ticky_event(hectic_ticky *t, const hectic_event *event)
{
    hectic_event replayed;
    if (event->type != HECTIC_EVENT_SYNC) return take(t, event, false);
    return !hectic_read_replayed(event, &replayed) || take(t, &replayed, true);
}

/* --- Answers --------------------------------------------------------------------------------- */

static hectic_ticky_counter answer(const hectic_ticky *t, const struct counter *counter)
{
    const struct texts *texts = &t->texts;
    hectic_ticky_counter answer = {
        .number = counter->number,
        .is_defined = counter->is_defined,
        .name = texts_get(texts, counter->name),
        .type = texts_get(texts, counter->type),
        .free_variables = texts_get(texts, counter->free_variables),
        .arguments = texts_get(texts, counter->arguments),
        .arity = counter->arity,
        .has_info_table = counter->has_info_table,
        .info_table = counter->info_table,
        .entries = counter->entries,
        .allocs = counter->allocs,
        .allocd = counter->allocd,
        .samples = counter->samples,
        .first = counter->first,
        .last = counter->last,
    };
    const hectic_symbol symbol = hectic_symbols_get(t->symbols, counter->symbol);
    answer.ipe_name = symbol.name;
    answer.module = symbol.module;
    answer.location = symbol.location;
    answer.ipe_type = symbol.type;
    return answer;
}

bool hectic_ticky_each(const hectic_ticky *t, hectic_ticky_callback callback, void *user)
{
    for (uint64_t i = 0; i < t->totals.counters; i++) {
        const hectic_ticky_counter counter = answer(t, &t->counter[t->sampled[i]]);
        if (!callback(user, &counter)) return false;
    }
    return true;
}

bool hectic_ticky_find(const hectic_ticky *t, uint64_t number, hectic_ticky_counter *counter)
{
    const struct place *place = map_find(&t->places, (map_key){number, 1});
    if (place) *counter = answer(t, &t->counter[place->index]);
    return place;
}

hectic_ticky_totals hectic_ticky_get_totals(const hectic_ticky *t)
{
    hectic_ticky_totals totals = t->totals;
    totals.omitted += hectic_symbols_omitted(t->symbols);
    return totals;
}

bool hectic_ticky_closures(const hectic_ticky_counter *counter, unsigned word, uint64_t *closures)
{
    static const struct {
        const char *type;
        size_t header; /* words */
    } types[] = {{"fun", 1}, {"thk", 2}, {"thk_u", 2}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!counter->type || !counter->free_variables || strcmp(counter->type, types[i].type) != 0)
            continue;
        const size_t words = types[i].header + strlen(counter->free_variables);
        *closures = counter->allocd / (words * word);
        return true;
    }
    return false;
}
