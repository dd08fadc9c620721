#!/usr/bin/env bash
# Every command and program in README.md, CONTRIBUTING.md, ARCHITECTURE.md and docs/*.md works as
# written: in a clean clone, in an empty home directory, with hectic installed by the README's command.
# Every link has a target, in the clone and in the installed copy. tests/project/documents.table lists
# what cannot be run, or needs preparation. docs/commands.md is generated: see commands_reference.sh.
. tests/support/lib.bash
. tests/support/links.bash
. tests/support/live.bash
needs git
needs ghc
grep -q fsanitize "$HECTIC_BUILD/CMakeCache.txt" && skip "GHC does not link with sanitizers"

table=$PWD/tests/project/documents.table extractor=$PWD/tests/project/documents.awk
clone=$work/clone
export HOME=$work/home
mkdir -p "$clone" "$HOME"
git ls-files -z | xargs -0 cp --parents -t "$clone"
unset PKG_CONFIG_PATH LD_LIBRARY_PATH MAKEFLAGS MAKELEVEL
# So that a compiler cache recognizes the same files in the clone.
export CCACHE_BASEDIR=$clone CCACHE_NOHASHDIR=1
files() {
    (cd "$clone" && find . -path ./build -prune -o -type f -print | sort)
}
files >"$work/before"

# --- The table

mapfile -t rows < <(sed -e '/^#/d; /^$/d; s/   */\t/; s/   */\t/; s/   */\t/' "$table")
declare -A used=()
# entry ACTION: sets $how to the table's entry for the command or block $text, at $place.
entry() {
    local row file beginning action
    for row in "${rows[@]}"; do
        IFS=$'\t' read -r file beginning action how <<<"$row"
        [[ $action == "$1" && $place == "$file":* && ${text##+([[:space:]])} == "$beginning"* ]] || continue
        used[$row]=1
        return 0
    done
    return 1
}

# --- What the table uses

shopt -s extglob
set -m # each job is a process group
started=()
# Starts a command that keeps running, with a silent standard input, and waits until $1 succeeds.
start() { # CONDITION COMMAND
    eval "$2" <"$work/silence" >"$work/out" 2>"$work/err" &
    started+=($!)
    soon has_begun "$1"
}
has_begun() { # CONDITION
    eval "$1" >/dev/null || { kill -0 -- "-${started[-1]}" 2>/dev/null || problem "exited before: $1"; false; }
}
evidence() {
    problem "it does not begin"
}
# Ends the command that was started last, as Ctrl-C does.
end() {
    local group=${started[-1]} code=0
    unset 'started[-1]'
    kill -INT -- "-$group" 2>/dev/null || true
    wait "$group" 2>/dev/null || code=$?
    # bash also returns 1 for an interrupted pipeline.
    ((code <= 1 || code == 130)) || problem "exit code $code at its end"
}
end_all() {
    while ((${#started[@]} > 0)); do end; done
}
compiles() { # stdin, after the lines in the arguments
    { printf '%s\n' "$@" && cat; } >block.c
    # shellcheck disable=SC2046 # words of their own
    cc -std=c17 -Wall -Wextra -Wno-unused -fsyntax-only $(pkg-config --cflags hectic) block.c
}
answers() { # each line of stdin is a query to the running Prometheus
    local query
    while read -r query; do
        curl -sfG --data-urlencode "query=$query" "http://127.0.0.1:$port2/api/v1/query"
    done
}

# --- Following

problem() {
    fail "$place: $text: $*"$'\n'"$(head -n 20 "$work/out" "$work/err")"
}
port=$(free_port) port2=$(free_port)
# Replaces sockets, ports and directories by the test's own.
own() {
    sed "s|/tmp/|$work/|g; s|/run/|$work/|g; s|/var/log/|$work/|g; s|127.0.0.1:4242|127.0.0.1:0|g; s|127.0.0.1:9464|127.0.0.1:$port|g"
}
# run [INPUT]: runs $text, or the command that the table has for it.
run() {
    local how tool command action
    if entry skip; then
        echo "$place: not run: ${text%%$'\n'*} ($how)"
        return
    fi
    if entry needs; then
        for tool in $how; do
            command -v "$tool" >/dev/null && continue
            echo "SKIPPED: needs $tool (scripts/install-deps test), for a command of ${place%:*}"
            for action in before as start after; do entry $action || true; done
            return
        done
    fi
    if entry before; then eval "$how" || problem "fails: $how"; fi
    command=$(own <<<"$text")
    if entry as; then
        command=$how
    elif (($# > 0)); then
        problem "is not in tests/project/documents.table"
    fi
    truncate -s 0 "$work/out" "$work/err"
    if entry start; then
        start "$how" "${command%&}"
    else
        eval "$command" <"${1:-/dev/null}" >"$work/out" 2>"$work/err" || problem "exit code $?"
    fi
    if entry after; then eval "$how" || problem "fails: $how"; fi
}
run_commands() { # $1: lines; a command ends where bash can parse it
    local line text=
    while IFS= read -r line; do
        text+=${text:+$'\n'}$line
        if [[ $line != *\\ ]] && bash -n <<<"$text" 2>/dev/null; then
            [[ -z $text ]] || run
            text=
        fi
    done <<<"$1"
    [[ -z $text ]] || problem "bash cannot parse it"
}
run_transcript() { # $1: commands after "$ ", with what they print, where "…" is any lines
    local line text=
    while IFS= read -r line; do
        if [[ $line == '$ '* ]]; then
            check_transcript
            text=${line#??}
            : >"$work/expected"
        else
            echo "$line" >>"$work/expected"
        fi
    done <<<"$1"
    check_transcript
}
check_transcript() {
    local how
    [[ $text ]] || return 0
    run
    entry skip && return
    awk 'NR == FNR { want[++n] = $0; next }
        FNR == 1 { i = 1 }
        want[i] == "…" && $0 != want[i + 1] { next }
        want[i] == "…" { i++ }
        $0 != want[i] { exit }
        { i++ }
        END { if (want[i] == "…") i++; exit i <= n }' "$work/expected" "$work/out" ||
        problem "prints something else"
}
# Transcripts and tables come second: a document may show a result before its commands.
follow() { # DOCUMENT now|later
    local place kind text
    while IFS= read -r -d '' text; do
        place=$1:${text%% *} text=${text#* }
        kind=${text%% *} text=${text#* }
        text=${text%$'\n'}
        case $2-$kind in
        later-row) run ;;
        later-transcript) run_transcript "$text" ;;
        later-* | *-row | *-transcript) ;;
        *-commands) run_commands "$text" ;;
        *)
            own <<<"$text" >"$work/block"
            run "$work/block"
            ;;
        esac
    done < <(awk -f "$extractor" "$clone/$1")
}

mkfifo "$work/silence"
exec 9<>"$work/silence"
trap 'kill -KILL -- "${started[@]/#/-}" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$clone"
for document in README.md CONTRIBUTING.md ARCHITECTURE.md docs/*.md; do
    [[ $document == docs/commands.md ]] && continue
    mkdir -p "$work/${document%.md}"
    cd "$work/${document%.md}"
    export HECTIC=$clone
    follow "$document" now
    follow "$document" later
    end_all
done
files | diff "$work/before" - || fail "files are left in the clone"
for row in "${rows[@]}"; do
    [[ ${used[$row]:-} ]] || fail "no document has this row of tests/project/documents.table: $row"
done

# --- Links

check_links "$clone"
check_links "$HOME/.local/share/doc/hectic"
