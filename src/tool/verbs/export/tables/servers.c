/* servers.c — see servers.h. */
#define _GNU_SOURCE /* strsep */
#include "tool/verbs/export/tables/servers.h"

#include "tool/cli/message.h"

#include <stdlib.h>
#include <string.h>

bool server_list_parse(struct server_list *list, const char *urls, const char *option)
{
    const size_t most = strlen(urls) / 2 + 1;
    *list = (struct server_list){.text = strdup(urls), .url = calloc(most, sizeof *list->url)};
    if (!list->text || !list->url) return tool_message("out of memory"), false;
    char *rest = list->text;
    for (char *url; (url = strsep(&rest, ","));) {
        if (strchr(url, '@')) {
            tool_usage_error("%s must not have a password, which others could see: use "
                             "CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, or ~/.netrc",
                             option);
            return false;
        }
        if (*url) list->url[list->count++] = url;
    }
    if (list->count == 0) tool_usage_error("%s is empty", option);
    return list->count > 0;
}

void server_list_free(struct server_list *list)
{
    free(list->url);
    free(list->text);
}
