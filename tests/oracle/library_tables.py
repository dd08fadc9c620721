"""library_tables.py HECTIC TABLE_ROWS LOG...: compares the rows of hectic/tables.h with those of the verbs."""
import csv
import json
import subprocess
import sys

# Of each table: the verb's arguments, and where its JSON has the rows.
VERBS = {
    "threads": (["threads"], "threads"),
    "tasks": (["tasks"], "tasks"),
    "gc": (["gc"], "gc"),
    "spans": (["spans"], "spans"),
    "spans_each": (["spans", "--each"], "spans"),
    "sparks": (["sparks"], "sparks"),
    "sparks_each": (["sparks", "--each"], "sparks"),
    "stat": (["stat"], None),
    "stat_cap": (["stat"], "caps"),
    "stat_generation": (["stat"], "gc.generations"),
}
# In another order, as CSV.
UNORDERED = {"heap_bands": ["heap"], "prof": ["prof"], "ticky": ["ticky"]}

# Made of events that contradict each other: for them, stat depends on the order in which it reads.
CONTRADICTORY = ("every-event.eventlog", "older-shapes.eventlog")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def objects(text):
    """The JSON values that follow each other."""
    decoder, at = json.JSONDecoder(strict=False), 0
    text = text.decode("utf-8", "replace").strip()
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        yield value
        while at < len(text) and text[at].isspace():
            at += 1


def value_at(row, path):
    for key in path.split("."):
        row = row.get(key) if isinstance(row, dict) else None
    return row


def verb_rows(hectic, name, log, limits):
    arguments, key = VERBS[name]
    rows = []
    for value in objects(run(hectic, *arguments, "--json", *limits, log)):
        if name.startswith("stat"):
            for report in value["stat"]:
                parts = (value_at(report, key) or []) if key else [report]
                rows += [{"section": report["section"], **part} for part in parts]
        else:
            rows += value[key]
    return rows


def same(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return a is not None and b is not None and abs(a - b) <= 1e-5 * max(1, abs(a), abs(b))
    if isinstance(a, str) and isinstance(b, str) and ("\ufffd" in a or "\\" in b):
        return True  # texts that are not UTF-8 are printed in another form
    return a == b or (isinstance(a, bool) or isinstance(b, bool)) and a is not None and bool(a) == bool(b)


def compare(hectic, table_rows, name, log, interval):
    limits = ["--from", f"{interval[0]}ns", "--to", f"{interval[1]}ns"] if interval else []
    expected = verb_rows(hectic, name, log, limits)
    rows = list(objects(run(table_rows, log, name, *map(str, interval or []))))
    if len(rows) != len(expected):
        print(f"{log}: {name} {interval}: {len(rows)} rows, the verb has {len(expected)}")
        return 1
    for row, other in zip(rows, expected):
        for column, value in row.items():
            # The verb has the first two only if there are several; it sees the last in the order of the file.
            if column in ("process", "pid", "warnings.times_went_back"):
                continue
            wanted = value_at(other, column)
            if not same(value, wanted):
                print(f"{log}: {name} {interval}: {column}: {value}, the verb has {wanted}")
                return 1
    return 0


def compare_unordered(hectic, table_rows, name, log):
    """As sorted rows, with numbers as CSV has them."""
    lines = run(hectic, *UNORDERED[name], "--csv", log).decode("utf-8", "replace").splitlines()
    expected = list(csv.DictReader(lines))
    rows = list(objects(run(table_rows, log, name)))

    def text(value):
        if value is None or value == "":
            return ""
        try:
            return f"{float(value):.3g}"
        except ValueError:
            return str(value).lower() if value in ("true", "false") else str(value)

    def keys(row):
        return sorted((k, {"true": "1", "false": "0"}.get(v, v)) for k, v in
                      ((k, text(v)) for k, v in row.items() if k in columns))

    columns = rows[0].keys() & expected[0].keys() - {"section", "label"} if rows and expected else ()
    if len(rows) != len(expected) or sorted(map(keys, rows)) != sorted(map(keys, expected)):
        print(f"{log}: {name}: other rows than the verb's: {len(rows)}, {len(expected)}")
        for a, b in zip(sorted(map(keys, rows)), sorted(map(keys, expected))):
            if a != b:
                print([x for x in zip(a, b) if x[0] != x[1]])
                break
        return 1
    return 0


def main():
    hectic, table_rows, *logs = sys.argv[1:]
    failed = compared = 0
    for log in logs:
        info = run(hectic, "info", "--quick", "--json", log)
        if not info:
            continue
        end = json.loads(info, strict=False).get("duration_ns") or 1000000
        for name in VERBS:
            if name.startswith("stat") and log.endswith(CONTRADICTORY):
                continue
            for interval in (None, (end // 3, 2 * end // 3 + 1)):
                compared += 1
                failed += compare(hectic, table_rows, name, log, interval)
        for name in UNORDERED if not log.endswith(CONTRADICTORY) else ():
            compared += 1
            failed += compare_unordered(hectic, table_rows, name, log)
    print(f"{compared} tables compared, {failed} differ")
    sys.exit(failed > 0 or compared < 100)


if __name__ == "__main__":
    main()
