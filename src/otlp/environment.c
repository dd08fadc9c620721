/* environment.c — see environment.h. */
#include "otlp/environment.h"

#include "render/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *variable_of(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool is_text(const char *text)
{
    return text_is_utf8((const uint8_t *)text, strlen(text));
}

/* --- Lists ----------------------------------------------------------------------------------- */

struct otlp_list otlp_list_begin(const char *variable)
{
    const char *given = variable_of(variable);
    struct otlp_list list = {.copy = given ? strdup(given) : NULL};
    list.rest = list.copy;
    list.failed = given && !list.copy;
    return list;
}

void otlp_list_end(struct otlp_list *list)
{
    free(list->copy);
}

/* Decodes %XX in place. False: malformed, not UTF-8, or with control characters. */
static bool decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        char digits[3] = {0};
        *to = *from++;
        if (*to == '%') {
            memcpy(digits, from, strnlen(from, 2));
            if (strspn(digits, "0123456789abcdefABCDEF") != 2) return false;
            *to = (char)strtoul(digits, NULL, 16);
            from += 2;
        }
        if ((unsigned char)*to < ' ' || *to == 0x7f) return false;
    }
    *to = 0;
    return is_text(text);
}

static char *without_spaces(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    text[length] = 0;
    return text;
}

static bool is_name(const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c <= ' ' || *c > '~' || strchr("()<>@:;\\\"[]?{}", *c)) return false;
    return *text;
}

static bool parse_pair(struct otlp_list *list, char *text)
{
    char *value = strchr(text, '=');
    if (!value) return false;
    *value = 0;
    list->name = without_spaces(text);
    list->value = value = without_spaces(value + 1);
    return is_name(list->name) && decode(value);
}

bool otlp_list_next(struct otlp_list *list)
{
    while (list->rest && *list->rest) {
        char *pair = list->rest, *end = pair + strcspn(pair, ",");
        list->rest = *end ? end + 1 : end;
        *end = 0;
        if (parse_pair(list, pair)) return true;
        list->is_malformed = list->is_malformed || *without_spaces(pair);
    }
    return false;
}

/* --- Single values --------------------------------------------------------------------------- */

/* 0: no positive number. */
static uint64_t number_of(const char *text)
{
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    return *end || errno != 0 || number <= 0 ? 0 : (uint64_t)number;
}

uint64_t otlp_environment_ms(const char *variable, uint64_t usual, uint64_t least)
{
    const char *given = variable_of(variable);
    const uint64_t ms = given ? number_of(given) : 0;
    return ms == 0 ? usual : ms < least ? least : ms;
}

static const char compression[] = "OTEL_EXPORTER_OTLP_COMPRESSION";

bool otlp_environment_compresses(void)
{
    const char *given = variable_of(compression);
    return !given || strcmp(given, "none") != 0;
}

const char *otlp_environment_authorities(void)
{
    return variable_of("OTEL_EXPORTER_OTLP_CERTIFICATE");
}

static const char service[] = "OTEL_SERVICE_NAME";

const char *otlp_environment_service(void)
{
    const char *given = variable_of(service);
    return given && is_text(given) ? given : NULL;
}

/* --- Checking -------------------------------------------------------------------------------- */

static bool is_time(const char *text)
{
    return number_of(text) > 0;
}

static bool is_compression(const char *text)
{
    return strcmp(text, "gzip") == 0 || strcmp(text, "none") == 0;
}

static const struct {
    const char *variable, *wanted;
    bool (*is_valid)(const char *text); /* NULL: it is a list */
} checks[] = {
    {"OTEL_EXPORTER_OTLP_TIMEOUT", "a positive number of milliseconds", is_time},
    {"OTEL_METRIC_EXPORT_INTERVAL", "a positive number of milliseconds", is_time},
    {compression, "gzip or none", is_compression},
    {service, "UTF-8", is_text},
    {"OTEL_EXPORTER_OTLP_HEADERS", NULL, NULL},
    {"OTEL_RESOURCE_ATTRIBUTES", NULL, NULL},
};

static bool is_list(const char *variable)
{
    struct otlp_list list = otlp_list_begin(variable);
    while (otlp_list_next(&list))
        ;
    otlp_list_end(&list);
    return !list.is_malformed;
}

void otlp_environment_check(void (*note)(void *user, const char *text), void *user)
{
    char text[200];
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        const char *variable = checks[i].variable, *given = variable_of(variable);
        if (!given || (checks[i].is_valid ? checks[i].is_valid(given) : is_list(variable)))
            continue;
        /* A header may be secret: it is not repeated. */
        if (checks[i].is_valid)
            snprintf(text, sizeof text, "%s is ignored: it must be %s", variable, checks[i].wanted);
        else
            snprintf(text, sizeof text,
                     "%s: a part is ignored: it must be NAME=VALUE, with other "
                     "characters as %%20",
                     variable);
        note(user, text);
    }
}
