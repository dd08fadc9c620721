#!/usr/bin/env bash
# An error in the command line has its own exit code, a message that names the option or operand, and a hint.
. tests/support/lib.bash
log=$logs/tiny.eventlog

gives 64
"$HECTIC" --help | cmp - "$work/out" || fail "no overview without a verb"
gives 64 heap --limit 3 "$logs/heap-types.eventlog"
says "unknown option --limit; use --bands N"
gives 64 shwo "$log"
says 'hectic: unknown verb "shwo"; did you mean "show"?'
gives 64 no/such/file
says 'hectic: "no/such/file" is neither a verb nor a file'
gives 64 --vorsion
says 'hectic: unknown option "--vorsion"'
gives 64 show
says "hectic show: missing operand: LOG"
says 'Try "hectic show --help" for more information.'
gives 64 show one two three
says 'hectic show: too many operands: "three"'
gives 64 run
says "hectic run: missing operand: PROG"
gives 64 ctl
says "hectic ctl: missing operand: SOURCE"
gives 64 ctl unix:none
says "hectic ctl: missing operand: one of: start-heap-profile stop-heap-profile heap-census"
gives 64 info "$log" "$log"
says "hectic info: too many operands: \"$log\""
gives 64 show caps threads "$log"
gives 64 show nothing "$log"
says 'hectic show: invalid grouping "nothing" (threads or caps)'
gives 64 show --form 1s "$log"
says "hectic show: unknown option --form; did you mean --from?"
gives 64 show --form=1s "$log"
says "unknown option --form; did you mean --from?"
gives 64 show -z "$log"
says "unknown option -z"
gives 64 show --from
says "option --from requires an argument"
gives 64 show -o
says "option -o requires an argument"
gives 64 show --json=yes "$log"
says "option --json takes no argument"
gives 64 show --from yesterday "$log"
says 'hectic show: invalid time "yesterday" for --from (examples: 1.5s, 20ms, marker:NAME)'
gives 64 show --from 99999999999s "$log"
gives 64 show --cap x "$log"
says 'invalid cap "x" for --cap (a number from 0 to 65534, or none)'
gives 64 show --cap 65535 "$log"
gives 64 show --thread -1 "$log"
says 'invalid thread "-1" for --thread'
gives 64 show --limit 0 "$log"
says 'invalid number "0" for --limit (at least 1)'
gives 64 show --spool-limit 4x "$log"
says 'invalid number "4x" for --spool-limit (at least 1; examples: 10000, 400M, 2MiB)'
for size in 1000000 1000k 1000kB 1M 1MB 1MiB 1Mi; do
    gives 0 show --spool-limit "$size" "$log"
done
for size in 1MBB 1iB MiB 1Bi; do
    gives 64 show --spool-limit "$size" "$log"
done
gives 64 show --color sometimes "$log"
says 'invalid value "sometimes" for --color (auto, always or never)'
gives 64 show --event gc_strat "$log"
says 'unknown event or class "gc_strat" for --event; did you mean GC_START? (classes: process, scheduler, gc,'
gives 64 stat --process x "$log"
says 'invalid process "x" for --process (a pid or capset:N; examples: 9975, capset:2)'
gives 64 stat --between A "$log"
says 'invalid interval "A" for --between (examples: A..B'
gives 64 show --match '(' "$log"
says 'invalid pattern "(" for --match: missing closing parenthesis at character 2'
# Spellings that were replaced.
gives 64 show --count 5 "$log"
says 'hectic show: unknown option --count; use --limit N'
gives 64 show --top=5 "$log"
says 'hectic show: unknown option --top; use --limit N'
gives 64 show -e 1s "$log"
says 'hectic show: unknown option -e'
gives 64 validate -n 3 threads "$log"
says 'hectic validate: unknown option -n; use --limit N'
for verb in watch run; do
    gives 64 $verb -n 3 "$log"
    says "hectic $verb: invalid time \"3\" for --every (with a unit; for a number of lines, --limit N)"
done
gives 64 inc backwards "$log"

# A log in place of a verb: info.
gives 0 info "$log"
cp "$work/out" "$work/info"
gives 0 "$log"
cmp "$work/out" "$work/info" || fail "hectic LOG is not hectic info LOG"
gives 0 - <"$log"
gives 0 "$log" --json
grep -q '^{' "$work/out" || fail "hectic LOG --json prints no JSON"
