#!/usr/bin/env bash
# The Debian package has what Debian expects of one, and works where dpkg has installed it: in a copy
# of this system's root, where the project's directory is empty.
. tests/support/lib.bash
. tests/support/links.bash
needs dpkg-deb
needs dpkg-shlibdeps
needs file
needs cpack
grep -q fsanitize "$HECTIC_BUILD/CMakeCache.txt" && skip "programs do not link with a sanitizer's library"

# As for Ninja, CPack does not build first.
cpack --config "$HECTIC_BUILD/CPackConfig.cmake" -D CPACK_CMAKE_GENERATOR=Ninja -B "$work/cpack" \
    >"$work/log" 2>&1 || fail "$(tail "$work/log")"
deb=$(echo "$work"/cpack/hectic_*.deb)

# --- The package

field() {
    dpkg-deb --field "$deb" "$1"
}
for library in libc6 libedit2 libmicrohttpd12 libncursesw6 libpcre2-8-0 libprotobuf-c1 libsqlite3-0 libuv1 libzstd1 zlib1g; do
    [[ $(field Depends) == *"$library"[\ ,]* ]] || fail "Depends is $(field Depends), without $library"
done
[[ $(field Package) == hectic && $(field Section) == devel ]] || fail "$(field)"
[[ $(field Version) == "$("$HECTIC" --version | head -n 1 | sed 's/hectic //')" ]] || fail "$(field)"

root=$work/root
dpkg-deb -x "$deb" "$root"
for file in bin/hectic lib/libhectic.a lib/libhectic.so lib/hectic.so include/hectic/hectic.h include/hectic/emit_events.h include/hectic/read_events.h \
    share/man/man1/hectic.1.gz share/man/man1/hectic-show.1.gz share/bash-completion/completions/hectic \
    share/zsh/vendor-completions/_hectic share/hectic/haskell/hectic-eventlog.cabal \
    share/doc/hectic/{copyright,changelog.gz,README.md,docs/install.md}; do
    [[ -s $root/usr/$file ]] || fail "usr/$file is missing"
done
find "$root/usr/share/man" -name '*.1' | grep . && fail "man pages are not compressed"
dangling=$(find "$root" -xtype l)
[[ -z $dangling ]] || fail "links lead nowhere: $dangling"
check_links "$root/usr/share/doc/hectic"
nm "$root/usr/bin/hectic" 2>/dev/null | grep . && fail "the command is not stripped"

# --- Installed

cp "$logs/demo.eventlog" "$work/demo.eventlog"
cp examples/minimal.c "$work"
cp -r tests/package "$work/package"
cat >"$work/Main.hs" <<'END'
import Hectic.Eventlog (withEventlog)
main :: IO ()
main = withEventlog $ putStrLn "done"
END
cat >"$work/inside" <<'END'
set -euo pipefail
unset PKG_CONFIG_PATH LD_LIBRARY_PATH CMAKE_PREFIX_PATH
PATH=/usr/sbin:/usr/bin:/sbin:/bin
cd "$1"
[[ -z $(ls "$2") ]]
dpkg --install --path-include='/usr/share/*' "$3"
[[ $(dpkg-query -W -f '${db:Status-Status}' hectic) == installed ]]
[[ $(command -v hectic) == */bin/hectic ]]
hectic check demo.eventlog
if command -v man; then man -w hectic-show; fi
if command -v zsh; then zsh -fc 'autoload -U compinit && compinit -uD && [[ ${_comps[hectic]} == _hectic ]]'; fi
cc -o minimal minimal.c $(pkg-config --cflags --libs hectic)
./minimal
hectic check minimal.eventlog
cmake -S package -B cmake -DSOURCE="$1/minimal.c"
cmake --build cmake
cmake/outside_shared
cmake/outside_static
if command -v ghc; then
    ln -s "$(pkg-config --variable=haskelldir hectic)" hectic-eventlog
    ghc -threaded -eventlog -outputdir objects -ihectic-eventlog/src -Ihectic-eventlog/include \
        Main.hs hectic-eventlog/cbits/*.c $(pkg-config --cflags --libs hectic)
    [[ $(./Main) == done ]]
fi
[[ -z $(dpkg --verify hectic) ]]
dpkg --purge hectic
[[ -z $(ls -d /usr/bin/hectic /usr/share/hectic /usr/share/doc/hectic /usr/include/hectic 2>/dev/null) ]]
END
cat >"$work/outside" <<'END'
set -e
work=$1 project=$2
# In a chroot, / need not be a mount point; then mounts are removed at the end only.
mount --make-rprivate / 2>/dev/null || true
trap 'umount --recursive --lazy "$work/system" "$work/layer" 2>/dev/null || true' EXIT
mkdir "$work/layer" "$work/system"
mount -t tmpfs none "$work/layer"
mkdir "$work/layer/upper" "$work/layer/work"
mount -t overlay -o "lowerdir=/,upperdir=$work/layer/upper,workdir=$work/layer/work" none "$work/system" ||
    exit 77
for folder in /proc /dev /tmp; do
    mount --rbind "$folder" "$work/system$folder"
    mount --make-rslave "$work/system$folder"
done
mkdir -p "$work/system$work" "$work/system$project"
mount --bind "$work" "$work/system$work"
mount -t tmpfs none "$work/system$project"
chroot "$work/system" bash "$work/inside" "$work" "$project" "$3"
END
code=0
unshare --mount --propagation unchanged bash "$work/outside" "$work" "$PWD" "$deb" >"$work/log" 2>&1 || code=$?
case $code in
0) ;;
1 | 77) grep -q '^\(unshare\|mount\):' "$work/log" || fail "in the system's copy: $(tail -n 30 "$work/log")"
    echo "SKIPPED: not installed by dpkg: $(head -n 1 "$work/log")" ;;
*) fail "in the system's copy: $(tail -n 30 "$work/log")" ;;
esac
