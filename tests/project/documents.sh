#!/usr/bin/env bash
# Every command and program in README.md, CONTRIBUTING.md, ARCHITECTURE.md and docs/*.md works as it
# stands there: in a clean clone, in an empty home directory, with hectic built and installed by the
# README's own commands. Every link leads somewhere, in the clone and in the installed copy. What needs
# more than to be run, or cannot be run, is in tests/project/documents.table.
. tests/support/lib.bash
. tests/support/links.bash
needs git
needs ghc
grep -q fsanitize "$HECTIC_BUILD/CMakeCache.txt" && skip "GHC does not link with sanitizers"

table=$PWD/tests/project/documents.table extractor=$PWD/tests/project/documents.awk
clone=$work/clone
export HOME=$work/home
mkdir -p "$clone" "$HOME"
git ls-files -z | xargs -0 cp --parents -t "$clone"
unset PKG_CONFIG_PATH LD_LIBRARY_PATH MAKEFLAGS MAKELEVEL
# A compiler cache, where there is one, knows the same files in the clone.
export CCACHE_BASEDIR=$clone CCACHE_NOHASHDIR=1
files() {
    (cd "$clone" && find . -path ./build -prune -o -type f -print | sort)
}
files >"$work/before"

# --- The table

mapfile -t rows < <(sed -e '/^#/d; /^$/d; s/   */\t/; s/   */\t/; s/   */\t/' "$table")
declare -A used=()
# told ACTION: what the table says in $how of the command or block $text, at $place.
told() {
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
# Starts a command that goes on, with a standard input that says nothing, until $1 succeeds.
start() { # CONDITION COMMAND
    eval "$2" <"$work/silence" >"$work/out" 2>"$work/err" &
    started+=($!)
    for _ in $(seq 600); do
        eval "$1" >/dev/null && return
        kill -0 -- "-$!" 2>/dev/null || problem "has ended, and not yet: $1"
        sleep 0.1
    done
    problem "not in time: $1"
}
# Ends the latest that was started, as Ctrl-C does.
end() {
    local group=${started[-1]} code=0
    unset 'started[-1]'
    kill -INT -- "-$group" 2>/dev/null || true
    wait "$group" 2>/dev/null || code=$?
    # 1 is also what bash gives for a pipeline in which it was interrupted.
    ((code <= 1 || code == 130)) || problem "exit code $code at its end"
}
end_all() {
    while ((${#started[@]} > 0)); do end; done
}
compiles() { # what is on stdin, behind the lines of the arguments
    { printf '%s\n' "$@" && cat; } >block.c
    # shellcheck disable=SC2046 # words of their own
    cc -std=c17 -Wall -Wextra -Wno-unused -fsyntax-only $(pkg-config --cflags hectic) block.c
}
answers() { # each line of stdin is a query, to the Prometheus that runs
    local query
    while read -r query; do
        curl -sfG --data-urlencode "query=$query" "http://127.0.0.1:$port2/api/v1/query"
    done
}

# --- Following

problem() {
    fail "$place: $text: $*"$'\n'"$(head -n 20 "$work/out" "$work/err")"
}
free_port() {
    local port
    for ((port = 20000 + RANDOM % 10000; ; port++)); do
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    echo "$port"
}
port=$(free_port) port2=$(free_port)
# Sockets and ports are this test's own.
own() {
    sed "s|/tmp/|$work/|g; s|/run/|$work/|g; s|127.0.0.1:4242|127.0.0.1:0|g; s|127.0.0.1:9464|127.0.0.1:$port|g"
}
# run [INPUT]: what $text says, or the table for it.
run() {
    local how tool command
    if told skip; then
        echo "$place: not run: ${text%%$'\n'*} ($how)"
        return
    fi
    if told needs; then
        for tool in $how; do
            command -v "$tool" >/dev/null && continue
            echo "$place: not run: ${text%%$'\n'*} (there is no $tool)"
            return
        done
    fi
    if told before; then eval "$how" || problem "fails: $how"; fi
    command=$(own <<<"$text")
    if told as; then
        command=$how
    elif (($# > 0)); then
        problem "is not in tests/project/documents.table"
    fi
    truncate -s 0 "$work/out" "$work/err"
    if told start; then
        start "$how" "${command%&}"
    else
        eval "$command" <"${1:-/dev/null}" >"$work/out" 2>"$work/err" || problem "exit code $?"
    fi
    if told after; then eval "$how" || problem "fails: $how"; fi
}
run_commands() { # $1: lines, in which a command ends where bash can parse it
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
    told skip && return
    awk 'NR == FNR { want[++n] = $0; next }
        FNR == 1 { i = 1 }
        want[i] == "…" && $0 != want[i + 1] { next }
        want[i] == "…" { i++ }
        $0 != want[i] { exit }
        { i++ }
        END { if (want[i] == "…") i++; exit i <= n }' "$work/expected" "$work/out" ||
        problem "prints something else"
}
# What a document shows before it says how it is got is followed later.
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
    mkdir -p "$work/${document%.md}"
    cd "$work/${document%.md}"
    export HECTIC=$clone
    follow "$document" now
    follow "$document" later
    end_all
done
files | diff "$work/before" - || fail "files are left in the clone"
for row in "${rows[@]}"; do
    [[ ${used[$row]:-} ]] || fail "no document has what tests/project/documents.table lists: $row"
done

# --- Links

check_links "$clone"
check_links "$HOME/.local/share/doc/hectic"
