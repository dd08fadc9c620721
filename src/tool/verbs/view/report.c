/* report.c — see report.h. */
#define _GNU_SOURCE /* memmem */
#include "tool/verbs/view/report.h"

#include "tables/json.h"
#include "tool/cli/message.h"
#include "tool/cli/progress.h"
#include "tool/files/sink.h"
#include "tool/input/logs.h"
#include "tool/output/cells.h"
#include "tool/verbs/compare/two_logs.h"
#include "tool/verbs/view/packed.h"
#include "tool/verbs/view/page.h"
#include "tool/verbs/view/server.h"
#include "tool/verbs/view/threads.h"
#include "view/engine/snapshot.h"

#include "view/engine/view.h"
#include <hectic/version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ANSWERS_MAX = SAVED_ANSWERS_MAX - 1, /* one says what the report is */
    PIECE = 1 << 22,
    SLOTS_MIN = 64,
    SLOTS_MAX = 1 << 15,
    REQUEST = 100,
    TABLE_MAX = 10000, /* rows of a table */
    TABLE_MIN = 100,   /* rows of a table that was shortened, at least */
    AROUND = 10000,    /* bytes for what the report is */
    LISTED = 200000,   /* and for what was left out */
    MAX_SIZE = 10000000,
};

/* The answer to a request about the whole run. */
struct item {
    const struct request_kind *kind;
    size_t section;
    char request[REQUEST];
    uint8_t what; /* enum saved_answer */
    struct packed bytes;
    size_t packed; /* how many bytes it has in a report, about */
    size_t rows;   /* at most; 0: it cannot be shortened */
    bool is_left_out;
};

/* A log, and what of it is in the report. */
struct reported {
    struct report *report;
    char *path;
    hectic_input *input;
    hectic_view *view;
    uint64_t damaged_places;
    bool holds_log; /* otherwise a snapshot */
    size_t slots;
    size_t items;
    struct item *item; /* ANSWERS_MAX */
    struct packed packed;
};

struct report {
    const struct report_settings *settings;
    uint64_t max_size;
    char *page;
    size_t page_length;
    struct redaction redaction;
    struct progress progress;
    struct reported log[VIEW_LOGS];
    size_t logs;
    struct packed comparison; /* of two: JSON */
};

static const char mark[] = "<!-- report -->"; /* in the page: here the snapshot comes */

static bool out_of_memory(void)
{
    tool_message("out of memory");
    return false;
}

/* --- Reading --------------------------------------------------------------------------------- */

static ptrdiff_t read_input(void *user, uint64_t position, void *buffer, size_t size)
{
    hectic_error error;
    return hectic_input_pread(user, position, buffer, size, &error);
}

static void put_in(void *to, const char *bytes, size_t size)
{
    packed_add(to, bytes, size);
}

/* Returns the exit code. */
static int read_log(struct reported *r)
{
    hectic_error error;
    struct losses *losses = &r->report->redaction.losses;
    losses->places = 0;
    r->input = tool_input_open(r->path);
    if (!r->input) return TOOL_UNUSABLE;
    if (!hectic_input_make_random(r->input, &error)) {
        tool_log_error(r->path, &error);
        return TOOL_UNUSABLE;
    }
    uint64_t position = 0, size = 0;
    hectic_input_progress(r->input, &position, &size);
    const hectic_view_source source = {
        .user = r->input,
        .size = size,
        .read = read_input,
        .run = threads_run,
        .threads = threads_count(),
    };
    r->view = hectic_view_new(&source);
    if (!r->view) return out_of_memory(), TOOL_UNUSABLE;
    hectic_view_result result;
    while ((result = hectic_view_read(r->view, PIECE)) == HECTIC_VIEW_MORE) {
        position += PIECE;
        if (size > 0)
            progress_update(&r->report->progress,
                            position < size ? (double)position / (double)size : 1);
    }
    if (result == HECTIC_VIEW_FAILED) {
        progress_end(&r->report->progress);
        tool_message("%s: %s", tool_log_name(r->path), hectic_view_message(r->view));
        return TOOL_UNUSABLE;
    }
    const uint64_t skipped = hectic_decoder_skipped(r->view->decoder);
    if (skipped > 0)
        tool_message("%s: damaged: %s left out of the report", tool_log_name(r->path),
                     quantity(skipped, "byte").text);
    const hectic_error damage = *hectic_input_damage(r->input);
    if (damage.kind != HECTIC_OK) tool_log_error(r->path, &damage);
    r->damaged_places = losses->places;
    const bool is_damaged = skipped > 0 || damage.kind != HECTIC_OK || r->damaged_places > 0;
    return is_damaged ? TOOL_DAMAGED : TOOL_OK;
}

/* --- Answers --------------------------------------------------------------------------------- */

/* Asks until the answer is complete. */
static bool ask_all(const struct reported *r, const char *request, hectic_view_answer *a)
{
    bool done;
    do
        done = hectic_view_ask(r->view, request, a);
    while (done && r->view->answer.is_part);
    return done;
}

/* Keeps the answer to a request as that of an item. */
static bool fill(const struct reported *r, struct item *item, const char *asked, bool for_parts)
{
    hectic_view_answer a;
    const bool done = ask_all(r, asked, &a);
    const bool is_json = strcmp(a.type, "application/json") == 0;
    packed_clear(&item->bytes);
    item->what = (uint8_t)((is_json ? 0 : SAVED_BYTES) | (done ? 0 : SAVED_FAILED) |
                           (for_parts ? SAVED_FOR_PARTS : 0));
    if (!done) item->what |= (uint8_t)(r->view->error << SAVED_ERROR);
    const char *message = hectic_view_message(r->view);
    if (done)
        packed_add(&item->bytes, a.bytes, a.length);
    else
        packed_add(&item->bytes, message, strlen(message));
    if (item->bytes.is_lost) return out_of_memory();
    struct packed packed = packed_gzip(item->bytes.bytes, item->bytes.length);
    item->packed = packed_base64_length(packed.length);
    packed_clear(&packed);
    return true;
}

static bool add_answer(struct reported *r, size_t section, const struct request_kind *kind)
{
    const bool is_picture = kind->held == HELD_PICTURE;
    if (r->items == ANSWERS_MAX) return true;
    struct item *item = &r->item[r->items++];
    item->kind = kind;
    item->section = section;
    snprintf(item->request, sizeof item->request, "%s?section=%zu%s", kind->name, section,
             is_picture ? "&width=1000" : "");
    item->rows = kind->held == HELD_ROWS ? TABLE_MAX : 0;
    return fill(r, item, item->request, is_picture);
}

/* Answers with fewer rows. False: it has few, or failed. */
static bool shorten(const struct reported *r, struct item *item)
{
    char asked[2 * REQUEST];
    if (item->rows < 2 * TABLE_MIN) return false;
    item->rows /= 2;
    snprintf(asked, sizeof asked, "%s&most=%zu", item->request, item->rows);
    return fill(r, item, asked, false);
}

static bool add_answers(struct reported *r)
{
    size_t requests = 0, asked = 0;
    for (const struct request_kind *kind = NULL; (kind = request_next(kind));)
        requests++;
    progress_pass(&r->report->progress);
    for (size_t section = 1; section <= r->view->sections; section++) {
        for (const struct request_kind *kind = NULL; (kind = request_next(kind));) {
            progress_update(&r->report->progress,
                            (double)asked++ / (double)(r->view->sections * requests));
            if (kind->held != HELD_NOT && !add_answer(r, section, kind)) return false;
        }
    }
    return true;
}

/* --- The log --------------------------------------------------------------------------------- */

struct reading {
    struct reported *log;
    uint64_t position;
    hectic_error error;
};

static ptrdiff_t read_on(void *user, void *buffer, size_t size)
{
    struct reading *reading = user;
    const ptrdiff_t n =
        hectic_input_pread(reading->log->input, reading->position, buffer, size, &reading->error);
    if (n > 0) reading->position += (uint64_t)n;
    return n;
}

/* Sets r->holds_log if all of the log has room. */
static bool pack_log(struct reported *r, size_t room)
{
    enum { RATIO = 10 }; /* logs are compressed to a third, about */
    uint64_t position, size = 0;
    hectic_input_progress(r->input, &position, &size);
    if (size / RATIO > room) return true;
    struct reading reading = {.log = r};
    r->packed = packed_stream(read_on, &reading, room / 4 * 3);
    if (r->packed.is_lost) return out_of_memory();
    if (reading.error.kind != HECTIC_OK) {
        tool_log_error(r->path, &reading.error);
        return false;
    }
    r->holds_log = r->packed.length > 0;
    return true;
}

/* --- The snapshot ---------------------------------------------------------------------------- */

static void put_record(struct packed *to, uint8_t what, const char *request,
                       const struct packed *bytes)
{
    const size_t length = 1 + strlen(request) + 1 + bytes->length;
    uint8_t head[6] = {'A'};
    for (unsigned i = 0; i < 4; i++)
        head[1 + i] = (uint8_t)(length >> 8 * i);
    head[5] = what;
    packed_add(to, head, sizeof head);
    packed_add(to, request, strlen(request) + 1);
    packed_add(to, bytes->bytes, bytes->length);
}

/* The request and the section of an item. */
static void put_item(const struct item *item, struct json *json)
{
    json_text(json, "request", item->kind->name);
    json_number(json, "section", true, item->section);
}

static bool is_shortened(const struct item *item)
{
    return item->rows > 0 && item->rows < TABLE_MAX && !item->is_left_out;
}

static void put_left_out(const struct reported *r, struct json *json)
{
    json_open(json, "left_out", '[');
    for (size_t i = 0; i < r->items; i++) {
        if (!r->item[i].is_left_out) continue;
        json_open(json, NULL, '{');
        put_item(&r->item[i], json);
        json_number(json, "bytes", true, r->item[i].bytes.length);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "shortened", '[');
    for (size_t i = 0; i < r->items; i++) {
        if (!is_shortened(&r->item[i])) continue;
        json_open(json, NULL, '{');
        put_item(&r->item[i], json);
        json_number(json, "rows", true, r->item[i].rows);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* The last part of a path, and those before it that tell it from another path (or NULL). */
static const char *end_of_path(const char *path, const char *other)
{
    const size_t length = strlen(path), size = other ? strlen(other) : 0;
    size_t same = 0;
    if (other && strcmp(path, other) != 0)
        while (same < length && same < size && path[length - 1 - same] == other[size - 1 - same])
            same++;
    const char *end = path + length - same;
    while (end > path && end[-1] != '/')
        end--;
    return end;
}

/* Without directories, unless they tell it from the other log; of run:COMMAND, without the
 * arguments, too. Its name is that of the program, often. */
static void put_log(const struct reported *r, struct json *json)
{
    static const char run[] = "run:";
    const char *name = tool_log_name(r->path), *other = NULL;
    char program[REQUEST];
    if (r->report->logs == 2) other = r->report->log[r == r->report->log].path;
    if (redaction_hides_program(&r->report->redaction))
        name = r->report->logs == 1 ? "log" : r == r->report->log ? "old" : "new";
    if (strncmp(name, run, sizeof run - 1) == 0 && !r->report->settings->with_arguments) {
        name += sizeof run - 1;
        name += strspn(name, " \t\n");
        snprintf(program, sizeof program, "%.*s", (int)strcspn(name, " \t\n"), name);
        name = program;
    }
    json_text(json, "log", end_of_path(name, other));
}

/* What the report is, for the page. */
static struct packed about(const struct reported *r)
{
    struct packed text = {0};
    hectic_view_answer startup;
    struct json json = {.put = put_in, .to = &text};
    json_open(&json, NULL, '{');
    put_log(r, &json);
    json_text(&json, "hectic", HECTIC_VERSION);
    json_number(&json, "slots", !r->holds_log, r->slots);
    json_number(&json, "damaged_places", true, r->damaged_places);
    put_left_out(r, &json);
    if (r->report->settings->with_arguments && ask_all(r, "startup", &startup)) {
        static const char key[] = ",\"startup\":";
        packed_add(&text, key, sizeof key - 1);
        packed_add(&text, startup.bytes, startup.length);
    }
    json_close(&json, '}');
    return text;
}

static bool ask_pictures(const struct reported *r, hectic_view_answer *a)
{
    char request[REQUEST];
    snprintf(request, sizeof request, "snapshot?slots=%zu", r->slots);
    if (hectic_view_ask(r->view, request, a)) return true;
    tool_message("%s: %s", tool_log_name(r->path), hectic_view_message(r->view));
    return false;
}

/* As it will be in the report. */
static bool pack(struct reported *r)
{
    static const uint8_t left_out = SAVED_FAILED | VIEW_LEFT_OUT << SAVED_ERROR;
    hectic_view_answer a;
    struct packed all = {0};
    if (!ask_pictures(r, &a)) return false;
    packed_add(&all, a.bytes, a.length);
    static const char too_large[] = "this was too large for the report";
    const struct packed why = {.bytes = (uint8_t *)(uintptr_t)too_large,
                               .length = sizeof too_large - 1};
    for (size_t i = 0; i < r->items; i++) {
        const struct item *item = &r->item[i];
        put_record(&all, item->is_left_out ? left_out : item->what, item->request,
                   item->is_left_out ? &why : &item->bytes);
    }
    r->packed = all.is_lost ? (struct packed){.is_lost = true} : packed_gzip(all.bytes, all.length);
    packed_clear(&all);
    return !r->packed.is_lost || out_of_memory();
}

/* Bytes of the pictures in a report, about. */
static size_t size_of_pictures(const struct reported *r)
{
    hectic_view_answer a;
    if (!ask_pictures(r, &a)) return 0;
    struct packed packed = packed_gzip(a.bytes, a.length);
    const size_t size = packed_base64_length(packed.length);
    packed_clear(&packed);
    return size;
}

static struct item *largest(const struct reported *r)
{
    struct item *found = NULL;
    for (size_t i = 0; i < r->items; i++)
        if (!r->item[i].is_left_out && r->item[i].bytes.length > 0 &&
            (!found || r->item[i].packed > found->packed))
            found = &r->item[i];
    return found;
}

/* Makes the report smaller: halves the slots, or shortens or drops the largest answer. False:
 * nothing is left. */
static bool shrink(struct reported *r, size_t *pictures, size_t *answers)
{
    struct item *item = largest(r);
    if (r->slots > SLOTS_MIN && (!item || *pictures >= item->packed)) {
        r->slots /= 2;
        *pictures = size_of_pictures(r);
        return true;
    }
    if (!item) return false;
    *answers -= item->packed;
    item->is_left_out = !shorten(r, item);
    if (!item->is_left_out) *answers += item->packed;
    return true;
}

/* Bytes in a unit that the option takes. */
static size_t rounded_up_to_k(size_t bytes)
{
    return (bytes + 999) / 1000;
}

static bool fit(struct reported *r, size_t room)
{
    r->slots = SLOTS_MAX;
    size_t pictures = size_of_pictures(r), answers = 0;
    for (size_t i = 0; i < r->items; i++)
        answers += r->item[i].packed;
    for (;;) {
        while (pictures + answers > room)
            if (!shrink(r, &pictures, &answers)) break;
        if (!pack(r)) return false;
        const size_t length = packed_base64_length(r->packed.length);
        if (length <= room) return true;
        packed_clear(&r->packed);
        if (!shrink(r, &pictures, &answers)) {
            const struct report *all = r->report; /* whose logs have equal parts */
            const size_t enough =
                all->page_length + AROUND + all->comparison.length + all->logs * (LISTED + length);
            tool_message("%s: --max-size is too small for a report: %zuk is enough",
                         tool_log_name(r->path), rounded_up_to_k(enough));
            return false;
        }
    }
}

/* --- The file -------------------------------------------------------------------------------- */

static void put_text(struct sink *sink, const char *text)
{
    sink_text(sink, text, strlen(text));
}

/* Escaped, so that no text of the log ends the element. */
static void put_json(struct sink *sink, const struct packed *text)
{
    for (size_t i = 0; i < text->length; i++)
        if (text->bytes[i] == '<')
            put_text(sink, "\\u003c");
        else
            sink_text(sink, (const char *)&text->bytes[i], 1);
    put_text(sink, "</script>\n");
}

/* The elements of the first log have no number. */
static bool put_log_of(const struct reported *r, const char *number, struct sink *sink)
{
    const size_t length = packed_base64_length(r->packed.length);
    char *text = malloc(length + 1);
    if (!text) return out_of_memory();
    packed_base64(r->packed.bytes, r->packed.length, text);
    sink_print(sink, "<script type=\"application/json\" id=\"report%s\">", number);
    struct packed json = about(r);
    put_json(sink, &json);
    packed_clear(&json);
    sink_print(sink, "<script type=\"application/gzip\" id=\"snapshot%s\">", number);
    sink_text(sink, text, length);
    put_text(sink, "</script>");
    free(text);
    return true;
}

static bool put_report(const struct report *r, struct sink *sink)
{
    const char *at = memmem(r->page, r->page_length, mark, sizeof mark - 1);
    const size_t head = (size_t)(at - r->page), rest = head + sizeof mark - 1;
    sink_text(sink, r->page, head);
    for (size_t i = 0; i < r->logs; i++)
        if (!put_log_of(&r->log[i], i == 0 ? "" : "-2", sink)) return false;
    if (r->logs == 2) {
        put_text(sink, "<script type=\"application/json\" id=\"comparison\">");
        put_json(sink, &r->comparison);
    }
    sink_text(sink, r->page + rest, r->page_length - rest);
    return true;
}

static void note_left_out(const struct reported *r)
{
    for (size_t i = 0; i < r->items; i++) {
        const struct item *item = &r->item[i];
        if (item->is_left_out)
            tool_message("note: left out, since it would exceed --max-size: %s", item->request);
        if (is_shortened(item))
            tool_message("note: only %s, since more would exceed --max-size: %s",
                         quantity(item->rows, "row").text, item->request);
    }
}

/* Takes of the room for the rest of the report what it needs, at most its part. */
static int take_log(struct reported *r, size_t *room, size_t part)
{
    r->item = calloc(ANSWERS_MAX, sizeof *r->item);
    if (!r->item) return out_of_memory(), TOOL_UNUSABLE;
    const int code = read_log(r);
    if (code == TOOL_UNUSABLE) return code;
    if (!pack_log(r, part)) return TOOL_UNUSABLE;
    const size_t listed = part > LISTED ? part - LISTED : 0;
    if (!r->holds_log && !(add_answers(r) && fit(r, listed))) return TOOL_UNUSABLE;
    const size_t taken = packed_base64_length(r->packed.length) + (r->holds_log ? 0 : LISTED);
    *room -= taken < *room ? taken : *room;
    return code;
}

/* Sets the comparison of both logs, as they are in the report. Returns the exit code. */
static int compare_logs(struct report *r)
{
    char *text, *paths[VIEW_LOGS];
    size_t size;
    for (size_t i = 0; i < r->logs; i++)
        paths[i] = r->log[i].path;
    r->redaction.losses.places = TOOL_PLACES_SHOWN; /* they are shown when the logs are read */
    const int code = compare_two(paths, &text, &size);
    if (code < TOOL_UNUSABLE) packed_add(&r->comparison, text, size);
    free(text);
    if (r->comparison.is_lost) out_of_memory();
    return r->comparison.is_lost ? TOOL_UNUSABLE : code;
}

/* Returns the exit code; sets *done if all of it was given to the sink. */
static int write_to(struct report *r, struct sink *sink, bool *done)
{
    int code = TOOL_OK;
    size_t room = (size_t)r->max_size - r->page_length - AROUND;
    room -= r->comparison.length < room ? r->comparison.length : room;
    for (size_t i = 0; i < r->logs && code < TOOL_UNUSABLE; i++) {
        const int one = take_log(&r->log[i], &room, room / (r->logs - i));
        if (one > code) code = one;
    }
    *done = code < TOOL_UNUSABLE && put_report(r, sink);
    progress_end(&r->progress);
    for (size_t i = 0; i < r->logs && *done && !r->settings->output.quiet; i++)
        note_left_out(&r->log[i]);
    return *done ? code : TOOL_UNUSABLE;
}

static bool has_page(struct report *r)
{
    r->page = page_read(&r->page_length);
    if (!r->page) {
        tool_message("%s", page_missing);
        return false;
    }
    if (!memmem(r->page, r->page_length, mark, sizeof mark - 1)) {
        tool_message("view.html belongs to another version of hectic");
        return false;
    }
    if (r->max_size > r->page_length + AROUND) return true;
    tool_message("--max-size is too small for a report: it takes at least %zuk, without the log",
                 rounded_up_to_k(r->page_length + AROUND + 1));
    return false;
}

static int write_report(struct report *r)
{
    if (!has_page(r)) return TOOL_UNUSABLE;
    r->progress = progress_start(&r->settings->output);
    progress_survey(&r->progress);
    int code = redaction_make(&r->settings->redaction, "team", &r->redaction);
    if (code != TOOL_OK) return code;
    if (!r->settings->with_arguments) tool_input_redact(&r->redaction);
    const int compared = r->logs == 2 ? compare_logs(r) : TOOL_OK;
    if (compared >= TOOL_UNUSABLE) return compared;
    struct sink *sink = sink_open(&r->settings->output);
    if (!sink) return TOOL_UNUSABLE;
    bool done = false;
    code = write_to(r, sink, &done);
    if (compared > code) code = compared;
    const int closed = sink_close(sink, done ? code : TOOL_UNUSABLE);
    return done ? closed : code;
}

int report_write(const struct report_settings *settings, char **paths, size_t count)
{
    struct report r = {.settings = settings,
                       .max_size = settings->max_size ? settings->max_size : MAX_SIZE,
                       .logs = count};
    for (size_t i = 0; i < count; i++)
        r.log[i] = (struct reported){.report = &r, .path = paths[i]};
    const int code = write_report(&r);
    for (size_t i = 0; i < count; i++) {
        struct reported *log = &r.log[i];
        for (size_t item = 0; item < log->items; item++)
            packed_clear(&log->item[item].bytes);
        free(log->item);
        packed_clear(&log->packed);
        hectic_view_free(log->view);
        hectic_input_free(log->input);
    }
    packed_clear(&r.comparison);
    free(r.page);
    return code;
}
