/* text.c — see text.h. */
#include "redact/text.h"

#include "base/pseudonym.h"
#include "facts/threads.h"
#include "format/arguments.h"
#include "format/gap_message.h"
#include "redact/paths.h"

#include <hectic/gaps.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Numbers of more digits are replaced: they may be dates, phone numbers, keys. */
enum { DIGITS_KEPT = 7 };

struct piece {
    const uint8_t *at;
    size_t size;
};

/* What has been written. */
struct output {
    const hectic_redaction *redaction;
    uint8_t *to;
};

static void put(struct output *o, struct piece piece)
{
    memmove(o->to, piece.at, piece.size);
    o->to += piece.size;
}

static void put_text(struct output *o, const char *text)
{
    put(o, (struct piece){(const uint8_t *)text, strlen(text)});
}

static bool is_in(uint8_t byte, const char *set)
{
    return byte != 0 && strchr(set, byte) != NULL;
}

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_letter(uint8_t byte)
{
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

static struct piece rest_of(struct piece piece, size_t from)
{
    return (struct piece){piece.at + from, piece.size - from};
}

static bool begins_with(struct piece piece, const char *text)
{
    const size_t size = strlen(text);
    return piece.size >= size && memcmp(piece.at, text, size) == 0;
}

/* How many bytes at the beginning, at most `most`, are of a class. */
static size_t run(struct piece piece, bool (*is_of)(uint8_t byte), size_t most)
{
    size_t size = 0;
    while (size < piece.size && size < most && is_of(piece.at[size]))
        size++;
    return size;
}

/* --- Pseudonyms ------------------------------------------------------------------------------ */

/* Pseudonyms are left as they are. */
static void put_pseudonym(struct output *o, struct piece piece)
{
    if (piece.size == 0) return;
    if (pseudonym_is(piece.at, piece.size)) {
        put(o, piece);
        return;
    }
    pseudonym_make(o->redaction->key, piece.at, piece.size, o->to);
    o->to += PSEUDONYM_SIZE;
}

enum { NUMBER_HALF = 9, NUMBER_SIZE = 2 * NUMBER_HALF };

/* The digits that a text determines. */
static void put_digits(const uint64_t key[2], struct piece piece, uint8_t *to)
{
    uint8_t pseudonym[PSEUDONYM_SIZE];
    pseudonym_make(key, piece.at, piece.size, pseudonym);
    for (size_t i = 0; i < NUMBER_HALF; i++)
        to[i] = (uint8_t)('0' + pseudonym[1 + i] % 10);
}

/* The second half of a number that replaces another, by which it is recognized. */
static void put_check_digits(const uint8_t *first, uint8_t *to)
{
    static const uint64_t no_key[2] = {0};
    put_digits(no_key, (struct piece){first, NUMBER_HALF}, to);
}

static bool is_redacted_number(struct piece digits)
{
    if (digits.size != NUMBER_SIZE || digits.at[0] != '9') return false;
    uint8_t second[NUMBER_HALF];
    put_check_digits(digits.at, second);
    return memcmp(second, digits.at + NUMBER_HALF, NUMBER_HALF) == 0;
}

/* A short number as it is; another as 18 digits: 9, eight of its hash, and nine of a hash of these.
 * Of a span, as it is read: up to 2^64, without zeros before it. */
static void put_number(struct output *o, struct piece digits, bool is_of_span)
{
    enum { DECIMAL_MAX = 21 };
    char decimal[DECIMAL_MAX];
    uint64_t number = 0;
    if (digits.size <= DIGITS_KEPT || is_redacted_number(digits)) {
        put(o, digits);
        return;
    }
    for (size_t i = 0; i < digits.size; i++)
        number = number * 10 + (uint64_t)(digits.at[i] - '0');
    const int size = snprintf(decimal, sizeof decimal, "%" PRIu64, number);
    const struct piece value =
        is_of_span ? (struct piece){(const uint8_t *)decimal, (size_t)size} : digits;
    if (value.size <= DIGITS_KEPT) {
        put(o, value);
        return;
    }
    put_digits(o->redaction->key, value, o->to);
    o->to[0] = '9';
    put_check_digits(o->to, o->to + NUMBER_HALF);
    o->to += NUMBER_SIZE;
}

/* The size of a part between dots; 0: it cannot be one of a module's name. */
static size_t part_size(struct piece piece)
{
    size_t size = 0;
    while (size < piece.size &&
           (is_letter(piece.at[size]) || is_digit(piece.at[size]) || is_in(piece.at[size], "_'")))
        size++;
    return size > 0 && !is_digit(piece.at[0]) ? size : 0;
}

/* Is it the name of a module, or of something in one: "Data.Map.insert"? */
static bool has_parts(struct piece piece)
{
    enum { PARTS_MAX = 8 };
    for (size_t parts = 1;; parts++) {
        const size_t size = part_size(piece);
        if (size == 0 || parts > PARTS_MAX) return false;
        piece = rest_of(piece, size);
        if (piece.size == 0) return parts > 1;
        if (*piece.at != '.') return false;
        piece = rest_of(piece, 1);
    }
}

/* A name: each part of it, so that its dots stay. */
static void put_name(struct output *o, struct piece name)
{
    while (has_parts(name)) {
        const size_t size = part_size(name);
        put_pseudonym(o, (struct piece){name.at, size});
        put(o, (struct piece){name.at + size, 1});
        name = rest_of(name, size + 1);
    }
    put_pseudonym(o, name);
}

/* "NAME NUMBER", with what other character is between them, or "NAME #", as spans are grouped. */
static void put_numbered(struct output *o, struct piece text, bool is_of_span)
{
    enum { DIGITS_MAX = 19 };
    size_t name = text.size;
    while (name > 0 && is_digit(text.at[name - 1]))
        name--;
    if (name == text.size && name > 0 && text.at[name - 1] == '#') name--;
    const struct piece number = rest_of(text, name);
    const uint8_t before = name > 0 ? text.at[name - 1] : ' ';
    const bool has_number =
        number.size > 0 && number.size <= DIGITS_MAX && before < 0x80 && !is_letter(before);
    if (!has_number) {
        put_name(o, text);
        return;
    }
    const size_t between = name > 0;
    put_name(o, (struct piece){text.at, name - between});
    put(o, (struct piece){text.at + name - between, between});
    if (*number.at == '#')
        put(o, number);
    else
        put_number(o, number, is_of_span);
}

/* A retainer set has its number before it: "(107)CAF,MAIN". */
static void put_band(struct output *o, struct piece text)
{
    const size_t digits = text.size > 0 ? run(rest_of(text, 1), is_digit, text.size) : 0;
    if (digits > 0 && *text.at == '(' && digits + 1 < text.size && text.at[digits + 1] == ')') {
        put(o, (struct piece){text.at, 1});
        put_number(o, (struct piece){text.at + 1, digits}, false);
        put(o, (struct piece){text.at + digits + 1, 1});
        text = rest_of(text, digits + 2);
    }
    put_name(o, text);
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* The words START and STOP, and a subscript after them, make spans. */
static void put_message(struct output *o, struct piece text)
{
    static const char *const words[] = {"START ", "STOP "};
    bool is_of_span = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!begins_with(text, words[i])) continue;
        put_text(o, words[i]);
        text = rest_of(text, strlen(words[i]));
        is_of_span = true;
        const size_t digits = run(text, is_digit, text.size);
        if (digits == 0) break;
        put_number(o, (struct piece){text.at, digits}, true);
        text = rest_of(text, digits);
        const size_t blanks = run(text, is_blank, text.size);
        if (blanks > 0) put_text(o, " ");
        text = rest_of(text, blanks);
        break;
    }
    put_numbered(o, text, is_of_span);
}

/* --- Texts that reveal nothing --------------------------------------------------------------- */

static bool is_version_byte(uint8_t byte)
{
    return is_digit(byte) || byte == '.';
}

/* "GHC-9.0.2 rts_thr_l" */
static bool is_runtime(struct piece text)
{
    enum { NAME_MAX = 8, VERSION_MAX = 24, WORD_MAX = 6, WORDS_MAX = 6 };
    text = rest_of(text, run(text, is_letter, NAME_MAX));
    if (text.size == 0 || *text.at != '-') return false;
    text = rest_of(text, 1);
    text = rest_of(text, run(text, is_version_byte, VERSION_MAX));
    if (text.size == 0) return true;
    if (!begins_with(text, " rts")) return false;
    text = rest_of(text, strlen(" rts"));
    for (size_t words = 0; text.size > 0 && *text.at == '_' && words < WORDS_MAX; words++) {
        text = rest_of(text, 1);
        text = rest_of(text, run(text, is_letter, WORD_MAX));
    }
    return text.size == 0;
}

/* Of a label of a thread of the runtime, such as "IOManager on cap 3", what reveals nothing. */
static size_t runtime_label_size(struct piece text)
{
    static const char manager[] = "IOManager", on_cap[] = " on cap ";
    if (!begins_with(text, manager)) {
        char label[32] = "";
        if (text.size >= sizeof label || memchr(text.at, 0, text.size)) return 0;
        memcpy(label, text.at, text.size);
        return hectic_thread_is_runtime(label) ? text.size : 0;
    }
    struct piece cap = rest_of(text, strlen(manager));
    if (begins_with(cap, on_cap)) cap = rest_of(cap, strlen(on_cap));
    return run(cap, is_digit, DIGITS_KEPT) == cap.size ? text.size : strlen(manager);
}

static bool is_hexadecimal(uint8_t byte)
{
    return is_digit(byte) || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f');
}

/* What GHC writes itself: for no place in the source, and as the names of its own cost centres,
 * by which reports recognize them. */
static bool is_of_ghc(struct piece text)
{
    static const char *const texts[] = {
        "<built-in>", "<entire-module>", "<no location info>", "MAIN",  "SYSTEM", "GC", "IDLE",
        "CAF",        "OVERHEAD",        "DONT_CARE",          "PINNED"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strlen(texts[i]) == text.size && begins_with(text, texts[i])) return true;
    return false;
}

/* The address of an info table. */
static bool is_address(struct piece text)
{
    enum { DIGITS_MAX = 16 };
    return text.size > 2 && begins_with(text, "0x") &&
           run(rest_of(text, 2), is_hexadecimal, DIGITS_MAX) == text.size - 2;
}

/* The message of a gap, without its reason and the names of unknown classes. */
static bool put_gap(struct output *o, struct piece text)
{
    uint64_t number;
    const enum gap_kind kind = gap_message(text.at, text.size, &number);
    if (kind == GAP_NONE) return false;
    if (kind != GAP_OFF && kind != GAP_ON) {
        put(o, text);
        return true;
    }
    const char *before = " of ";
    put_text(o, HECTIC_GAP_LOGGING);
    for (unsigned c = 0; c <= HECTIC_CLASS_COUNT && !(number & GAP_LOGGING); c++) {
        const bool is_known = c < HECTIC_CLASS_COUNT;
        if (!(number & (is_known ? HECTIC_CLASS_BIT(c) : GAP_UNKNOWN))) continue;
        put_text(o, before);
        put_text(o, is_known ? hectic_class_name((hectic_class)c) : "unknown");
        before = ", ";
    }
    put_text(o, kind == GAP_OFF ? HECTIC_GAP_OFF : HECTIC_GAP_ON);
    return true;
}

/* Writes a text that reveals nothing, or the part of it that does not. False: it has none. */
static bool put_harmless(struct output *o, enum redact_kind kind, struct piece text)
{
    size_t size = 0;
    switch (kind) {
    case REDACT_MESSAGES: return put_gap(o, text);
    case REDACT_LABELS: size = runtime_label_size(text); break;
    case REDACT_RUNTIME: size = is_runtime(text) ? text.size : 0; break;
    case REDACT_BANDS: size = is_address(text) ? text.size : 0; break;
    case REDACT_LOCATIONS:
    case REDACT_FUNCTIONS:
    case REDACT_MODULES: size = is_of_ghc(text) ? text.size : 0; break;
    default: break;
    }
    put(o, (struct piece){text.at, size});
    return size > 0;
}

/* --- Whole texts ----------------------------------------------------------------------------- */

static hectic_treatment treatment_of(const hectic_redaction *redaction, enum redact_kind kind)
{
    return (hectic_treatment)redaction->treatment[kind];
}

/* Of a command line, the program. */
static struct piece first_word(struct piece text)
{
    const uint8_t *space = memchr(text.at, ' ', text.size);
    return space ? (struct piece){text.at, (size_t)(space - text.at)} : text;
}

static void shorten(struct output *o, enum redact_kind kind, struct piece text)
{
    const bool is_path = kind == REDACT_LOCATIONS || kind == REDACT_ARGUMENTS;
    o->to += paths_shorten(text.at, text.size, is_path, o->to);
}

static void replace(struct output *o, enum redact_kind kind, struct piece text)
{
    switch (kind) {
    case REDACT_MESSAGES: put_message(o, text); break;
    case REDACT_MARKERS:
    case REDACT_LABELS: put_numbered(o, text, false); break;
    case REDACT_FUNCTIONS:
    case REDACT_MODULES:
    case REDACT_TYPES: put_name(o, text); break;
    case REDACT_BANDS: put_band(o, text); break;
    default: put_pseudonym(o, text);
    }
}

size_t redact_text(const hectic_redaction *redaction, enum redact_kind kind, const uint8_t *text,
                   size_t size, uint8_t *out, hectic_treatment *done)
{
    struct output o = {redaction, out};
    struct piece piece = {text, size};
    *done = treatment_of(redaction, kind);
    if (size == 0) *done = HECTIC_KEEP;
    if (*done == HECTIC_DROP) {
        /* What the log lacks has to be known. */
        if (kind == REDACT_MESSAGES && put_gap(&o, piece)) *done = HECTIC_KEEP;
        return (size_t)(o.to - out);
    }
    if (kind == REDACT_ARGUMENTS && *done != HECTIC_KEEP) piece = first_word(piece);
    if (*done == HECTIC_SHORTEN)
        shorten(&o, kind, piece);
    else if (*done == HECTIC_KEEP)
        put(&o, piece);
    else if (put_harmless(&o, kind, piece))
        *done = HECTIC_KEEP;
    else
        replace(&o, kind, piece);
    return (size_t)(o.to - out);
}

/* --- Lists ----------------------------------------------------------------------------------- */

/* -N4, -A64m, -hT, -lagu: options of the runtime without names of files and selectors. */
static bool is_plain_option(const char *option)
{
    /* A number may follow, and a unit. */
    static const char *const names[] = {"A",
                                        "AL",
                                        "B",
                                        "C",
                                        "F",
                                        "Fd",
                                        "G",
                                        "H",
                                        "I",
                                        "Iw",
                                        "K",
                                        "L",
                                        "M",
                                        "N",
                                        "O",
                                        "P",
                                        "R",
                                        "S",
                                        "T",
                                        "V",
                                        "Z",
                                        "a",
                                        "c",
                                        "e",
                                        "h",
                                        "hC",
                                        "hT",
                                        "hb",
                                        "hc",
                                        "hd",
                                        "hi",
                                        "hm",
                                        "hp",
                                        "hr",
                                        "hy",
                                        "i",
                                        "kb",
                                        "kc",
                                        "ki",
                                        "m",
                                        "n",
                                        "p",
                                        "pa",
                                        "pj",
                                        "qa",
                                        "qb",
                                        "qg",
                                        "qi",
                                        "qm",
                                        "qn",
                                        "qw",
                                        "r",
                                        "s",
                                        "t",
                                        "w",
                                        "xn",
                                        "xp",
                                        "xr",
                                        "xt",
                                        "Mgrace=",
                                        "maxN",
                                        "-copying-gc",
                                        "-eventlog-flush-interval=",
                                        "-info",
                                        "-internal-counters",
                                        "-long-gc-sync=",
                                        "-nonmoving-gc",
                                        "-numa"};
    enum { CLASSES_MAX = 16, NUMBER_MAX = 15 };
    const struct piece text = {(const uint8_t *)option, strlen(option)};
    if (text.size < 2 || option[0] != '-') return false;
    if (option[1] == 'l')
        return text.size <= CLASSES_MAX && strspn(option + 2, "-aghnpstufTd") == text.size - 2;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!begins_with(rest_of(text, 1), names[i])) continue;
        struct piece rest = rest_of(text, 1 + strlen(names[i]));
        rest = rest_of(rest, run(rest, is_version_byte, NUMBER_MAX));
        if (rest.size > 0 && is_in(*rest.at, "kKmMgGtT")) rest = rest_of(rest, 1);
        if (rest.size == 0) return true;
    }
    return false;
}

static void put_argument(struct output *o, const char *text)
{
    put(o, (struct piece){(const uint8_t *)text, strlen(text) + 1});
}

/* The program, and plain options of the runtime. */
static void put_arguments(struct output *o, const uint8_t *texts, size_t size)
{
    struct argument argument = {0};
    hectic_treatment done;
    const char *const list = (const char *)texts;
    if (!argument_next(list, size, &argument)) return;
    o->to += redact_text(o->redaction, REDACT_ARGUMENTS, (const uint8_t *)argument.text,
                         strlen(argument.text), o->to, &done);
    *o->to++ = '\0';
    bool has_options = false;
    while (argument_next(list, size, &argument)) {
        if (!argument.is_rts || !is_plain_option(argument.text)) continue;
        if (!has_options) put_argument(o, "+RTS");
        has_options = true;
        put_argument(o, argument.text);
    }
    if (has_options) put_argument(o, "-RTS");
}

size_t redact_texts(const hectic_redaction *redaction, enum redact_kind kind, const uint8_t *texts,
                    size_t size, uint8_t *out, hectic_treatment *done)
{
    struct output o = {redaction, out};
    *done = size == 0 ? HECTIC_KEEP : treatment_of(redaction, kind);
    /* A pseudonym for each variable could be longer than an event. */
    if (kind != REDACT_ARGUMENTS && *done == HECTIC_REPLACE) *done = HECTIC_DROP;
    if (*done == HECTIC_KEEP) put(&o, (struct piece){texts, size});
    if (*done == HECTIC_KEEP || *done == HECTIC_DROP) return (size_t)(o.to - out);
    if (kind == REDACT_ARGUMENTS) {
        put_arguments(&o, texts, size);
        return (size_t)(o.to - out);
    }
    for (size_t at = 0, length; at < size; at += length + 1) {
        hectic_treatment of_one;
        length = strlen((const char *)texts + at);
        o.to += redact_text(redaction, kind, texts + at, length, o.to, &of_one);
        *o.to++ = '\0';
    }
    return (size_t)(o.to - out);
}
