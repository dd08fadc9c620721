#!/usr/bin/env bash
# compare --flame: its numbers are the means of the folded stacks that export writes of the same logs.
. tests/support/lib.bash
needs python3
oracle=$PWD/tests/oracle/compare_flame.py
python3 tests/support/flame_logs.py "$work"
HECTIC=$(realpath "$HECTIC") logs=$PWD/$logs
cd "$work"

interval=() # of the logs

# agrees FORM SCALE WEIGHT OLD… --with NEW…: .svg or .json; export's weight, or bytes.
agrees() {
    local form=$1 scale=$2 weight=(--weight "$3") log operands=() folded=()
    [[ $3 != bytes ]] || weight=()
    shift 3
    for log; do
        operands+=("$log")
        if [[ $log == --with ]]; then
            folded+=(--with)
            continue
        fi
        [[ -e $(basename "$log").folded ]] ||
            gives 0 export -q --format folded "${interval[@]}" "${weight[@]}" "$log" "$(basename "$log").folded"
        folded+=("$(basename "$log").folded")
    done
    gives 0 compare -q --force "${interval[@]}" --flame "flame$form" "${operands[@]}"
    python3 "$oracle" "flame$form" "$scale" "${folded[@]}" || fail "$form of $*"
}

for form in .svg .json; do
    for kind in time call; do
        agrees $form 1 elapsed $kind-old?.eventlog --with $kind-new?.eventlog
        agrees $form 1 elapsed $kind-old1.eventlog --with $kind-new1.eventlog
    done
    for kind in heap "type"; do
        agrees $form 1 bytes $kind-old?.eventlog --with $kind-new?.eventlog
    done
    for kind in c m r; do
        agrees $form 1 bytes "$logs/heap-profile-$kind.eventlog" --with "$logs/heap-profile-$kind.eventlog"
    done
    agrees $form 1 elapsed "$logs/time-profile.eventlog" --with time-new1.eventlog
done
interval=(--from 100ms --to 300ms)
rm ./*.folded
agrees .json 1 elapsed time-old?.eventlog --with time-new?.eventlog
interval=(--to 3ms)
agrees .json 1 bytes heap-old?.eventlog --with heap-new?.eventlog
interval=()
rm ./*.folded
agrees .svg 1 elapsed hostile-old?.eventlog --with hostile-new?.eventlog

# The program's own stacks are those of prof, too.
gives 0 compare -q --force --flame flame.json time-old1.eventlog time-new1.eventlog
for side in old new; do
    gives 0 prof --json --tree "time-${side}1.eventlog"
    python3 - "$work/out" $side <<'END' || fail "not as prof --tree: $side"
import json, sys
rows = json.load(open(sys.argv[1]))["profiles"][0]["tree"]
flame = json.load(open("flame.json"))
profile = next(p for p in flame["profiles"] if p["name"] == sys.argv[2])
frames = [f["name"] for f in flame["shared"]["frames"]]
ours = {tuple(frames[i] for i in sample): weight for sample, weight in zip(profile["samples"], profile["weights"])}
paths, theirs = {}, {}
for row in rows:
    name = f"{row['module']}.{row['label']}" if row.get("module") else row["label"]
    path = paths[row["node"]] = paths.get(row["parent"], ()) + (name,) if row["depth"] else ()
    if row["own_ns"]:
        theirs[path or ("MAIN",)] = row["own_ns"]
assert ours == theirs, set(ours.items()) ^ set(theirs.items())
END
done
