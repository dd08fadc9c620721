"""Profiles of random intervals in a page are those of hectic prof, heap and ticky, with --from and
--to; and the page's trees and columns have their sums."""
import json
import random
import subprocess
import sys

import exact

hectic, answers = sys.argv[1:3]
chosen = random.Random(11)
ROUNDS = 8


def ask(log, requests):
    run = subprocess.run([answers, log], input="".join(r + "\n" for r in requests).encode(), capture_output=True)
    out, at, found = run.stdout, run.stdout.index(b"\n") + 1, []
    for _ in requests:
        end = out.index(b"\n", at)
        _, done, _, length = out[at:end].decode().rsplit(" ", 3)
        found.append(json.loads(out[end + 1:end + 1 + int(length)].decode()) if done == "1" else None)
        at = end + 2 + int(length)
    return found


def verb(log, name, begin, end, *options):
    run = subprocess.run([hectic, name, "--json", "--from", f"{begin}ns", "--to", f"{end}ns", *options, log],
                         capture_output=True)
    return exact.loads(run.stdout.decode()) if run.stdout else None


def same_prof(got, want):
    if got["profiles"] == [] or not want["profiles"]:
        return got["profiles"] == want["profiles"]
    profile = got["profiles"][0]
    tree, course = profile.pop("tree"), profile.pop("by_time")
    assert profile.pop("left_out") == 0 and tree["left_out"] == 0
    if [profile] != want["profiles"]:
        return False
    parents, names = tree["parent"], tree["names"]
    assert parents[0] is None and all(parent < i for i, parent in enumerate(parents[1:], 1))
    for unit in ("ns", "ticks"):
        total = list(tree["own_" + unit])
        for i in range(len(total) - 1, 0, -1):
            total[parents[i]] += total[i]
        assert total == tree["total_" + unit]
        assert total[0] == profile["all"]["own_" + ("samples" if unit == "ticks" else "ns")]
    own = {}
    for name, ticks in zip(tree["name"], tree["own_ticks"]):
        key = (names[name]["label"], names[name]["module"], names[name]["location"])
        own[key] = own.get(key, 0) + ticks
    for row in profile["frames"]:
        key = (row["label"], row["module"], row["location"])
        if row["own_ticks"] and own.get(key) is not None:
            own[key] -= row["own_ticks"]
    assert not any(own.values()), own
    assert len(course["node"]) == 100
    return all(node is None or tree["own_ticks"][node] > 0 for node in course["node"])


def same_heat(got, want):
    if not want["profiles"]:
        return got["rows"] == [] and got["source"] is None
    all_of = want["profiles"][0]["all"]
    sums = [sum(got["own_ticks"]), sum(got["sampled_ns"])]
    wanted = [all_of["own_samples"], sum(all_of[kind] for kind in all_of if kind.endswith("_ns"))]
    rows = {(r["label"], r["module"], r["location"]): r["own_ticks"] for r in want["profiles"][0]["frames"]}
    return sums == wanted and all(sum(r["own_ticks"]) == rows[r["label"], r["module"], r["location"]] for r in got["rows"])


def take_lines(section):
    """Removes the lines of sizes, whose last digits depend on the order of sums: file or time."""
    return [size.pop(key) for heap in section["heaps"] for size in heap.values() if isinstance(size, dict)
            for key in ("growth_bytes", "growth_fit")]


def same_heap(got, want):
    one, other = take_lines(got["sections"][0]), take_lines(want["sections"][0])
    near = all(x == y or abs(x - y) <= 1e-6 * max(abs(x), abs(y), 1e-3) for x, y in zip(one, other))
    return near and len(one) == len(other) and got["sections"] == want["sections"]


def same_ticky(got, want):
    return got["counters"] == want["counters"] and got["sections"] == want["sections"]


COMPARED = {"prof": ("prof", same_prof), "heat": ("prof", same_heat), "heap": ("heap", same_heap),
            "ticky": ("ticky", same_ticky)}

total = failures = 0
used = {name: 0 for name in COMPARED}
for log in sys.argv[3:]:
    overview = ask(log, ["overview"])[0]
    if not overview or len(overview["sections"]) != 1 or overview["from_ns"] is None:
        continue
    first, last = overview["from_ns"], overview["to_ns"]
    ranges = [(first, last + 1)]
    for _ in range(ROUNDS):
        begin = chosen.randrange(first, last + 1)
        ranges.append((begin, min(last, begin + ((last - first) >> chosen.randrange(6))) + 1))
    for name, (of, same) in COMPARED.items():
        extra = "&bands=1000000" if name == "heap" else ""
        requests = [f"{name}?from={begin}&to={end}&width=100{extra}" for begin, end in ranges]
        for request, got, (begin, end) in zip(requests, ask(log, requests), ranges):
            want = verb(log, of, begin, end)
            total += 1
            if got and want and same(got, want):
                used[name] += any(want.get("profiles") or want.get("counters") or
                                  [s for s in want.get("sections", []) if s.get("profiles")])
                continue
            failures += 1
            print(f"{log}: {request}: differs from hectic {of}")
print(f"{total} profiles, {failures} differ; with samples: {used}")
sys.exit(failures > 0 or min(used[name] for name in ("prof", "heat", "heap")) < 20)
