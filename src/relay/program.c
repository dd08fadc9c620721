#include "relay/program.h"

#include "read/decode/pass.h"
#include "read/decode/stream_section.h"
#include "redact/event.h"
#include "redact/redact.h"
#include "relay/command_delivery.h"
#include "relay/program_rows.h"
#include "serve/serve.h"

#include <hectic/encoder.h>
#include <hectic/read_events.h>

#include <stdlib.h>
#include <string.h>

enum { END_MS = 2000, NAME_EVENTS = 64, MAX_EARLY = 1 << 20 };
enum { UNIT_MS = 2000 }; /* for an incomplete unit */
enum { LIVE_STATS_MEMORY = 16 << 20, ROWS_MEMORY = 64 << 20, MAX_FALSE_HEADERS = 100 };
static const uint64_t ROWS_LAG_MAX = 10000000000; /* ns */

/* The output block. */
struct block {
    size_t at; /* of its marker in options.out */
    uint64_t begin, end;
    uint16_t cap;
    bool open;
};

struct program {
    struct program_options options;
    uv_loop_t *loop;
    char name[PROGRAM_NAME_SIZE];
    char reported_name[PROGRAM_NAME_SIZE]; /* from the log; "": not yet */
    uint32_t pid;
    uint64_t events, damaged;
    uint64_t received, since_event; /* bytes: in total, since the last event */

    size_t matched;         /* matched bytes of header_mark */
    uint64_t skipped;       /* bytes before the header */
    unsigned false_headers; /* header marks without a valid header */

    hectic_decoder *decoder;
    struct block block;
    uint64_t marker_begin, marker_end; /* of the input block, by its marker */
    bool begun;                        /* the header was received */
    bool ended;                        /* the end marker or another header was received */
    bool complete;                     /* the end marker was received */
    bytes rest;                        /* input after the end: another log */

    hectic_server *server;
    record *record;
    redact_stream *redacting; /* of what is recorded */
    bool is_open;
    hectic_header *header; /* as passed on */
    units units;           /* of the output */
    queue early;           /* output before it was open */

    hectic_stream *stream;
    hectic_live_stats *live_stats;
    bool has_live_stats; /* a log has begun */
    program_rows *rows;
    program_otlp *otlp;
    redactor *redactor; /* of what is counted, stored and sent; NULL: none */
    hectic_redaction keeping_clock;
    uint32_t redacted_pid;
    hectic_redacted redacted;

    /* Commands from readers to the program, taken in the server's thread. */
    command_delivery delivery;
    uv_async_t async;

    uv_work_t work;
    uint64_t ended_at; /* ms, monotonic */
    void (*done)(void *user);
    void *done_user;
};

/* --- Commands to the program ------------------------------------------------------------------ */

static void wake(void *user)
{
    uv_async_send(user);
}

static const char *take_command(void *user, const hectic_control_command *command)
{
    program *p = user;
    return command_delivery_run(&p->delivery, command, wake, &p->async);
}

/* In the server's threads, after the program has its name. */
static void report(void *user, const char *text)
{
    const program *p = user;
    diagnostics_report(p->options.diagnostics, "%s: %s", p->name, text);
}

static void on_delivery(uv_async_t *async)
{
    program *p = async->data;
    command_delivery_send(&p->delivery, p->options.send, p->options.user);
}

/* --- Output ----------------------------------------------------------------------------------- */

/* Redacts a header or whole blocks. Without memory, nothing more is passed on: an empty result. */
static struct iovec redact(program *p, const uint8_t *at, size_t size)
{
    hectic_error error;
    const struct buffer *redacted =
        p->redacting ? redact_stream_piece(p->redacting, at, size, &error) : NULL;
    if (redacted) return (struct iovec){redacted->bytes, redacted->size};
    if (p->redacting) report(p, "not recorded any more: no memory to redact it");
    redact_stream_free(p->redacting);
    p->redacting = NULL;
    return (struct iovec){0};
}

/* Passes on a header or whole blocks, as they are or redacted. */
static struct iovec for_recording(program *p, const uint8_t *at, size_t size)
{
    if (p->options.redaction) return redact(p, at, size);
    return (struct iovec){(void *)(uintptr_t)at, size};
}

/* The chunk of readers, whose reference is taken. NULL: none. */
static chunk *redact_chunk(chunk *c, struct iovec redacted)
{
    chunk *other = redacted.iov_len > 0 ? chunk_new(redacted.iov_base, redacted.iov_len) : NULL;
    if (other) {
        other->ends_unit = c->ends_unit;
        other->is_replay = c->is_replay;
        other->until = c->until;
        other->begin = c->begin;
        other->end = c->end;
    }
    chunk_release(c);
    return other;
}

/* Takes the reference. */
static void deliver(program *p, chunk *c)
{
    const struct iovec recorded = for_recording(p, c->bytes, c->size);
    if (p->record && recorded.iov_len > 0)
        record_write(p->record, recorded.iov_base, recorded.iov_len);
    if (p->record && c->ends_unit) record_end_unit(p->record, c->until);
    if (p->options.redacts_streams) c = redact_chunk(c, recorded);
    if (c) server_write_chunk(p->server, c);
}

static void deliver_header(program *p)
{
    size_t size;
    const uint8_t *at = hectic_header_bytes(p->header, &size);
    const struct iovec recorded = for_recording(p, at, size);
    if (p->options.redacts_streams)
        hectic_server_write(p->server, recorded.iov_base, recorded.iov_len);
    else
        hectic_server_write(p->server, at, size);
    if (p->record && recorded.iov_len > 0)
        record_write(p->record, recorded.iov_base, recorded.iov_len);
}

static void begin_counting(program *p)
{
    const hectic_header *header = hectic_stream_header(p->stream);
    if (p->rows) program_rows_begin(p->rows, header);
    if (!p->live_stats || p->has_live_stats) return;
    p->has_live_stats = hectic_live_stats_begin(p->live_stats, header);
    hectic_live_stats_follow(p->live_stats);
}

static void fail_otlp(program *p)
{
    diagnostics_report(p->options.diagnostics,
                       "%s: nothing is sent by OTLP any more: out of memory", p->name);
    program_otlp_free(p->otlp);
    p->otlp = NULL;
}

/* False: redacting omits the event. */
static bool redact_event(program *p, hectic_event *event)
{
    hectic_event_osprocess_pid pid;
    if (!p->redactor) return true;
    if (!redactor_event(p->redactor, event)) return false;
    if (event->type == HECTIC_EVENT_OSPROCESS_PID && hectic_read_osprocess_pid(event, &pid))
        p->redacted_pid = pid.pid;
    return true;
}

static void count_due(program *p)
{
    hectic_event event;
    hectic_result result;
    while ((result = hectic_stream_pull(p->stream, uv_hrtime(), &event)) != HECTIC_PARTIAL) {
        if (result == HECTIC_HEADER) begin_counting(p);
        if (result != HECTIC_GOT_EVENT) continue;
        const bool is_kept = redact_event(p, &event);
        /* Unknown events are counted only. */
        if (p->live_stats && (is_kept || !event.declared->shape))
            hectic_live_stats_event(p->live_stats, &event);
        if (!is_kept) continue;
        if (p->rows) program_rows_event(p->rows, &event);
        if (p->otlp && !program_otlp_event(p->otlp, &event)) fail_otlp(p);
    }
}

/* Are rows, or items of OTLP, made of all events? */
static bool is_stored(const program *p)
{
    return p->rows || p->otlp;
}

/* Stores what the rest of the log gives. */
static void end_storing(program *p)
{
    hectic_section section;
    if (!is_stored(p) || !p->begun) return;
    hectic_stream_end(p->stream);
    stream_section(p->stream, &section); /* without memory, it is as if all caps went further */
    section.complete = p->complete;
    if (p->complete) section.covered_to = section.last_time;
    section.lacks_caps = section.lacks_caps && !p->complete;
    if (p->rows) program_rows_cut(p->rows, &section);
    count_due(p);
    if (p->rows) program_rows_end(p->rows, p->name);
    const struct metrics_program metrics = program_metrics(p);
    if (p->otlp) program_otlp_end(p->otlp, &metrics);
}

static void count(program *p, const uint8_t *at, size_t size)
{
    if (!p->stream) return;
    hectic_stream_push(p->stream, at, size, uv_hrtime());
    count_due(p);
}

/* What is stored is of what is recorded, whose blocks are divided at the ends of units; live
 * statistics alone need not wait for these. */
static void pass_on_units(program *p, queue chunks)
{
    for (chunk *c; (c = queue_take(&chunks));) {
        if (is_stored(p)) {
            count(p, c->bytes, c->size);
            if (c->ends_unit) stream_end_unit(p->stream, c->until);
            count_due(p);
        }
        if (p->is_open)
            deliver(p, c);
        else
            queue_append(&p->early, c);
    }
}

/* With `at_end`, also what is incomplete. */
static void pass_on_held(program *p, bool at_end)
{
    pass_on_units(p, units_release(&p->units, at_end));
}

/* Takes whole blocks. */
static void pass_on(program *p, const uint8_t *at, size_t size)
{
    chunk *c = chunk_new(at, size);
    if (c) units_add(&p->units, c, clock_ms());
    const queue unit = units_take(&p->units, clock_ms());
    if (is_stored(p) && unit.first) stream_begin_unit(p->stream);
    pass_on_units(p, unit);
    if (p->units.held.bytes > UNITS_HELD) pass_on_held(p, false);
    if (!is_stored(p)) count(p, at, size);
}

static void end_block(program *p)
{
    const bytes *out = p->options.out;
    const struct block *b = &p->block;
    if (b->open)
        hectic_encode_block_marker(out->at + b->at, HECTIC_BLOCK_MARKER_SIZE, b->begin,
                                   (uint32_t)(out->size - b->at), b->end, b->cap);
    p->block.open = false;
}

/* `begin`: not later than its first event. */
static bool begin_block(program *p, uint16_t cap, uint64_t begin)
{
    end_block(p);
    p->block = (struct block){.at = p->options.out->size, .cap = cap, .begin = begin};
    p->block.open = bytes_add(p->options.out, HECTIC_BLOCK_MARKER_SIZE) != NULL;
    return p->block.open;
}

static void flush(program *p)
{
    bytes *out = p->options.out;
    end_block(p);
    if (out->size > 0) pass_on(p, out->at, out->size);
    out->size = 0;
}

/* --- Input ------------------------------------------------------------------------------------ */

static const uint8_t header_mark[] = {'h', 'd', 'r', 'b',
                                      'h', 'e', 't', 'b'}; /* the first bytes of a header */

static bool pass_header(program *p, const hectic_header *header)
{
    size_t size;
    const uint8_t *at = hectic_header_bytes(header, &size);
    hectic_header *passed;
    hectic_error error;
    if (!hectic_header_parse(&passed, at, size, &error)) return false;
    passed = header_with(passed, HECTIC_EVENT_BLOCK_MARKER);
    if (!passed) return false;
    flush(p);
    p->marker_begin = UINT64_MAX;
    p->header = passed;
    units_begin(&p->units, passed);
    if (p->is_open) deliver_header(p);
    at = hectic_header_bytes(passed, &size);
    count(p, at, size);
    command_delivery_set_answers(&p->delivery, hectic_header_type(header, HECTIC_EVENT_SYNC));
    return true;
}

static void read_name(program *p, const hectic_event *event)
{
    hectic_event_osprocess_pid pid;
    hectic_text args;
    if (event->type == HECTIC_EVENT_OSPROCESS_PID && hectic_read_osprocess_pid(event, &pid))
        p->pid = pid.pid;
    if (event->type != HECTIC_EVENT_PROGRAM_ARGS || p->reported_name[0] ||
        !hectic_read_text(event, &args))
        return;
    const char *text = (const char *)args.bytes;
    size_t length = strnlen(text, args.length);
    for (size_t i = length; i-- > 0;)
        if (text[i] == '/') {
            text += i + 1;
            length -= i + 1;
            break;
        }
    if (length >= sizeof p->reported_name) length = sizeof p->reported_name - 1;
    memcpy(p->reported_name, text, length);
}

static bool block_for(program *p, const hectic_event *event)
{
    if (p->block.open && p->block.cap == event->cap) return true;
    const uint64_t begin = p->marker_begin;
    p->marker_begin = UINT64_MAX;
    return begin_block(p, event->cap, begin < event->time ? begin : event->time);
}

/* SYNC events of another writer are not passed on. */
static bool is_other_sync(const hectic_event *event)
{
    return event->type == HECTIC_EVENT_SYNC && event->declared->size != HECTIC_VARIABLE;
}

/* Also when it is replayed in a SYNC event. */
static bool is_environment(const hectic_event *event)
{
    hectic_event replayed;
    if (event->type == HECTIC_EVENT_SYNC && hectic_read_replayed(event, &replayed))
        event = &replayed;
    return event->type == HECTIC_EVENT_PROGRAM_ENV;
}

/* Its end time is passed on with the block's last event: the cap may have got further than that
 * event. An empty block is passed on for its end time. */
static void end_input_block(program *p, const hectic_event *last)
{
    if (hectic_decoder_block_remaining(p->decoder) > 0 || !p->marker_end) return;
    if (block_for(p, last) && p->marker_end > p->block.end) p->block.end = p->marker_end;
    p->marker_end = 0;
}

/* The marker of an input block. */
static void take_marker(program *p, const hectic_event *marker)
{
    hectic_event_block_marker fields;
    end_block(p);
    p->marker_begin = marker->time;
    p->marker_end = hectic_read_block_marker(marker, &fields) ? fields.end_time : 0;
    end_input_block(p, marker);
}

static void pass_event(program *p, const hectic_event *event)
{
    if (p->events++ < NAME_EVENTS) read_name(p, event);
    if (is_other_sync(event) || (is_environment(event) && !p->options.with_env)) return;
    if (command_delivery_take_answer(&p->delivery, event))
        return; /* only for the reader that sent the command */
    if (!block_for(p, event)) return;
    /* The event's head precedes the payload in the decoder's buffer. */
    const size_t head = event->declared->size == HECTIC_VARIABLE ? VARIABLE_HEAD : EVENT_HEAD;
    uint8_t *at = bytes_add(p->options.out, head + event->size);
    if (at) memcpy(at, event->payload - head, head + event->size);
    if (event->time > p->block.end) p->block.end = event->time;
}

static void take_event(program *p, const hectic_event *event)
{
    if (event->type == HECTIC_EVENT_BLOCK_MARKER) {
        take_marker(p, event);
        return;
    }
    pass_event(p, event);
    end_input_block(p, event);
}

static void keep(program *p, const uint8_t *at, size_t size)
{
    uint8_t *kept = size > 0 ? bytes_add(&p->rest, size) : NULL;
    if (kept) memcpy(kept, at, size);
}

/* Another header begins another log with a new time base. */
static void keep_log(program *p, const uint8_t *piece, size_t size)
{
    size_t length;
    const uint8_t *header = hectic_header_bytes(hectic_decoder_header(p->decoder), &length);
    const uint64_t left = p->received - p->skipped - hectic_decoder_position(p->decoder);
    const size_t trailing = left < size ? (size_t)left : size;
    keep(p, header, length);
    keep(p, piece + size - trailing, trailing);
    p->ended = true;
}

/* Keeps a partial header after the end, where another log may begin. */
static void keep_tail(program *p)
{
    size_t length;
    const uint8_t *tail = hectic_decoder_tail(p->decoder, &length);
    if (length > 0 &&
        memcmp(tail, header_mark, length < sizeof header_mark ? length : sizeof header_mark) == 0)
        keep(p, tail, length);
}

struct piece {
    program *p;
    const uint8_t *at;
    size_t size;
};

static bool take_item(void *self, const hectic_decoder *decoder, hectic_result result,
                      const hectic_event *event)
{
    const struct piece *piece = self;
    program *p = piece->p;
    if (result == HECTIC_GOT_EVENT) {
        p->since_event = 0;
        take_event(p, event);
    } else if (result == HECTIC_ERROR) {
        p->damaged += program_has_header(p);
    } else if (result == HECTIC_COMPLETE) {
        end_block(p);
        p->ended = p->complete = true;
    } else if (p->begun) {
        keep_log(p, piece->at, piece->size);
        return false;
    } else {
        p->begun = true;
        p->ended = !pass_header(p, hectic_decoder_header(decoder));
        return !p->ended;
    }
    return true;
}

/* False: not a valid header. */
static bool pass_log(program *p, const uint8_t *at, size_t size)
{
    static const struct pass_consumer consumer = {.item = take_item};
    const pass_end end = pass_piece(p->decoder, &consumer, &(struct piece){p, at, size}, at, size);
    if (end == PASS_DONE && p->ended) keep_tail(p);
    return end != PASS_UNUSABLE;
}

/* --- Search for the header -------------------------------------------------------------------- */

/* The number of matched bytes after one more byte. */
static size_t match(size_t matched, uint8_t byte)
{
    if (matched == 5 && byte != header_mark[5])
        matched = 1; /* "hdrbh" ends with its first letter */
    return byte == header_mark[matched] ? matched + 1 : byte == header_mark[0];
}

/* Searches for header_mark; returns the number of bytes consumed. */
static size_t search(program *p, const uint8_t *at, size_t size)
{
    size_t i = 0;
    for (size_t before = p->matched; i < size && before < sizeof header_mark; before = p->matched) {
        p->matched = match(before, at[i++]);
        if (!p->options.header_first || p->matched > before) continue;
        p->since_event = UINT64_MAX;
        break;
    }
    return i;
}

/* After a false header: continues the search; false: gives up. */
static bool search_again(program *p)
{
    const bool goes_on = !p->options.header_first && ++p->false_headers < MAX_FALSE_HEADERS;
    hectic_decoder *decoder = goes_on ? hectic_decoder_new() : NULL;
    p->matched = 0;
    if (!decoder) p->since_event = UINT64_MAX;
    if (!decoder) return false;
    hectic_decoder_free(p->decoder);
    p->decoder = decoder;
    return true;
}

/* Finds the header and passes the log on. False: no header yet. */
static bool find_log(program *p, const uint8_t *at, const uint8_t *end)
{
    if (p->matched == sizeof header_mark) {
        if (pass_log(p, at, (size_t)(end - at))) return true;
        if (!search_again(p)) return false;
    }
    while ((at += search(p, at, (size_t)(end - at))), p->matched == sizeof header_mark) {
        p->skipped = p->received - (uint64_t)(end - at) - sizeof header_mark;
        pass_log(p, header_mark, sizeof header_mark);
        if (pass_log(p, at, (size_t)(end - at))) return true;
        if (!search_again(p)) return false;
    }
    return false;
}

/* Passes received bytes on at once: the parts of an incomplete block become blocks of their own. */
void program_bytes(program *p, const uint8_t *at, size_t size)
{
    if (program_is_rejected(p) && !program_has_header(p)) return;
    p->since_event += size;
    p->received += size;
    if (find_log(p, at, at + size)) flush(p);
    if (p->ended) pass_on_held(p, true);
}

/* --- Lifetime --------------------------------------------------------------------------------- */

static void release(program *p)
{
    if (p->record) record_end(p->record, p->complete);
    hectic_decoder_free(p->decoder);
    hectic_stream_free(p->stream);
    redact_stream_free(p->redacting);
    redactor_free(p->redactor);
    hectic_live_stats_free(p->live_stats);
    program_rows_free(p->rows);
    program_otlp_free(p->otlp);
    command_delivery_clear(&p->delivery);
    bytes_clear(&p->rest);
    for (chunk *c; (c = queue_take(&p->early));)
        chunk_release(c);
    units_clear(&p->units);
    hectic_header_free(p->header);
    free(p);
}

/* The order of what is stored matters more than that of sums. */
static hectic_stream *new_stream(bool stores)
{
    return hectic_stream_new(&(hectic_stream_options){
        .memory = stores ? ROWS_MEMORY : LIVE_STATS_MEMORY, .lag_max = stores ? ROWS_LAG_MAX : 0});
}

/* Who receives metrics, rows and items knows the time of the day. */
static void begin_redacting(program *p)
{
    p->redacting = redact_stream_new(p->options.redaction, NULL, NULL);
    p->keeping_clock = *p->options.redaction;
    p->keeping_clock.treatment[REDACT_CLOCK] = HECTIC_KEEP;
    p->redactor = redactor_new(&p->keeping_clock, &p->redacted);
}

program *program_new(uv_loop_t *loop, const struct program_options *options)
{
    program *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->options = *options;
    p->loop = loop;
    command_delivery_init(&p->delivery);
    p->decoder = hectic_decoder_new();
    const bool has_live_stats = options->live_stats || options->otlp;
    if (has_live_stats) p->live_stats = hectic_live_stats_new();
    if (options->otlp) p->otlp = program_otlp_new(options->otlp, options->service);
    if (options->store) p->rows = program_rows_new(options->store);
    if (has_live_stats || options->store) p->stream = new_stream(is_stored(p));
    if (options->redaction) begin_redacting(p);
    const struct hectic_server_options serving = {
        .state = options->state_bytes, .command = take_command, .diagnostic = report, .user = p};
    p->server = hectic_server_new(&serving);
    const bool made = p->decoder && p->server &&
                      (!has_live_stats || (p->stream && p->live_stats)) &&
                      (!options->otlp || p->otlp) && (!options->store || (p->stream && p->rows)) &&
                      (!options->redaction || (p->redacting && p->redactor)) &&
                      uv_async_init(loop, &p->async, on_delivery) == 0;
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
    const uint64_t since = uv_hrtime() / 1000000 - p->ended_at;
    hectic_server_free(p->server, since < END_MS ? (uint32_t)(END_MS - since) : 0);
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
    command_delivery_close(&p->delivery);
    if (p->begun && !p->ended && pass_log(p, NULL, 0)) flush(p);
    pass_on_held(p, true);
    end_storing(p);
    if (!p->complete) server_cut(p->server);
    server_hide(p->server); /* its readers may be slow, and its successor needs the socket path */
    hectic_server_close(p->server, 0); /* now, although it is freed later */
    p->ended_at = uv_hrtime() / 1000000;
    p->done = done;
    p->done_user = user;
    p->work.data = p;
    uv_queue_work(p->loop, &p->work, free_server, after_server);
}

/* --- Queries ---------------------------------------------------------------------------------- */

const char *program_reported_name(const program *p)
{
    return p->reported_name[0] ? p->reported_name : NULL;
}

bool program_is_over(const program *p)
{
    return p->ended;
}

bool program_is_complete(const program *p)
{
    return p->complete;
}

bytes program_take_rest(program *p)
{
    const bytes rest = p->rest;
    p->rest = (bytes){0};
    return rest;
}

bool program_is_identified(const program *p)
{
    return (p->reported_name[0] && p->pid) || p->events >= NAME_EVENTS ||
           p->early.bytes + p->units.held.bytes > MAX_EARLY;
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

bool program_open(program *p, char *message, size_t size)
{
    const struct record_options *wanted = p->options.record;
    if (wanted) p->record = record_new(p->loop, wanted, p->name);
    p->is_open = true;
    if (p->header) deliver_header(p);
    for (chunk *c; (c = queue_take(&p->early));)
        deliver(p, c);
    if (p->record || !wanted) return true;
    snprintf(message, size, "%s: recording failed: out of memory", p->name);
    return false;
}

void program_tick(program *p)
{
    if (p->units.held.first && clock_ms() >= p->units.held_since + UNIT_MS) pass_on_held(p, false);
    if (p->record) record_tick(p->record);
    if (p->stream) count_due(p);
    if (p->rows) program_rows_tick(p->rows, p->name);
    if (p->otlp && program_otlp_wants_metrics(p->otlp)) {
        const struct metrics_program metrics = program_metrics(p);
        program_otlp_metrics(p->otlp, &metrics);
    }
    if (p->otlp) program_otlp_tick(p->otlp);
}

bool program_has_header(const program *p)
{
    return hectic_decoder_header(p->decoder) != NULL;
}

bool program_is_rejected(const program *p)
{
    return p->since_event > PROGRAM_MAX_GAP;
}

uint64_t program_skipped(const program *p)
{
    return program_has_header(p) ? p->skipped : p->received;
}

void *program_user(const program *p)
{
    return p->options.user;
}

hectic_server *program_server(const program *p)
{
    return p->server;
}

struct metrics_program program_metrics(program *p)
{
    if (p->stream) count_due(p);
    return (struct metrics_program){
        .name = p->name,
        .pid = p->redactor ? p->redacted_pid : p->pid,
        .live_stats = p->has_live_stats ? p->live_stats : NULL,
        .damaged = p->damaged,
        .stream = p->stream ? hectic_stream_get_state(p->stream) : (hectic_stream_state){0},
        .server = hectic_server_get_state(p->server),
        .record = p->record ? record_counted(p->record) : NULL,
    };
}
