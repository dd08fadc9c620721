/* curl.c — see curl.h. */
#include "delivery/curl.h"

#include "delivery/library.h"

bool curl_load(struct curl_library *curl, char *message, size_t size)
{
#define CURL_FUNCTION(name) {"curl_" #name, &curl->name},
    const struct library_function functions[] = {CURL_FUNCTIONS(CURL_FUNCTION)};
#undef CURL_FUNCTION
    return library_load("libcurl.so.4", "libcurl4", functions, sizeof functions / sizeof *functions,
                        message, size);
}
