/* match.c — see match.h. */
#include "view/engine/match.h"

#include "render/renderer.h"
#include "view/engine/regex.h"

#include <stdlib.h>
#include <string.h>

enum {
    TEXT_MAX = 256, /* bytes of a pattern */
    PARTS_MAX = 16,
};

/* Letters that each matching text contains, in lower case. */
struct part {
    char letters[TEXT_MAX];
    size_t length;
};

struct match {
    bool has_case;
    char text[TEXT_MAX]; /* in lower case, unless has_case */
    size_t length;
    struct regex *regex; /* NULL: it is a text */
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

/* The letters that each match of the regular expression contains. */
static void find_regex_parts(struct match *m)
{
    for (size_t i = 0; i < regex_places(m->regex); i++) {
        const uint32_t c = regex_required(m->regex, i);
        if (c < 128 && is_letter((char)c))
            add_letter(m, (char)c);
        else
            end_part(m);
    }
    end_part(m);
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
    if (is_regex) m->regex = regex_new(text, has_case, problem);
    if (m->regex)
        find_regex_parts(m);
    else
        find_parts(m, text);
    if (!*problem) return m;
    match_free(m);
    return NULL;
}

void match_free(struct match *m)
{
    if (!m) return;
    regex_free(m->regex);
    free(m);
}

bool match_text(const struct match *m, const char *text, size_t length, uint64_t *steps)
{
    if (!m->regex) return contains(text, length, m->text, m->length, m->has_case);
    for (size_t i = 0; i < m->parts; i++)
        if (!contains(text, length, m->part[i].letters, m->part[i].length, false)) return false;
    return regex_find(m->regex, text, length, steps);
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
