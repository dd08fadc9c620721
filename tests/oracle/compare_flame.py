"""compare_flame.py FLAME SCALE OLD… --with NEW…: are the numbers of a differential flame graph (.json or .svg) the
means of folded stacks, of the runs of each side? SCALE: the number of a folded stack, in the unit of the graph."""

import json
import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "": 1,
         "k": 1e3, "M": 1e6, "G": 1e9}
NARROWEST = 0.1


def folded(paths, scale):
    """Means: a dictionary from stacks, as tuples of names."""
    means = {}
    for path in paths:
        for line in open(path, encoding="utf-8"):
            stack, value = line.rstrip("\n").rsplit(" ", 1)
            key = tuple(stack.split(";"))
            means[key] = means.get(key, 0) + int(value) * scale / len(paths)
    return {key: value for key, value in means.items() if value > 0}


def same(got, wanted, what):
    assert got.keys() == wanted.keys(), (what, got.keys() ^ wanted.keys())
    for key in got:
        assert abs(got[key] - wanted[key]) <= 1e-9 * max(wanted[key], 1), (what, key, got[key], wanted[key])


def check_json(path, old, new):
    file = json.load(open(path, encoding="utf-8"))
    frames = [frame["name"].replace(";", ",") for frame in file["shared"]["frames"]]
    found = {}
    for profile in file["profiles"]:
        assert profile["type"] == "sampled" and len(profile["samples"]) == len(profile["weights"])
        stacks = [tuple(frames[i] for i in sample) for sample in profile["samples"]]
        assert len(set(stacks)) == len(stacks), profile["name"]
        found[profile["name"]] = dict(zip(stacks, profile["weights"]))
        assert abs(profile["endValue"] - sum(profile["weights"])) <= 1e-9 * profile["endValue"]
    assert list(found) == ["old", "new", "grown", "shrunk"]
    same(found["old"], old, "old")
    same(found["new"], new, "new")
    differences = {key: new.get(key, 0) - old.get(key, 0) for key in old.keys() | new.keys()}
    same(found["grown"], {key: value for key, value in differences.items() if value > 0}, "grown")
    same(found["shrunk"], {key: -value for key, value in differences.items() if value < 0}, "shrunk")


def number(text):
    digits, unit = re.fullmatch(r"([+-]?[0-9.,]+)([A-Za-z]*)", text).groups()
    return float(digits.replace(",", "")) * UNITS[unit]


def near(got, wanted, largest):
    """As printed with three digits."""
    assert abs(got - wanted) <= max(0.006 * abs(wanted), 1, 1e-9 * largest), (got, wanted)


def of_root(own):
    """Stacks of cost centres: MAIN is the root itself."""
    return {() if stack == ("MAIN",) else stack: value for stack, value in own.items()}


def totals(own):
    total = {}
    for stack, value in own.items():
        for depth in range(len(stack) + 1):
            total[stack[:depth]] = total.get(stack[:depth], 0) + value
    return total


def boxes(root):
    """Of each graph: (x, y, width, title, classes), callers first."""
    graphs, last = [], None
    for group in root.iter(SVG + "g"):
        rect, title = group.find(SVG + "rect"), group.find(SVG + "title")
        if rect is None or title is None:
            continue
        box = [float(rect.get(key)) for key in ("x", "y", "width")]
        if title.text.startswith("all\n"):
            graphs.append([])
        graphs[-1].append((*box, title.text, rect.get("class").split(), group.get("class")))
    return graphs


def check_graph(graph, side, own, total, scale):
    open_boxes, seen = [], set()
    for x, y, width, title, classes, group in graph:
        name, of_self, of_total = title.rsplit("\n", 2)
        while open_boxes and not (open_boxes[-1][1] < y and x < open_boxes[-1][0] + open_boxes[-1][2] + 0.005):
            open_boxes.pop()
        stack = () if not open_boxes else open_boxes[-1][3] + (re.sub(r" \([^ ]*\)$", "", name).replace(";", ","),)
        assert not open_boxes or (x >= open_boxes[-1][0] - 0.01 and y == open_boxes[-1][1] + 18), title
        assert stack not in seen, stack
        seen.add(stack)
        open_boxes.append((x, y, width, stack))
        assert abs(width - total[side][stack] * scale) <= 0.006, (stack, width, total[side][stack] * scale)
        for line, values in ((of_self, own), (of_total, total)):
            old, new = (values[s].get(stack, 0) for s in (0, 1))
            shown = re.fullmatch(r"(?:self|total): (\S+) to (\S+), ([+-]\S+)( \((\S+)%\)| \(only new\))?", line)
            near(number(shown[1]), old, old)
            near(number(shown[2]), new, new)
            near(number(shown[3]), new - old, max(old, new))
            if old > 0:
                assert abs(float(shown[5]) - 100 * (new - old) / old) <= 0.06 + 1e-9 * abs(float(shown[5])), line
            else:
                assert (shown[4] == " (only new)") == (new > 0), line
            sign = [c[1] for c in classes if c[0] == ("o" if values is own else "t")][0]
            assert sign == "0" or (sign == "g") == (new > old), (title, classes)
        assert (group == "one") == (min(total[0].get(stack, 0), total[1].get(stack, 0)) <= 0), title
    wide = {stack for stack, value in total[side].items() if value * scale > NARROWEST + 1e-6}
    assert wide - seen == set() and all(total[side][stack] * scale > NARROWEST - 1e-6 for stack in seen), wide ^ seen


def check_svg(path, old, new):
    root = tree.parse(path).getroot()
    graphs = boxes(root)
    has_root = "time by" in root.get("aria-label") or "by cost centre" in root.get("aria-label")
    if has_root and not any(re.match(r"MAIN[\n ]", title) for graph in graphs for _, _, _, title, *_ in graph):
        old, new = of_root(old), of_root(new)
    own, total = (old, new), (totals(old), totals(new))
    scale = 1180 / max(total[0][()], total[1][()])
    assert len(graphs) == 2
    check_graph(graphs[0], 1, own, total, scale)
    check_graph(graphs[1], 0, own, total, scale)
    height = float(root.get("height"))
    assert all(0 <= x and x + width <= 1190.02 and 0 < y < height for x, y, width, *_ in graphs[0] + graphs[1])


def main():
    path, scale, *rest = sys.argv[1:]
    at = rest.index("--with")
    old, new = folded(rest[:at], float(scale)), folded(rest[at + 1:], float(scale))
    assert old and new
    (check_json if path.endswith(".json") else check_svg)(path, old, new)


main()
