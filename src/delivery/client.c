/* client.c — see client.h. */
#include "delivery/client.h"

#include "os/clock.h"

#include <hectic/version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    CONNECT_SECONDS = 10,
    FIRST_DELAY = 100, /* ms: before a request is repeated; then twice as long */
    LAST_DELAY = 5000,
    AFTER_MAX = 3600, /* s: what Retry-After may ask for */
    ERROR_SIZE = 1000,
};

struct http_client {
    struct http_client_options options;
    struct curl_library curl;
    CURL *handle; /* NULL: there is no libcurl */
    struct curl_slist *headers;
    char curl_error[CURL_ERROR_SIZE];
    char error[ERROR_SIZE];
    struct buffer answer;
    bool is_cut; /* the answer is longer */
};

static size_t take_answer(char *bytes, size_t size, size_t count, void *user)
{
    http_client *client = user;
    const size_t room = client->options.answer_max - client->answer.size;
    client->is_cut = size * count > room;
    buffer_add(&client->answer, bytes, client->is_cut ? room : size * count);
    return client->is_cut || client->answer.failed ? 0 : size * count;
}

static int check_cancelled(void *user, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const http_client *client = user;
    (void)a, (void)b, (void)c, (void)d; /* how far it is */
    return client->options.is_cancelled(client->options.user);
}

bool http_client_add_header(http_client *client, const char *name, const char *value)
{
    struct buffer line = {0};
    if (!client->handle) return true;
    buffer_add(&line, name, strlen(name));
    /* As curl has it: "Name:" omits a header, "Name;" has no value. */
    buffer_add(&line, !value ? ":" : !*value ? ";" : ": ", value && *value ? 2 : 1);
    buffer_add(&line, value ? value : "", value ? strlen(value) + 1 : 1);
    struct curl_slist *longer =
        line.failed ? NULL : client->curl.slist_append(client->headers, (const char *)line.bytes);
    buffer_free(&line);
    if (!longer) return false;
    client->headers = longer;
    client->curl.easy_setopt(client->handle, CURLOPT_HTTPHEADER, longer);
    return true;
}

http_client *http_client_new(const struct http_client_options *options)
{
    http_client *client = calloc(1, sizeof *client);
    if (!client) return NULL;
    client->options = *options;
    const struct curl_library *curl = &client->curl;
    if (!curl_load(&client->curl, client->error, sizeof client->error)) return client;
    if (curl->global_init(CURL_GLOBAL_DEFAULT) == 0) client->handle = curl->easy_init();
    /* Without "Expect", the server need not ask for the body. */
    if (!client->handle || !http_client_add_header(client, "Expect", NULL) ||
        !http_client_add_header(client, "Content-Type", options->content_type))
        return http_client_free(client), NULL;
    CURL *handle = client->handle;
    curl->easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl->easy_setopt(handle, CURLOPT_USERAGENT, "hectic/" HECTIC_VERSION);
    curl->easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl->easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl->easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl->easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, (long)(options->stalled_ms / 1000));
    curl->easy_setopt(handle, CURLOPT_ERRORBUFFER, client->curl_error);
    curl->easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_answer);
    curl->easy_setopt(handle, CURLOPT_WRITEDATA, client);
    curl->easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, check_cancelled);
    curl->easy_setopt(handle, CURLOPT_XFERINFODATA, client);
    curl->easy_setopt(handle, CURLOPT_NOPROGRESS, options->is_cancelled ? 0L : 1L);
    const char *authorities = options->authorities ? options->authorities : getenv("SSL_CERT_FILE");
    if (authorities && *authorities) curl->easy_setopt(handle, CURLOPT_CAINFO, authorities);
    if (options->uses_netrc) curl->easy_setopt(handle, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
    return client;
}

void http_client_free(http_client *client)
{
    if (!client) return;
    if (client->handle) {
        client->curl.easy_cleanup(client->handle);
        client->curl.slist_free_all(client->headers);
    }
    buffer_free(&client->answer);
    free(client);
}

const struct curl_library *http_client_curl(const http_client *client)
{
    return client->handle ? &client->curl : NULL;
}

const char *http_client_error(const http_client *client)
{
    return client->error;
}

/* --- Addresses ------------------------------------------------------------------------------- */

/* Does the address have this part? */
static bool has_part(const struct curl_library *curl, CURLU *address, CURLUPart part)
{
    char *text = NULL;
    const bool has = curl->url_get(address, part, &text, 0) == CURLUE_OK && text && *text;
    curl->free(text);
    return has;
}

static bool is_of_http(const struct curl_library *curl, CURLU *address)
{
    char *scheme = NULL;
    const bool is = curl->url_get(address, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
                    (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
    curl->free(scheme);
    return is;
}

const char *http_address_problem(const char *url, bool is_base)
{
    struct curl_library curl;
    char message[ERROR_SIZE];
    if (!curl_load(&curl, message, sizeof message)) return NULL;
    CURLU *address = curl.url();
    if (!address) return NULL;
    const char *problem = NULL;
    if (curl.url_set(address, CURLUPART_URL, url, CURLU_GUESS_SCHEME) != CURLUE_OK)
        problem = "this is not the address of a server, as http://localhost:4318 is";
    else if (!is_of_http(&curl, address))
        problem = "the address must begin with http:// or https://";
    else if (is_base && (has_part(&curl, address, CURLUPART_QUERY) ||
                         has_part(&curl, address, CURLUPART_FRAGMENT)))
        problem = "the address must have no \"?\" or \"#\": paths are added to its end";
    curl.url_cleanup(address);
    return problem;
}

/* --- Requests -------------------------------------------------------------------------------- */

static bool is_final(CURLcode code)
{
    return code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL ||
           code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CERTPROBLEM ||
           code == CURLE_SSL_CACERT_BADFILE || code == CURLE_OUT_OF_MEMORY;
}

/* Has no trusted authority signed the server's certificate? */
static bool lacks_authority(const http_client *client, CURLcode code)
{
    enum { SELF_SIGNED = 18, UNKNOWN_ISSUER = 21 }; /* and between them: results of OpenSSL */
    long result = 0;
    client->curl.easy_getinfo(client->handle, CURLINFO_SSL_VERIFYRESULT, &result);
    return code == CURLE_PEER_FAILED_VERIFICATION && result >= SELF_SIGNED &&
           result <= UNKNOWN_ISSUER;
}

static void keep_error(http_client *client, CURLcode code)
{
    const char *why = client->curl_error[0] ? client->curl_error : client->curl.easy_strerror(code);
    snprintf(client->error, sizeof client->error, "%.*s%s", (int)strcspn(why, "\r\n"), why,
             lacks_authority(client, code)
                 ? "; to trust it, name a file with its certificate in SSL_CERT_FILE"
                 : "");
}

enum attempt http_client_post(http_client *client, const char *url, const void *body, size_t size,
                              struct http_answer *answer)
{
    const struct curl_library *curl = &client->curl;
    curl_off_t after = 0;
    *answer = (struct http_answer){.body = &client->answer};
    if (!client->handle) return ATTEMPT_FAILED;
    client->answer.size = 0;
    client->is_cut = false;
    client->curl_error[0] = 0;
    curl->easy_setopt(client->handle, CURLOPT_URL, url);
    curl->easy_setopt(client->handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
    curl->easy_setopt(client->handle, CURLOPT_POSTFIELDS, (const char *)body);
    const CURLcode code = curl->easy_perform(client->handle);
    buffer_add_byte(&client->answer, 0);
    if (client->answer.failed) {
        snprintf(client->error, sizeof client->error, "out of memory");
        return ATTEMPT_FAILED;
    }
    client->answer.size--;
    if (code != CURLE_OK && !client->is_cut) {
        keep_error(client, code);
        return is_final(code) ? ATTEMPT_FAILED : ATTEMPT_AGAIN;
    }
    curl->easy_getinfo(client->handle, CURLINFO_RESPONSE_CODE, &answer->status);
    curl->easy_getinfo(client->handle, CURLINFO_RETRY_AFTER, &after);
    curl->easy_getinfo(client->handle, CURLINFO_REDIRECT_URL, &answer->redirect);
    if (after > 0) answer->after = (uint64_t)(after < AFTER_MAX ? after : AFTER_MAX) * 1000;
    return ATTEMPT_DONE;
}

bool http_status_is_temporary(long status)
{
    return status == 429 || (status >= 502 && status <= 504);
}

static void sleep_ms(uint64_t ms)
{
    nanosleep(&(struct timespec){(time_t)(ms / 1000), (long)(ms % 1000) * 1000000}, NULL);
}

enum attempt try_until_done(uint64_t patience, enum attempt (*attempt)(void *user, uint64_t *wait),
                            void (*waits)(void *user), void *user)
{
    const uint64_t end = clock_ms() + patience;
    enum attempt result;
    uint64_t delay = FIRST_DELAY;
    for (bool is_first = true;; is_first = false) {
        uint64_t wait = delay;
        result = attempt(user, &wait);
        if (result != ATTEMPT_AGAIN || clock_ms() + wait > end) return result;
        if (is_first && waits) waits(user);
        sleep_ms(wait);
        delay = delay * 2 < LAST_DELAY ? delay * 2 : LAST_DELAY;
    }
}
