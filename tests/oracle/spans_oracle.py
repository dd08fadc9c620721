"""Compares what the program's clock said (clock) with what hectic says: see spans_oracle.sh."""
import collections
import csv
import json


def rows(name):
    with open(name, newline="") as file:
        return list(csv.DictReader(file))


clock = collections.defaultdict(list)  # by thread and label: begin, least, most
for line in open("clock"):
    thread, label, begin, least, most = line.split()
    clock[int(thread), label].append((int(begin), int(least), int(most)))

found = collections.defaultdict(list)  # as above: start, end
for row in rows("each.csv"):
    if row["across_threads"] == "true":
        assert row["label"] == "handed over" and row["thread"] != row["end_thread"], row
        continue
    assert row["thread"] == row["end_thread"], row
    assert int(row["duration_ns"]) == int(row["end_ns"]) - int(row["start_ns"]), row
    found[int(row["thread"]), row["label"]].append((int(row["start_ns"]), int(row["end_ns"])))

assert clock.keys() == found.keys(), (clock.keys(), found.keys())
for key, times in clock.items():
    spans = sorted(found[key])
    assert len(spans) == len(times), (key, len(spans), len(times))
    for (_, least, most), (start, end) in zip(sorted(times), spans):
        assert least <= end - start <= most, (key, least, end - start, most)

reported = {row["label"]: row for row in json.load(open("spans.json"))["spans"]}
for label in ("request", "query"):
    durations = sorted(end - start for key, s in found.items() if key[1] == label for start, end in s)
    span = reported[label]
    assert span["count"] == len(durations), label
    assert span["total_ns"] == sum(durations), label
    assert span["max_ns"] == durations[-1], label
    assert abs(span["p50_ns"] - durations[(len(durations) + 1) // 2 - 1]) <= span["p50_ns"] / 100
    assert span["across"] == span["unstarted"] == span["unstopped"] == 0, label
    windows = sorted(
        (int(row["thread"]), int(row["from_ns"]), int(row["to_ns"])) for row in rows(label + ".csv")
    )
    spans = sorted((key[0], *s) for key, some in found.items() if key[1] == label for s in some)
    assert windows == spans, label
assert reported["handed over"]["count"] == reported["handed over"]["across"] == 5

longest = sorted((int(row["duration_ns"]) for row in rows("each.csv")), reverse=True)
assert [int(row["duration_ns"]) for row in rows("top.csv")] == longest[:7]
print(sum(map(len, found.values())), "spans of", len({key[0] for key in found}), "threads")
