/* file_reading.c — see file_reading.h. */
#include "tool/input/file_reading.h"

#include "numbers/saturating.h"
#include "read/decode/pass.h"
#include "tool/cli/message.h"

int file_reading_open(struct file_reading *reading, const char *path,
                      const struct interval_settings *interval,
                      const struct output_settings *output)
{
    *reading = (struct file_reading){.path = path, .output = output};
    reading->progress = progress_start(output);
    reading->input = tool_input_open(path);
    if (!reading->input) return TOOL_UNUSABLE;
    return interval_resolve(interval, reading->input, path, &reading->interval);
}

void file_reading_close(struct file_reading *reading)
{
    hectic_input_free(reading->input);
    hectic_processes_free(reading->processes);
}

/* A pass. */
struct pass {
    struct file_reading *reading;
    const struct file_reader *reader;
    void *user;
    hectic_decoder *decoder;
    hectic_result last; /* the result of the last pull except HECTIC_PARTIAL */
};

static bool stop(struct pass *pass)
{
    pass->reading->stopped = true;
    return false;
}

static bool end_section(struct pass *pass)
{
    return pass->reading->section == 0 || pass->reader->end(pass->user) || stop(pass);
}

static bool begin_section(struct pass *pass)
{
    struct file_reading *reading = pass->reading;
    if (process_refuse_several(reading->processes, reading->path)) return false;
    if (!end_section(pass)) return false;
    hectic_processes_free(reading->processes);
    reading->processes = NULL;
    reading->section++;
    reading->first = UINT64_MAX;
    reading->last = 0;
    reading->events = 0;
    reading->is_cut = true;
    return pass->reader->begin(pass->user, hectic_decoder_header(pass->decoder)) || stop(pass);
}

static bool take_event(struct pass *pass, const hectic_event *event)
{
    struct file_reading *reading = pass->reading;
    const struct interval *interval = &reading->interval;
    reading->events++;
    if (event->time < reading->first) reading->first = event->time;
    if (event->time > reading->last) reading->last = event->time;
    reading->has_events |= time_is_inside(event->time, interval->from, interval->to);
    if (pass->reader->of_one_process && !processes_note(&reading->processes, event))
        return stop(pass);
    if (reading->processes && hectic_processes_count(reading->processes) > 1) return true;
    return pass->reader->event(pass->user, event) || stop(pass);
}

static void note_damage(struct pass *pass)
{
    const hectic_error *error = hectic_decoder_error(pass->decoder);
    if (pass->reading->damaged++ < TOOL_PLACES_SHOWN || pass->reading->output->verbose ||
        error->kind == HECTIC_NO_MEMORY)
        tool_log_error(pass->reading->path, error);
}

static bool take_item(void *self, const hectic_decoder *decoder, hectic_result result,
                      const hectic_event *event)
{
    (void)decoder;
    struct pass *pass = self;
    pass->last = result;
    if (result != HECTIC_HEADER) pass->reading->is_cut = result != HECTIC_COMPLETE;
    if (result == HECTIC_ERROR) note_damage(pass);
    if (result == HECTIC_GOT_EVENT) return take_event(pass, event);
    return result != HECTIC_HEADER || begin_section(pass);
}

static void show_progress(void *self, double done)
{
    const struct pass *pass = self;
    progress_update(&pass->reading->progress, done);
}

/* At the end of the input: reports what is wrong with the log. */
static int finish(struct pass *pass)
{
    struct file_reading *reading = pass->reading;
    const char *name = tool_log_name(reading->path);
    size_t tail;
    hectic_decoder_tail(pass->decoder, &tail);
    if (reading->section == 0) {
        tool_report_no_header(reading->path, pass->decoder);
        return TOOL_UNUSABLE;
    }
    if (!reading->output->verbose)
        logs_report_more(reading->path, reading->damaged, TOOL_PLACES_SHOWN);
    if (pass->last != HECTIC_COMPLETE && !hectic_input_damage(reading->input)->kind)
        tool_note_unfinished(reading->path, reading->output,
                             hectic_input_is_cut_off(reading->input), tail);
    if (process_refuse_several(reading->processes, reading->path) || !end_section(pass))
        return TOOL_UNUSABLE;
    const struct interval *interval = &reading->interval;
    const bool is_part = interval->from > 0 || interval->to < UINT64_MAX;
    if (is_part && !reading->has_events) {
        tool_message("%s: the interval is %s", name,
                     interval->from == interval->to ? "empty" : "outside the log");
        return TOOL_DAMAGED;
    }
    return reading->damaged ? TOOL_DAMAGED : TOOL_OK;
}

static int read_all(struct pass *pass)
{
    static const struct pass_consumer consumer = {.item = take_item, .progress = show_progress};
    struct file_reading *reading = pass->reading;
    hectic_error error = {0};
    const pass_end end = pass_input(reading->input, pass->decoder, &consumer, pass, &error);
    progress_end(&reading->progress);
    if (end == PASS_STOPPED || end == PASS_UNUSABLE) return TOOL_UNUSABLE;
    if (error.kind != HECTIC_OK) {
        tool_log_error(reading->path, &error);
        if (!tool_is_early_end(&error, hectic_decoder_header(pass->decoder))) return TOOL_UNUSABLE;
        reading->damaged++;
    }
    return finish(pass);
}

int file_reading_run(struct file_reading *reading, const struct file_reader *reader, void *user)
{
    struct pass pass = {reading, reader, user, hectic_decoder_new(), HECTIC_PARTIAL};
    int code = TOOL_UNUSABLE;
    if (pass.decoder)
        code = read_all(&pass);
    else
        tool_message("out of memory");
    hectic_decoder_free(pass.decoder);
    return code;
}
