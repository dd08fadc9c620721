/* json.c — see json.h. */
#include "tool/output/json.h"

static void put_to_sink(void *to, const char *bytes, size_t size)
{
    sink_text(to, bytes, size);
}

static void put_to_file(void *to, const char *bytes, size_t size)
{
    fwrite(bytes, 1, size, to); /* the caller checks ferror */
}

struct json json_on_sink(struct sink *sink)
{
    return (struct json){.put = put_to_sink, .to = sink, .exact = true};
}

struct json json_for_tool(struct sink *sink)
{
    return (struct json){.put = put_to_sink, .to = sink};
}

struct json json_on_file(FILE *file)
{
    return (struct json){.put = put_to_file, .to = file, .exact = true};
}
