/* server.c — see server.h. */
#define _GNU_SOURCE /* asprintf */
#include "clickhouse/server.h"

#include "clickhouse/curl.h"

#include <hectic/version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    CONNECT_SECONDS = 10,
    STALLED_SECONDS = 300, /* without a byte: a server that inserts sends none */
    FIRST_DELAY = 100,     /* ms: before a request is repeated; then twice as long */
    LAST_DELAY = 5000,
    ERROR_SIZE = 1000,
    ANSWER_MAX = 16 << 20,
};

struct clickhouse_server {
    struct clickhouse_access access;
    struct curl_library curl;
    CURL *handle; /* NULL: there is no libcurl */
    struct curl_slist *headers;
    char curl_error[CURL_ERROR_SIZE];
    char error[ERROR_SIZE];
    bool has_refused;
    struct buffer answer;
};

static size_t take_answer(char *bytes, size_t size, size_t count, void *user)
{
    clickhouse_server *server = user;
    if (server->answer.size + size * count > ANSWER_MAX) return 0;
    buffer_add(&server->answer, bytes, size * count);
    return server->answer.failed ? 0 : size * count;
}

static int check_cancelled(void *user, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const clickhouse_server *server = user;
    (void)a, (void)b, (void)c, (void)d; /* how far it is */
    return server->access.is_cancelled(server->access.user_data);
}

static bool add_header(clickhouse_server *server, const char *name, const char *value)
{
    struct buffer line = {0};
    buffer_add(&line, name, strlen(name));
    buffer_add(&line, value, strlen(value) + 1);
    struct curl_slist *longer =
        line.failed ? NULL : server->curl.slist_append(server->headers, (const char *)line.bytes);
    buffer_free(&line);
    if (longer) server->headers = longer;
    return longer;
}

static bool set_headers(clickhouse_server *server)
{
    const struct clickhouse_access *access = &server->access;
    /* Without "Expect", the server need not ask for the rows. */
    return add_header(server, "Expect:", "") &&
           add_header(server, "Content-Type: ", "application/octet-stream") &&
           (!access->user || add_header(server, "X-ClickHouse-User: ", access->user)) &&
           (!access->password || add_header(server, "X-ClickHouse-Key: ", access->password));
}

clickhouse_server *clickhouse_server_new(const struct clickhouse_access *access)
{
    clickhouse_server *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->access = *access;
    const struct curl_library *curl = &server->curl;
    if (!curl_load(&server->curl, server->error, sizeof server->error)) return server;
    if (curl->global_init(CURL_GLOBAL_DEFAULT) == 0) server->handle = curl->easy_init();
    if (!server->handle || !set_headers(server)) return clickhouse_server_free(server), NULL;
    CURL *handle = server->handle;
    curl->easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl->easy_setopt(handle, CURLOPT_USERAGENT, "hectic/" HECTIC_VERSION);
    curl->easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl->easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl->easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl->easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, (long)STALLED_SECONDS);
    curl->easy_setopt(handle, CURLOPT_HTTPHEADER, server->headers);
    curl->easy_setopt(handle, CURLOPT_ERRORBUFFER, server->curl_error);
    curl->easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_answer);
    curl->easy_setopt(handle, CURLOPT_WRITEDATA, server);
    curl->easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, check_cancelled);
    curl->easy_setopt(handle, CURLOPT_XFERINFODATA, server);
    curl->easy_setopt(handle, CURLOPT_NOPROGRESS, access->is_cancelled ? 0L : 1L);
    if (!access->user) curl->easy_setopt(handle, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
    return server;
}

void clickhouse_server_free(clickhouse_server *server)
{
    if (!server) return;
    if (server->handle) {
        server->curl.easy_cleanup(server->handle);
        server->curl.slist_free_all(server->headers);
    }
    buffer_free(&server->answer);
    free(server);
}

/* --- Requests -------------------------------------------------------------------------------- */

enum result { RESULT_DONE, RESULT_FAILED, RESULT_AGAIN };

/* The server's message is its first line, without its stack. */
static void keep_message(clickhouse_server *server, long status)
{
    const char *message = (const char *)server->answer.bytes;
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
    if (code == 0) return status == 429 || (status >= 502 && status <= 504);
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

static bool is_final(CURLcode code)
{
    return code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL ||
           code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CERTPROBLEM ||
           code == CURLE_SSL_CACERT_BADFILE || code == CURLE_OUT_OF_MEMORY;
}

static enum result request(clickhouse_server *server)
{
    long status = 0;
    server->answer.size = 0;
    server->has_refused = false;
    server->curl_error[0] = 0;
    const CURLcode code = server->curl.easy_perform(server->handle);
    server->curl.easy_getinfo(server->handle, CURLINFO_RESPONSE_CODE, &status);
    buffer_add_byte(&server->answer, 0);
    if (server->answer.failed) {
        snprintf(server->error, sizeof server->error, "out of memory");
        return RESULT_FAILED;
    }
    if (code != CURLE_OK) {
        snprintf(server->error, sizeof server->error, "%s",
                 server->curl_error[0] ? server->curl_error : server->curl.easy_strerror(code));
        return is_final(code) ? RESULT_FAILED : RESULT_AGAIN;
    }
    if (status == 200) return RESULT_DONE;
    keep_message(server, status);
    if (is_temporary(server, status)) return RESULT_AGAIN;
    server->has_refused = code_of(server) != 0 && !is_of_access(server);
    return RESULT_FAILED;
}

/* The address, with a statement if the body has the rows of it. To be freed by curl_free; NULL: out
 * of memory. */
static char *address_of(clickhouse_server *server, const char *statement)
{
    const struct curl_library *curl = &server->curl;
    CURLU *address = curl->url();
    char *text = NULL, *query = NULL;
    if (asprintf(&query, "query=%s", statement) < 0) query = NULL;
    if (address && query &&
        curl->url_set(address, CURLUPART_URL, server->access.url, CURLU_GUESS_SCHEME) ==
            CURLUE_OK &&
        curl->url_set(address, CURLUPART_QUERY, query, CURLU_URLENCODE | CURLU_APPENDQUERY) ==
            CURLUE_OK)
        curl->url_get(address, CURLUPART_URL, &text, 0);
    curl->url_cleanup(address);
    free(query);
    return text;
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void sleep_ms(uint64_t ms)
{
    nanosleep(&(struct timespec){(time_t)(ms / 1000), (long)(ms % 1000) * 1000000}, NULL);
}

static bool try_until_done(clickhouse_server *server)
{
    const struct clickhouse_access *access = &server->access;
    const uint64_t end = now_ms() + access->patience;
    enum result result;
    for (uint64_t delay = FIRST_DELAY; (result = request(server)) == RESULT_AGAIN; delay *= 2) {
        if (now_ms() + delay > end) return false;
        if (delay == FIRST_DELAY && access->waits)
            access->waits(access->user_data, access->url, server->error);
        sleep_ms(delay < LAST_DELAY ? delay : LAST_DELAY);
        if (delay > LAST_DELAY) delay = LAST_DELAY;
    }
    return result == RESULT_DONE;
}

bool clickhouse_run(clickhouse_server *server, const char *statement, const struct buffer *rows)
{
    if (!server->handle) return false;
    const struct curl_library *curl = &server->curl;
    char *address = rows ? address_of(server, statement) : NULL;
    if (rows && !address) {
        snprintf(server->error, sizeof server->error, "this is no address");
        return false;
    }
    curl->easy_setopt(server->handle, CURLOPT_URL, rows ? address : server->access.url);
    curl->easy_setopt(server->handle, CURLOPT_POSTFIELDSIZE_LARGE,
                      (curl_off_t)(rows ? rows->size : strlen(statement)));
    curl->easy_setopt(server->handle, CURLOPT_POSTFIELDS,
                      rows ? (const char *)rows->bytes : statement);
    const bool done = try_until_done(server);
    curl->free(address);
    return done;
}

bool clickhouse_has_refused(const clickhouse_server *server)
{
    return server->has_refused;
}

const char *clickhouse_answer(const clickhouse_server *server)
{
    return (const char *)server->answer.bytes;
}

const char *clickhouse_error(const clickhouse_server *server)
{
    return server->error;
}
