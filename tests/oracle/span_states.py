"""span_states.py HECTIC LOG: the rows of span_states are those of a slow reference, from each span, each state of each
thread, and each event of collections."""
import collections
import json
import subprocess
import sys

hectic, log = sys.argv[1:]


def rows(query):
    text = subprocess.run([hectic, "sql", "--jsonl", log, query], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def overlap(span, start, end):
    return max(0, min(end, span["end_ns"]) - max(start, span["start_ns"]))


def collecting():
    """The times in which any cap was between its GC_START and GC_END."""
    caps, times = set(), []
    for event in rows("SELECT time_ns, cap, name FROM events WHERE name IN ('GC_START', 'GC_END') ORDER BY time_ns, position"):
        was = bool(caps)
        (caps.add if event["name"] == "GC_START" else caps.discard)(event["cap"])
        if caps and not was:
            since = event["time_ns"]
        if was and not caps:
            times.append((since, event["time_ns"]))
    return times


states = collections.defaultdict(list)
for row in rows("SELECT * FROM thread_states"):
    states[row["thread"]].append((row["reason"] or row["state"], row["start_ns"], row["start_ns"] + row["duration_ns"]))
gcs = collecting()
expected = collections.Counter()
spans = rows("SELECT * FROM spans_each")
for span in spans:
    key = span["label"], span["subscript"], span["start_ns"], span["end_ns"], span["thread"]
    if span["across_threads"] or span["thread"] is None:
        expected[key, "unknown"] += span["end_ns"] - span["start_ns"]
    else:
        for state, start, end in states[span["thread"]]:
            expected[key, state] += overlap(span, start, end)
    for start, end in gcs:
        expected[key, "gc"] += overlap(span, start, end)

found = collections.Counter()
for row in rows("SELECT * FROM span_states"):
    key = row["label"], row["subscript"], row["start_ns"], row["end_ns"], row["thread"]
    assert row["total_ns"] > 0, row
    found[key, row["state"]] += row["total_ns"]
assert found == +expected, [(key, value, found[key]) for key, value in expected.items() if found[key] != value][:9]
print(len(spans), "spans,", len(found), "states")
