/* A C main for a Haskell program: its eventlog is served from the very first event. */
#include <hectic_eventlog.h>

extern StgClosure ZCMain_main_closure;

int main(int argc, char **argv)
{
    RtsConfig config = defaultRtsConfig;
    config.rts_opts_enabled = RtsOptsAll;
    return hectic_eventlog_main(argc, argv, config, &ZCMain_main_closure);
}
