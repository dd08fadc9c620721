/* batch.h — requests of OTLP, from items that are added one by one, and where they go. */
#ifndef HECTIC_SRC_OTLP_BATCH_H
#define HECTIC_SRC_OTLP_BATCH_H

#include "base/buffer.h"

#include "otlp.pb-c.h"

enum otlp_signal { OTLP_TRACES, OTLP_LOGS, OTLP_METRICS, OTLP_SIGNALS };

/* The path of its requests. */
extern const char *const otlp_paths[OTLP_SIGNALS];

/* Where requests go. False: one could not be delivered, and it has been said why. */
struct otlp_target {
    bool (*put)(void *self, enum otlp_signal signal, const struct buffer *request, size_t items);
    void *self;
};

/* The items of a signal that wait, for one resource. */
struct otlp_batch {
    enum otlp_signal signal;
    const struct otlp_target *target;
    const struct buffer *resource; /* a message Resource */
    struct buffer items;
    size_t count;
};

/* Adds a span, a record of a log, or a metric; puts full batches. False: it failed. */
bool otlp_add(struct otlp_batch *batch, const ProtobufCMessage *item);

/* Adds items that are encoded, each as field 2. */
bool otlp_add_encoded(struct otlp_batch *batch, const void *bytes, size_t size, size_t count);

/* Puts what waits. */
bool otlp_flush(struct otlp_batch *batch);

/* --- Attributes ------------------------------------------------------------------------------ */

enum { OTLP_ATTRIBUTES = 16 };

struct otlp_attributes {
    size_t count;
    Otlp__AnyValue value[OTLP_ATTRIBUTES];
    Otlp__KeyValue pair[OTLP_ATTRIBUTES], *pairs[OTLP_ATTRIBUTES];
};

/* Keys and texts must stay; texts are UTF-8. */
void otlp_add_number(struct otlp_attributes *attributes, const char *key, uint64_t number);
void otlp_add_text(struct otlp_attributes *attributes, const char *key, const char *text);

#endif
