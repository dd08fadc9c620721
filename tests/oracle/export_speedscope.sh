#!/usr/bin/env bash
# speedscope imports what hectic export writes for it, for pprof, and as GHC's JSON: the stacks that it
# has then, with their weights, are those of GHC's report of the same run. It runs in a browser; its npm
# package, and that of the browser's driver, are those of scripts/install-deps test.
. tests/support/profiled.bash
. tests/support/browser.bash
needs node
[[ $browser ]] || skip "needs chromium-headless-shell"
modules=$(scripts/install-deps npm-directory)/node_modules
[[ -d $modules/speedscope && -d $modules/playwright-core ]] || skip "needs the npm packages of scripts/install-deps test"
driver=$PWD/tests/support/speedscope.js
compile_fine
cd "$work"
ln -s "$modules" node_modules

# saves FILE…: opens them in speedscope; FILE.saved is what it has imported.
saves() {
    node "$driver" "$browser" "$work" "$@" >"$work/importers" 2>"$work/err" ||
        fail "speedscope: $(tail -n 20 "$work/err")"
}

# imports FILE IMPORTER
imports() {
    grep -qF "$1: Importing as $2" "$work/importers" || fail "$1: $(<"$work/importers")"
}

is_near profile fine -P .prof "-N2 -V0.002 -RTS 12"
gives 0 export log time.speedscope.json
gives 0 export --every 50ms log every.speedscope.json
gives 0 export --every 50ms --cap 0 --weight samples log cap.speedscope.json
gives 0 export log time.pb.gz
gives 0 export log time.prof.json
gives 0 export log time.folded
gives 0 export --format folded --cap 0 log cap0.folded
mv log time.log
./fine +RTS -hc -i0.005 -l -ollog -RTS 6 >/dev/null
gives 0 export log heap.speedscope.json
gives 0 export log heap.pb.gz
gives 0 export --format folded --at peak log heap.folded
python3 "$OLDPWD/tests/support/made_profiles.py" stacks odd.log
gives 0 export odd.log odd.speedscope.json
gives 0 export odd.log odd.pb.gz
gives 0 compare -q --flame difference.speedscope.json time.log odd.log

gives 0 export "$OLDPWD/$logs/demo.eventlog" demo.trace.json

saves {time,every,cap,heap,odd,difference}.speedscope.json {time,heap,odd}.pb.gz time.prof.json time.folded demo.trace.json
for file in {time,every,cap,heap,odd,difference}.speedscope.json; do imports "$file" "speedscope json file"; done
for file in {time,heap,odd}.pb.gz; do imports "$file" "protobuf encoded pprof file"; done
imports time.prof.json "Haskell GHC JSON Profile"
imports time.folded "collapsed stack format"
imports demo.trace.json "Trace Event Format"

agrees speedscope time.speedscope.json.saved 2000000
agrees speedscope every.speedscope.json.saved 2000000
agrees speedscope time.pb.gz.saved 2000000
agrees speedscope time.prof.json.saved 1
python3 - "$oracle" <<'EOF'
import os, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
from export_prof import read_folded, read_speedscope

def renamed(weights):  # the root's own frame, and separators
    return {tuple(name.replace(";", ",").replace("\n", "\\n") for name in stack): weight
            for stack, weight in weights.items()}

def equal(file, unit, folded):
    name, own_unit, weights = read_speedscope(file + ".saved")[0]
    assert own_unit == unit, (file, own_unit)
    assert renamed(weights) == dict(read_folded(folded)), (file, weights)

equal("heap.speedscope.json", "bytes", "heap.folded")
equal("heap.pb.gz", "bytes", "heap.folded")
equal("cap.speedscope.json", "none", "cap0.folded")
equal("time.folded", "none", "time.folded")
name, unit, weights = read_speedscope("odd.speedscope.json.saved")[0]
assert sum(weights.values()) == 6, weights
assert max(len(stack) for stack in weights) == 255
name, unit, weights = read_speedscope("odd.pb.gz.saved")[0]
assert sum(weights.values()) == 6, weights
EOF
