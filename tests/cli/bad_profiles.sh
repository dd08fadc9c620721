#!/usr/bin/env bash
# Profiles that no runtime writes, or only a broken one: each has a defined answer, and all that is
# printed of it is well-formed.
. tests/support/lib.bash
runs_often
needs python3

mkdir "$work/made"
python3 tests/support/made_profiles.py --all "$work/made"
# Those with names of their own in other tests are left out.
hostile=("$work"/made/hostile-*)
thin hostile
python3 tests/support/bad_profiles.py "$HECTIC" "$work" "$work"/made/{no-definitions,late-definitions,unknown-breakdown} \
    "$work"/made/{deep,short,eras,biographies,begins,ends,redefined,many-profiles,large,zero,no-bands,equal-times} \
    "$work"/made/{zigzag,kinds,caps,back,labels,stacks,call-stacks} "${hostile[@]}" || fail "malformed output"

# answers CODE VERB LOG PYTHON-CODE: the code ends, and `got`, the verb's JSON, is as the Python code says.
# `p` is the first profile, `w` are the warnings of the first section, `rows` are what has a label.
answers() {
    gives "$1" "$2" --json "$work/made/$3"
    python3 - "$work/out" "$4" <<'PYTHON' || fail "$2 $3: $4"
import json, sys
got = json.load(open(sys.argv[1], encoding="utf-8"))
MOST = 2**64 - 1
if "sections" in got and "counters" not in got:
    section = got["sections"][0]
    profiles, w = section["profiles"], section["warnings"]
    p = profiles[0]
    rows = {"/".join(p["labels"][i] for i in row["stack"]): row for row in p["bands"]}
elif "profiles" in got:
    p = got["profiles"][0]
    rows = {row["label"]: row for row in p["frames"]}
else:
    rows = {row["counter"]: row for row in got["counters"]}
exec(sys.argv[2])
PYTHON
}

# Without definitions, numbers are names; definitions count for what is before them, too.
answers 0 heap no-definitions 'assert {k: r["peak_bytes"] for k, r in rows.items()} == {"cost centre 7/cost centre 8": 5, "x": 3}'
answers 0 prof no-definitions 'assert {k: (r["own_ticks"], r["inherited_ticks"]) for k, r in rows.items()} == {
    "cost centre 7": (1, 2), "cost centre 8": (1, 1)}, rows'
answers 0 ticky no-definitions 'assert rows[77]["label"] is None and rows[77]["allocs_bytes"] == 2'
answers 0 heap late-definitions 'assert p["flag"] == "c" and p["samples"] == 2 and rows["inner/outer"]["peak_bytes"] == 6'
answers 0 prof late-definitions 'assert rows["inner"]["own_ticks"] == 2 and rows["outer"]["inherited_ticks"] == 2'
answers 0 ticky late-definitions 'assert rows[1]["label"] == "f"'
answers 0 heap redefined 'assert [(p["flag"], p["samples"], p["peak_bytes"]) for p in profiles] == [("y", 2, 7), ("m", 1, 6)]'
answers 0 prof redefined 'assert rows["after"]["own_ticks"] == 2 and "before" not in rows'

# An unknown breakdown has bands, but no flag.
answers 0 heap unknown-breakdown 'assert p["flag"] is None and p["breakdown"] == "unknown", p
assert {k: r["peak_bytes"] for k, r in rows.items()} == {"x": 5, "0x44": 6, "cost centre 1": 7}'

# Stacks of 255; recursion counts once.
answers 0 heap deep 'assert p["peak_bytes"] == MOST and sorted(r["peak_bytes"] for r in p["bands"]) == [5, 9, MOST]
assert rows["/".join(["f3"] * 255)]["peak_bytes"] == 9'
answers 0 prof deep 'assert (rows["f3"]["own_ticks"], rows["f3"]["inherited_ticks"]) == (2, 4)
assert rows["f255"]["inherited_ticks"] == 39 and p["all"]["own_samples"] == 40'

# Events that are too short are counted, and left out, and so is a sample that lacks such a band.
answers 1 heap short 'assert w["malformed"] == 3 and w["incomplete"] == 1 and p["samples"] == 1 and p["peak_bytes"] == 7, w'

# Samples without their end, as of a program that was killed; or without their beginning.
answers 0 heap begins 'assert w["incomplete"] == 3 and p["samples"] == 1 and p["peak_bytes"] == 5, w'
answers 1 heap ends 'assert w["outside"] == 2 and p["samples"] == 1 and p["peak_bytes"] == 4, w'

# Eras are sorted as numbers, whatever their order in the log.
gives 0 heap --csv --sort name "$work/made/eras"
[[ $(sed 1d "$work/out" | cut -d, -f4 | tr '\n' ' ') == "0 1 9 10 100 18446744073709551615 " ]] || fail "eras: $(cat "$work/out")"
answers 0 heap biographies 'assert p["samples"] == 8 and p["first_ns"] == 0 and p["last_ns"] == p["peak_ns"] == MOST
assert p["peak_bytes"] == MOST and rows["VOID"]["mean_bytes"] == 3, p'

# At most 256 profiles.
answers 1 heap many-profiles 'assert len(profiles) == 256 and w["malformed"] == 144, (len(profiles), w)'

# Values near 2^64 saturate; those that are all 0, at a tick of 0 ns, have no shares and no growth.
answers 0 heap large 'assert p["peak_bytes"] == rows["a"]["max_bytes"] == MOST and p["samples"] == 6'
answers 0 prof large 'assert p["samples"] == 3 and p["last_ns"] == MOST and rows["cost centre 1"]["own_ticks"] == 3'
answers 0 ticky large 'assert rows[1]["entries"] == rows[1]["allocs_bytes"] == MOST and rows[1]["samples"] == 2'
answers 0 heap zero 'assert p["samples"] == 29 and p["peak_bytes"] == p["growth_bytes"] == 0 and not rows'
answers 0 prof zero 'assert rows["f"]["own_ticks"] == 10 and rows["f"]["own_ns"] == 0 and p["interval_ns"] is None'
answers 0 heap no-bands 'assert p["samples"] == 29 and not rows'
gives 0 heap "$work/made/no-bands"
prints "The samples have no bands."

# Samples at equal times weigh the same; times that go back weigh nothing, and the first is the least.
answers 0 heap equal-times 'assert p["covered_ns"] == 0 and p["mean_bytes"] == 19.5, p'
answers 0 heap zigzag 'times = [i * 37 % 1000 for i in range(300)]
assert p["first_ns"] == min(times) and p["last_ns"] == max(times) and p["samples"] == 300'
gives 0 heap "$work/made/back"
grep -q ': 3 samples in 20ns, ' "$work/out" || fail "times that go back: $(head -1 "$work/out")"

# What caps did is told by built-in cost centres; caps with large numbers are one.
answers 0 prof kinds 'a = p["all"]
assert [a[k + "_samples"] for k in ("own", "gc", "idle", "system", "overhead", "dont_care")] == [20] + [10] * 5, a
assert rows["GC"]["location"] == "GC.hs:1:1" and rows["GC"]["own_ticks"] == rows["PINNED"]["own_ticks"] == 10'
answers 0 prof caps 'assert [(c["cap"], c["own_samples"]) for c in p["caps"]] == [(0, 10), (65535, 10), (65536, 20)], p["caps"]'

# The title takes two lines if one is too narrow.
gives 1 heap "$work/made/many-profiles"
grep -qA1 '^Profile 100 of 256. Heap by closure type (-hT):$' "$work/out" || fail "a long title"
