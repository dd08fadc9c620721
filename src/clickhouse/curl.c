/* curl.c — see curl.h. */
#include "clickhouse/curl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static bool find(void *library, const char *name, void *function)
{
    void *const found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found;
}

bool curl_load(struct curl_library *curl, char *message, size_t size)
{
    static const char library[] = "libcurl.so.4";
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    bool done = handle;
#define CURL_FIND(name) done = done && find(handle, "curl_" #name, &curl->name);
    CURL_FUNCTIONS(CURL_FIND)
#undef CURL_FIND
    if (!done) {
        const char *reason = dlerror();
        snprintf(message, size, "%s; on Debian, \"apt-get install libcurl4\" installs it",
                 reason ? reason : library);
    }
    return done;
}
