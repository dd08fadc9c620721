/* hectic/catalogue.h — the catalogue of all known events.
 *
 * The catalogue is one table, written in hectic/events.def: an event's number, name, class, fields,
 * text and meaning. Decoding, encoding, text, JSON and docs/events.md are derived from it.
 *
 * An event may have had several *shapes* over the years (fields were added, or changed their
 * width). Each shape is one row. The size that the log's header declares selects the row: the
 * largest shape that fits (hectic_shape_find).
 *
 * Everything here is constant data. No function allocates, fails on valid input or keeps state; all
 * can be called from any thread.
 */
#ifndef HECTIC_CATALOGUE_H
#define HECTIC_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The numbers of the events: HECTIC_EVENT_CREATE_THREAD and so on. */
enum hectic_event_number {
#define HECTIC_EVENT(number, name, ...) HECTIC_EVENT_##name = number,
#define HECTIC_SHAPE(...)
#include <hectic/events.def>
#undef HECTIC_EVENT
#undef HECTIC_SHAPE
};

/** The encoding of a field in the payload. Integers are big-endian. */
typedef enum hectic_wire {
    HECTIC_U8,
    HECTIC_U16,
    HECTIC_U32,
    HECTIC_U64,
    HECTIC_STRING, /**< UTF-8 up to and including a NUL */
    HECTIC_TEXT,   /**< UTF-8, the rest of the payload except the fixed fields after it */
    HECTIC_LATIN1, /**< ISO 8859-1, the rest of the payload except the fixed fields after it */
    HECTIC_TEXTS,  /**< the rest of the payload: UTF-8 texts separated by NULs */
    HECTIC_BYTES,  /**< the rest of the payload, uninterpreted */
    HECTIC_U32S,   /**< a Word8 count, then as many Word32 */
} hectic_wire;

/** The unit of a field's number, or what a field's text is. */
typedef enum hectic_unit {
    HECTIC_UNIT_NONE,
    HECTIC_UNIT_COUNT,
    HECTIC_UNIT_NS,      /**< nanoseconds */
    HECTIC_UNIT_TIME,    /**< a time of the log's clock, in nanoseconds */
    HECTIC_UNIT_SECONDS, /**< seconds since the Unix epoch */
    HECTIC_UNIT_BYTES,
    HECTIC_UNIT_WORDS,   /**< machine words */
    HECTIC_UNIT_MBLOCKS, /**< megablocks (usually 1 MiB) */
    HECTIC_UNIT_THREAD,  /**< a Haskell thread */
    HECTIC_UNIT_CAP,
    HECTIC_UNIT_CAPSET,
    HECTIC_UNIT_TASK,      /**< a task: the runtime's name for an OS thread */
    HECTIC_UNIT_OS_THREAD, /**< a kernel thread id */
    HECTIC_UNIT_OS_PROCESS,
    HECTIC_UNIT_ADDRESS,     /**< an address or other number usually written in hexadecimal */
    HECTIC_UNIT_COST_CENTRE, /**< a cost centre's number (HEAP_PROF_COST_CENTRE) */
    HECTIC_UNIT_PROFILE,     /**< a heap profile's number (HEAP_PROF_BEGIN) */
    HECTIC_UNIT_TICKY,       /**< a ticky counter's number (TICKY_COUNTER_DEF) */
    HECTIC_UNIT_PERF,        /**< a hardware counter's number (PERF_NAME) */
    HECTIC_UNIT_STRING,      /**< a string's number (INTERN_STRING) */
    HECTIC_UNIT_STOP_STATUS, /**< why a thread stopped: hectic_stop_status_text */
    HECTIC_UNIT_CAPSET_TYPE, /**< hectic_enum_text */
    HECTIC_UNIT_BREAKDOWN,   /**< a heap profile's breakdown: hectic_enum_text */
    HECTIC_UNIT_MESSAGE_TAG, /**< Eden: hectic_enum_text */
    HECTIC_UNIT_WALL_CLOCK,  /**< units of 10 ns since the Unix epoch */

    /* Of texts: */
    HECTIC_UNIT_ENVIRONMENT, /**< NAME=VALUE */
    HECTIC_UNIT_ARGUMENTS,   /**< the program's name and its arguments */
    HECTIC_UNIT_RUNTIME,     /**< the runtime's name and version */
    HECTIC_UNIT_MESSAGE,     /**< a message of the program or its runtime */
    HECTIC_UNIT_MARKER,      /**< a marker's name */
    HECTIC_UNIT_LABEL,       /**< a thread's label */
    HECTIC_UNIT_DATA,        /**< a binary message */
    HECTIC_UNIT_SELECTOR,    /**< what a heap profile is restricted to */
    HECTIC_UNIT_LOCATION,    /**< a place in the source code: a file, perhaps with lines */
    HECTIC_UNIT_FUNCTION,    /**< a cost centre, a function or a closure's code, by its name */
    HECTIC_UNIT_MODULE,      /**< a module's name */
    HECTIC_UNIT_CLOSURE,     /**< a type, a constructor or a kind of closure */
    HECTIC_UNIT_BAND,        /**< what a heap sample counts: a type, a module, a retainer … */
    HECTIC_UNIT_COUNTER,     /**< a hardware counter's name */
    HECTIC_UNIT_INTERNED,    /**< a string that the program interned */
    HECTIC_UNITS,
} hectic_unit;

/** The class of an event: one for each of the runtime's -l flags, and further families. */
typedef enum hectic_class {
    HECTIC_CLASS_PROCESS,      /**< caps, capsets and the program's identity; always logged */
    HECTIC_CLASS_SCHEDULER,    /**< threads; +RTS -ls */
    HECTIC_CLASS_GC,           /**< garbage collections and the heap; -lg */
    HECTIC_CLASS_NONMOVING,    /**< the non-moving collector; -ln (-lg in older GHCs) */
    HECTIC_CLASS_SPARK,        /**< sparks, sampled: -lp */
    HECTIC_CLASS_SPARK_FULL,   /**< sparks, one by one: -lf */
    HECTIC_CLASS_TASK,         /**< OS threads; logged with -ls */
    HECTIC_CLASS_USER,         /**< messages and markers of the program; -lu */
    HECTIC_CLASS_TICKY,        /**< ticky-ticky counters; -lT */
    HECTIC_CLASS_HEAP_PROFILE, /**< -h and -l together */
    HECTIC_CLASS_TIME_PROFILE, /**< -p and -l together */
    HECTIC_CLASS_INFO_TABLE,   /**< -finfo-table-map and -l */
    HECTIC_CLASS_PERF,         /**< hardware counters, added by ghc-events-perf */
    HECTIC_CLASS_MERCURY,      /**< the Mercury runtime */
    HECTIC_CLASS_EDEN,         /**< the Eden runtime */
    HECTIC_CLASS_FRAMING,      /**< block markers and placeholders of the format itself */
    HECTIC_CLASS_COUNT,
} hectic_class;

/** The cap of events that do not belong to a cap. */
#define HECTIC_CAP_NONE 0xffffu

/** The bit of a class in a set of classes. */
#define HECTIC_CLASS_BIT(class_) (UINT64_C(1) << (class_))

/** One field of a shape. */
typedef struct hectic_field {
    const char *name; /**< lower case, unique in the shape; the key in JSON */
    hectic_wire wire;
    hectic_unit unit;
    bool optional; /**< a payload may end before it: older writers omit it */
} hectic_field;

/** One row of the catalogue: one shape of an event. */
typedef struct hectic_shape {
    uint16_t number;
    bool variable;   /**< variable size: the event carries its payload's length */
    bool definition; /**< later events refer to it: a reader that connects late needs it */
    uint16_t size;   /**< bytes of the payload; for a variable shape, the minimum */
    uint8_t field_count;
    hectic_class class_;
    const char *name;          /**< "CREATE_THREAD" */
    const hectic_field *field; /**< field_count fields, in the order of the payload */
    const char *label;         /**< the description in GHC's header: "Create thread" */
    const char *text; /**< the text, with {field} as a placeholder; see docs/events.md; NULL: the
                         text is the description in the log's own header */
    const char *doc;  /**< its meaning, one sentence or more */
} hectic_shape;

/** The whole catalogue, ordered by number. Of several shapes of an event, the one that hectic
 *  writes comes first. Sets *count to the number of rows. */
const hectic_shape *hectic_catalogue(size_t *count);

/** The row for event `number` if a header declares `size` bytes (0xffff: variable), or NULL if no
 *  shape fits. Extra bytes at a payload's end are allowed. */
const hectic_shape *hectic_shape_find(uint16_t number, uint16_t size);

/** The row for event `number` in the shape that hectic writes, or NULL. */
const hectic_shape *hectic_shape_by_number(uint16_t number);

/** The row that hectic writes for the event named `name` ("GC_START"; case is ignored, '-' is
 *  accepted for '_'), or NULL. */
const hectic_shape *hectic_shape_by_name(const char *name);

/** "scheduler", "gc", "heap-profile" …; NULL if c is not a class. */
const char *hectic_class_name(hectic_class c);

/** The class named `name` (case is ignored), or HECTIC_CLASS_COUNT. */
hectic_class hectic_class_by_name(const char *name);

/** The runtime option that enables the class: "+RTS -ls"; "" if none is needed or GHC has none. */
const char *hectic_class_flag(hectic_class c);

/** "ns", "bytes", "thread" …; "" for HECTIC_UNIT_NONE. */
const char *hectic_unit_name(hectic_unit u);

/** The name of a value of an enumerated unit (HECTIC_UNIT_STOP_STATUS, _CAPSET_TYPE, _BREAKDOWN,
 *  _MESSAGE_TAG), as GHC's tools print it; NULL for other values and other units. */
const char *hectic_enum_text(hectic_unit u, uint64_t value);

/** A payload field found by hectic_field_find or hectic_shape_walk. */
typedef struct hectic_value {
    const hectic_field *field;
    const uint8_t *bytes; /**< its address in the payload; for a HECTIC_U32S, of the first Word32 */
    uint32_t length; /**< in bytes, without the NUL of a HECTIC_STRING or the count of a U32S */
    uint64_t number; /**< the value of an integer, the count of a HECTIC_U32S, otherwise 0 */
} hectic_value;

/** Finds the fields of a payload of `size` bytes, in order, into value[0 … field_count-1]
 *  (HECTIC_MAX_FIELDS elements are always sufficient). Returns the number of complete fields. It is
 *  less than field_count if the payload ends there; if the next field is not optional, or the
 *  payload ends inside it (or a HECTIC_STRING has no NUL), the event is malformed: see
 *  hectic_shape_malformed. Reads nothing outside the payload. Sets *used, unless NULL, to the size
 *  of these fields in bytes: the rest are extra bytes. */
size_t hectic_shape_walk(const hectic_shape *shape, const uint8_t *payload, size_t size,
                         hectic_value *value, size_t *used);

#define HECTIC_MAX_FIELDS 12

/** True if a payload of `size` bytes is too short for its shape, or ends inside a field. */
bool hectic_shape_malformed(const hectic_shape *shape, const uint8_t *payload, size_t size);

#ifdef __cplusplus
}
#endif
#endif
