/* condition.c — see condition.h. */
#include "query/condition.h"

#include "query/times.h"
#include "tables/cells.h"

#include <hectic/server.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Names ----------------------------------------------------------------------------------- */

/* A name in parts: span, request, p99. Of one without a key, only `last`. */
struct parts {
    char first[NUMBER_NAME_MAX], key[NUMBER_NAME_MAX], last[NUMBER_NAME_MAX];
    enum number_key by;
};

/* The length of the name at the beginning: up to an operator outside of quotes. */
static size_t name_length(const char *text)
{
    size_t i = 0;
    bool is_quoted = false;
    for (; text[i]; i++) {
        if (text[i] == '"') is_quoted = !is_quoted;
        if (is_quoted && text[i] == '\\' && text[i + 1]) i++;
        if (!is_quoted && strchr("<>=!", text[i])) break;
    }
    return i;
}

static bool is_index(const char *key)
{
    const size_t digits = strspn(key, "0123456789");
    return digits > 0 && digits <= 10 && !key[digits] && (*key != '0' || digits == 1);
}

/* Reads ("request") or [0]. Returns what follows; NULL: it is neither. */
static const char *read_key(struct parts *parts, const char *text)
{
    const char *const end = *text == '(' ? "\")" : "]";
    char *out = parts->key;
    parts->by = *text == '(' ? BY_TEXT : BY_INDEX;
    if (parts->by == BY_TEXT && text[1] != '"') return NULL;
    text += parts->by == BY_TEXT ? 2 : 1;
    for (; *text && *text != *end; text++) {
        if (*text == '\\' && text[1]) text++;
        *out++ = *text;
    }
    *out = 0;
    if (parts->by == BY_INDEX && !is_index(parts->key)) return NULL;
    return strncmp(text, end, strlen(end)) == 0 ? text + strlen(end) : NULL;
}

static bool split(struct parts *parts, const char *name)
{
    const size_t length = strcspn(name, "([");
    *parts = (struct parts){.by = BY_NONE};
    if (!name[length]) return strcpy(parts->last, name), true;
    memcpy(parts->first, name, length);
    const char *rest = read_key(parts, name + length);
    if (!rest || *rest != '.') return false;
    strcpy(parts->last, rest + 1);
    return true;
}

static bool is_same(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((a[i] == '.' ? '_' : a[i]) != (b[i] == '.' ? '_' : b[i])) return false;
    return true;
}

/* 0: the name is not that of the word; 1: it ends like it; 2: it is it. */
static int match_length(const char *name, size_t length, const char *word)
{
    const size_t size = strlen(word);
    if (size == 0 || size > length || !is_same(name + length - size, word, size)) return 0;
    if (size == length) return 2;
    return strchr("._", name[length - size - 1]) ? 1 : 0;
}

static int match(const char *name, const char *word)
{
    const int whole = match_length(name, strlen(name), word);
    const int bare = match_length(name, column_bare_length(name), word);
    return whole > bare ? whole : bare;
}

/* How well a source's name fits the first part. */
static int match_first(const struct number_source *source, const struct parts *parts)
{
    if (source->by != parts->by) return 0;
    return source->by == BY_NONE ? 2 : match(source->first, parts->first);
}

struct search {
    const struct parts *parts;
    struct condition *condition;
    int best;     /* how well the names that were found match */
    size_t found; /* how many match as well */
    char *names;  /* these, up to NUMBER_NAME_MAX */
};

/* `last` is the last part of the number's name, `path` that without the key. */
static void consider(void *user, const struct number_source *source, const char *path,
                     const char *last, hectic_column_kind kind)
{
    struct search *search = user;
    struct condition *condition = search->condition;
    const int how = match(path, search->parts->last);
    if (how == 0 || how < search->best) return;
    search->found = how > search->best ? 1 : search->found + 1;
    search->best = how;
    const size_t used = search->found == 1 ? 0 : strlen(search->names);
    snprintf(search->names + used, NUMBER_NAME_MAX - used, "%s%s", used ? ", " : "", path);
    condition->source = source;
    condition->kind = kind;
    number_name(condition->name, source, search->parts->key, last);
}

/* Calls `take` for all numbers of a source: with the last part of the name, and what number_name
 * makes of it. */
static void each_number(const struct number_source *source, void *user,
                        void (*take)(void *user, const struct number_source *source,
                                     const char *path, const char *last, hectic_column_kind kind))
{
    char path[NUMBER_NAME_MAX];
    hectic_column column = {.size = sizeof column};
    /* The first part of threads.running is looked for, too. */
    const char *first = source->by == BY_NONE ? source->first : "";
    for (size_t i = 0; source->state && source->states(i); i++) {
        snprintf(path, sizeof path, "states.%s_ns", source->states(i));
        take(user, source, path, source->states(i), HECTIC_COLUMN_NS);
    }
    for (size_t i = 0; !source->state && number_source_column(source, i, &column); i++) {
        snprintf(path, sizeof path, "%s%s%s", first, *first ? "." : "", column.name);
        take(user, source, path, column.name, column.kind);
    }
    snprintf(path, sizeof path, "%s%s%s", first, *first ? "." : "",
             source->count ? source->count : "");
    if (source->count) take(user, source, path, source->count, HECTIC_COLUMN_COUNT);
}

static void search_source(struct search *search, const struct number_source *source)
{
    if (match_first(source, search->parts) > 0) each_number(source, search, consider);
}

/* Is the name in quotes one of those that there are? If there may be any, a log says that. */
static bool has_key(const struct number_source *source, const char *key)
{
    size_t i = 0;
    while (source->keys && source->keys(i) && strcmp(source->keys(i), key) != 0)
        i++;
    return !source->keys || source->keys(i);
}

/* `room` has the name, and gets the part that is wrong, or the names that are meant if there are
 * several. */
static enum condition_error find_name(struct condition *condition, char room[NUMBER_NAME_MAX])
{
    struct parts parts;
    char names[NUMBER_NAME_MAX] = "";
    struct search search = {.parts = &parts, .condition = condition, .names = names};
    if (!split(&parts, room)) return CONDITION_SYNTAX;
    for (const struct number_source *source = number_sources; source->table; source++)
        search_source(&search, source);
    if (search.found == 0) return CONDITION_NAME;
    if (search.found == 1 && has_key(condition->source, parts.key)) return CONDITION_OK;
    memcpy(room, search.found == 1 ? parts.key : names, NUMBER_NAME_MAX);
    return search.found == 1 ? CONDITION_KEY : CONDITION_AMBIGUOUS;
}

struct names {
    void (*take)(void *user, const char *name);
    void *user;
};

static void take_name(void *user, const struct number_source *source, const char *path,
                      const char *last, hectic_column_kind kind)
{
    static const char *const keys[] = {"", "[0].", "(\"...\")."};
    const struct names *names = user;
    char name[2 * NUMBER_NAME_MAX];
    (void)last;
    (void)kind;
    snprintf(name, sizeof name, "%s%s%.*s", source->by == BY_NONE ? "" : source->first,
             keys[source->by], (int)column_bare_length(path), path);
    names->take(names->user, name);
}

void condition_names(void (*take)(void *user, const char *name), void *user)
{
    struct names names = {take, user};
    for (const struct number_source *source = number_sources; source->table; source++)
        each_number(source, &names, take_name);
}

void condition_keys(const struct condition *condition, void (*take)(void *user, const char *name),
                    void *user)
{
    for (size_t i = 0; condition->source->keys(i); i++)
        take(user, condition->source->keys(i));
}

/* --- Values ---------------------------------------------------------------------------------- */

static bool is_of_bytes(const struct condition *condition)
{
    return condition->kind == HECTIC_COLUMN_BYTES ||
           (condition->kind == HECTIC_COLUMN_REAL && strstr(condition->name, "bytes")) ||
           condition->kind == HECTIC_COLUMN_GROWTH;
}

static bool is_of_time(const struct condition *condition)
{
    return condition->kind == HECTIC_COLUMN_NS || condition->kind == HECTIC_COLUMN_TIME;
}

static bool is_part(const struct condition *condition)
{
    return (condition->kind == HECTIC_COLUMN_REAL && !is_of_bytes(condition)) ||
           condition->kind == HECTIC_COLUMN_SHARE;
}

/* 0: numbers of this kind have no such unit. */
static double unit_size(const struct condition *condition, const char *unit)
{
    char one[16];
    uint64_t size;
    snprintf(one, sizeof one, "1%s", unit);
    const bool is_unit = (is_of_time(condition) && time_parse(one, &size)) ||
                         (is_of_bytes(condition) && hectic_size_parse(one, &size));
    return is_unit ? (double)size : 0;
}

/* The size of a unit that suits the number. `exact`: the name has its unit, so the value needs
 * none. */
static bool find_unit(struct condition *condition, const char *unit, bool exact)
{
    snprintf(condition->unit, sizeof condition->unit, "%s", unit);
    condition->is_part = condition->is_change && strcmp(unit, "%") == 0;
    condition->unit_size = 1;
    if (strcmp(unit, "%") == 0) {
        condition->unit_size = 0.01;
        return condition->is_change || is_part(condition);
    }
    if (!*unit)
        return condition->bound == 0 || exact ||
               !(is_of_time(condition) || condition->kind == HECTIC_COLUMN_BYTES);
    condition->unit_size = unit_size(condition, unit);
    return condition->unit_size > 0;
}

/* Reads a decimal number. Returns what follows; NULL: there is none. */
static const char *read_decimal(const char *text, double *number)
{
    double whole = 0, power = 1;
    const char *start = text;
    for (; isdigit((unsigned char)*text); text++)
        whole = whole * 10 + (*text - '0');
    if (text == start) return NULL;
    if (*text == '.')
        for (text++; isdigit((unsigned char)*text); text++, power *= 10)
            whole = whole * 10 + (*text - '0');
    *number = whole / power;
    return isfinite(whole) && isfinite(power) ? text : NULL;
}

static enum condition_error read_value(struct condition *condition, const char *text, bool exact)
{
    const bool is_negative = *text == '-';
    condition->is_change = is_negative || *text == '+';
    const char *unit = read_decimal(text + condition->is_change, &condition->bound);
    if (!unit) return CONDITION_VALUE;
    unit += strspn(unit, " \t");
    if (isdigit((unsigned char)*unit)) return CONDITION_VALUE;
    if (strlen(unit) >= sizeof condition->unit || !find_unit(condition, unit, exact))
        return CONDITION_UNIT;
    condition->bound *= is_negative ? -condition->unit_size : condition->unit_size;
    return CONDITION_OK;
}

/* --- Conditions ------------------------------------------------------------------------------ */

static const struct {
    const char *text;
    enum condition_operator op;
} operators[] = {
    {"<=", CONDITION_AT_MOST}, {">=", CONDITION_AT_LEAST}, {"==", CONDITION_EQUAL},
    {"!=", CONDITION_UNEQUAL}, {"<", CONDITION_LESS},      {">", CONDITION_MORE},
    {"=", CONDITION_EQUAL},
};

/* Returns what follows the operator; NULL: there is none. */
static const char *read_operator(struct condition *condition, const char *text)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const size_t length = strlen(operators[i].text);
        if (strncmp(text, operators[i].text, length) != 0) continue;
        condition->op = operators[i].op;
        return text + length;
    }
    return NULL;
}

bool condition_may_be(const char *text)
{
    return text[name_length(text)] != 0;
}

/* Copies a part of a text without blanks at its ends. False: it is too long. */
static bool copy_part(char room[NUMBER_NAME_MAX], const char *text, size_t length)
{
    while (length > 0 && isspace((unsigned char)*text))
        text++, length--;
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    const size_t copied = length < NUMBER_NAME_MAX ? length : NUMBER_NAME_MAX - 1;
    memcpy(room, text, copied);
    room[copied] = 0;
    return copied == length;
}

enum condition_error condition_parse(struct condition *condition, const char *text,
                                     char room[NUMBER_NAME_MAX])
{
    const size_t length = name_length(text);
    *condition = (struct condition){.text = strdup(text)};
    if (!condition->text) return CONDITION_NO_MEMORY;
    const char *value = read_operator(condition, text + length);
    if (!copy_part(room, text, length) || !value) return CONDITION_SYNTAX;
    const bool exact = column_bare_length(room) < strlen(room);
    const enum condition_error error = find_name(condition, room);
    if (error != CONDITION_OK) return error;
    if (!copy_part(room, value, strlen(value))) return CONDITION_VALUE;
    return read_value(condition, room, exact);
}

void condition_clear(struct condition *condition)
{
    free(condition->text);
    condition->text = NULL;
}

const char *condition_error_text(enum condition_error error)
{
    static const char *const texts[] = {
        [CONDITION_OK] = "",
        [CONDITION_NO_MEMORY] = "out of memory",
        [CONDITION_SYNTAX] = "a name, one of < <= > >= = !=, and a value are expected",
        [CONDITION_NAME] = "there is no number of this name",
        [CONDITION_AMBIGUOUS] = "several numbers end like this",
        [CONDITION_KEY] = "there is none of this name",
        [CONDITION_VALUE] = "this value is no number",
        [CONDITION_UNIT] = "this value lacks a unit, or its unit is of another kind",
    };
    return texts[error];
}

bool condition_holds(const struct condition *condition, double value)
{
    switch (condition->op) {
    case CONDITION_LESS: return value < condition->bound;
    case CONDITION_AT_MOST: return value <= condition->bound;
    case CONDITION_MORE: return value > condition->bound;
    case CONDITION_AT_LEAST: return value >= condition->bound;
    case CONDITION_EQUAL: return value == condition->bound;
    case CONDITION_UNEQUAL: return value != condition->bound;
    }
    return false;
}

static int side(double value, double bound)
{
    return (value > bound) - (value < bound);
}

/* Without an exponent, and without zeros at the end. */
static void put_digits(char out[32], double number, int digits)
{
    const bool is_small = fabs(number) < 1;
    snprintf(out, 32, is_small ? "%.*g" : "%.*f", digits, number);
    if (!strchr(out, '.') || strchr(out, 'e')) return;
    char *end = out + strlen(out);
    while (end[-1] == '0')
        *--end = 0;
    if (end[-1] == '.') end[-1] = 0;
}

struct unit {
    const char *name;
    double size;
};

/* Of the same kind as that of the condition, the largest unit that the value has at least once, if
 * the value is far from that of the condition. */
static struct unit unit_for(const struct condition *condition, double value)
{
    static const char *const names[][7] = {
        {"ns", "us", "ms", "s", "m", "h"}, {"B", "KB", "MB", "GB"}, {"B", "KiB", "MiB", "GiB"}};
    const size_t kind = is_of_time(condition) ? 0 : strchr(condition->unit, 'i') ? 2 : 1;
    const double scaled = fabs(value) / condition->unit_size;
    const bool has_unit = *condition->unit && *condition->unit != '%';
    struct unit best = {condition->unit, condition->unit_size};
    if (value == 0 || (scaled >= 0.01 && scaled < 1e4) || !has_unit) return best;
    for (const char *const *name = names[kind]; *name; name++) {
        const struct unit unit = {*name, unit_size(condition, *name)};
        if (unit.size <= fabs(value)) best = unit;
    }
    return best;
}

void condition_value(char out[CONDITION_VALUE_MAX], const struct condition *condition, double value)
{
    const struct unit unit = unit_for(condition, value);
    const double scaled = value / unit.size, bound = condition->bound;
    const char *sign = condition->is_change ? "+" : "";
    char number[32];
    for (int digits = 3; digits <= 12; digits++) {
        put_digits(number, fabs(scaled) < 1e15 ? scaled : copysign(1e15, scaled), digits);
        const double shown = strtod(number, NULL) * unit.size;
        if (side(shown, bound) == side(value, bound)) break;
    }
    snprintf(out, CONDITION_VALUE_MAX, "%s%s%s", *number == '-' ? "" : sign, number, unit.name);
}
