/* server.c — see server.h. */
#define _GNU_SOURCE /* asprintf */
#include "clickhouse/server.h"

#include "delivery/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STALLED_MS = 300000, /* a server that inserts sends no byte */
    ERROR_SIZE = 1000,
    ANSWER_MAX = 16 << 20,
};

struct clickhouse_server {
    struct clickhouse_access access;
    http_client *client;
    const char *url; /* of the request */
    struct buffer body;
    struct http_answer answer;
    char error[ERROR_SIZE];
    bool has_refused;
};

clickhouse_server *clickhouse_server_new(const struct clickhouse_access *access)
{
    clickhouse_server *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->access = *access;
    server->client =
        http_client_new(&(struct http_client_options){.content_type = "application/octet-stream",
                                                      .answer_max = ANSWER_MAX,
                                                      .stalled_ms = STALLED_MS,
                                                      .uses_netrc = !access->user,
                                                      .is_cancelled = access->is_cancelled,
                                                      .user = access->user_data});
    if (server->client &&
        (!access->user ||
         http_client_add_header(server->client, "X-ClickHouse-User", access->user)) &&
        (!access->password ||
         http_client_add_header(server->client, "X-ClickHouse-Key", access->password)))
        return server;
    return clickhouse_server_free(server), NULL;
}

void clickhouse_server_free(clickhouse_server *server)
{
    if (!server) return;
    http_client_free(server->client);
    free(server);
}

/* --- Requests -------------------------------------------------------------------------------- */

/* The server's message is its first line, without its stack. */
static void keep_message(clickhouse_server *server, long status)
{
    const char *message = (const char *)server->answer.body->bytes;
    const char *stack = strstr(message, ", Stack trace");
    size_t length = strcspn(message, "\n");
    if (stack && (size_t)(stack - message) < length) length = (size_t)(stack - message);
    if (length == 0)
        snprintf(server->error, sizeof server->error, "HTTP status %ld", status);
    else
        snprintf(server->error, sizeof server->error, "%.*s", (int)length, message);
}

/* The code of ClickHouse's error; 0: it has none. */
static int code_of(const clickhouse_server *server)
{
    int code = 0;
    return sscanf(server->error, "Code: %d", &code) == 1 ? code : 0;
}

static bool has_code(int code, const int *codes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (codes[i] == code) return true;
    return false;
}

/* Will it perhaps work later? By the codes of ClickHouse's errors, and of gateways. */
static bool is_temporary(const clickhouse_server *server, long status)
{
    static const int codes[] = {
        159, /* TIMEOUT_EXCEEDED */
        164, /* READONLY: while the server starts or its disk is full it is no reason to end */
        202, /* TOO_MANY_SIMULTANEOUS_QUERIES */
        203, /* NO_FREE_CONNECTION */
        209, /* SOCKET_TIMEOUT */
        210, /* NETWORK_ERROR */
        241, /* MEMORY_LIMIT_EXCEEDED */
        242, /* TABLE_IS_READ_ONLY */
        243, /* NOT_ENOUGH_SPACE */
        252, /* TOO_MANY_PARTS */
        279, /* ALL_CONNECTION_TRIES_FAILED */
        425, /* SYSTEM_ERROR */
    };
    const int code = code_of(server);
    if (code == 0) return http_status_is_temporary(status);
    return has_code(code, codes, sizeof codes / sizeof *codes);
}

/* Does an administrator have to let the user in? */
static bool is_of_access(const clickhouse_server *server)
{
    static const int codes[] = {
        192, /* UNKNOWN_USER */
        193, /* WRONG_PASSWORD */
        194, /* REQUIRED_PASSWORD */
        195, /* IP_ADDRESS_NOT_ALLOWED */
        201, /* QUOTA_EXPIRED */
        291, /* DATABASE_ACCESS_DENIED */
        497, /* ACCESS_DENIED */
        516, /* AUTHENTICATION_FAILED */
    };
    return has_code(code_of(server), codes, sizeof codes / sizeof *codes);
}

static enum attempt request(void *self, uint64_t *wait)
{
    clickhouse_server *server = self;
    struct http_answer *answer = &server->answer;
    const enum attempt result = http_client_post(server->client, server->url, server->body.bytes,
                                                 server->body.size, answer);
    server->has_refused = false;
    if (result != ATTEMPT_DONE) {
        snprintf(server->error, sizeof server->error, "%s", http_client_error(server->client));
        return result;
    }
    if (answer->status == 200) return ATTEMPT_DONE;
    if (answer->after > *wait) *wait = answer->after;
    keep_message(server, answer->status);
    if (is_temporary(server, answer->status)) return ATTEMPT_AGAIN;
    server->has_refused = code_of(server) != 0 && !is_of_access(server);
    return ATTEMPT_FAILED;
}

static void waits(void *self)
{
    const clickhouse_server *server = self;
    const struct clickhouse_access *access = &server->access;
    if (access->waits) access->waits(access->user_data, access->url, server->error);
}

/* The address, with a statement if the body has the rows of it. To be freed by curl_free; NULL: out
 * of memory. */
static char *address_of(const struct curl_library *curl, const char *url, const char *statement)
{
    CURLU *address = curl->url();
    char *text = NULL, *query = NULL;
    if (asprintf(&query, "query=%s", statement) < 0) query = NULL;
    if (address && query &&
        curl->url_set(address, CURLUPART_URL, url, CURLU_GUESS_SCHEME) == CURLUE_OK &&
        curl->url_set(address, CURLUPART_QUERY, query, CURLU_URLENCODE | CURLU_APPENDQUERY) ==
            CURLUE_OK)
        curl->url_get(address, CURLUPART_URL, &text, 0);
    curl->url_cleanup(address);
    free(query);
    return text;
}

bool clickhouse_run(clickhouse_server *server, const char *statement, const struct buffer *rows)
{
    const struct curl_library *curl = http_client_curl(server->client);
    char *address = curl && rows ? address_of(curl, server->access.url, statement) : NULL;
    if (curl && rows && !address) {
        snprintf(server->error, sizeof server->error, "this is no address");
        return false;
    }
    server->url = rows ? address : server->access.url;
    server->body =
        rows ? *rows
             : (struct buffer){.bytes = (uint8_t *)(uintptr_t)statement, .size = strlen(statement)};
    const bool done =
        try_until_done(server->access.patience, request, waits, server) == ATTEMPT_DONE;
    if (curl) curl->free(address);
    return done;
}

bool clickhouse_has_refused(const clickhouse_server *server)
{
    return server->has_refused;
}

const char *clickhouse_answer(const clickhouse_server *server)
{
    return (const char *)server->answer.body->bytes;
}

const char *clickhouse_error(const clickhouse_server *server)
{
    return server->error;
}
