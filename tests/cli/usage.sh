#!/usr/bin/env bash
# Wrong usage is told from bad logs by its exit code, and comes with a hint.
. tests/support/lib.bash
log=$logs/tiny.eventlog

gives 64
says "Try 'hectic --help'."
gives 64 shwo "$log"
says 'did you mean "show"?'
gives 64 show
says "Try 'hectic show --help'."
gives 64 show one two three
gives 64 show caps threads "$log"
gives 64 show nothing "$log"
says '"nothing" is neither threads nor caps'
gives 64 show --form 1s "$log"
says "there is no option --form; did you mean --from?"
gives 64 show -z "$log"
says "there is no option -z"
gives 64 show --from
says "--from needs an argument"
gives 64 show --json=yes "$log"
says "--json takes no argument"
gives 64 show --from yesterday "$log"
says '"yesterday" is no time'
gives 64 show --from 99999999999s "$log"
gives 64 show --cap x "$log"
gives 64 show --cap 65535 "$log"
gives 64 show --thread -1 "$log"
gives 64 show --limit 0 "$log"
gives 64 show --color sometimes "$log"
gives 64 show --event gc_strat "$log"
says "did you mean GC_START?"
gives 64 show --match '(' "$log"
says "--match: missing closing parenthesis"
gives 64 inc backwards "$log"
