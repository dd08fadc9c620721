#!/usr/bin/env bash
# run --heap and --prof add the options for profiles that the program's runtime accepts.
. tests/support/lib.bash
needs ghc
cp tests/programs/heap.hs "$work"
export TMPDIR=$work/private
mkdir "$TMPDIR" "$work/here"

# compile NAME GHC-OPTION…
compile() {
    local name=$1
    shift
    (cd "$work" && ghc -v0 -outputdir "objects-$name" -o "$name" heap.hs -eventlog "$@")
}

# profiled PROGRAM OPTION…: in a directory of its own; the log is $work/log.
profiled() {
    local program=$1 code=0
    shift
    rm -rf "$work/here" "$work/log"
    mkdir "$work/here"
    (cd "$work/here" && "$HECTIC" run --log "$work/log" "$@" "$work/$program" 20 >"$work/out" 2>"$work/err") || code=$?
    ((code == 0)) || fail "run $* $program: exit code $code, $(cat "$work/err")"
    [[ -z $(ls "$TMPDIR") ]] || fail "left behind: $(find "$TMPDIR")"
}

# has COUNT REGEX: the log has at least so many such events; with 0, none.
has() {
    local count
    count=$("$HECTIC" show "$work/log" | grep -cE "$2" || true)
    (($1 == 0 ? count == 0 : count >= $1)) || fail "$count events in the log: $2"
}

# ends REGEX…: the report has these lines, one after the other; none is wider than a terminal.
ends() {
    local line found i=0
    mapfile -t found < <(grep -A $(($# - 1)) -m 1 -xE -- "$1" "$work/err")
    ((${#found[@]} == $#)) || fail "not \"$1\", but: $(tail -n 20 "$work/err")"
    for line; do
        [[ ${found[i]} =~ ^$line$ ]] || fail "not \"$line\", but: ${found[*]}"
        ((${#found[i]} <= 80)) || fail "too wide: ${found[i]}"
        i=$((i + 1))
    done
}

warns() {
    grep -q 'was linked without -threaded: its runtime may damage a log' "$work/err"
}

# leaves FILE…: the program has left nothing else where it ran.
leaves() {
    [[ $(ls "$work/here") == "$*" ]] || fail "files: $(ls "$work/here")"
}

compile plain -rtsopts
compile safe
strip -o "$work/stripped" "$work/plain"
strip -o "$work/stripped-safe" "$work/safe"
heap='start heap profiling 0 at sampling period .* broken down by'

profiled plain --heap --rts '-V0.002 -i0.02'
has 1 "$heap closure type"
has 3 'heap prof sample 0, residency [0-9]+, label '
leaves plain.hp
size='[0-9.]+(KiB|MiB)'
ends "Heap use   largest $size at [0-9.]+m?s, at the end $size; by closure type" " {11}[A-Za-z.:]+ $size.*"
profiled plain
! grep -q '^Heap ' "$work/err" || fail "a heap profile: $(cat "$work/err")"
(cd "$work/here" && gives 0 run --heap --rts -i1000 "$work/plain" 1)
says "no heap samples in the log: "
! grep -q '^Heap ' "$work/err" || fail "a heap profile: $(cat "$work/err")"
profiled stripped --heap --rts -i0.02
has 1 "$heap closure type"
profiled plain --heap --rts '-h -i0.02'
has 1 "$heap closure type"

# What the runtime does not accept is refused before the program is started.
for program in plain safe stripped; do
    gives 125 run --prof "$work/$program" 20
    says "was linked without profiling, so its runtime has no time profile: build it with ghc -prof -fprof-auto"
    [[ ! -s $work/out ]] || fail "the program was started"
done
gives 125 run --heap "$work/safe" 20
says "was linked without -rtsopts, which the option -hT of a heap profile requires"
gives 125 run --heap --through environment "$work/safe" 20
says "was linked without -rtsopts"
gives 1 run --heap "$work/stripped-safe" 20
says "Most RTS options are disabled"
# The way of the runtime, of a dynamic executable.
for way in l thr_l thr; do
    printf 'libHSrts_%s-ghc9.0.2.so\0' $way >"$work/dynamic"
    chmod +x "$work/dynamic"
    gives 125 run --prof "$work/dynamic"
done
for way in p thr_p p_dyn 1.0.2_thr_p; do
    printf 'libHSrts_%s-ghc9.4.7.so\0' $way >"$work/dynamic"
    gives 126 run --prof "$work/dynamic"
    says "Exec format error"
done

compile profiled -prof -fprof-auto-top -rtsopts 2>"$work/said" || skip "needs GHC's profiling libraries: the rest"
compile profiled-safe -prof -fprof-auto-top -threaded
profiled profiled --heap --rts '-V0.002 -i0.02'
has 1 "$heap cost centre"
has 3 'heap prof sample 0, residency [0-9]+, cost centre stack'
has 0 'cap no [0-9]*, prof sample'
for program in profiled profiled-safe; do
    profiled $program --prof
    has 1 'cap no [0-9]*, prof sample [0-9]*, cost centre stack'
    has 0 "$heap"
    leaves
    ends "Time use   [0-9,]+ samples?, every [0-9.]+ms: own [0-9.]+%.*" " {11}Main\.[a-z]+ [0-9.]+%.*"
    profiled $program --heap --prof
    has 1 'cap no [0-9]*, prof sample'
    has 1 "$heap cost centre"
    warned=no
    if warns; then warned=yes; fi
    [[ $program-$warned == profiled-yes || $program-$warned == profiled-safe-no ]] ||
        fail "$program warns of a damaged log: $warned"
done
gives 0 run --prof --rts -V0 "$work/profiled" 1
says "no time samples in the log: "
profiled profiled --heap --rts '-V0.002 -i0.02'
ends "Heap use   largest $size at [0-9.]+m?s, at the end $size; by cost centre" " {11}.*insert.* $size.*"
profiled profiled --heap --prof --rts '-hy -V0.002 -i0.02'
has 1 "$heap type"
has 3 'heap prof sample 0, residency [0-9]+, label '

# On the screen of top.
command -v tmux >/dev/null || exit 0
trap 'tmux -S "$work/tmux" kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
screen() { tmux -S "$work/tmux" capture-pane -p; }
shows() { screen | grep -qE -- "$1"; }
is_over() { ! tmux -S "$work/tmux" has-session 2>/dev/null; }
tmux -S "$work/tmux" -f /dev/null new-session -d -x 100 -y 30 \
    "cd '$work/here'; '$HECTIC' run --top --heap --prof '$work/profiled-safe' 60"
soon shows '^heap profile  [0-9.]+[KM]  by cost centre *time profile  own [0-9]+%'
soon shows '^ *[0-9.]+[KM] .*[↗→↘] Main\.[a-z]+.* [0-9.]+% .*[↗→↘] Main\.[a-z]+'
tmux -S "$work/tmux" send-keys q
soon is_over
[[ -z $(ls "$TMPDIR") ]] || fail "left behind: $(find "$TMPDIR")"
