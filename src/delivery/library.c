/* library.c — see library.h. */
#include "delivery/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static bool find(void *handle, const struct library_function *function)
{
    void *const found = dlsym(handle, function->name);
    memcpy(function->pointer, &found, sizeof found);
    return found;
}

bool library_load(const char *library, const char *package,
                  const struct library_function *functions, size_t count, char *message,
                  size_t size)
{
    void *const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    size_t found = 0;
    while (handle && found < count && find(handle, &functions[found]))
        found++;
    if (handle && found == count) return true;
    const char *reason = dlerror();
    snprintf(message, size, "%s; on Debian, \"apt-get install %s\" installs it",
             reason ? reason : library, package);
    return false;
}
