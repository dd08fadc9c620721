/* The engine of a page answers any request about any log: with JSON, or with columns of the
 * announced size; the same again; and the same if it was asked while it read. */
#include "fuzz.h"
#include "json.h"

#include "view/engine/view.h"

#include <inttypes.h>

enum { PIECE = 1500, REQUEST = 300, OWN = 100 };

typedef struct {
    const uint8_t *data;
    size_t length;
} input;

static ptrdiff_t read_input(void *user, uint64_t position, void *buffer, size_t size)
{
    const input *in = user;
    if (position >= in->length) return 0;
    if (size > in->length - position) size = in->length - (size_t)position;
    if (size > PIECE) size = PIECE;
    memcpy(buffer, in->data + position, size);
    return (ptrdiff_t)size;
}

static hectic_view *view_new(const input *in)
{
    hectic_view *view =
        hectic_view_new(&(hectic_view_source){.user = (void *)(uintptr_t)in, .read = read_input});
    REQUIRE(view);
    return view;
}

typedef struct {
    bool done;
    size_t length;
    uint8_t *bytes;
} answer;

static uint32_t load_u32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* What the engine has written, it reads. */
static void load_snapshot(const uint8_t *bytes, size_t length)
{
    static const char *const requests[] = {"overview", "columns?width=40", "curves?width=40",
                                           "labels?width=40", "stat"};
    const input in = {bytes, length};
    hectic_view *view = view_new(&in);
    hectic_view_result result;
    do
        result = hectic_view_read(view, SIZE_MAX);
    while (result == HECTIC_VIEW_MORE);
    REQUIRE(result == HECTIC_VIEW_END);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        hectic_view_answer a;
        hectic_view_ask(view, requests[i], &a);
        if (strcmp(a.type, "application/json") == 0)
            REQUIRE(is_json((const char *)a.bytes, a.length));
    }
    hectic_view_free(view);
}

/* Until it is complete. */
static answer ask(hectic_view *view, const char *request)
{
    static const char part[] = "{\"complete\":false";
    hectic_view_answer a;
    answer kept;
    do
        kept = (answer){.done = hectic_view_ask(view, request, &a), .length = a.length};
    while (a.length > sizeof part && memcmp(a.bytes, part, sizeof part - 1) == 0);
    if (strcmp(a.type, "application/json") == 0)
        REQUIRE(is_json((const char *)a.bytes, a.length));
    else if (a.length > 8 && memcmp(a.bytes, "hectic-s", 8) == 0)
        load_snapshot(a.bytes, a.length);
    else
        REQUIRE(a.length >= 16 && memcmp(a.bytes, "HCOL", 4) == 0 &&
                a.length == 16 + 6 * (size_t)load_u32(a.bytes + 4) * load_u32(a.bytes + 8));
    kept.bytes = must_allocate(a.length);
    memcpy(kept.bytes, a.bytes, a.length);
    return kept;
}

static bool is_same(const answer *a, const answer *b)
{
    return a->done == b->done && a->length == b->length &&
           memcmp(a->bytes, b->bytes, a->length) == 0;
}

static uint64_t random_number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* A request for a part of the log that is made from its bytes, or the log's last bytes. */
static void make_request(const input *in, uint64_t first, uint64_t last, uint64_t *state,
                         char request[REQUEST])
{
    static const char *const names[] = {
    /* the first is `error`, which depends on the past */
#define REQUEST(name, how, held, doc) #name,
#include "view/engine/requests.def"
    };
    static const char *const keys[] = {"",
                                       "&backward=1",
                                       "&text=e",
                                       "&text=a.*c&regex=1",
                                       "&thread=1",
                                       "&class=gc",
                                       "&cap=0,none",
                                       "&beyond=100",
                                       "&count=3&backward=1",
                                       "&text=%5Cw%2b&regex=1",
                                       "&threads=1,2,4,7",
                                       "&thread=2&time=1000000",
                                       "&thread=1",
                                       "&by=name"};
    enum { NAMES = sizeof names / sizeof *names, KEYS = sizeof keys / sizeof *keys };
    const unsigned choice = (unsigned)random_number(state) % NAMES;
    if (choice == 0) {
        const size_t length = in->length < OWN ? in->length : OWN;
        memcpy(request, in->data + in->length - length, length);
        request[length] = 0;
        return;
    }
    const uint64_t span = last - first + 1 ? last - first + 1 : 1;
    const uint64_t from = first + (random_number(state) << 31 | random_number(state)) % span;
    const uint64_t length = span >> random_number(state) % 40;
    const uint64_t to = from + length > from ? from + length : UINT64_MAX;
    snprintf(request, REQUEST, "%s?section=%u&from=%" PRIu64 "&to=%" PRIu64 "&width=%u%s%s",
             names[choice], random_number(state) % 8 == 0 ? 2 : 1, from, to,
             (unsigned)random_number(state) % 50, keys[random_number(state) % KEYS],
             keys[random_number(state) % KEYS]);
}

static uint64_t number_after(const answer *a, const char *key)
{
    for (size_t i = 0; i + strlen(key) < a->length; i++)
        if (memcmp(a->bytes + i, key, strlen(key)) == 0)
            return strtoull((const char *)a->bytes + i + strlen(key), NULL, 10);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    const input in = {data, length};
    hectic_view *first = view_new(&in), *second = view_new(&in);
    hectic_view_result result;
    uint64_t state = length;
    char request[REQUEST];
    for (size_t i = 0; i < length; i++)
        state = state * 31 + data[i];
    do
        result = hectic_view_read(first, SIZE_MAX);
    while (result == HECTIC_VIEW_MORE);
    answer overview = ask(first, "overview");
    const uint64_t begin = number_after(&overview, "\"from_ns\":");
    const uint64_t end = number_after(&overview, "\"to_ns\":");
    uint64_t other = state;
    for (unsigned i = 0; i < 20 && hectic_view_read(second, PIECE) == HECTIC_VIEW_MORE; i++) {
        make_request(&in, begin, end, &other, request);
        free(ask(second, request).bytes);
    }
    hectic_view_result again;
    do
        again = hectic_view_read(second, SIZE_MAX);
    while (again == HECTIC_VIEW_MORE);
    REQUIRE(result == again);
    for (unsigned i = 0; i < 12; i++) {
        make_request(&in, begin, end, &state, request);
        answer a = ask(first, request), b = ask(first, request), c = ask(second, request);
        REQUIRE(is_same(&a, &b));
        if (!is_same(&a, &c)) {
            fprintf(stderr, "%s\n%.*s\n%.*s\n", request, (int)a.length, a.bytes, (int)c.length,
                    c.bytes);
            REQUIRE(is_same(&a, &c));
        }
        free(a.bytes);
        free(b.bytes);
        free(c.bytes);
    }
    snprintf(request, REQUEST, "instants?from=%" PRIu64 "&to=%" PRIu64, begin, end);
    answer instants = ask(first, request), same = ask(second, request);
    REQUIRE(is_same(&instants, &same));
    free(instants.bytes);
    free(same.bytes);
    free(overview.bytes);
    hectic_view_free(first);
    hectic_view_free(second);
    return 0;
}
