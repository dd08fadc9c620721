"""Compares an export of a time profile with a report of it: PROF FORMAT FILE.

Formats: prof, prof.json, folded (of samples), raw (go tool pprof -raw), top (go tool pprof -top),
speedscope (what speedscope has imported and saved again). PROF is a report of +RTS -P, or of -pj if it
is JSON.

See moved_ticks.py about the exit code."""

import collections
import json
import re
import sys

from moved_ticks import end, equal, equal_but_moved, most_moved

RUNTIME = {"GC", "IDLE", "SYSTEM", "OVERHEAD_of", "DONT_CARE", "PINNED"}
MAIN = ("MAIN",)


def frame(label, module, place):
    """As exports name it."""
    if place == "<built-in>":
        return label
    return f"{module}.{label}"


def read_prof(path):
    """Ticks of each stack with any, outermost first, and the total."""
    ticks = collections.Counter()
    stack, total, in_tree, columns = [], None, False, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = re.search(r"\((\d+) ticks", line)
            if found:
                total = int(found.group(1))
            if line.startswith("COST CENTRE"):
                in_tree = "entries" in line
                columns = [line.index(name) for name in ("MODULE", "SRC")] + (
                    [line.index("no.")] if in_tree else [])
            elif in_tree and line.strip():
                # Labels are cut by columns of characters.
                depth = len(line) - len(line.lstrip(" "))
                label = line[:columns[0]].strip()
                module = line[columns[0]:columns[1]].strip()
                place = line[columns[1]:columns[2]].strip()
                own = int(line.split()[-2])
                del stack[max(depth - 1, 0):]
                if depth > 0:
                    stack.append(frame(label, module, place))
                if own:
                    ticks[tuple(stack) or MAIN] += own
    return ticks, total


def read_json(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    centres = {c["id"]: frame(c["label"], c["module"], c["src_loc"]) for c in report["cost_centres"]}
    assert len(centres) == len(report["cost_centres"])
    ticks, nodes = collections.Counter(), [((), report["profile"])]
    assert centres[report["profile"]["id"]] == "MAIN"
    while nodes:
        stack, node = nodes.pop()
        if node["ticks"]:
            ticks[stack or MAIN] += node["ticks"]
        nodes += [(stack + (centres[child["id"]],), child) for child in node["children"]]
    return ticks, report["total_ticks"]


def read_folded(path):
    ticks = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, value = line.rstrip("\n").rsplit(" ", 1)
            ticks[tuple(stack.split(";"))] += int(value)
    return ticks


def read_raw(path):
    """Samples "count nanoseconds: locations", innermost first; locations "id: address M=1 name …"."""
    samples, names, part = [], {}, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.rstrip("\n") in ("Samples:", "Locations", "Mappings"):
                part = line.strip()
            elif part == "Samples:" and re.match(r"\s+\d+\s+\d+: ", line):
                values, stack = line.split(":")
                samples.append((int(values.split()[0]), int(values.split()[1]), stack.split()))
            elif part == "Locations":
                number, name = re.match(r"\s+(\d+): 0x0 M=1 (.*) \S*:\d+:?\d* s=\d+", line).groups()
                names[number] = name
    ticks = collections.Counter()
    for count, ns, stack in samples:
        assert ns % count == 0
        ticks[tuple(names[number] for number in reversed(stack))] += count
    return ticks, samples[0][1] // samples[0][0]


def read_speedscope(path):
    """The weights of the stacks of each profile."""
    with open(path, encoding="utf-8") as file:
        saved = json.load(file)
    names = [frame["name"] for frame in saved["shared"]["frames"]]
    profiles = []
    for profile in saved["profiles"]:
        weights, stack, at = collections.Counter(), [], profile["startValue"]
        for event in profile["events"]:
            weights[tuple(stack)] += event["at"] - at
            at = event["at"]
            if event["type"] == "O":
                stack.append(names[event["frame"]])
            else:
                assert stack.pop() == names[event["frame"]]
        profiles.append((profile["name"], profile["unit"], +weights))
    return profiles


def unqualified(weights):
    """speedscope names the frames of GHC's JSON by module and label, from MAIN on."""
    stacks = collections.Counter()
    for stack, weight in weights.items():
        assert stack[0] == "MAIN.MAIN", stack
        names = [name.rsplit(".", 1)[1] if name.rsplit(".", 1)[-1] in RUNTIME else name
                 for name in stack[1:]]
        stacks[tuple(names) or MAIN] += weight
    return stacks


def own_of(ticks):
    """The program's own time, which is what GHC's report has."""
    return collections.Counter(
        {stack: count for stack, count in ticks.items() if stack[-1] not in RUNTIME})


def same(expected, found):
    equal_but_moved("stack", found, expected, most_moved(sum(expected.values())))


def by_frame(ticks):
    """Own and inherited ticks of each frame; recursion counts once."""
    own, inherited = collections.Counter(), collections.Counter()
    for stack, count in ticks.items():
        own[stack[-1]] += count
        for name in set(stack):
            inherited[name] += count
    return own, inherited


def check_top(path, ticks, interval):
    """Lines of -top in ns: flat flat% sum% cum cum% name."""
    own, inherited = by_frame(ticks)
    seen = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = re.match(r"\s*(\d+)(?:ns)?\s+\S+%\s+\S+%\s+(\d+)(?:ns)?\s+\S+%\s+(.*)$", line)
            if found:
                seen[found.group(3)] = (int(found.group(1)), int(found.group(2)))
    wanted = {name: (own[name] * interval, inherited[name] * interval) for name in inherited}
    assert seen == wanted, (seen, wanted)


def main(prof, form, path):
    with open(prof, encoding="utf-8") as file:
        is_json = file.read(1) == "{"
    expected, total = (read_json if is_json else read_prof)(prof)
    if not is_json:
        assert sum(expected.values()) == total, (sum(expected.values()), total)
    only = own_of if not is_json else lambda ticks: ticks
    if form == "prof":
        found, own_total = read_prof(path)
        equal("ticks", own_total, sum(found.values()))
        same(expected, found)
    elif form == "prof.json":
        found, own_total = read_json(path)
        if is_json:
            equal("ticks", own_total, total)
        same(expected, only(found))
    elif form == "folded":
        renamed = collections.Counter()
        for stack, count in expected.items():
            renamed[tuple(name.replace(";", ",") for name in stack)] += count
        same(renamed, only(read_folded(path)))
    elif form == "raw":
        found, _ = read_raw(path)
        same(expected, only(found))
        if len(sys.argv) > 4:
            check_top(sys.argv[4], *read_raw(path))
    elif form == "speedscope":
        factor = int(sys.argv[4])
        profiles = read_speedscope(path)
        weights = profiles[0][2]
        if path.startswith("time.prof.json"):
            weights = unqualified(weights)
        assert all(weight % factor == 0 for weight in weights.values()), weights
        same(expected, only(collections.Counter({s: w // factor for s, w in weights.items()})))
        if len(profiles) > 2:  # all caps, and each of them (GHC's JSON is time and allocation)
            caps = collections.Counter()
            for _, _, of_cap in profiles[1:]:
                caps += of_cap
            same(weights, caps)
    print(form, sum(expected.values()), "ticks in", len(expected), "stacks")
    end()


if __name__ == "__main__":
    main(*sys.argv[1:4])
