#include <hectic/version.h>

const char *hectic_version(void)
{
    return HECTIC_VERSION;
}
