#!/usr/bin/env bash
# The overview fits a screen, and the help of each verb is short.
. tests/support/lib.bash
verbs=$(sed -n 's/^VERB(\(.*\))$/\1/p' src/tool/main/verbs.def)

gives 0 --help
for verb in $verbs; do
    case $verb in
    copy | tasks) ! grep -qE " $verb " "$work/out" || fail "hectic --help lists $verb" ;;
    inc | simulate | profile | validate)
        grep -qE "^As in ghc-events: .*\b$verb\b" "$work/out" || fail "hectic --help: $verb is missing"
        ;;
    *) grep -qE "^(  |.{27} |.{40} )$verb +[a-zA-Z]" "$work/out" || fail "hectic --help: $verb is missing" ;;
    esac
done
head -n 4 "$work/out" | grep -qF "See what happened in a run" || fail "hectic --help does not begin with tasks"
for verb in "" $verbs; do
    gives 0 ${verb:+"$verb"} --help
    (($(wc -L <"$work/out") <= 80)) || fail "$verb --help: wider than 80 columns"
    sed -i '/^Columns/,/^$/d' "$work/out"
    (($(wc -l <"$work/out") <= (${#verb} ? 33 : 24))) || fail "$verb --help: too long"
done
gives 0 show --help
for class in scheduler heap-profile framing; do
    grep -q "[ ,]$class\b" "$work/out" || fail "show --help does not list the class $class"
done
# The heading of lines is explained.
"$HECTIC" watch "$logs/demo.eventlog" 2>/dev/null | head -n 1 | tr -s ' ' '\n' | sed '/^$/d' >"$work/heading"
(($(wc -l <"$work/heading") > 10)) || fail "the heading: $(<"$work/heading")"
for verb in run watch; do
    gives 0 $verb --help
    sed -n '/^Columns/,/^$/{/^  /p}' "$work/out" | sed -E 's/^(.{40})  /\1\n  /' | awk 'NF > 2 {print $1}' >"$work/legend"
    same "$work/heading" "$work/legend"
done
gives 0 help show
prints "Usage: hectic show [OPTION]... [threads|caps] LOG"
gives 0 --version
grep -qE '^hectic [0-9]+\.[0-9]+\.[0-9]+$' "$work/out" || fail "--version"
gives 0 --version --verbose
for line in "hectic [0-9.]*" "compiler: .*(gcc|[Cc]lang) [0-9.]+.*" "build type: [A-Za-z]+" \
    "libraries: .*PCRE2 [0-9.]+, libuv [0-9.]+, ncurses [0-9.]+, libmicrohttpd [0-9.]+, protobuf-c [0-9.]+" "features: .*"; do
    grep -qxE "$line" "$work/out" || fail "--version --verbose: no line $line"
done
