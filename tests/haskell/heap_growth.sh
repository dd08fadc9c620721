#!/usr/bin/env bash
# hectic heap finds leaks in real programs, and none where the heap has another shape; its numbers are
# those of GHC's .hp files.
. tests/support/haskell.bash
HECTIC=$(readlink -f "$HECTIC")
compile leaks leaks.hs -O1
cd "$work"

needs python3

# bands EXPRESSION: its values for the bands of the JSON in "out", and their names.
bands() {
    python3 -c 'import json, sys
for profile in json.load(open("out"))["sections"][0]["profiles"]:
    for band in profile["bands"]:
        name = "/".join(profile["labels"][i] for i in band["stack"])
        value = eval(sys.argv[1])
        if value: print(value)' "$1"
}

# suspects SHAPE: runs the program; the labels of the bands that grow are in $work/suspects.
suspects() {
    for interval in 0.01 0.002; do # on a fast machine, the run is shorter
        ./leaks "$1" 2000000 +RTS -hT -l -i$interval >/dev/null
        gives 0 heap --json leaks.eventlog
        grep -qE '"has_times":true,"samples":[0-9]{2}' out && break
    done
    bands 'band["suspect"] and name' | sort | tr '\n' ' ' >suspects
    gives 0 heap leaks.eventlog
}
leaks() { # SHAPE "LABEL…"
    suspects "$1"
    [[ $(cat suspects) == "$2 " ]] || fail "$1: suspects: $(cat suspects out)"
    prints "What grows steadily, and may be a leak:"
    prints "  ./leaks $1 2000000 +RTS -i$interval -hc -l"
}
does_not() { # SHAPE
    suspects "$1"
    [[ ! -s suspects ]] || fail "$1: suspects: $(cat suspects out)"
    prints "Nothing grows steadily."
}
leaks list "ghc-prim:GHC.Types.: main:Main.Session"
leaks late "ghc-prim:GHC.Types.: main:Main.Session"
leaks slow "ghc-prim:GHC.Types.: main:Main.Session"
leaks thunks "THUNK_1_1"
for shape in cache startup rounds peak constant; do does_not $shape; done

# The sums of a .hp file: each band, over all samples.
./leaks list 1000000 +RTS -hT -l -i0.005 >/dev/null
awk -F'\t' '/^BEGIN_SAMPLE/ { inside = 1; next } /^END_SAMPLE/ { inside = 0 }
    inside { if ($2 > most[$1]) most[$1] = $2 } END { for (label in most) if (most[label]) print label "\t" most[label] }' leaks.hp |
    sort >expected
gives 0 heap --json leaks.eventlog
bands 'name + "\t" + str(band["max_bytes"])' | sort >got
same got expected

# Of a program that is being run, the next step has the options of the user.
gives 0 heap "run:./leaks list 100000 +RTS -hT -i0.005"
prints "  ./leaks list 100000 +RTS -hc -i0.001 -l"

# Its next steps work, and name the function. With profiling, little garbage takes as long.
next() { # runs the last command that the report names
    sed -n 's/^  \(\.\/leaks .*\)/\1/p' out | sed 's/1000000/10000/' >next
    [[ -s next ]] || fail "there is no next step"
    eval "$(tail -1 next)" >/dev/null
}
gives 0 heap leaks.eventlog
if compile leaks leaks.hs -O1 -prof -fprof-auto 2>/dev/null; then
    grep -qF "(ghc -prof -fprof-auto):" out || fail "how to build"
    next
    gives 0 heap leaks.eventlog
    grep -qE '^Heap by cost centre \(-hc\)' out || fail "-hc: $(cat out)"
    grep -qE '^ *\+.*B  [01]\.[0-9]{2} +[0-9.]+%  act\.grow\.new/act\.grow/act/main\.step/main$' out ||
        fail "the function that allocates: $(cat out)"
    gives 0 heap --by leaf --csv --bands 1 leaks.eventlog
    [[ $(cut -d, -f4,5 out | sed -n 2p) == act.grow.new,Main ]] || fail "--by leaf: $(cat out)"
    gives 0 heap --by tree leaks.eventlog
    grep -qE '^ +act\.grow\.new ' out || fail "the tree: $(cat out)"
    gives 0 heap leaks.eventlog
    next
    gives 0 heap leaks.eventlog
    grep -qE '^Heap by (retainer|biography)' out || fail "what keeps it alive, or whether it is used again: $(cat out)"
fi
