#!/usr/bin/env bash
# Where a tool of the page is missing or fails, hectic is built without the page, and one line says why.
. tests/support/lib.bash
needs clang
needs wasm-ld
needs node

# $work/bin has each command of this machine; tests remove some, or let them fail.
mkdir "$work/bin" "$work/aside"
IFS=: read -ra directories <<<"$PATH"
for directory in "${directories[@]}"; do
    ln -s "$directory"/* "$work/bin" 2>/dev/null || true
done
missing() { # COMMAND…: those of the last call are there again
    local command
    for command in "$work/aside"/*; do
        [[ ! -L $command ]] || mv -f "$command" "$work/bin"
    done
    for command; do
        mv "$work/bin/$command" "$work/aside"
    done
}
replaced() { # COMMAND CODE SCRIPT: by a script, not what the link is for
    rm -f "$work/bin/$1"
    printf '#!/bin/sh\n%s\nexit %s\n' "$3" "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
failing() { # COMMAND…
    missing "$@"
    local command
    for command; do
        replaced "$command" 1 "echo '$command: error: it is broken' >&2"
    done
}

# builds_without REASON: what build-page prints is one line, with that reason and the remedy.
mkdir "$work/build"
builds_without() {
    touch -d 2000-01-01 "$work/build/view.html" # of an earlier build
    PATH=$work/bin scripts/build-page "$work/build" "Unix Makefiles" >"$work/out" 2>"$work/err" || fail "exit code $?"
    [[ $(wc -l <"$work/err") == 1 && ! -s $work/out ]] || fail "not one line: $(cat "$work/out" "$work/err")"
    says "hectic is built without the page of hectic view: $1"
    says '"make deps" installs what it needs'
    same "$work/err" "$work/build/view.missing"
    [[ ! -e $work/build/view.html ]] || fail "the page of an earlier build is left"
}

missing clang
builds_without "not found: clang."
missing wasm-ld node
builds_without "not found: wasm-ld, node."
failing clang
builds_without "the build for wasm32 failed: "
missing
XDG_CACHE_HOME=$work/cache builds_without "not found: esbuild of npm, fzstd of npm."

# --- Packages that cannot be installed: of npm, of Debian

failing npm apt-get apt-cache
PATH=$work/bin XDG_CACHE_HOME=$work/cache scripts/install-deps page >"$work/out" 2>"$work/err" || fail "exit code $?"
says "npm has not installed the packages of view/package-lock.json"
says "install-deps: hectic is built without the page of hectic view"
replaced dpkg-query 0 "" # nothing is installed
PATH=$work/bin scripts/install-deps page >"$work/out" 2>"$work/err" || fail "exit code $?"
says "apt-get update && apt-get install --yes --no-install-recommends clang"
PATH=$work/bin scripts/install-deps build >"$work/out" 2>"$work/err" && fail "no compiler, but exit code 0"
says "install-deps: not installed (group build)"

# --- make install, the Debian package and hectic view say it, too. This changes a copy of the build
# directory, in its place.

[[ $HECTIC_BUILD -ef build ]] || skip "make install: this is not the preset release"
cat >"$work/inside" <<'END'
set -e
work=$1
mount --make-rprivate / 2>/dev/null || true # not possible in each chroot
mount -t tmpfs none "$work/layer"
mkdir "$work/layer/upper" "$work/layer/work"
trap 'umount --lazy build "$work/layer"' EXIT
mount -t overlay -o "lowerdir=$PWD/build,upperdir=$work/layer/upper,workdir=$work/layer/work" none build
rm build/view.html
PATH=$work/bin make >"$work/failing" 2>&1
[[ ! -e build/view.html ]]
export TARGETS=view_page # all the rest is there
make >"$work/again" 2>&1
[[ -s build/view.html ]]
rm "$work/bin/node"
PATH=$work/bin make >"$work/kept" 2>&1 # the page is newer than what it is made of
[[ -s build/view.html ]]
make install PREFIX="$work/installed/with" >/dev/null 2>&1
[[ -s $work/installed/with/share/hectic/view.html ]]
touch -d 2000-01-01 build/view.html
PATH=$work/bin make install PREFIX="$work/installed/with" >"$work/install" 2>&1
unset TARGETS
PATH=$work/bin make deb >"$work/deb" 2>&1
cp build/hectic_*.deb "$work"
END
failing node
mkdir "$work/layer"
unset MAKEFLAGS MAKELEVEL
unshare --mount --propagation unchanged bash "$work/inside" "$work" >"$work/log" 2>&1 || {
    grep -q '^\(unshare\|mount\):' "$work/log" && skip "make install: needs root: $(head -n 1 "$work/log")"
    fail "make: $(tail "$work/log" "$work/failing" "$work/again" "$work/install" "$work/deb" 2>&1)"
}
grep -q '^hectic is built without the page of hectic view: view/build.mjs failed: node: error: it is broken' \
    "$work/failing" || fail "make does not say that node fails: $(<"$work/failing")"
grep 'without the page' "$work/again" && fail "make: the page is there"
for output in install deb; do
    grep -q '^hectic is built without the page of hectic view: not found: node' "$work/$output" ||
        fail "make $output does not say that the page is missing: $(<"$work/$output")"
done
[[ $(tail -n 1 "$work/install") == "    export PATH=$work/installed/with/bin:\$PATH" ]] ||
    fail "make install ends with: $(tail -n 2 "$work/install")"
[[ ! -e $work/installed/with/share/hectic/view.html ]] || fail "the page is installed"
[[ $(dpkg-deb --field "$work"/hectic_*.deb Description) == *"built without the page of hectic view."* ]] ||
    fail "$(dpkg-deb --field "$work"/hectic_*.deb Description)"
HECTIC=$work/installed/with/bin/hectic
gives 2 view -o "$work/report.html" "$logs/demo.eventlog"
says "this build of hectic lacks the page"
timeout 5 "$HECTIC" view "$logs/demo.eventlog" >"$work/out" 2>"$work/err" || true # it serves until then
says "this build of hectic lacks the page"
exit 0
