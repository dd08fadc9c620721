/* top_screen.h — draws the screen of `hectic top` with ncurses. */
#ifndef HECTIC_TOP_SCREEN_H
#define HECTIC_TOP_SCREEN_H

#include "tool/verbs/top/top_history.h"

#include <stdio.h>

/* The panels between the graphs and the threads: side by side, or one of them. */
enum panel { PANEL_ALL, PANEL_HEAP, PANEL_TIME, PANEL_SPANS, PANELS };

/* The part of the history that the screen shows, and how. */
struct view {
    const char *name;    /* of the source */
    const char *waiting; /* why there are no events; "": there are */
    bool over;           /* there will be no more events */
    const char *note;    /* an answer to the latest key; "": none */
    uint64_t shown;      /* number of the moment; 0: the latest, or the whole run */
    enum thread_sort order;
    enum panel panel;
    uint32_t scrolled;     /* number of threads scrolled away */
    uint32_t scrolled_max; /* set by screen_draw */
    uint32_t page;         /* likewise: rows of threads */
    bool help, commands;   /* shows the help; waits for the key of a command */
};

/* Opens the screen; keys are read from `keys`. False after a message. */
bool screen_open(FILE *keys);

/* Restores the terminal. Does nothing if the screen is not open. */
void screen_close(void);

void screen_resize(void);

/* The next key, in the encoding of ncurses; -1: none. */
int screen_key(void);

void screen_draw(struct view *view, const struct history *history);

#endif
