/* heap_samples.c — see heap_samples.h.
 *
 * Only bands have the number of their profile; the events around them have not. In a merged log,
 * samples of several profiles may overlap: the first band determines the profile of a sample, and
 * its end is the one that follows its last band. */
#include "profiles/heap_samples.h"
#include <hectic/read_events.h>

#include "base/array.h"
#include "numbers/saturating.h"
#include "profiles/heap_bands.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 256, PROFILES_MAX = 256, OPEN_MAX = 32, NODE_LIMIT = 1 << 16 };

struct profile {
    hectic_heap_kind kind;
    bool is_defined;  /* by HEAP_PROF_BEGIN */
    bool is_inferred; /* its breakdown, from its first band */
    uint64_t samples; /* that were complete */
};

/* A sample of which not all events are known. */
struct open_sample {
    bool is_used, is_closed; /* closed: its end is known, but perhaps it is another sample's */
    bool has_time;           /* the event has the time of the census */
    bool has_profile;
    uint8_t number;         /* of the profile */
    uint64_t begin, recent; /* counts of events: at its first, at its latest */
    uint64_t time, era;
    hectic_heap_band *band;
    size_t bands, capacity;
    /* By node: the index of its band, if that is below the number of bands and has this node. */
    uint32_t *place;
    size_t places;
};

struct hectic_heap_samples {
    hectic_heap_samples_options options;
    hectic_heap_sample_callback callback;
    void *user;
    hectic_symbols *symbols;
    hectic_stacks *stacks;
    struct heap_bands bands;
    struct profile *profile[PROFILES_MAX]; /* in order of their beginning */
    uint32_t profiles;
    uint16_t of_number[NUMBERS]; /* the index of the profile with that number, plus 1 */
    uint32_t numbers;            /* that have a profile */
    struct open_sample open[OPEN_MAX];
    struct open_sample *current[NUMBERS]; /* by the profile's number */
    uint64_t events;                      /* of samples */
    hectic_heap_warnings warnings;
};

hectic_heap_samples *hectic_heap_samples_new(const hectic_heap_samples_options *options,
                                             hectic_heap_sample_callback callback, void *user)
{
    hectic_heap_samples *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    if (options) s->options = *options;
    s->callback = callback;
    s->user = user;
    const uint32_t limit = s->options.node_limit;
    s->symbols = hectic_symbols_new(s->options.symbol_limit);
    s->stacks = hectic_stacks_new(1, limit ? limit : NODE_LIMIT);
    if (s->symbols && s->stacks) return s;
    hectic_heap_samples_free(s);
    return NULL;
}

void hectic_heap_samples_free(hectic_heap_samples *s)
{
    if (!s) return;
    hectic_symbols_free(s->symbols);
    hectic_stacks_free(s->stacks);
    heap_bands_clear(&s->bands);
    for (uint32_t i = 0; i < s->profiles; i++)
        free(s->profile[i]);
    for (size_t i = 0; i < OPEN_MAX; i++) {
        free(s->open[i].band);
        free(s->open[i].place);
    }
    free(s);
}

/* --- Profiles -------------------------------------------------------------------------------- */

static void set_breakdown(hectic_heap_samples *s, hectic_heap_kind *kind,
                          hectic_breakdown breakdown)
{
    static const char flags[] = "\0cmdyrbTie";
    kind->breakdown = breakdown;
    kind->flag = flags[breakdown];
    kind->has_times = breakdown == HECTIC_BREAKDOWN_BIOGRAPHY || kind->selector[6][0] == 0;
    s->warnings.has_retainers |= breakdown == HECTIC_BREAKDOWN_RETAINER;
}

/* The profile of that number. NULL: out of memory, or there are too many. */
static struct profile *add_profile(hectic_heap_samples *s, uint8_t number)
{
    if (s->profiles == PROFILES_MAX) return NULL;
    struct profile *profile = calloc(1, sizeof *profile);
    if (!profile) return NULL;
    profile->kind.number = number;
    set_breakdown(s, &profile->kind, s->options.assume);
    s->profile[s->profiles++] = profile;
    s->numbers += s->of_number[number] == 0;
    s->of_number[number] = (uint16_t)s->profiles;
    return profile;
}

static struct profile *profile_of(hectic_heap_samples *s, uint8_t number)
{
    const uint16_t place = s->of_number[number];
    return place ? s->profile[place - 1] : add_profile(s, number);
}

/* False: malformed. */
static bool read_kind(hectic_heap_samples *s, const hectic_event *event, hectic_heap_kind *kind)
{
    hectic_event_heap_prof_begin p;
    if (!hectic_read_heap_prof_begin(event, &p)) return false;
    const hectic_text filters[] = {
        p.module_filter,      p.closure_description_filter, p.type_description_filter,
        p.cost_centre_filter, p.cost_centre_stack_filter,   p.retainer_filter,
        p.biography_filter};
    *kind = (hectic_heap_kind){.number = p.profile, .period = p.period};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        const size_t most = sizeof kind->selector[i] - 1;
        memcpy(kind->selector[i], filters[i].bytes,
               filters[i].length < most ? filters[i].length : most);
    }
    set_breakdown(s, kind,
                  p.breakdown <= HECTIC_BREAKDOWN_ERA ? (hectic_breakdown)p.breakdown
                                                      : HECTIC_BREAKDOWN_UNKNOWN);
    return true;
}

static bool is_same(const hectic_heap_kind *a, const hectic_heap_kind *b)
{
    return a->number == b->number && a->period == b->period && a->breakdown == b->breakdown &&
           memcmp(a->selector, b->selector, sizeof a->selector) == 0;
}

/* HEAP_PROF_BEGIN, which GHC repeats, and late readers get again: only a different one begins
 * another profile. False: out of memory. */
static bool define_profile(hectic_heap_samples *s, const hectic_event *event)
{
    hectic_heap_kind kind;
    if (!read_kind(s, event, &kind)) return s->warnings.malformed++, true;
    for (uint32_t i = 0; i < s->profiles; i++) {
        if (!s->profile[i]->is_defined || !is_same(&s->profile[i]->kind, &kind)) continue;
        s->of_number[kind.number] = (uint16_t)(i + 1);
        return true;
    }
    const uint16_t place = s->of_number[kind.number];
    struct profile *profile = place ? s->profile[place - 1] : NULL;
    if (!profile || profile->is_defined) profile = add_profile(s, kind.number);
    if (!profile && s->profiles < PROFILES_MAX) return false;
    if (!profile) return s->warnings.malformed++, true;
    profile->kind = kind;
    profile->is_defined = true;
    return true;
}

/* --- Samples --------------------------------------------------------------------------------- */

/* Makes the memory of a sample available again. */
static void close_sample(hectic_heap_samples *s, struct open_sample *o)
{
    if (o->has_profile && s->current[o->number] == o) s->current[o->number] = NULL;
    o->is_used = false;
}

static void assign(hectic_heap_samples *s, struct open_sample *o, uint8_t number)
{
    o->has_profile = true;
    o->number = number;
    s->current[number] = o;
}

/* The profile of a sample without bands: that with the smallest number that has no sample now. */
static uint8_t free_number(const hectic_heap_samples *s)
{
    for (uint32_t i = 0; i < NUMBERS; i++)
        if (s->of_number[i] && !s->current[i]) return (uint8_t)i;
    return 0;
}

static bool deliver(hectic_heap_samples *s, struct open_sample *o)
{
    if (!o->has_profile) assign(s, o, free_number(s));
    struct profile *profile = profile_of(s, o->number);
    if (!profile) return close_sample(s, o), s->profiles == PROFILES_MAX;
    hectic_heap_kind *kind = &profile->kind;
    if (o->has_time && !profile->is_defined) set_breakdown(s, kind, HECTIC_BREAKDOWN_BIOGRAPHY);
    hectic_heap_sample sample = {
        .kind = kind,
        .profile = s->of_number[o->number] - 1u,
        .index = profile->samples++,
        .time = kind->has_times || o->has_time ? o->time : 0,
        .era = o->era,
        .band = o->band,
        .bands = o->bands,
    };
    for (size_t i = 0; i < o->bands; i++)
        saturating_add(&sample.total, o->band[i].bytes);
    close_sample(s, o);
    return s->callback(s->user, &sample);
}

/* The used sample that began first, of those that are closed or not. */
static struct open_sample *first_open(hectic_heap_samples *s, bool closed)
{
    struct open_sample *first = NULL;
    for (struct open_sample *o = s->open; o < s->open + OPEN_MAX; o++)
        if (o->is_used && o->is_closed == closed && (!first || o->begin < first->begin)) first = o;
    return first;
}

static uint32_t count_open(const hectic_heap_samples *s, bool closed)
{
    uint32_t count = 0;
    for (const struct open_sample *o = s->open; o < s->open + OPEN_MAX; o++)
        count += o->is_used && o->is_closed == closed;
    return count;
}

static bool deliver_closed(hectic_heap_samples *s)
{
    for (struct open_sample *o = s->open; o < s->open + OPEN_MAX; o++)
        if (o->is_used && o->is_closed && !o->has_profile) assign(s, o, free_number(s));
    for (struct open_sample *o; (o = first_open(s, true));)
        if (!deliver(s, o)) return false;
    return true;
}

/* Leaves out samples that have begun until at most `most` of them are left. */
static void leave_out(hectic_heap_samples *s, uint32_t most)
{
    while (count_open(s, false) > most) {
        close_sample(s, first_open(s, false));
        s->warnings.incomplete++;
    }
}

static bool begin_sample(hectic_heap_samples *s, uint64_t time, uint64_t era, bool has_time)
{
    s->events++;
    /* More samples than profiles: one of them has no end. */
    const uint32_t most = s->numbers < 1              ? 1
                          : s->numbers < OPEN_MAX / 2 ? s->numbers
                                                      : OPEN_MAX / 2;
    leave_out(s, most - 1);
    if (count_open(s, true) >= OPEN_MAX / 2 && !deliver(s, first_open(s, true))) return false;
    heap_bands_renew(&s->bands);
    struct open_sample *o = s->open;
    while (o->is_used)
        o++;
    o->is_used = true;
    o->is_closed = o->has_profile = false;
    o->has_time = has_time;
    o->begin = o->recent = s->events;
    o->time = time;
    o->era = era;
    o->bands = 0;
    return true;
}

/* Of the samples without an end, the one with the latest band. */
static struct open_sample *recent_open(hectic_heap_samples *s)
{
    struct open_sample *recent = NULL;
    for (struct open_sample *o = s->open; o < s->open + OPEN_MAX; o++) {
        if (!o->is_used || o->is_closed) continue;
        if (!recent || o->has_profile > recent->has_profile ||
            (o->has_profile == recent->has_profile && o->recent > recent->recent))
            recent = o;
    }
    return recent;
}

static bool end_sample(hectic_heap_samples *s)
{
    struct open_sample *ended = recent_open(s);
    if (!ended) return true;
    /* Did another one have an event while it was open? */
    bool overlaps = !ended->has_profile && count_open(s, false) > 1;
    for (struct open_sample *o = s->open; o < s->open + OPEN_MAX; o++)
        overlaps |= o->is_used && !o->is_closed && o != ended && o->recent > ended->begin;
    if (overlaps) return ended->is_closed = true;
    if (count_open(s, false) > 1) return deliver(s, ended);
    ended->is_closed = true;
    return deliver_closed(s);
}

/* The sample of a band. Sets *sample to NULL if there is none. False: the callback returned false.
 */
static bool find_sample(hectic_heap_samples *s, uint8_t number, struct open_sample **sample)
{
    struct open_sample *const held = s->current[number];
    struct open_sample *fresh = NULL;
    for (struct open_sample *o = s->open; o < s->open + OPEN_MAX; o++)
        if (o->is_used && !o->is_closed && !o->has_profile && (!fresh || o->begin < fresh->begin))
            fresh = o;
    *sample = NULL;
    if (held && !held->is_closed) {
        *sample = held;
    } else if (fresh) {
        if (held && !deliver(s, held)) return false;
        assign(s, *sample = fresh, number);
    } else if (held) { /* the end was another's */
        struct open_sample *other = recent_open(s);
        if (other) other->is_closed = true;
        held->is_closed = false;
        *sample = held;
    }
    return true;
}

static bool grow_places(struct open_sample *o, uint32_t nodes)
{
    const size_t places = nodes < 64 ? 64 : 2 * (size_t)nodes;
    uint32_t *place = realloc(o->place, places * sizeof *place);
    if (!place) return false;
    memset(place + o->places, 0, (places - o->places) * sizeof *place);
    o->place = place;
    o->places = places;
    return true;
}

static bool add_band(hectic_heap_samples *s, struct open_sample *o, uint32_t node, uint64_t bytes)
{
    if (node == UINT32_MAX) return false;
    s->warnings.omitted += node == HECTIC_STACKS_OTHERS;
    if (node >= o->places && !grow_places(o, hectic_stacks_count(s->stacks))) return false;
    const uint32_t place = o->place[node];
    if (place < o->bands && o->band[place].node == node) {
        saturating_add(&o->band[place].bytes, bytes);
        return true;
    }
    if (!array_reserve(o->band, o->capacity, o->bands + 1)) return false;
    o->place[node] = (uint32_t)o->bands;
    o->band[o->bands++] = (hectic_heap_band){node, bytes};
    return true;
}

/* --- Bands ----------------------------------------------------------------------------------- */

/* The symbol by which a symbol's band is grouped. One that is not defined yet is its own group. */
static uint32_t group_of(hectic_heap_samples *s, uint32_t symbol)
{
    if (s->options.group != HECTIC_BANDS_BY_MODULE) return symbol;
    const char *module = hectic_symbols_get(s->symbols, symbol).module;
    return module ? hectic_symbols_label(s->symbols, module, strlen(module)) : symbol;
}

static uint32_t node_of_symbol(hectic_heap_samples *s, uint32_t symbol)
{
    return hectic_stacks_child(s->stacks, HECTIC_STACKS_ROOT, group_of(s, symbol));
}

static uint32_t node_of_stack(hectic_heap_samples *s, hectic_numbers stack)
{
    if (s->options.group == HECTIC_BANDS_BY_STACK || stack.count == 0)
        return hectic_stacks_cost_centres(s->stacks, s->symbols, stack.bytes, stack.count);
    const size_t frame = s->options.group == HECTIC_BANDS_BY_ROOT ? stack.count - 1 : 0;
    return node_of_symbol(s, hectic_symbols_index(s->symbols, HECTIC_SYMBOL_COST_CENTRE,
                                                  hectic_number_at(&stack, frame)));
}

/* The address of an info table, as printf("%p") writes it. False: it is not an address. */
static bool read_address(const uint8_t *text, size_t length, uint64_t *address)
{
    if (length > 2 && text[0] == '0' && (text[1] | 32) == 'x') {
        text += 2;
        length -= 2;
    }
    if (length == 0 || length > 16) return false;
    *address = 0;
    for (size_t i = 0; i < length; i++) {
        const uint8_t c = text[i] | 32;
        const bool is_digit = text[i] >= '0' && text[i] <= '9';
        if (!is_digit && (c < 'a' || c > 'f')) return false;
        *address = *address << 4 | (uint64_t)(is_digit ? text[i] - '0' : c - 'a' + 10);
    }
    return true;
}

/* The length of "(12)" at the beginning; 0: none. */
static size_t id_length(const uint8_t *text, size_t length)
{
    size_t i = 1;
    while (i < length && text[i] >= '0' && text[i] <= '9')
        i++;
    return length > 2 && text[0] == '(' && i > 1 && i < length && text[i] == ')' ? i + 1 : 0;
}

static uint32_t node_of_label(hectic_heap_samples *s, enum heap_bands_kind what,
                              const uint8_t *text, size_t length)
{
    uint64_t address;
    if (what == HEAP_BANDS_ADDRESS && read_address(text, length, &address))
        return node_of_symbol(s,
                              hectic_symbols_index(s->symbols, HECTIC_SYMBOL_INFO_TABLE, address));
    return hectic_stacks_child(s->stacks, HECTIC_STACKS_ROOT,
                               hectic_symbols_label(s->symbols, text, length));
}

/* Without HEAP_PROF_BEGIN, the first band may show the breakdown. */
static void infer(hectic_heap_samples *s, struct profile *profile, enum heap_bands_kind what,
                  const uint8_t *text, size_t length)
{
    uint64_t address;
    profile->is_inferred = true;
    if (profile->is_defined || profile->kind.breakdown != HECTIC_BREAKDOWN_UNKNOWN) return;
    if (what == HEAP_BANDS_STACK)
        set_breakdown(s, &profile->kind, HECTIC_BREAKDOWN_COST_CENTRE);
    else if (id_length(text, length) > 0)
        set_breakdown(s, &profile->kind, HECTIC_BREAKDOWN_RETAINER);
    else if (length > 2 && memcmp(text, "0x", 2) == 0 && read_address(text, length, &address))
        set_breakdown(s, &profile->kind, HECTIC_BREAKDOWN_INFO_TABLE);
}

static uint32_t make_node(hectic_heap_samples *s, enum heap_bands_kind what, const uint8_t *bytes,
                          uint32_t length)
{
    const uint32_t node = what == HEAP_BANDS_STACK
                              ? node_of_stack(s, (hectic_numbers){bytes, length / 4})
                              : node_of_label(s, what, bytes, length);
    if (node == UINT32_MAX) return node;
    const uint32_t symbol = hectic_stacks_nodes(s->stacks)[node].symbol;
    /* A definition to come would give it a module. */
    const bool is_preliminary = s->options.group == HECTIC_BANDS_BY_MODULE &&
                                hectic_symbols_get(s->symbols, symbol).kind != HECTIC_SYMBOL_LABEL;
    if (!is_preliminary) heap_bands_add(&s->bands, what, bytes, length, node);
    return node;
}

static bool take_band(hectic_heap_samples *s, uint8_t number, enum heap_bands_kind what,
                      const uint8_t *bytes, uint32_t length, uint64_t residency)
{
    s->events++;
    struct open_sample *o = s->current[number];
    if ((!o || o->is_closed) && !find_sample(s, number, &o)) return false;
    if (!o) return s->warnings.outside++, true;
    o->recent = s->events;
    struct profile *profile = profile_of(s, number);
    if (!profile) return s->warnings.outside++, s->profiles == PROFILES_MAX;
    if (!profile->is_inferred) infer(s, profile, what, bytes, length);
    if (what == HEAP_BANDS_LABEL && profile->kind.breakdown == HECTIC_BREAKDOWN_INFO_TABLE)
        what = HEAP_BANDS_ADDRESS;
    if (what == HEAP_BANDS_LABEL && profile->kind.breakdown == HECTIC_BREAKDOWN_RETAINER) {
        const uint32_t id = (uint32_t)id_length(bytes, length);
        bytes += id;
        length -= id;
    }
    uint32_t node;
    if (!heap_bands_find(&s->bands, what, bytes, length, &node))
        node = make_node(s, what, bytes, length);
    return add_band(s, o, node, residency);
}

/* --- Events ---------------------------------------------------------------------------------- */

static bool take_definition(hectic_heap_samples *s, const hectic_event *event)
{
    if (event->type != HECTIC_EVENT_HEAP_PROF_BEGIN) return hectic_symbols_event(s->symbols, event);
    return define_profile(s, event);
}

bool hectic_heap_samples_event(hectic_heap_samples *s, const hectic_event *event)
{
    hectic_event replayed;
    hectic_event_heap_prof_sample_string label;
    hectic_event_heap_prof_sample_cost_centre stack;
    hectic_event_heap_prof_sample_begin begin;
    hectic_event_heap_bio_prof_sample_begin bio;
    switch (event->type) {
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_STRING:
        if (!hectic_read_heap_prof_sample_string(event, &label)) break;
        return take_band(s, label.profile, HEAP_BANDS_LABEL, label.label.bytes,
                         (uint32_t)label.label.length, label.residency);
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_COST_CENTRE:
        if (!hectic_read_heap_prof_sample_cost_centre(event, &stack)) break;
        return take_band(s, stack.profile, HEAP_BANDS_STACK, stack.stack.bytes,
                         4 * stack.stack.count, stack.residency);
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN:
        if (!hectic_read_heap_prof_sample_begin(event, &begin)) break;
        return begin_sample(s, event->time, begin.era, false);
    case HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN:
        if (!hectic_read_heap_bio_prof_sample_begin(event, &bio)) break;
        return begin_sample(s, bio.sample_time, bio.era, true);
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_END: return end_sample(s);
    case HECTIC_EVENT_SYNC:
        return !hectic_read_replayed(event, &replayed) || take_definition(s, &replayed);
    default: return take_definition(s, event);
    }
    s->warnings.malformed++;
    leave_out(s, 0); /* it may have been a band of any of them */
    return true;
}

/* --- Answers --------------------------------------------------------------------------------- */

hectic_heap_warnings hectic_heap_samples_warnings(const hectic_heap_samples *s)
{
    hectic_heap_warnings warnings = s->warnings;
    warnings.incomplete += count_open(s, false) + count_open(s, true);
    return warnings;
}

const hectic_symbols *hectic_heap_samples_symbols(const hectic_heap_samples *s)
{
    return s->symbols;
}

const hectic_stacks *hectic_heap_samples_stacks(const hectic_heap_samples *s)
{
    return s->stacks;
}
