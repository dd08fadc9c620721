#!/usr/bin/env python3
"""view_rare.py HECTIC VIEW LOG...: the answers of a page's engine to `gc`, `spans` and `sparks` are
what these verbs print with --json, for random intervals. VIEW is tests/wasm/view.c. Prints the number
of comparisons."""
import json
import random
import subprocess
import sys

import exact
from view_stat import answers

INTERVALS = 6


def verb(hectic, name, log, *arguments):
    done = subprocess.run([hectic, name, "--json", *arguments, log], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return exact.loads(done.stdout or "{}")


def rows_of(name, printed):
    return printed if isinstance(printed, list) else printed.get(name, [])


def key_of(row):
    return json.dumps(row, sort_keys=True)


def compare(name, section, printed, got):
    """What differs, or None."""
    key = "collections" if name == "gc" else name
    if not got.get("complete"):
        return f"not complete: {got}"
    want = [row for row in rows_of(name, printed) if row["section"] == section]
    have = got[key]
    if name == "spans":  # in order of their first events
        want, have = sorted(want, key=key_of), sorted(have, key=key_of)
    if want != have:
        for a, b in zip(want, have):
            if a != b:
                return f"{b}\n  instead of\n  {a}"
        return f"{len(have)} rows instead of {len(want)}"
    if isinstance(printed, dict):
        for other, value in printed.items():
            if other not in (key, name) and got.get(other) != value:
                return f"{other}: {got.get(other)} instead of {value}"
    return None


def overlapping(spans, part):
    return [s for s in spans if s[0] < part[1] and (s[1] > part[0] or s[0] == s[1] >= part[0])]


def lasts(spans, part):
    return sum(min(b, part[1]) - max(a, part[0]) for a, b in overlapping(spans, part))


def check_strip(what, cells, listed, expected, part):
    """Cells and a list together have what is expected: pairs of from and to."""
    listed = [(one["from_ns"], one["to_ns"]) for one in listed]
    rest = list(overlapping(expected, part))
    for one in listed:
        if one not in rest:
            return f"{what}: {one} is not expected"
        rest.remove(one)
    have = (sum(sum(c["count"]) for c in cells), sum(sum(c["ns"]) for c in cells))
    want = (len(rest), lasts(rest, part))
    longest = max((n for c in cells for n in c["longest_ns"]), default=0)
    if have != want or longest != max((b - a for a, b in rest), default=0):
        return f"{what}: {have}, longest {longest}, instead of {want} of {len(expected)}"
    return None


def check_rows(hectic, view, log, number, whole, parts):
    """What differs in the pictures of collections, spans and messages, as a list."""
    gcs = [r for r in rows_of("gc", verb(hectic, "gc", log)) if r["section"] == number and r["pause_ns"] is not None]
    each = [r for r in verb(hectic, "spans", "--raw", log, "--each")["spans"] if r["section"] == number]
    all_stop = verb(hectic, "spans", log)["unstopped"] == 0
    differences = []
    requests = []
    for part in parts:
        for name in ("gc_rows", "span_rows&count=200", "span_rows&by=name&count=200", "message_rows"):
            name, _, keys = name.partition("&")
            requests.append((part, f"{name}?section={number}&from={part[0]}&to={part[1]}&width={random.choice([7, 300])}&{keys}"))
    for (part, request), text in zip(requests, answers(view, log, [r for _, r in requests])):
        got = json.loads(text)
        if got.get("left_out_from_ns") is not None:
            continue
        found = []
        if request.startswith("gc_rows"):
            for row in got["generations"]:
                expected = [
                    (r["start_ns"], r["start_ns"] + r["pause_ns"]) for r in gcs if r["generation"] == row["generation"]
                ]
                found.append(check_strip("collections", [row], row["collections"], expected, part))
        elif request.startswith("span_rows") and got["row_count"] <= 200:
            by_name = "by=name" in request
            for row in got["rows"]:
                expected = [
                    (r["start_ns"], r["end_ns"])
                    for r in each
                    if (r["label"] == row["name"] if by_name else (r["thread"], None if r["thread"] is not None else r["cap"]) == (row["thread"], row["cap"]))
                ]
                ended = sum(part[0] <= stop < part[1] for _, stop in expected)
                if row["span_count"] != ended:
                    found.append(f"{row['span_count']} spans end there instead of {ended}")
                if all_stop:
                    found.append(check_strip("spans", row["depths"], row["spans"], expected, part))
                levels = {}
                for one in sorted(row["spans"], key=lambda one: one["from_ns"]):
                    if one["depth"] < 7 and levels.get(one["depth"], 0) > one["from_ns"]:
                        found.append(f"spans overlap: {one}")
                    levels[one["depth"]] = one["to_ns"]
        elif request.startswith("message_rows"):
            limits = ["--from", f"{part[0]}ns", "--to", f"{part[1]}ns"]
            totals = verb(hectic, "spans", "--raw", log, *limits)
            for key, count in (("markers", "marker_count"), ("messages", "message_count")):
                row = got[key]
                shown = sum(row["count"]) + len(row["listed"])
                if row["total"] != totals.get(count, 0) or shown != row["total"]:
                    found.append(f"{key}: {row['total']}, shown {shown}, instead of {totals.get(count)}")
        differences += [(request, one) for one in found if one]
    return differences, len(requests)


FATES = ("created", "converted", "overflowed", "dud", "gcd", "fizzled")


def pools(events):
    """The times at which the sparks in all pools change, and their number from then on."""
    size, course = {}, []
    for e in events:
        name, cap = e["event"], e["cap"]
        if name == "SPARK_COUNTERS":
            size[cap] = e["remaining"]
        elif name in ("SPARK_CREATE", "CREATE_SPARK"):
            size[cap] = size.get(cap, 0) + 1
        elif name in ("SPARK_RUN", "SPARK_STEAL", "SPARK_FIZZLE", "SPARK_GC", "RUN_SPARK", "STEAL_SPARK"):
            cap = e.get("victim_cap", cap)
            size[cap] = max(size.get(cap, 0) - 1, 0)
        elif not name.startswith("SPARK_"):
            continue
        course.append((e["time"], sum(size.values())))
    return course


def check_pool(course, part, last, pool):
    """What differs from the pools of an interval that is one column, or None."""
    start = [size for time, size in course if time < part[0]][-1:]
    inside = [(time, size) for time, size in course if part[0] <= time < part[1]]
    end = min(part[1], last)
    steps = ([(part[0], start[0])] if start else []) + inside
    edges = [time for time, _ in steps[1:]] + [end]
    lasting = [(size, edge - time) for (time, size), edge in zip(steps, edges)]
    known = sum(length for _, length in lasting)
    sizes = ([start[0]] if start and edges[0] > part[0] else []) + [size for _, size in inside]
    want = {"min": min(sizes, default=None), "max": max(sizes, default=None)}
    want["mean"] = sum(size * length for size, length in lasting) / known if known > 0 else None
    for name, value in want.items():
        have = pool[name][0]
        if have is None or value is None:
            if have is not value:
                return f"pool: {name}: {have} instead of {value}"
        elif abs(have - value) > 1e-6 * max(value, 1):
            return f"pool: {name}: {have} instead of {value}"
    return None


def check_sparks(hectic, view, log, section, parts):
    """What differs in the pictures of sparks of a log of one section: as check_rows."""
    printed = verb(hectic, "sparks", log)
    if not printed.get("sparks"):
        return [], 0
    shown = subprocess.run([hectic, "show", "--json", log], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    events = [json.loads(line) for line in shown.splitlines() if b'"SPARK_' in line or b'_SPARK"' in line]
    is_replayed = b'"event":"SYNC"' in shown
    course = pools(e for e in events if "event" in e and e["time"] <= section["to_ns"])
    differences, count = [], 0
    for part in parts:
        limits = ["--from", f"{part[0]}ns", "--to", f"{part[1]}ns"]
        printed = verb(hectic, "sparks", log, *limits)
        one, many = (f"spark_rows?section={section['section']}&from={part[0]}&to={part[1]}&width={w}" for w in (1, 300))
        pool = None
        for request, text in zip((one, many), answers(view, log, [one, many])):
            got = json.loads(text)
            count += 1
            found = []
            for name in FATES:
                want = sum(row[name] or 0 for row in printed.get("sparks", []))
                if sum(got[name]) != want:
                    found.append(f"{name}: {sum(got[name])} instead of {want}")
            if got["source"] != printed.get("source", got["source"]):
                found.append(f"source: {got['source']}")
            if pool is None:
                pool = got["pool"]
                if not is_replayed:
                    found.append(check_pool(course, part, section["to_ns"], pool))
            else:
                for name, of in (("min", min), ("max", max)):
                    values = [v for v in got["pool"][name] if v is not None]
                    if of(values, default=None) != pool[name][0]:
                        found.append(f"pool: {name} of columns: {of(values, default=None)} instead of {pool[name][0]}")
                for low, mean, high in zip(*(got["pool"][name] for name in ("min", "mean", "max"))):
                    if mean is not None and not low - 1e-6 * low <= mean <= high + 1e-6 * high:
                        found.append(f"pool: mean {mean} is not in {low} to {high}")
            differences += [(request, one) for one in found if one]
    return differences, count


def main():
    hectic, view, *logs = sys.argv[1:]
    compared = failed = 0
    for log in logs:
        overview = json.loads((answers(view, log, ["overview"]) or [b"{}"])[0])
        sections = [s for s in overview.get("sections", []) if s["from_ns"] is not None]
        if not sections:
            continue
        random.seed(log)
        ranges = [None]
        for _ in range(INTERVALS):
            section = random.choice(sections)
            first, last = section["from_ns"], section["to_ns"]
            a, b = sorted(random.randint(first, last + (last - first) // 4) for _ in range(2))
            if a < b and a <= last:  # verbs refuse an interval outside the log
                ranges.append((a, b))
        asked = []
        for part in ranges:
            query = f"&from={part[0]}&to={part[1]}" if part else ""
            limits = ["--from", f"{part[0]}ns", "--to", f"{part[1]}ns"] if part else []
            for name in ("gc", "spans", "sparks"):
                printed = verb(hectic, name, log, *limits)
                for section in sections:
                    number = section["section"]
                    totals = printed if len(sections) == 1 else rows_of(name, printed)
                    asked.append((f"{name}?section={number}{query}", name, number, totals))
        for (request, name, number, printed), got in zip(asked, answers(view, log, [a[0] for a in asked])):
            compared += 1
            difference = compare(name, number, printed, json.loads(got))
            if difference:
                failed += 1
                if failed < 20:
                    print(log, request, difference[:1500], sep="\n  ")
        if len(sections) == 1:
            section = sections[0]
            whole = (section["from_ns"], section["to_ns"] + 1)
            differences, count = check_rows(hectic, view, log, section["section"], whole, [whole, *ranges[1:3]])
            sparks, more = check_sparks(hectic, view, log, section, [whole, *ranges[1:]])
            differences += sparks
            compared += count + more
            failed += len(differences)
            for request, difference in differences[:4]:
                print(log, request, difference[:500], sep="\n  ")
    print(f"{compared} answers compared, {failed} differ")
    sys.exit(failed > 0 or compared == 0)


if __name__ == "__main__":
    main()
