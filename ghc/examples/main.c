/* A main in C for a Haskell program: serves its eventlog from the first event on. */
#include <hectic_eventlog.h>

extern StgClosure ZCMain_main_closure;

int main(int argc, char **argv)
{
    RtsConfig config = defaultRtsConfig;
    config.rts_opts_enabled = RtsOptsAll;
    return hectic_eventlog_main(argc, argv, config, &ZCMain_main_closure);
}
