/* sink.h — output to a file, a pipe or a terminal. */
#ifndef HECTIC_SINK_H
#define HECTIC_SINK_H

#include "tool/cli/options.h"

/* A stream of bytes to standard output or to a file. The file is written atomically; of live input,
 * an incomplete file is kept. A thread does the writing. */
struct sink;

/* False after a message: the output exists, and --force is not given. Pipes, devices and empty
 * files hold nothing that could be lost. sink_open refuses, too; call this before long work. */
bool sink_may_replace(const struct output_settings *settings);

/* NULL after a message. */
struct sink *sink_open(const struct output_settings *settings);

/* The same for a log, which is never written to a terminal. */
struct sink *sink_open_for_log(const struct output_settings *settings);
struct sink *sink_on_stderr(void);

/* To a copy of a descriptor; `name` is for messages. */
struct sink *sink_open_on(int fd, const char *name);

/* A buffer of at least `size` bytes; sink_fill appends the first bytes of it to the stream. */
char *sink_room(struct sink *sink, size_t size);
void sink_fill(struct sink *sink, size_t size);

/* The same; *size is set to the size of the buffer. */
char *sink_space(struct sink *sink, size_t least, size_t *size);

/* Append text. */
void sink_text(struct sink *sink, const char *text, size_t size);
void sink_print(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends untrusted text, as hectic_render_visible shows it. */
void sink_visible(struct sink *sink, const char *text, size_t size);

/* As sink_room and sink_fill, for untrusted text that is made visible only on a terminal. `text` is
 * the buffer. */
char *sink_foreign_room(struct sink *sink, size_t size);
void sink_foreign_fill(struct sink *sink, const char *text, size_t size);

/* Writes what is buffered. */
void sink_flush(struct sink *sink);
void sink_flush_all(void);         /* before waiting for input */
bool sink_has_reader(void);        /* false: the output is a pipe that nobody reads */
void sink_wait(struct sink *sink); /* the same, and waits until it is written */

/* True if writing has failed: the caller may stop. sink_close prints the message. */
bool sink_failed(const struct sink *sink);

/* Is the output kept even if the work fails, as for live input? */
bool sink_is_kept(const struct sink *sink);

/* Is the output a terminal that wants colors? */
bool sink_is_colored(const struct sink *sink);

/* Will the output be a terminal? */
bool sink_is_for_terminal(const struct output_settings *settings);

/* Is the output a terminal, perhaps through a pager that passes colors on? Untrusted text is then
 * made visible: see hectic_render_visible. */
bool sink_is_terminal(const struct sink *sink);

/* Writes the rest and gives the file its name. Returns `code`, or TOOL_UNUSABLE after a message if
 * writing failed. Then, or if `code` is TOOL_UNUSABLE or TOOL_USAGE, the file is removed, unless
 * live input (signals.h) was written in part. */
int sink_close(struct sink *sink, int code);

/* The same for an output that is tested before it gets its name, if it is a file: `accept` gets a
 * path from which it can be read. False: after a message; the file is removed. */
int sink_close_if(struct sink *sink, int code, bool (*accept)(void *user, const char *path),
                  void *user);

#endif
