/* endings.c — see endings.h. */
#include "endings.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP};
enum { ENDINGS = sizeof numbers / sizeof *numbers };

/* As nohup does. Interrupts count all the same, which shells have what is in the background ignore.
 */
static bool is_unwanted(int number)
{
    struct sigaction action;
    return number == SIGHUP && sigaction(number, NULL, &action) == 0 &&
           action.sa_handler == SIG_IGN;
}

void endings_start(struct endings *endings, uv_loop_t *loop, uv_signal_cb call, void *user)
{
    for (size_t i = 0; i < ENDINGS; i++) {
        uv_signal_init(loop, &endings->signals[i]);
        endings->signals[i].data = user;
        if (!is_unwanted(numbers[i])) uv_signal_start(&endings->signals[i], call, numbers[i]);
    }
}

void endings_close(struct endings *endings)
{
    for (size_t i = 0; i < ENDINGS; i++) {
        uv_handle_t *handle = (uv_handle_t *)&endings->signals[i];
        if (!uv_is_closing(handle)) uv_close(handle, NULL);
    }
}
