#include "live/program.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { END_MS = 2000, KNOWN_EVENTS = 64, EARLY_MOST = 1 << 20, ORDERS_MOST = 4096 };

struct program {
    struct program_options options;
    uv_loop_t *loop;
    char name[PROGRAM_NAME_SIZE];
    char says_name[PROGRAM_NAME_SIZE]; /* "": not yet */
    uint32_t pid;
    uint64_t events, damaged;
    uint64_t astray; /* bytes since the last event */

    hectic_decoder *decoder;
    hectic_writer *writer;
    hectic_event_type marker; /* what the header that is passed on says of BLOCK_MARKER */
    bool open;                /* a block of: */
    uint16_t cap;
    bool ended; /* the end marker came */

    hectic_server *server;
    record *record;
    uint8_t *early; /* what came before there was a record: the header and first blocks */
    size_t early_size;

    hectic_stream *stream;
    hectic_vitals *vitals;
    bool has_vitals; /* a log has begun */

    /* Commands of readers, by the server's thread, for the program. */
    pthread_mutex_t lock;
    uv_async_t async;
    uint8_t *orders;
    size_t orders_size;

    uv_work_t work;
    void (*done)(void *user);
    void *done_user;
};

/* --- Commands to it -----------------------------------------------------------------------------
 */

static bool append(uint8_t **bytes, size_t *size, const void *more, size_t more_size)
{
    uint8_t *grown = realloc(*bytes, *size + more_size);
    if (!grown) return false;
    memcpy(grown + *size, more, more_size);
    *bytes = grown;
    *size += more_size;
    return true;
}

static const char *pass_on(void *user, const hectic_control_command *command)
{
    program *p = user;
    uint8_t message[HECTIC_CONTROL_MESSAGE_MOST];
    if (!p->options.send) return "this program cannot be told anything: its log comes by one way";
    const size_t size = hectic_control_encode(message, sizeof message, command->name, command->id);
    if (size == 0) return "no such command can be passed on";
    pthread_mutex_lock(&p->lock);
    const bool taken =
        p->orders_size < ORDERS_MOST && append(&p->orders, &p->orders_size, message, size);
    pthread_mutex_unlock(&p->lock);
    if (!taken) return "it takes no more commands just now";
    uv_async_send(&p->async);
    return NULL;
}

/* By the server's threads. Readers come when it has its name. */
static void tell(void *user, const char *text)
{
    const program *p = user;
    notes_say(p->options.notes, "%s: %s", p->name, text);
}

/* What it does not take now is for later. */
static void send_orders(program *p)
{
    pthread_mutex_lock(&p->lock);
    if (p->orders_size > 0 && p->options.send &&
        p->options.send(p->options.user, p->orders, p->orders_size)) {
        free(p->orders);
        p->orders = NULL;
        p->orders_size = 0;
    }
    pthread_mutex_unlock(&p->lock);
}

static void on_orders(uv_async_t *async)
{
    send_orders(async->data);
}

/* --- Bytes out -------------------------------------------------------------------------------- */

static bool take_out(void *user, const void *bytes, size_t length)
{
    program *p = user;
    hectic_server_write(p->server, bytes, length);
    if (p->record)
        record_write(p->record, bytes, length);
    else if (p->options.record)
        append(&p->early, &p->early_size, bytes, length);
    return true;
}

/* --- Bytes in --------------------------------------------------------------------------------- */

static bool pass_header(program *p, const hectic_header *header)
{
    size_t count;
    const hectic_event_type *types = hectic_header_types(header, &count);
    const hectic_event_type *marker = hectic_header_type(header, HECTIC_EVENT_BLOCK_MARKER);
    hectic_event_type *all = calloc(count + 1, sizeof *all);
    if (!all) return false;
    memcpy(all, types, count * sizeof *all);
    p->marker = marker && marker->shape ? *marker : hectic_type_of(HECTIC_EVENT_BLOCK_MARKER);
    if (!marker) all[count++] = p->marker;
    const bool passed = hectic_writer_header(p->writer, all, count);
    free(all);
    return passed && hectic_writer_flush(p->writer);
}

static void learn_name(program *p, const hectic_event *event)
{
    const hectic_shape *shape = event->declared->shape;
    hectic_value value[HECTIC_MAX_FIELDS];
    if (!shape || hectic_shape_walk(shape, event->payload, event->size, value, NULL) < 2) return;
    if (event->type == HECTIC_EVENT_OSPROCESS_PID) p->pid = (uint32_t)value[1].number;
    if (event->type != HECTIC_EVENT_PROGRAM_ARGS || p->says_name[0]) return;
    const char *text = (const char *)value[1].bytes;
    size_t length = strnlen(text, value[1].length);
    for (size_t i = length; i-- > 0;)
        if (text[i] == '/') {
            text += i + 1;
            length -= i + 1;
            break;
        }
    if (length >= sizeof p->says_name) length = sizeof p->says_name - 1;
    memcpy(p->says_name, text, length);
}

static void pass_event(program *p, const hectic_event *event)
{
    if (event->type == HECTIC_EVENT_BLOCK_MARKER) {
        p->open = false;
        return;
    }
    if (p->events++ < KNOWN_EVENTS) learn_name(p, event);
    if (event->type == HECTIC_EVENT_PROGRAM_ENV && !p->options.with_env) return;
    if (!p->open || p->cap != event->cap)
        hectic_writer_begin_block(p->writer, &p->marker, event->time, event->cap);
    p->open = true;
    p->cap = event->cap;
    hectic_writer_event(p->writer, event);
}

/* What arrives together is passed on together: a block that is not whole yet is one, and the rest
 * of it another. */
static void pass_on_bytes(program *p, const uint8_t *bytes, size_t length)
{
    hectic_event event;
    hectic_result result;
    p->astray += length;
    hectic_decoder_push(p->decoder, bytes, length);
    while ((result = hectic_decoder_pull(p->decoder, &event)) != HECTIC_PARTIAL) {
        if (result == HECTIC_ONE) {
            p->astray = 0;
            pass_event(p, &event);
        } else if (result == HECTIC_ERROR) {
            p->damaged++;
            if (!program_has_header(p)) { /* no resync can find a way on */
                p->astray = UINT64_MAX;
                return;
            }
            hectic_decoder_resync(p->decoder);
        } else {
            p->open = false;
            p->ended = result == HECTIC_COMPLETE;
            if (result == HECTIC_HEADER) pass_header(p, hectic_decoder_header(p->decoder));
        }
    }
    p->open = false;
    hectic_writer_flush(p->writer);
}

static void count_due(program *p)
{
    hectic_event event;
    hectic_result result;
    while ((result = hectic_stream_pull(p->stream, uv_hrtime(), &event)) != HECTIC_PARTIAL) {
        if (result == HECTIC_ONE) hectic_vitals_event(p->vitals, &event);
        if (result != HECTIC_HEADER || p->has_vitals) continue;
        p->has_vitals = hectic_vitals_begin(p->vitals, hectic_stream_header(p->stream));
    }
}

void program_bytes(program *p, const uint8_t *bytes, size_t length)
{
    if (p->astray == UINT64_MAX) return;
    pass_on_bytes(p, bytes, length);
    if (!p->stream || p->astray == UINT64_MAX) return;
    hectic_stream_push(p->stream, bytes, length, uv_hrtime());
    count_due(p);
}

/* --- Its life -----------------------------------------------------------------------------------
 */

static void release(program *p)
{
    if (p->record) record_end(p->record);
    hectic_decoder_free(p->decoder);
    hectic_writer_free(p->writer);
    hectic_stream_free(p->stream);
    hectic_vitals_free(p->vitals);
    pthread_mutex_destroy(&p->lock);
    free(p->early);
    free(p->orders);
    free(p);
}

program *program_new(uv_loop_t *loop, const struct program_options *options)
{
    program *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->options = *options;
    p->loop = loop;
    pthread_mutex_init(&p->lock, NULL);
    p->decoder = hectic_decoder_new();
    p->writer = hectic_writer_new(HECTIC_WRITER_LEAST, take_out, p);
    if (options->vitals) p->stream = hectic_stream_new(NULL);
    if (options->vitals) p->vitals = hectic_vitals_new();
    const struct hectic_server_options serving = {.command = pass_on, .note = tell, .user = p};
    p->server = hectic_server_new(&serving);
    const bool made = p->decoder && p->writer && p->server &&
                      (!options->vitals || (p->stream && p->vitals)) &&
                      uv_async_init(loop, &p->async, on_orders) == 0;
    if (!made) {
        hectic_server_free(p->server, 0);
        release(p);
        return NULL;
    }
    p->async.data = p;
    return p;
}

static void free_server(uv_work_t *work)
{
    program *p = work->data;
    hectic_server_free(p->server, END_MS);
}

static void on_closed(uv_handle_t *handle)
{
    program *p = handle->data;
    void (*done)(void *user) = p->done;
    void *user = p->done_user;
    release(p);
    if (done) done(user);
}

static void after_server(uv_work_t *work, int status)
{
    (void)status;
    program *p = work->data;
    uv_close((uv_handle_t *)&p->async, on_closed);
}

void program_end(program *p, void (*done)(void *user), void *user)
{
    p->options.send = NULL;
    p->done = done;
    p->done_user = user;
    p->work.data = p;
    uv_queue_work(p->loop, &p->work, free_server, after_server);
}

/* --- What is known of it
 * -------------------------------------------------------------------------- */

const char *program_says_name(const program *p)
{
    return p->says_name[0] ? p->says_name : NULL;
}

uint32_t program_pid(const program *p)
{
    return p->pid;
}

bool program_is_over(const program *p)
{
    return p->ended;
}

bool program_is_known(const program *p)
{
    return (p->says_name[0] && p->pid) || p->events >= KNOWN_EVENTS ||
           p->early_size > EARLY_MOST; /* headers, one after the other */
}

const char *program_name(const program *p)
{
    return p->name;
}

void program_set_name(program *p, const char *name)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t length = 0;
    for (; *name && length + 1 < sizeof p->name; name++, length++)
        p->name[length] = strchr(plain, *name) && (*name != '.' || length > 0) ? *name : '_';
    p->name[length] = 0;
}

bool program_record(program *p, char *message, size_t size)
{
    p->record = record_new(p->loop, p->options.record, p->name, message, size);
    if (p->record && p->early_size > 0) record_write(p->record, p->early, p->early_size);
    free(p->early);
    p->early = NULL;
    p->early_size = 0;
    if (!p->record) p->options.record = NULL;
    return p->record != NULL;
}

void program_tick(program *p)
{
    send_orders(p);
    if (p->record) record_tick(p->record);
    if (p->stream) count_due(p);
}

bool program_has_header(const program *p)
{
    return hectic_decoder_header(p->decoder) != NULL;
}

uint64_t program_astray(const program *p)
{
    return p->astray;
}

hectic_server *program_server(const program *p)
{
    return p->server;
}

const hectic_vitals *program_vitals(program *p)
{
    if (!p->has_vitals) return NULL;
    count_due(p);
    return p->vitals;
}

uint64_t program_damaged(const program *p)
{
    return p->damaged;
}

hectic_stream_state program_stream_state(const program *p)
{
    return p->stream ? hectic_stream_get_state(p->stream) : (hectic_stream_state){0};
}
