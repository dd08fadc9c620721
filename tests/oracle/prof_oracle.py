"""Compares hectic prof with the .prof file of the same run: its table, its tree, and its total.

prof_oracle.py HECTIC LOG PROF -p|-pj

See moved_ticks.py about the exit code.
"""

import collections
import json

import exact
import re
import subprocess
import sys

from moved_ticks import end, equal, equal_but_moved, moved, most_moved

IGNORED = {
    "GC": "gc",
    "IDLE": "idle",
    "SYSTEM": "system",
    "OVERHEAD_of": "overhead",
    "DONT_CARE": "dont_care",
}
MODULES = {"OVERHEAD_of": "PROFILING", "DONT_CARE": "MAIN"}
DEPTH = 255  # of the stacks in a log
BUILT_IN = {name: (MODULES.get(name, name), "<built-in>") for name in IGNORED}


def hectic(*arguments):
    command = [sys.argv[1], "prof", "--json", *arguments, sys.argv[2]]
    profiles = exact.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["profiles"]
    assert len(profiles) == 1, profiles
    return profiles[0]


def key_of(frame):
    return frame["label"], frame["module"], frame["location"]


def nonzero(counts):
    return {key: count for key, count in counts.items() if count}


def our_tree():
    """The ticks of each path, outermost first."""
    ticks, paths = collections.Counter(), {0: ()}
    for row in hectic("--tree")["tree"]:
        if row["node"] > 0:
            paths[row["node"]] = paths[row["parent"]] + (key_of(row),)
        ticks[paths[row["node"]]] += row["own_ticks"]
    return nonzero(ticks)


def our_inherited():
    return {
        key_of(row): row["inherited_ticks"] for row in hectic()["frames"] if row["label"] != "MAIN"
    }


def our_table():
    ticks = collections.Counter()
    for row in hectic()["frames"]:
        ticks[key_of(row)] += row["own_ticks"]
    return nonzero(ticks)


def compare_json(theirs, totals):
    centres = {c["id"]: (c["label"], c["module"], c["src_loc"]) for c in theirs["cost_centres"]}
    late = theirs["total_ticks"] - totals["samples"]
    if not 0 <= late <= 4:
        equal("ticks", totals["samples"], theirs["total_ticks"])
    if late:  # presumably after the end of the log: seen, not traced
        moved.append(("ticks", totals["samples"], theirs["total_ticks"]))
    equal("interval", totals["interval_ns"] // 1000, theirs["tick_interval"])
    most = most_moved(totals["samples"])
    by_centre, by_path = collections.Counter(), collections.Counter()
    inherited = collections.Counter()
    todo = [((), theirs["profile"], True)]
    while todo:
        path, node, is_root = todo.pop()
        key = centres[node["id"]]
        by_centre[key] += node["ticks"]
        if not is_root:
            path += (key,)
        if key[0] not in IGNORED or key[2] != "<built-in>":
            by_path[path[-DEPTH:]] += node["ticks"]
            for frame in set(path[-DEPTH:]):
                inherited[frame] += node["ticks"]
        todo += [(path, child, False) for child in node["children"]]
    # This file has the other kinds, too.
    for name, kind in IGNORED.items():
        ticks = by_centre.pop((name, *BUILT_IN[name]), 0)
        equal_but_moved(name, {name: totals["all"][f"{kind}_samples"]}, {name: ticks}, most)
    equal_but_moved("cost centre", our_table(), nonzero(by_centre), most)
    equal_but_moved("node", our_tree(), nonzero(by_path), most)
    equal_but_moved("inherited", nonzero(our_inherited()), nonzero(inherited), 10 * most)
    return len(nonzero(by_path))


def share(ticks, total):
    return f"{100 * ticks / total:.1f}" if total else "0.0"


def compare_text(text, totals):
    """The text has rounded shares: of cost centres, and of the tree in its order."""
    ticks, interval = re.search(r"\((\d+) ticks @ (\d+) us", text).groups()
    total = int(ticks)
    equal("interval", totals["interval_ns"] // 1000, int(interval))
    equal_but_moved("ticks", {"": totals["all"]["own_samples"]}, {"": total}, 4)
    theirs = collections.Counter()
    table, tree = re.split(r"\n\n\n", text.split("COST CENTRE", 1)[1])[:2]
    for line in table.splitlines()[1:]:
        fields = re.match(r"(.*?)\s+(\S+)\s+(\S.*?)\s+([\d.]+)\s+[\d.]+$", line)
        if fields:
            label, module, source, percent = fields.groups()
            theirs[label, module, source, percent] += 1
    ours = collections.Counter()
    for row in hectic()["frames"]:
        ours[(*key_of(row), share(row["own_ticks"], total))] += 1
    for key, count in theirs.items():
        if float(key[3]) > 0 and ours[key] < count:
            moved.append(("share of a cost centre", ours[key], key))
    lines = [l for l in tree.splitlines() if re.search(r"<built-in>|<entire-module>|:", l)]
    nodes = collections.Counter()
    for line in lines:
        fields = re.match(r" *(.*?)\s+(\S+)\s+(\S.*?)\s+\d+\s+\d+\s+([\d.]+)\s+[\d.]+\s+([\d.]+)", line)
        if fields and float(fields[5]) > 0:
            nodes[fields[1], fields[2], fields[3], fields[4], fields[5]] += 1
    ours = collections.Counter()
    for row in hectic("--tree")["tree"]:
        own, inherited = (share(row[name], total) for name in ("own_ticks", "inherited_ticks"))
        ours[(*key_of(row), own, inherited)] += 1
    nodes_of_ours = {key: count for key, count in ours.items() if float(key[4]) > 0}
    equal_but_moved("share of a node", nodes_of_ours, dict(nodes), len(nodes) + 4)
    return len(nodes)


def main():
    totals = hectic()
    with open(sys.argv[3], encoding="utf-8") as file:
        text = file.read()
    compared = (
        compare_json(json.loads(text), totals)
        if sys.argv[4] == "-pj"
        else compare_text(text, totals)
    )
    print(f"{sys.argv[2]} {sys.argv[4]}: {totals['samples']} samples, {compared} nodes")
    end()


main()
