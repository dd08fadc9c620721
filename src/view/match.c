/* match.c — see match.h. */
#include "view/match.h"

#include "render/renderer.h"

#include <regex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_MAX = 256,     /* bytes of a pattern */
    EXPANSION = 10,     /* times as long: [^[:space:]] for \S */
    COST_MAX = 1 << 14, /* characters of an expression whose repetitions are written out */
    PARTS_MAX = 16,
};

/* Letters that each matching text contains, in lower case. */
struct part {
    char letters[TEXT_MAX];
    size_t length;
};

struct match {
    bool is_regex, has_case;
    char text[TEXT_MAX]; /* in lower case, unless has_case */
    size_t length;
    regex_t regex;
    size_t parts;
    struct part part[PARTS_MAX];
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool contains(const char *text, size_t length, const char *part, size_t size, bool has_case)
{
    for (size_t i = 0; i + size <= length; i++) {
        size_t k = 0;
        while (k < size && (has_case ? text[i + k] : lower(text[i + k])) == part[k])
            k++;
        if (k == size) return true;
    }
    return false;
}

/* --- Parts ----------------------------------------------------------------------------------- */

/* Ends the last part. */
static void end_part(struct match *m)
{
    if (m->parts < PARTS_MAX && m->part[m->parts].length > 0) m->parts++;
}

static void add_letter(struct match *m, char c)
{
    if (m->parts == PARTS_MAX) return;
    struct part *part = &m->part[m->parts];
    part->letters[part->length++] = lower(c);
}

static void find_parts(struct match *m, const char *text)
{
    for (; *text; text++)
        if (is_letter(*text))
            add_letter(m, *text);
        else
            end_part(m);
    end_part(m);
}

/* The end of [...]. */
static const char *skip_bracket(const char *p)
{
    p++;
    if (*p == '^') p++;
    if (*p == ']') p++;
    for (; *p && *p != ']'; p++) {
        if (p[0] != '[' || (p[1] != ':' && p[1] != '.' && p[1] != '=')) continue;
        const char kind = p[1];
        for (p += 2; *p && !(p[0] == kind && p[1] == ']'); p++)
            continue;
        if (*p) p++;
        if (!*p) break;
    }
    return p;
}

/* The letters outside of groups that are not optional, if there are no alternatives. */
static void find_regex_parts(struct match *m, const char *regex)
{
    unsigned depth = 0;
    if (strchr(regex, '|')) return;
    for (const char *p = regex; *p; p++) {
        const bool is_optional = p[1] == '?' || p[1] == '*' || p[1] == '{';
        if (depth == 0 && is_letter(*p) && !is_optional) {
            add_letter(m, *p);
            if (p[1] == '+') end_part(m);
            continue;
        }
        end_part(m);
        if (*p == '(') depth++;
        if (*p == ')' && depth > 0) depth--;
        if (*p == '[') p = skip_bracket(p);
        if (*p == '\\' && p[1]) p++;
        if (!*p) break;
    }
    end_part(m);
}

/* --- Regular expressions --------------------------------------------------------------------- */

struct writer {
    char *out;
    uint64_t cost; /* of repetitions that are inside of each other, at most */
    const char *problem;
};

static void put(struct writer *w, const char *text)
{
    const size_t length = strlen(text);
    memcpy(w->out, text, length);
    w->out += length;
}

static void put_char(struct writer *w, char c)
{
    *w->out++ = c;
}

/* \d and so on. Returns the last character read. */
static const char *put_escape(struct writer *w, const char *p, bool in_bracket)
{
    static const struct {
        char letter;
        const char *inside, *outside;
    } escapes[] = {
        {'d', "0-9", "[0-9]"},
        {'w', "[:alnum:]_", "[[:alnum:]_]"},
        {'s', "[:space:]", "[[:space:]]"},
        {'D', NULL, "[^0-9]"},
        {'W', NULL, "[^[:alnum:]_]"},
        {'S', NULL, "[^[:space:]]"},
        {'t', "\t", "\t"},
        {'n', "\n", "\n"},
    };
    const char c = p[1];
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        const char *text = in_bracket ? escapes[i].inside : escapes[i].outside;
        if (escapes[i].letter != c || !text) continue;
        put(w, text);
        return p + 1;
    }
    const bool is_sign = c && !is_letter(c) && !(c >= '0' && c <= '9') && !(c & 0x80);
    if (!is_sign || (in_bracket && c != '\\')) {
        w->problem = "an escape is not supported: only \\d \\w \\s \\D \\W \\S \\t \\n and signs";
        return p;
    }
    if (!in_bracket) put_char(w, '\\');
    put_char(w, c);
    return p + 1;
}

/* [...]. Returns the last character read. */
static const char *put_bracket(struct writer *w, const char *p)
{
    put_char(w, *p++);
    if (*p == '^') put_char(w, *p++);
    if (*p == ']') put_char(w, *p++);
    for (; *p != ']'; p++) {
        if (!*p) w->problem = "a [ has no ]";
        if (w->problem) return p;
        if (*p == '\\') {
            p = put_escape(w, p, true);
        } else if (*p == '[' && (p[1] == ':' || p[1] == '.' || p[1] == '=')) {
            const char kind = p[1];
            const char *end = p + 2;
            while (*end && !(end[0] == kind && end[1] == ']'))
                end++;
            if (!*end) w->problem = "a [ has no ]";
            if (w->problem) break;
            while (p <= end)
                put_char(w, *p++);
            put_char(w, *p);
        } else {
            put_char(w, *p);
        }
    }
    if (!w->problem) put_char(w, ']');
    return p;
}

static uint64_t number_at(const char **p)
{
    uint64_t number = 0;
    for (; **p >= '0' && **p <= '9'; (*p)++)
        number = number < COST_MAX ? 10 * number + (uint64_t)(**p - '0') : COST_MAX;
    return number;
}

/* {2}, {2,} or {2,5}; or a brace. Returns the last character read. */
static const char *put_repetition(struct writer *w, const char *p)
{
    const char *end = p + 1;
    const uint64_t least = number_at(&end);
    uint64_t most = least;
    const bool has_number = end > p + 1;
    if (*end == ',') {
        end++;
        most = number_at(&end);
        if (most < least) most = least;
    }
    if (!has_number || *end != '}') {
        put(w, "\\{");
        return p;
    }
    w->cost *= most > 0 ? most : 1;
    if (w->cost > COST_MAX) {
        w->problem = "the regular expression repeats too much";
        return p;
    }
    while (p <= end)
        put_char(w, *p++);
    return end;
}

static bool is_repeated(const char *p)
{
    return *p == '*' || *p == '+' || *p == '?';
}

/* Writes an expression as POSIX has it. NULL, or what is wrong. */
static const char *translate(const char *regex, char *out)
{
    struct writer w = {out, strlen(regex) + 1, NULL};
    bool may_repeat = false, has_repeated = false;
    size_t depth = 0;
    for (const char *p = regex; !w.problem && *p; p++) {
        const bool is_repetition = is_repeated(p) || (*p == '{' && p[1] >= '0' && p[1] <= '9');
        if (is_repetition && has_repeated && *p == '?') {
            has_repeated = false; /* the shortest match is a match, too */
            may_repeat = false;
            continue;
        }
        if (is_repetition && !may_repeat) w.problem = "there is nothing to repeat";
        if (*p == '(' && is_repeated(p + 1)) w.problem = "(? is not supported";
        if (*p == ')' && depth == 0) w.problem = "a ) has no (";
        if (w.problem) break;
        depth += *p == '(';
        depth -= *p == ')';
        may_repeat = !is_repetition && *p != '(' && *p != '|' && *p != '^';
        has_repeated = is_repetition;
        if (*p == '\\')
            p = put_escape(&w, p, false);
        else if (*p == '[')
            p = put_bracket(&w, p);
        else if (*p == '{')
            p = put_repetition(&w, p);
        else if (*p == '}')
            put(&w, "\\}");
        else
            put_char(&w, *p);
    }
    *w.out = 0;
    return w.problem ? w.problem : depth > 0 ? "a ( has no )" : NULL;
}

static const char *compile(struct match *m, const char *regex)
{
    char text[EXPANSION * TEXT_MAX + 1];
    static const char *const malformed = "the regular expression is malformed";
    const char *problem = translate(regex, text);
    if (problem) return problem;
    if (!*text) return malformed;
    const int flags = REG_EXTENDED | REG_NOSUB | (m->has_case ? 0 : REG_ICASE);
    const int result = regcomp(&m->regex, text, flags);
    m->is_regex = result == 0;
    if (m->is_regex) find_regex_parts(m, regex);
    return m->is_regex ? NULL : result == REG_ESPACE ? "out of memory" : malformed;
}

/* --- The match ------------------------------------------------------------------------------- */

struct match *match_new(const char *text, bool is_regex, bool has_case, const char **problem)
{
    const size_t length = strlen(text);
    *problem = length == 0 ? "text: is empty" : length >= TEXT_MAX ? "text: is too long" : NULL;
    struct match *m = *problem ? NULL : calloc(1, sizeof *m);
    if (!m) {
        if (!*problem) *problem = "out of memory";
        return NULL;
    }
    m->has_case = has_case;
    m->length = length;
    for (size_t i = 0; i < length; i++)
        m->text[i] = has_case ? text[i] : lower(text[i]);
    if (is_regex)
        *problem = compile(m, text);
    else
        find_parts(m, text);
    if (!*problem) return m;
    match_free(m);
    return NULL;
}

void match_free(struct match *m)
{
    if (!m) return;
    if (m->is_regex) regfree(&m->regex);
    free(m);
}

bool match_text(const struct match *m, char *text, size_t length)
{
    if (!m->is_regex) return contains(text, length, m->text, m->length, m->has_case);
    for (size_t i = 0; i < m->parts; i++)
        if (!contains(text, length, m->part[i].letters, m->part[i].length, false)) return false;
    for (char *nul = text; (nul = memchr(nul, 0, (size_t)(text + length - nul)));)
        *nul = 1; /* for regexec, the end */
    text[length] = 0;
    return regexec(&m->regex, text, 0, NULL, 0) == 0;
}

bool match_types(const struct match *m, const hectic_renderer *renderer,
                 const hectic_header *header, type_set *types)
{
    size_t count;
    const hectic_event_type *type = hectic_header_types(header, &count);
    *types = (type_set){0};
    for (size_t i = 0; i < count; i++) {
        bool may = true;
        for (size_t k = 0; k < m->parts && may; k++)
            may = renderer_may_have(renderer, &type[i], m->part[k].letters, m->part[k].length);
        if (may) type_set_add(types, type[i].number);
    }
    return m->parts > 0;
}
