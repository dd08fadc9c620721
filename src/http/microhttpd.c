/* microhttpd.c — see microhttpd.h. */
#include "http/microhttpd.h"

#include "delivery/library.h"

struct mhd_library mhd;

bool mhd_load(char *message, size_t size)
{
#define MHD_FUNCTION(name) {"MHD_" #name, &mhd.name},
    static const struct library_function functions[] = {MHD_FUNCTIONS(MHD_FUNCTION)};
#undef MHD_FUNCTION
    return library_load("libmicrohttpd.so.12", "libmicrohttpd12", functions,
                        sizeof functions / sizeof *functions, message, size);
}
