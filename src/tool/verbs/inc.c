/* inc.c — hectic inc: the events in the order of the file, as ghc-events inc prints them. */
#include "tool/cli/message.h"
#include "tool/verbs/show/follow.h"

#include <string.h>

static int run(void *settings, int argc, char **argv)
{
    struct show_settings *own = settings;
    if (argc == 2 && strcmp(argv[0], "force") != 0) {
        tool_usage_error("invalid operand \"%s\" before LOG (force)", argv[0]);
        return TOOL_USAGE;
    }
    own->follow = own->follow || argc == 2;
    return follow_run(own, &(struct listing){.unknown = HECTIC_UNKNOWN_NUMBERED}, argv[argc - 1]);
}

const struct verb verb_inc = {
    .name = "inc",
    .group = "As in ghc-events:",
    .summary = "Print the events of a log in the order of the file",
    .usage = (const char *const[]){"[OPTION]... [force] LOG", NULL},
    .description =
        (const char *const[]){
            "Reads the log from its beginning and prints each event as soon as it is complete. "
            "Works on pipes and on logs that are still being written. Events are printed in the "
            "order of the file: cap by cap, as the runtime flushed its buffers. The output is the "
            "same as that of ghc-events inc, version 0.21.",
            "With --follow, or the word force, inc waits for a file to appear, and at its end for "
            "more events, until the end marker that a program writes when it exits. If the file is "
            "truncated or replaced, inc goes on with the new log. hectic show --follow does the "
            "same.",
            "LOG may also be a live source: unix:PATH and tcp:HOST:PORT connect to a program, and "
            "retry until it listens there; fifo:PATH waits for a program to write; run:COMMAND "
            "starts a program (see hectic-watch(1)). With --follow, inc goes on with the next log "
            "of the source when one has ended.",
            "Text and JSON are printed as hectic show prints them. After damage, the readable "
            "events that "
            "follow are printed.",
            NULL},
    .words = "force",
    .groups =
        (const struct option_group[]){
            {"Which events", filter_options, offsetof(struct show_settings, filter), filter_note},
            {"Output", follow_options, 0, NULL},
            {"Output", listing_options, offsetof(struct show_settings, listing), NULL},
            {"Output", color_options, offsetof(struct show_settings, output), NULL},
            {"Output", output_options, offsetof(struct show_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic inc --follow Main.eventlog", "a program that runs"},
            {"hectic inc --event user --follow LOG", "the messages of the program"},
            {"ssh host cat Main.eventlog | hectic inc -", "a log on another host"},
            {"hectic inc unix:/run/program.sock", "a program that listens there"},
            {NULL, NULL}},
    .exits = {"The log was printed; it may be cut short.",
              "The log is damaged inside; what could be read was printed.",
              "The log cannot be read, or the output cannot be written."},
    .least = 1,
    .most = 2,
    .settings_size = sizeof(struct show_settings),
    .run = run,
};
