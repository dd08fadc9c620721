/* text.h — what becomes of a text. */
#ifndef HECTIC_SRC_REDACT_TEXT_H
#define HECTIC_SRC_REDACT_TEXT_H

#include "redact/kinds.h"

/* The longest text that replaces another. */
enum { REPLACEMENT_MAX = 256 };

/* Writes what becomes of a text to `out`, which has room for as many bytes and REPLACEMENT_MAX
 * more. Returns its size, and sets *done: a text that reveals nothing, such as the label of a
 * thread of the runtime, is kept where others are replaced. */
size_t redact_text(const hectic_redaction *redaction, enum redact_kind kind, const uint8_t *text,
                   size_t size, uint8_t *out, hectic_treatment *done);

/* The same for arguments or an environment, whose texts end with a NUL each, also the last. Of
 * arguments, unless all are kept or removed, only the program's name and those options of the
 * runtime are left that are letters and a number; an environment is removed instead of replaced. */
size_t redact_texts(const hectic_redaction *redaction, enum redact_kind kind, const uint8_t *texts,
                    size_t size, uint8_t *out, hectic_treatment *done);

#endif
