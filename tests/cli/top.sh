#!/usr/bin/env bash
# hectic top in a real terminal: screen, keys, resizing, and restoring the terminal.
. tests/support/lib.bash
. tests/support/live.bash
needs tmux
monitored=$HECTIC_BUILD/monitored
[[ -x $monitored ]] || skip "needs $monitored"
log=$PWD/$logs/demo.eventlog

cleanup() {
    end_terminal
    kill %% 2>"$work/null" || true
    rm -rf "$work"
}
trap cleanup EXIT

evidence() {
    cat "$work/screen"
}

resize() {
    terminal resize-window -x "$1" -y "$2"
}

# The terminal and its screen are restored, and the exit code is $1.
is_sane() {
    keys "code=\$?; clear; echo =\$code=; stty -a | tr -d ';' | tr ' ' '\\n' | grep -xE '(-?)(echo|icanon|isig)'" Enter
    shows "^=$1=\$" '^echo$' '^icanon$' '^isig$'
    lacks '^q quit'
    keys clear Enter
}

top() {
    keys "${settings:-} '$HECTIC' top $*" Enter
}

# Without a terminal.
gives 2 top "$log"
says "hectic: top needs a terminal (hectic watch $log prints lines)"

terminal new-session -d -x 80 -y 24 "PS1='$ ' bash --norc"
shows '^\$'

# A finished log: the whole run, and its intervals to step through.
top "$log"
shows '^ demo  pid 9915  up 0\.021s  whole run .*GHC-9\.0\.2 rts_thr_l' 'alloc .*/s  live 65K  heap 1\.0M' \
    '^threads 0 at the end, 12 created' '^cap 0  [█▒·]+ mut .* cap 1  [█▒·]+ mut' 'max 166us, last 21ms' \
    '^ +10 +35\.6% +1 ended ' \
    '█' '░' '^[0-9.]+s the phis add up to' 'thread .* label \(busiest\)' '^q quit .*s sort  v view: all  '
(($(wc -l <"$work/screen") == 24)) || fail "lines: $(cat "$work/screen")"
keys Left
lacks 'whole run'
shows 'paused at 0\.0[0-9]*s \([0-9]+ of [0-9]+; the latest is 0\.021s\)'
keys Left '{' '{' '{' '{'
shows ' up 0\.002s' '^threads [1-9]' 'running [1-9]' ' 20\.0% +0 mvar .* worker 3$'
keys Home
shows 'paused at .* \(1 of '
keys s
shows 'label \(newest\)'
keys s
shows 'label \(longest blocked\)'
keys End
shows '^q quit ' 'label \(longest blocked\)' 'whole run'
keys '?'
shows 'pause, resume'
keys x
shows '^cap 0'
keys c f
shows 'not sent: the source takes no commands'
keys x
resize 120 40
shows '^heap: live / reserved .{30,}GC pauses \(max 166us' '^q quit'
(($(wc -l <"$work/screen") == 40)) || fail "lines: $(cat "$work/screen")"
for size in "40 10" "20 5" "7 3" "1 1"; do
    # shellcheck disable=SC2086
    resize $size
    keys Left
done
resize 80 24
keys End
shows '^ demo ' '^cap 0' '^q quit'
keys q
lacks '^cap 0'
is_sane 0

# START and STOP messages are spans; the others are messages.
top "$PWD/$logs/spans.eventlog"
shows '^spans +rate +p50 +p99  messages' '^worker .* 3\.2ms 6\.3ms' ' took worker 6282433'
! grep -qE '(START|STOP) ' "$work/screen" || fail "START or STOP among the messages: $(cat "$work/screen")"
keys q
lacks '^cap 0'
is_sane 0

# Heap profiles and time profiles: side by side, or each alone with its course; whole labels where there
# is room.
top "$PWD/$logs/heap-profile-c.eventlog"
shows '^heap profile  [0-9.]+[KM]' '^ *[0-9.]+[KM] .*[↗→↘] '
keys v
shows 'v view: heap profile' '^ *[0-9.]+[KM] +[0-9]+%( +[+-][0-9.]+[KM]?/s)? +[▁▂▃▄▅▆▇█]{8,} +[↗→↘] .*main'
resize 160 24
shows ' +[↗→↘] .*insert.*step.*main'
resize 60 20
shows '^ *[0-9.]+[KM] .*[↗→↘] '
resize 30 10
resize 80 24
keys v
shows 'v view: time profile' '^no time profile: link with -prof'
keys v
shows 'v view: spans' '^no spans'
keys v
shows 'v view: all'
keys q
lacks '^cap 0'
is_sane 0
top "$PWD/$logs/time-profile.eventlog"
shows '^time profile  own [0-9]+%  gc [0-9]+%  idle [0-9]+%' '^[0-9.]+% .*[↗→↘] Main\.[a-z]+'
keys v
shows 'v view: heap profile' '^no heap profile: start the program with'
keys v
shows 'v view: time profile' '^ ?[0-9.]+% +[0-9]+% +[ ▁▂▃▄▅▆▇█]{8,} [↗→↘] Main\.[a-z]+'
keys q
lacks '^cap 0'
is_sane 0

# The age of threads that are older than the log is a lower bound.
"$HECTIC" cut --from 2249814ns -o "$work/part" "$log"
top "$work/part"
shows '^ demo ' '^q quit'
keys Home
shows '^ +6 +14\.0% +1 mvar +31us +>46us  worker 1$' '^ +5 +0\.0% +0 mvar +>46us +>46us$'
keys q
lacks '^cap 0'
is_sane 0

# A locale without UTF-8 gets ASCII only.
settings="LC_ALL=C" top "$log"
shows '^cap 0  [#%.]+ mut' "'" '#'
LC_ALL=C grep -q '[^ -~]' "$work/screen" && fail "not ASCII: $(cat "$work/screen")"
keys C-c
lacks '^cap 0'
is_sane 0

# NO_COLOR.
colors() {
    terminal capture-pane -p -e | grep -c $'\e\\[3[1-6]m' || true
}
for no_color in "" 1; do
    settings="NO_COLOR=$no_color" top "$log"
    shows '^cap 0' '^q quit'
    [[ $(colors) == 0 ]] && plain=1 || plain=
    [[ $plain == "$no_color" ]] || fail "NO_COLOR=\"$no_color\": $(colors) lines have colors"
    keys q
    lacks '^cap 0'
done

# A running program.
mkfifo "$work/fifo"
top "$work/fifo"
shows "no events yet" "waiting for a program to write to"
mkfifo "$work/commands"
"$monitored" --caps 2 --load 20 --seconds 60 "fifo:$work/fifo" <"$work/commands" >"$work/said" 2>&1 &
exec 3>"$work/commands"
shows '^ monitored  pid [0-9]+  up [0-9.]+s  lag' '^alloc [0-9.]+[KMG]/s  live [0-9.]+[KM]' \
    '^threads [0-9]+ .*(mvar|delay|runnable) [0-9]+' '^cap 0  .* mut +[0-9]+% gc +[0-9]+%' \
    '^heap profile .*messages' '^ *[0-9.]+[KM] [↗→↘] ByteString'
keys p
shows 'paused at'
held=$(head -1 "$work/screen")
intervals() {
    screen
    sed -n 's/.*paused at .* of \([0-9]*\).*/\1/p' "$work/screen"
}
before=$(intervals)
more_intervals() {
    (($(intervals) > before + 1))
}
soon more_intervals
[[ $(head -1 "$work/screen") == "$held" ]] || fail "it is not paused: $(cat "$work/screen")"
keys p
shows '^q quit'
lacks "^$held\$"
keys s s PageDown Down Up PageUp
shows 'label \(longest blocked\)'
resize 120 40
shows '^ monitored ' 'events .*/s'
(($(wc -l <"$work/screen") == 40)) || fail "lines: $(cat "$work/screen")"

# A signal restores the terminal; so does quitting after the program has ended.
kill -TERM "$(terminal list-panes -F '#{pane_pid}' | xargs pgrep -P)"
lacks '^ monitored'
is_sane 0
exec 3>&-
kill %%
wait %% 2>"$work/null" || true

# A pipe: keys are read from the terminal. Errors are printed after the screen is closed.
keys "cat '$log' | '$HECTIC' top -" Enter
shows '^ demo  pid 9915' 'the log has ended'
keys q
is_sane 0
head -c 5000 README.md >"$work/none"
keys "cat '$work/none' | '$HECTIC' top -" Enter
shows 'hectic: standard input: .*not an eventlog'
is_sane 2
top "$work/nothing"
shows 'No such file'
is_sane 2
# ncurses leaks some memory there.
settings="ASAN_OPTIONS=detect_leaks=0 TERM=nonsense" top "$log"
shows 'terminal type "nonsense" is unknown'
is_sane 2
settings="ASAN_OPTIONS=detect_leaks=0 TERM=dumb" top "$log"
shows 'terminal type "dumb" cannot move its cursor'
is_sane 2

# A started program: its output is printed after the screen is closed.
command -v ghc >"$work/null" || exit 0
. tests/support/compile.bash
compile all run.hs -threaded
top "run:'$work/all last 300'"
shows 'no events yet' 'unless it is flushed'
program() {
    pgrep -f "^$work/all .*last" # the runtime's options are in between
}
has_begun() {
    grep -qs begins "/proc/$(program)/fd/1"
}
is_over() {
    ! program >"$work/null"
}
soon has_begun
keys q
shows '^begins'
soon is_over
is_sane 0
top "run:'$work/all exit 3'"
shows '^ all  pid' 'exit 3 exited with status 3; q quit'
keys q
is_sane 0
top "run:'$work/all x +RTS --no'"
shows '^all:' 'ended without a log' '^\$'
is_sane 2
