/* servers.c — see servers.h. */
#define _GNU_SOURCE /* strsep */
#include "tool/verbs/export/tables/servers.h"

#include "delivery/client.h"
#include "otlp/batch.h"
#include "tool/cli/message.h"

#include <stdlib.h>
#include <string.h>

static bool url_check(const char *url, const char *option, const char *instead, bool is_base)
{
    const bool has_password = strchr(url, '@');
    const char *problem = http_address_problem(url, is_base);
    if (has_password)
        tool_usage_error("%s must not have a password, which others could see: use %s", option,
                         instead);
    else if (problem)
        tool_usage_error("%s %s: %s", option, url, problem);
    return !has_password && !problem;
}

/* Some receivers document the address of one signal. */
static bool path_check(const char *url, const char *option)
{
    size_t end = strlen(url);
    while (end > 0 && url[end - 1] == '/')
        end--;
    for (size_t i = 0; i < OTLP_SIGNALS; i++) {
        const char *path = otlp_paths[i];
        const size_t length = strlen(path);
        if (end <= length || strncmp(url + end - length, path, length) != 0) continue;
        return tool_usage_error("%s %s: omit %s: the path of each signal is added", option, url,
                                path),
               false;
    }
    return true;
}

bool server_otlp_check(const char *url, const char *option)
{
    return url_check(url, option, "OTEL_EXPORTER_OTLP_HEADERS", true) && path_check(url, option);
}

bool server_list_parse(struct server_list *list, const char *urls, const char *option)
{
    const size_t most = strlen(urls) / 2 + 1;
    *list = (struct server_list){.text = strdup(urls), .url = calloc(most, sizeof *list->url)};
    if (!list->text || !list->url) return tool_message("out of memory"), false;
    char *rest = list->text;
    for (char *url; (url = strsep(&rest, ","));) {
        if (!*url) continue;
        if (!url_check(url, option, "CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, or ~/.netrc", false))
            return false;
        list->url[list->count++] = url;
    }
    if (list->count == 0) tool_usage_error("%s is empty", option);
    return list->count > 0;
}

void server_list_free(struct server_list *list)
{
    free(list->url);
    free(list->text);
}
