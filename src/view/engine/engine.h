/* engine.h — the state of a hectic_view, for the files that answer requests. */
#ifndef HECTIC_SRC_VIEW_ENGINE_H
#define HECTIC_SRC_VIEW_ENGINE_H

#include "format/per_cap.h"
#include "read/decode/lost.h"
#include "tables/json.h"
#include "timeline/range.h"
#include "timeline/timeline_parts.h"
#include "view/engine/requests.h"

#include "facts/processes.h"
#include "view/engine/view.h"

enum {
    SECTIONS_MAX = 64,  /* further ones are not shown */
    CAPS_MAX = 1 << 16, /* sections after that many caps are not shown */
    JOBS_MAX = 4,
};

/* A section of the log; in one of several processes, the events of one of them. */
struct section {
    size_t number;          /* of the log's section, from 1 */
    bool is_process;        /* there are others of the same number */
    hectic_process process; /* if it is one */
    hectic_timeline *timeline;
    hectic_header *header;            /* a copy: the decoder has that of the last section only */
    struct marks *marks, *next_marks; /* NULL: not yet. And those that are made */
};

/* The division of the events of a section of the log among its processes (divide.c). */
struct dividing {
    hectic_processes *processes;
    size_t number; /* of the log's section, from 1; 0: none yet */
    size_t first;  /* the index of the section of its first process: those of others follow */
    size_t waiting, capacity;
    struct waiting_cap *cap; /* their creations, until they are assigned to a process */
    bool was_parallel;       /* a part was divided by caps instead */
    bool is_whole;           /* it has its end marker */
    uint64_t last;           /* ns: its latest event */
    cap_times written;       /* up to which time the blocks of each cap extend */
    struct block_reach reach;
    cap_times lost_caps;
    bool is_lost;     /* of the last bytes that were lost, the messages have yet to be taken */
    struct lost lost; /* these bytes */
};

/* Why a request failed. */
enum view_error {
#define ERROR(code, name, doc) VIEW_##code,
#include "view/engine/requests.def"
    VIEW_ERRORS
};

struct answer {
    bool is_bytes; /* otherwise JSON */
    bool is_part;  /* a request that takes long is not done: the same has to be asked again */
    bool is_lost;  /* out of memory */
    uint8_t *bytes;
    size_t length, capacity;
};

struct hectic_view {
    hectic_view_source source;
    hectic_timeline_source timeline_source; /* the same */
    hectic_decoder *decoder;
    uint8_t *buffer;
    uint64_t position; /* up to which bytes were read */
    size_t sections;
    struct section section[SECTIONS_MAX];
    struct dividing dividing; /* of the log's present section, unless that is ignored */
    bool is_ignored;          /* the log's present section is beyond SECTIONS_MAX or CAPS_MAX */
    uint8_t *owner;   /* by number of the cap: the part that reads its blocks (parallel.c) */
    bool is_complete; /* everything so far was read */
    bool grows;       /* what was read so far may not be all */
    bool has_failed;  /* no more can be read */
    enum view_error error;
    char message[400]; /* the last error; "": none */
    struct answer answer;
    struct request request;
    const struct request_kind *kind; /* of the request; NULL: unknown */
    const char *asked;               /* the text of the request */
    const char *body;                /* what follows its first line; NULL: nothing */
    uint64_t steps;                  /* of regular expressions that its answer may still take */
    struct job *job[JOBS_MAX];       /* the last one that was asked for first; NULL: none */
    struct snapshot *snapshot;       /* of which the input is one; NULL: it is a log */
};

/* Begins a section of the log. False: failed. */
bool divide_begin(hectic_view *view);

/* Takes what was pushed into the decoder, for the sections of all processes. */
hectic_result divide_pull(hectic_view *view);

/* A whole block of the log's present section extends to that time. False: out of memory. */
bool divide_note_block(hectic_view *view, uint16_t cap, uint64_t end);

/* The log is being written, and lacks what a cap did in the last tenth of its time, or longer. */
bool divide_is_behind(const hectic_view *view, const struct section *section);

/* Bytes without readable events follow: the present block extends to its last event before them. */
void divide_lose(hectic_view *view);

/* No events follow in the log's present section. False: failed. */
bool divide_end(hectic_view *view);

/* The log's present section has its end marker. */
void divide_complete(hectic_view *view);

/* A second process was found after events were read that were not divided among processes. */
bool divide_was_wrong(const hectic_view *view);

void divide_free(hectic_view *view);

/* The section of the log's present section, if this has one process; NULL: it has none, or several.
 */
struct section *divide_only(hectic_view *view);

/* Reads the blocks that follow by several threads, and sets *taken to their bytes; 0: the next
 * bytes must be read by one. False: failed. */
bool parallel_read(hectic_view *view, uint64_t *taken);

/* How many bytes at most have to be read by one thread until parallel_read can be tried. */
size_t parallel_after(const hectic_view *view, size_t most);

/* Begins again, and reads by one thread from now on. False: failed. */
bool view_restart(hectic_view *view);

/* Sets the error and its message. Returns false. */
bool view_refuse(hectic_view *view, enum view_error error, const char *message);

/* The same for what has no error of its own. */
bool view_fail(hectic_view *view, const char *message);

/* The value of a number of the request, or which one of a choice. */
uint64_t view_value(const hectic_view *view, const char *key);

/* The answer of a request that takes long and is not done: its progress from 0 to 1. */
bool view_put_part(hectic_view *view, struct json *json, double progress);

/* Room for `size` more bytes of the answer; NULL: out of memory. */
uint8_t *answer_room(struct answer *answer, size_t size);

/* The section that a request names; NULL: failed. */
const struct section *view_section(hectic_view *view);

/* The interval that a request names, of a section. False: failed. */
bool view_interval(hectic_view *view, const struct section *section, uint64_t *from, uint64_t *to);

/* The same with a width. */
bool view_picture(hectic_view *view, const struct section *section, struct picture *picture);

/* Does the request have no interval: is it about the whole section? */
bool view_is_whole(const hectic_view *view);

/* The statistics of a section in the interval of the request. Of a whole one that was cut, and has
 * later events, they are those from the beginning of the run: they lack what only whole runs have.
 * False: failed. Free them with hectic_stat_result_clear. */
bool view_stat(hectic_view *view, const struct section *section, hectic_stat_result *result);

/* What the process of a section records, or, if it is not one of several, the log, as
 * hectic_stat_expect. */
uint32_t view_seen(const hectic_view *view, const struct section *section);

/* 0 … 255: rounded, but neither 0 nor 255 unless it is nothing, or all. */
uint8_t share_of(uint64_t part, uint64_t whole);

/* What answers a request: writes view->answer. False: failed. */
#define REQUEST(name, how, held, doc) bool answer_##name(hectic_view *view, struct json *json);
#include "view/engine/requests.def"

#endif
