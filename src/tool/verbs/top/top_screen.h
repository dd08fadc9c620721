/* top_screen.h — the screen of `hectic top`: ncurses, and what is drawn with it. */
#ifndef HECTIC_TOP_SCREEN_H
#define HECTIC_TOP_SCREEN_H

#include "tool/verbs/top/top_history.h"

#include <stdio.h>

/* What the screen shows of the history, and how. */
struct view {
    const char *name;    /* of the source */
    const char *waiting; /* why nothing comes; "": it does */
    bool over;           /* and nothing will, just now */
    const char *note;    /* an answer to the latest key; "": none */
    uint64_t shown;      /* number of the moment; 0: the latest */
    enum thread_sort order;
    uint32_t scrolled;     /* threads above the first one that is shown */
    uint32_t scrolled_max; /* set by screen_draw */
    uint32_t page;         /* likewise: threads that fit */
    bool help, commands;   /* the keys are explained; a command is to be chosen */
};

/* Takes the terminal over: keys come from `keys`. False after a message. */
bool screen_open(FILE *keys);

/* Gives it back as it was. Does nothing where it is not taken. */
void screen_close(void);

void screen_resize(void);

/* The next key that was pressed, as ncurses has it; -1: none. */
int screen_key(void);

void screen_draw(struct view *view, const struct history *history);

#endif
