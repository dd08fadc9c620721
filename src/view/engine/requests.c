/* requests.c — see requests.h. */
#include "view/engine/requests.h"

#include "view/engine/engine.h"

#include <stdio.h>
#include <string.h>

static const struct request_kind kinds[] = {
#define REQUEST(name, how, held, doc) {#name, answer_##name, REQUEST_##how, HELD_##held, {0}},
#define KEY(name, kind, least, most, otherwise, problem, doc)                                      \
    {.key = {#name, KEY_##kind, least, most, otherwise, problem}},
#include "view/engine/requests.def"
};

static const struct request_kind *const end = kinds + sizeof kinds / sizeof *kinds;

const struct request_kind *request_next(const struct request_kind *kind)
{
    kind = kind ? kind + 1 : kinds;
    while (kind < end && !kind->name)
        kind++;
    return kind < end ? kind : NULL;
}

const struct request_kind *request_find(const char *name)
{
    const struct request_kind *kind = NULL;
    while ((kind = request_next(kind)) && strcmp(kind->name, name) != 0)
        ;
    return kind;
}

/* Which one of the words "A|B|…" it is; -1: none. */
static int word_of(const char *words, const char *text)
{
    const size_t length = strlen(text);
    for (int i = 0; words; i++) {
        if (strcspn(words, "|") == length && strncmp(words, text, length) == 0) return i;
        words = strchr(words, '|');
        if (words) words++;
    }
    return -1;
}

static bool is_right(const struct request_key *key, const struct request *request)
{
    const char *text = request_text(request, key->name);
    uint64_t number = key->otherwise;
    switch (key->kind) {
    case KEY_TEXT:
    case KEY_FLAG:
    case KEY_ROWS: return true;
    case KEY_CHOICE: return !text || word_of(key->problem, text) >= 0;
    case KEY_NEEDED:
        if (!text) return false;
        break;
    default: break;
    }
    return request_number(request, key->name, number, &number) && number >= key->least &&
           number <= key->most && (key->kind != KEY_EVEN || number % 2 == 0);
}

bool request_check(const struct request_kind *kind, const struct request *request, char *message,
                   size_t size)
{
    while (++kind < end && !kind->name) {
        const struct request_key *key = &kind->key;
        if (is_right(key, request)) continue;
        snprintf(message, size, "%s: %s%s", key->name, key->kind == KEY_CHOICE ? "not one of " : "",
                 key->problem);
        return false;
    }
    return true;
}

uint64_t request_value(const struct request_kind *kind, const struct request *request,
                       const char *key)
{
    while (++kind < end && !kind->name && strcmp(kind->key.name, key) != 0)
        ;
    if (kind == end || kind->name) return 0;
    const struct request_key *found = &kind->key;
    const char *text = request_text(request, key);
    uint64_t number = found->otherwise;
    if (found->kind == KEY_FLAG) return text && strcmp(text, "0") != 0;
    if (found->kind == KEY_CHOICE) return text ? (uint64_t)word_of(found->problem, text) : 0;
    if (!request_number(request, key, number, &number) || number < found->least ||
        number > found->most)
        return found->otherwise;
    return number;
}
