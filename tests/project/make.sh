#!/usr/bin/env bash
# make builds and installs without a package manager; where something is missing, CMake lists it all.
. tests/support/lib.bash
needs make
unset MAKEFLAGS MAKELEVEL

# --- What is missing

code=0
env -u PKG_CONFIG_PATH PKG_CONFIG_LIBDIR="$work" cmake -S . -B "$work/build" -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON \
    >"$work/out" 2>"$work/err" || code=$?
((code == 1)) || fail "exit code $code"
for text in 'make deps' zlib1g-dev libzstd-dev libpcre2-dev libuv1-dev libncurses-dev libsqlite3-dev libedit-dev libmicrohttpd-dev \
    libprotobuf-c-dev libcmocka-dev HECTIC_ENABLE_ZSTD=OFF; do
    grep -q -- "$text" "$work/err" || fail "CMake does not name $text: $(cat "$work/err")"
done

# --- make

for target in all exhaustive sanitize install deb bench soak faults prove coverage fuzz format clean; do
    make -n "$target" | grep -E 'install-deps|apt' && fail "make $target runs a package manager"
done
make -n prove | grep -x bench/compare-rates >/dev/null || fail "make prove does not measure how often compare is wrong"
for target in deps demo check; do
    make -n "$target" | grep 'install-deps build' >/dev/null || fail "make $target does not install packages"
done

# --- make install

[[ $HECTIC_BUILD -ef build && -x build/hectic ]] || skip "make install: this is not the preset release"
mkdir "$work/bin"
printf '#!/bin/sh\ntouch %q\nexit 1\n' "$work/called" >"$work/bin/apt-get"
chmod +x "$work/bin/apt-get"
cp "$work/bin/apt-get" "$work/bin/dpkg-query"
PATH=$work/bin:$PATH make install PREFIX=/opt/hectic DESTDIR="$work/root" >"$work/out" 2>&1 ||
    fail "make install: $(tail "$work/out")"
[[ ! -e $work/called ]] || fail "make install runs a package manager"
[[ $(ls "$work/root") == opt ]] || fail "installed outside of PREFIX: $(ls "$work/root")"
"$work/root/opt/hectic/bin/hectic" --version >/dev/null
[[ -s $work/root/opt/hectic/share/man/man1/hectic.1 ]] || fail "no man page is installed"
