/* regex.c — see regex.h. An expression is compiled to a nondeterministic automaton, a program. A
 * search is in all states of the automaton at once that the text so far allows: it reads each
 * character once. */
#include "view/engine/regex.h"

#include "render/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLACES_MAX = 2048, /* of a program: repetitions are copies */
    SETS_MAX = 128,
    RANGES_MAX = 256,
    DEPTH_MAX = 128, /* of groups */
    MANY = PLACES_MAX,
    ASCII = 128,
    BAD_BYTES = 0x110000, /* a byte that is not UTF-8: this and the byte */
    LAST = BAD_BYTES + 0xff,
};

enum operation {
    IS_CHARACTER, /* the next character is `value`: continue at the next place */
    IS_IN_SET,    /* the same, for a set */
    IS_ANY,
    SPLIT, /* continue at the next place, and at a distance */
    JUMP,  /* continue at a distance */
    IS_BEGIN,
    IS_END,
    IS_EDGE, /* of a word */
    IS_NO_EDGE,
    IS_MATCH,
};

/* Distances are relative, so that a part of a program can be moved and copied. */
struct place {
    enum operation operation;
    int distance;
    uint32_t value; /* a character, or the index of a set */
};

struct set {
    bool is_negated;
    bool ascii[ASCII];
    size_t begin, end; /* in the ranges: the others */
};

struct regex {
    bool has_case;
    size_t places, sets, ranges;
    struct place place[PLACES_MAX];
    struct set set[SETS_MAX];
    struct {
        uint32_t first, last;
    } range[RANGES_MAX];
    bool begins[ASCII]; /* may a match begin with it, after the beginning of the text? */
    /* A search: places to go on from at a character, and those after it. */
    size_t active, next;
    uint16_t active_place[PLACES_MAX], next_place[PLACES_MAX];
    size_t visited[PLACES_MAX]; /* the last character for which it was active, from 1 */
};

/* --- Characters ------------------------------------------------------------------------------ */

static uint32_t lower(uint32_t c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(uint32_t c)
{
    return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '_';
}

static uint32_t decode(const char *text, size_t length, size_t *size)
{
    const uint8_t *bytes = (const uint8_t *)text;
    const uint32_t c = decode_utf8(bytes, length, size);
    return c == BAD_CHARACTER ? (uint32_t)BAD_BYTES + bytes[0] : c;
}

static bool is_in_set(const struct regex *r, const struct set *set, uint32_t c)
{
    bool is_in = c < ASCII && set->ascii[c];
    for (size_t i = set->begin; i < set->end && c >= ASCII && !is_in; i++)
        is_in = c >= r->range[i].first && c <= r->range[i].last;
    return is_in != set->is_negated;
}

/* --- Compiling: programs --------------------------------------------------------------------- */

struct parser {
    struct regex *regex;
    const char *at;
    size_t depth;
    const char *problem;
};

static void fail(struct parser *p, const char *problem)
{
    if (!p->problem) p->problem = problem;
}

/* Inserts a place before others, or at the end. */
static void insert(struct parser *p, size_t at, struct place place)
{
    struct regex *r = p->regex;
    if (r->places == PLACES_MAX) fail(p, "the regular expression repeats too much");
    if (p->problem) return;
    memmove(&r->place[at + 1], &r->place[at], (r->places - at) * sizeof place);
    r->place[at] = place;
    r->places++;
}

static void append(struct parser *p, enum operation operation, uint32_t value)
{
    insert(p, p->regex->places, (struct place){operation, 0, value});
}

static void append_jump(struct parser *p, enum operation operation, size_t to)
{
    const size_t at = p->regex->places;
    insert(p, at, (struct place){operation, (int)to - (int)at, 0});
}

/* Repeats the part of the program from `begin` on. */
static void repeat(struct parser *p, size_t begin, size_t least, size_t most)
{
    struct regex *r = p->regex;
    const size_t length = r->places - begin, copies = most < MANY ? most : least > 0 ? least : 1;
    if (length == 0) return;
    for (size_t i = 1; i < copies && !p->problem; i++)
        for (size_t k = 0; k < length; k++)
            insert(p, r->places, r->place[begin + k]);
    if (most == 0) r->places = begin;
    if (most == MANY) append_jump(p, SPLIT, r->places - length); /* the last copy again */
    for (size_t i = copies; i > least; i--)
        insert(p, begin + (i - 1) * length, (struct place){SPLIT, (int)length + 1, 0});
}

/* --- Compiling: the syntax ------------------------------------------------------------------- */

static size_t read_number(const char **at)
{
    size_t number = 0;
    for (; is_digit((uint8_t) * *at); (*at)++)
        number = number < MANY ? 10 * number + (size_t)(**at - '0') : MANY;
    return number;
}

/* The end of a repetition; NULL: there is none. */
static const char *read_repetition(const char *at, size_t *least, size_t *most)
{
    *least = *at == '+';
    *most = *at == '?' ? 1 : MANY;
    if (*at == '*' || *at == '+' || *at == '?') return at + 1;
    if (*at != '{' || !is_digit((uint8_t)at[1])) return NULL;
    at++;
    *most = *least = read_number(&at);
    if (*at == ',') {
        at++;
        *most = is_digit((uint8_t)*at) ? read_number(&at) : MANY;
    }
    return *at == '}' ? at + 1 : NULL;
}

/* Of the part of the program from `begin` on. The shortest match is a match, too. */
static void parse_repetition(struct parser *p, size_t begin, bool may_repeat)
{
    size_t least, most, again;
    const char *end = read_repetition(p->at, &least, &most);
    if (!end) return;
    const bool is_large = least >= MANY || (most >= MANY && end[-1] == '}' && end[-2] != ',');
    if (is_large) fail(p, "the regular expression repeats too much");
    if (most < least) fail(p, "a repetition is from a number to a smaller one");
    p->at = *end == '?' ? end + 1 : end;
    if (!may_repeat || read_repetition(p->at, &again, &again))
        fail(p, "there is nothing to repeat");
    if (!p->problem) repeat(p, begin, least, most);
}

static void add_range(struct parser *p, struct set *set, uint32_t first, uint32_t last)
{
    struct regex *r = p->regex;
    if (first > last) fail(p, "a range in [] is from a character to a smaller one");
    for (uint32_t c = first; c <= last && c < ASCII; c++)
        set->ascii[r->has_case ? c : lower(c)] = true;
    if (p->problem || last < ASCII) return;
    if (r->ranges == RANGES_MAX) {
        fail(p, "the regular expression is too large");
        return;
    }
    r->range[r->ranges].first = first > ASCII ? first : ASCII;
    r->range[r->ranges++].last = last;
    set->end = r->ranges;
}

/* Adds \d, [:alpha:], and so on; or all others. */
static void add_named(struct parser *p, struct set *set, const char *name, size_t length,
                      bool others)
{
    static const struct {
        const char *name;
        size_t size;
        const char *range;
    } names[] = {
        {"d", 2, "09"},         {"w", 8, "09AZaz__"},
        {"s", 4, "\t\r  "},     {"digit", 2, "09"},
        {"space", 4, "\t\r  "}, {"alpha", 4, "AZaz"},
        {"alnum", 6, "09AZaz"}, {"upper", 2, "AZ"},
        {"lower", 2, "az"},     {"punct", 8, "!/:@[`{~"},
        {"blank", 4, "\t\t  "}, {"xdigit", 6, "09AFaf"},
        {"graph", 2, "!~"},     {"cntrl", 4, "\0\37\177\177"},
        {"print", 2, " ~"},
    };
    struct set named = {0};
    size_t i = 0;
    while (i < sizeof names / sizeof *names &&
           (strlen(names[i].name) != length || memcmp(names[i].name, name, length) != 0))
        i++;
    if (i == sizeof names / sizeof *names) {
        fail(p, "an escape or a class [: :] is not supported");
        return;
    }
    for (size_t k = 0; k < names[i].size; k += 2)
        add_range(p, &named, (uint8_t)names[i].range[k], (uint8_t)names[i].range[k + 1]);
    for (size_t c = 0; c < ASCII; c++)
        set->ascii[c] |= named.ascii[c] != others;
    if (others) add_range(p, set, ASCII, LAST);
}

/* A set to which characters are added before there is another one. */
static struct set *append_set(struct parser *p)
{
    struct regex *r = p->regex;
    if (r->sets == SETS_MAX) fail(p, "the regular expression is too large");
    if (p->problem) return NULL;
    struct set *set = &r->set[r->sets];
    *set = (struct set){.begin = r->ranges, .end = r->ranges};
    append(p, IS_IN_SET, (uint32_t)r->sets++);
    return set;
}

/* \d and so on. False: it is another escape. */
static bool is_named(const char *at)
{
    return at[0] == '\\' && at[1] && strchr("dwsDWS", at[1]);
}

static void add_escape(struct parser *p, struct set *set)
{
    const char name = (char)lower((uint8_t)p->at[1]);
    if (set) add_named(p, set, &name, 1, p->at[1] != name);
    p->at += 2;
}

/* A character, or an escape that is one. */
static uint32_t read_character(struct parser *p)
{
    size_t size;
    if (*p->at == '\\') {
        const uint8_t c = (uint8_t) * ++p->at;
        p->at += c != 0;
        if (c == 't') return '\t';
        if (c == 'n') return '\n';
        if (c == 0 || c >= ASCII || (is_word(c) && c != '_'))
            fail(p, "an escape is not supported: only \\d \\w \\s \\D \\W \\S \\b \\B \\t \\n and "
                    "signs");
        return c;
    }
    const uint32_t c = decode(p->at, strlen(p->at), &size);
    p->at += size;
    return c;
}

/* A class, a range or a character in []. */
static void parse_item(struct parser *p, struct set *set)
{
    if (is_named(p->at)) {
        add_escape(p, set);
        return;
    }
    if (p->at[0] == '[' && p->at[1] == ':') {
        const char *name = p->at + 2, *end = strstr(name, ":]");
        if (end) add_named(p, set, name, (size_t)(end - name), false);
        if (!end) fail(p, "a [: has no :]");
        if (end) p->at = end + 2;
        return;
    }
    if (p->at[0] == '[' && (p->at[1] == '.' || p->at[1] == '='))
        fail(p, "[. and [= are not supported in []");
    const uint32_t first = read_character(p);
    const bool is_range = p->at[0] == '-' && p->at[1] && p->at[1] != ']';
    p->at += is_range;
    add_range(p, set, first, is_range ? read_character(p) : first);
}

static void parse_set(struct parser *p)
{
    struct set *set = append_set(p);
    if (!set) return;
    p->at++;
    set->is_negated = *p->at == '^';
    p->at += set->is_negated;
    do { /* a ] at the beginning is a character */
        if (!*p->at) fail(p, "a [ has no ]");
        if (!p->problem) parse_item(p, set);
    } while (!p->problem && *p->at != ']');
    p->at += !p->problem;
}

static void parse_alternatives(struct parser *p);

static void parse_group(struct parser *p)
{
    p->at++;
    if (p->at[0] == '?' && p->at[1] != ':') fail(p, "(? is not supported, except (?:");
    if (p->at[0] == '?' && !p->problem) p->at += 2;
    if (++p->depth > DEPTH_MAX) fail(p, "the regular expression has too many groups in groups");
    if (!p->problem) parse_alternatives(p);
    if (*p->at != ')') fail(p, "a ( has no )");
    p->depth--;
    p->at += !p->problem;
}

/* Returns whether it may be repeated. */
static bool parse_atom(struct parser *p)
{
    static const struct {
        const char *text;
        enum operation operation;
    } simple[] = {
        {".", IS_ANY}, {"^", IS_BEGIN}, {"$", IS_END}, {"\\b", IS_EDGE}, {"\\B", IS_NO_EDGE},
    };
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++) {
        const size_t length = strlen(simple[i].text);
        if (strncmp(p->at, simple[i].text, length) != 0) continue;
        append(p, simple[i].operation, 0);
        p->at += length;
        return simple[i].operation == IS_ANY;
    }
    if (*p->at == '(')
        parse_group(p);
    else if (*p->at == '[')
        parse_set(p);
    else if (is_named(p->at))
        add_escape(p, append_set(p));
    else {
        const uint32_t c = read_character(p);
        append(p, IS_CHARACTER, p->regex->has_case ? c : lower(c));
    }
    return true;
}

static void parse_sequence(struct parser *p)
{
    size_t least, most;
    while (!p->problem && *p->at && *p->at != '|' && *p->at != ')') {
        const size_t begin = p->regex->places;
        if (read_repetition(p->at, &least, &most)) fail(p, "there is nothing to repeat");
        const bool may_repeat = !p->problem && parse_atom(p);
        if (!p->problem) parse_repetition(p, begin, may_repeat);
    }
}

/* Each but the last begins with a split to the next, and ends with a jump to the end. Until the end
 * is known, a jump has the distance from the one before. */
static void parse_alternatives(struct parser *p)
{
    struct regex *r = p->regex;
    size_t begin = r->places, jump = SIZE_MAX;
    for (parse_sequence(p); !p->problem && *p->at == '|'; parse_sequence(p)) {
        p->at++;
        insert(p, begin, (struct place){SPLIT, (int)(r->places - begin) + 2, 0});
        const size_t before = jump;
        jump = r->places;
        append_jump(p, JUMP, before == SIZE_MAX ? jump : before);
        begin = r->places;
    }
    while (!p->problem && jump != SIZE_MAX) {
        const int back = r->place[jump].distance;
        r->place[jump].distance = (int)(r->places - jump);
        jump = back == 0 ? SIZE_MAX : jump - (size_t)-back;
    }
}

/* --- Searching ------------------------------------------------------------------------------- */

enum { NO_CHARACTER = LAST + 1 };

static void activate(struct regex *r, size_t place, size_t number)
{
    if (r->visited[place] == number) return;
    r->visited[place] = number;
    r->active_place[r->active++] = (uint16_t)place;
}

/* Does a character, or an edge between two, allow to continue at the next place? */
static bool holds(const struct regex *r, const struct place *place, uint32_t before, uint32_t c)
{
    switch (place->operation) {
    case IS_CHARACTER: return c == place->value;
    case IS_IN_SET: return c != NO_CHARACTER && is_in_set(r, &r->set[place->value], c);
    case IS_ANY: return c != NO_CHARACTER;
    case IS_BEGIN: return before == NO_CHARACTER;
    case IS_END: return c == NO_CHARACTER;
    case IS_EDGE: return is_word(before) != is_word(c);
    case IS_NO_EDGE: return is_word(before) == is_word(c);
    default: return true;
    }
}

/* Goes on from all places by a character, whose number is from 1. True: there is a match before
 * it. */
static bool step(struct regex *r, size_t number, uint32_t before, uint32_t c, uint64_t *steps)
{
    r->active = 0;
    for (size_t i = 0; i < r->next; i++)
        activate(r, r->next_place[i], number);
    activate(r, 0, number); /* a match may begin here */
    r->next = 0;
    while (r->active > 0 && *steps > 0) {
        const size_t at = r->active_place[--r->active];
        const struct place *place = &r->place[at];
        --*steps;
        if (place->operation == IS_MATCH) return true;
        if (!holds(r, place, before, c)) continue;
        if (place->operation <= IS_ANY)
            r->next_place[r->next++] = (uint16_t)(at + 1);
        else if (place->operation != JUMP)
            activate(r, at + 1, number);
        if (place->distance != 0) activate(r, (size_t)((ptrdiff_t)at + place->distance), number);
    }
    return false;
}

bool regex_find(struct regex *r, const char *text, size_t length, uint64_t *steps)
{
    uint32_t before = NO_CHARACTER;
    r->next = 0;
    memset(r->visited, 0, r->places * sizeof *r->visited);
    for (size_t at = 0, size = 1; *steps > 0; at += size) {
        uint32_t c = at < length ? decode(text + at, length - at, &size) : NO_CHARACTER;
        if (!r->has_case) c = lower(c);
        const bool is_skipped = r->next == 0 && at > 0 && c < ASCII && !r->begins[c];
        if (!is_skipped && step(r, at + 1, before, c, steps)) return true;
        if (at >= length) break;
        before = c;
    }
    return false;
}

/* Finds the characters with which a match may begin. */
static void find_beginnings(struct regex *r)
{
    size_t number = 0;
    for (uint32_t c = 0; c < ASCII; c++)
        for (unsigned i = 0; i < 2; i++) { /* a letter or none before it */
            uint64_t steps = UINT64_MAX;
            r->next = 0;
            r->begins[c] |= step(r, ++number, i == 0 ? 'a' : ' ', c, &steps) || r->next > 0;
        }
}

/* --- The expression -------------------------------------------------------------------------- */

struct regex *regex_new(const char *pattern, bool has_case, const char **problem)
{
    struct regex *r = calloc(1, sizeof *r);
    if (!r) {
        *problem = "out of memory";
        return NULL;
    }
    struct parser p = {.regex = r, .at = pattern};
    r->has_case = has_case;
    parse_alternatives(&p);
    if (*p.at == ')') fail(&p, "a ) has no (");
    append(&p, IS_MATCH, 0);
    *problem = p.problem;
    if (!p.problem) find_beginnings(r);
    if (!p.problem) return r;
    regex_free(r);
    return NULL;
}

void regex_free(struct regex *r)
{
    free(r);
}

size_t regex_places(const struct regex *r)
{
    return r->places;
}

uint32_t regex_required(const struct regex *r, size_t place)
{
    if (r->place[place].operation != IS_CHARACTER) return 0;
    for (size_t i = 0; i < place; i++) /* does it jump over the place? */
        if (r->place[i].distance > (int)(place - i)) return 0;
    return r->place[place].value;
}
