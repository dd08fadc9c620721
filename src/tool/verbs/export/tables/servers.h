/* servers.h — the addresses of servers, from an option. */
#ifndef HECTIC_EXPORT_SERVERS_H
#define HECTIC_EXPORT_SERVERS_H

#include <stdbool.h>
#include <stddef.h>

struct server_list {
    char *text;
    const char **url;
    size_t count;
};

/* Is this the address of a receiver of OTLP, without a password? False after a message. */
bool server_otlp_check(const char *url, const char *option);

/* The same of servers of ClickHouse. `urls`: separated by commas; `option`: its name, for messages.
 * False after a message. Free it in any case. */
bool server_list_parse(struct server_list *list, const char *urls, const char *option);
void server_list_free(struct server_list *list);

#endif
