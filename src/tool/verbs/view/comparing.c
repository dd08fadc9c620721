/* comparing.c — see comparing.h. */
#define _GNU_SOURCE /* pipe2 */
#include "tool/verbs/view/comparing.h"

#include "base/buffer.h"
#include "tool/cli/verb.h"
#include "tool/output/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNNING_MAX = 3, TIME_SIZE = 32 };

/* In the order of the keys of a request. */
enum bound { FROM, TO, NEW_FROM, NEW_TO, BOUNDS };

struct question {
    uv_work_t work;
    struct comparing *comparing;
    http_request *request; /* NULL: it was abandoned */
    bool has_range;
    char bound[BOUNDS][TIME_SIZE];
    pthread_mutex_t lock;
    pid_t child;       /* 0: not yet, or no longer; with the lock */
    bool is_abandoned; /* likewise */
    struct buffer out, errors;
    int code; /* its exit code; -1: none */
};

/* --- The process ----------------------------------------------------------------------------- */

/* It gets all signals, though this thread blocks them. 0: it does not start. */
static pid_t start(const struct question *q, const int out, const int errors)
{
    extern char **environ;
    const char *const words[] = {"hectic", "compare", "--json", "--quiet"};
    static const char *const options[BOUNDS] = {
        [FROM] = "--from", [TO] = "--to", [NEW_FROM] = "--new-from", [NEW_TO] = "--new-to"};
    const char *argument[sizeof words / sizeof *words + 2 * BOUNDS + 4];
    size_t count = 0;
    for (; count < sizeof words / sizeof *words; count++)
        argument[count] = words[count];
    for (size_t i = 0; q->has_range && i < BOUNDS; i++) {
        argument[count++] = options[i];
        argument[count++] = q->bound[i];
    }
    argument[count++] = "--";
    argument[count++] = q->comparing->path[0];
    argument[count++] = q->comparing->path[1];
    argument[count] = NULL;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t child = 0;
    sigemptyset(&none);
    if (posix_spawn_file_actions_init(&actions) != 0) return 0;
    if (posix_spawnattr_init(&attributes) == 0) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
        if (posix_spawn(&child, "/proc/self/exe", &actions, &attributes,
                        (char *const *)(uintptr_t)argument, environ) != 0)
            child = 0;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

static void read_all(int fd, struct buffer *to)
{
    enum { PIECE = 1 << 16 };
    ssize_t got;
    do {
        uint8_t *room = buffer_room(to, PIECE);
        got = room ? read(fd, room, PIECE) : 0;
        if (got > 0) to->size += (size_t)got;
    } while (got > 0 || (got < 0 && errno == EINTR));
}

/* Its messages are fewer than a pipe holds. */
static void wait_for(struct question *q, const int out, const int errors)
{
    int status;
    read_all(out, &q->out);
    read_all(errors, &q->errors);
    pthread_mutex_lock(&q->lock);
    const pid_t child = q->child;
    q->child = 0;
    pthread_mutex_unlock(&q->lock);
    pid_t got;
    do
        got = waitpid(child, &status, 0);
    while (got < 0 && errno == EINTR);
    if (got == child && WIFEXITED(status)) q->code = WEXITSTATUS(status);
}

/* In a thread of the pool. */
static void compare(uv_work_t *work)
{
    struct question *q = work->data;
    int out[2], errors[2];
    if (pipe2(out, O_CLOEXEC) != 0) return;
    if (pipe2(errors, O_CLOEXEC) == 0) {
        pthread_mutex_lock(&q->lock);
        const pid_t child = q->child = q->is_abandoned ? 0 : start(q, out[1], errors[1]);
        pthread_mutex_unlock(&q->lock);
        close(out[1]);
        close(errors[1]);
        if (child > 0) wait_for(q, out[0], errors[0]);
        close(errors[0]);
        close(out[0]);
    } else {
        close(out[0]);
        close(out[1]);
    }
}

/* --- Answers --------------------------------------------------------------------------------- */

static void put(void *buffer, const char *bytes, size_t size)
{
    buffer_add(buffer, bytes, size);
}

/* The first line of its messages, without the command's name. */
static void put_refusal(struct buffer *to, struct buffer *errors)
{
    static const char prefix[] = "hectic: ";
    struct json json = {.put = put, .to = to};
    buffer_add_byte(errors, 0);
    char *text = errors->failed ? (char *)"" : (char *)errors->bytes;
    text[strcspn(text, "\n")] = 0;
    if (strncmp(text, prefix, sizeof prefix - 1) == 0) text += sizeof prefix - 1;
    json_open(&json, NULL, '{');
    json_text(&json, "message", *text ? text : "hectic compare has failed");
    json_text(&json, "code", "failed");
    json_close(&json, '}');
}

static void answer(struct question *q)
{
    const bool is_done = q->code == TOOL_OK || q->code == TOOL_DAMAGED;
    if (!is_done) {
        q->out.size = 0;
        put_refusal(&q->out, &q->errors);
    }
    uint8_t *bytes = q->out.failed ? NULL : q->out.bytes;
    http_answer(q->request, is_done ? MHD_HTTP_OK : MHD_HTTP_BAD_REQUEST,
                bytes ? http_bytes(bytes, q->out.size, "application/json") : NULL);
    if (bytes) q->out.bytes = NULL;
}

static void question_free(struct question *q)
{
    buffer_free(&q->out);
    buffer_free(&q->errors);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

static void on_compared(uv_work_t *work, int status)
{
    struct question *q = work->data;
    (void)status;
    q->comparing->running--;
    if (q->request) answer(q);
    question_free(q);
}

static void abandon(void *question)
{
    struct question *q = question;
    q->request = NULL;
    pthread_mutex_lock(&q->lock);
    q->is_abandoned = true;
    if (q->child > 0) kill(q->child, SIGKILL);
    pthread_mutex_unlock(&q->lock);
}

/* False: it is malformed. */
static bool parse(struct question *q, const char *query)
{
    uint64_t ns[BOUNDS];
    int length = 0;
    if (!*query) return true;
    if (sscanf(query, "?from=%" SCNu64 "&to=%" SCNu64 "&new_from=%" SCNu64 "&new_to=%" SCNu64 "%n",
               &ns[FROM], &ns[TO], &ns[NEW_FROM], &ns[NEW_TO], &length) != BOUNDS ||
        query[length])
        return false;
    q->has_range = true;
    for (size_t i = 0; i < BOUNDS; i++)
        snprintf(q->bound[i], sizeof q->bound[i], "%" PRIu64 "ns", ns[i]);
    return true;
}

struct MHD_Response *comparing_ask(struct comparing *comparing, uv_loop_t *loop, http_request *r,
                                   const char *query, unsigned *status)
{
    struct question *q = comparing->running < RUNNING_MAX ? calloc(1, sizeof *q) : NULL;
    if (!q) return NULL;
    q->comparing = comparing;
    q->request = r;
    q->code = -1;
    q->work.data = q;
    pthread_mutex_init(&q->lock, NULL);
    const bool is_valid = parse(q, query);
    if (!is_valid || uv_queue_work(loop, &q->work, compare, on_compared) != 0) {
        question_free(q);
        if (is_valid) return NULL;
        *status = MHD_HTTP_BAD_REQUEST;
        return http_text("expected: compare, or compare?from=NS&to=NS&new_from=NS&new_to=NS\n");
    }
    comparing->running++;
    http_wait(r, abandon, q);
    return NULL;
}
