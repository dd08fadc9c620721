"""sql_tables.py HECTIC LOG…: the tables of hectic sql have the rows of the verbs; those of events, the events of
hectic show; and sums of thread_states are the numbers of threads."""
import collections
import csv
import json
import sys

from library_tables import CONTRADICTORY, UNORDERED, VERBS, objects, run, same, verb_rows

STATES = ("running", "runnable", "mvar", "mvar_read", "stm", "black_hole", "delay", "io", "foreign_call", "throw_to",
          "other", "unknown")


def sql(hectic, log, query):
    return list(objects(run(hectic, "sql", "--jsonl", log, query)))


def flat(row, prefix=""):
    """The members of a row, those of records in it by their paths."""
    result = {}
    for key, value in row.items():
        if isinstance(value, dict):
            result.update(flat(value, f"{prefix}{key}_"))
        else:
            result[prefix + key] = value
    return result


def compare(hectic, name, log):
    rows = sql(hectic, log, f"SELECT * FROM {name}")
    expected = verb_rows(hectic, name, log, [])
    if len(rows) != len(expected):
        return f"{name}: {len(rows)} rows, the verb has {len(expected)}"
    for row, other in zip(rows, map(flat, expected)):
        for column, value in row.items():
            # The verb has the first two only if there are several; it sees the last in the order of the file.
            if column not in ("process", "pid", "warnings_times_went_back") and not same(value, other.get(column)):
                return f"{name}: {column}: {value}, the verb has {other.get(column)}"
    return None


def compare_unordered(hectic, name, log):
    lines = run(hectic, *UNORDERED[name], "--csv", log).decode("utf-8", "replace").splitlines()
    rows, expected = sql(hectic, log, f"SELECT * FROM {name}"), list(csv.DictReader(lines))
    if len(rows) != len(expected):
        return f"{name}: {len(rows)} rows, the verb has {len(expected)}"
    for column in rows[0].keys() & expected[0].keys() - {"section"} if rows else ():
        numbers = [row[column] for row in rows if isinstance(row[column], (int, float))]
        if not numbers or any(isinstance(row[column], str) for row in rows):
            continue
        sums = sum({"": 0, "true": 1, "false": 0}.get(row[column]) if row[column] in ("", "true", "false")
                   else float(row[column]) for row in expected)
        if abs(sum(numbers) - sums) > 1e-4 * abs(sums) + 1e-4:
            return f"{name}: sum of {column}: {sum(numbers)}, the verb has {sums}"
    return None


def compare_events(hectic, log):
    """All events, with their fields, and where they are."""
    shown = list(objects(run(hectic, "show", "--jsonl", log)))
    rows = sql(hectic, log, "SELECT time_ns, cap, name, type, payload FROM events")
    if len(rows) != len(shown):
        return f"events: {len(rows)}, show has {len(shown)}"
    for row, event in zip(rows, shown):
        fields = {k: v for k, v in event.items() if k not in ("time", "cap", "event", "type")}
        found = (row["time_ns"], row["cap"], row["name"], row["type"], json.loads(row["payload"], strict=False))
        if found != (event["time"], event["cap"], event["event"], event["type"], fields):
            return f"events: {row}, show has {event}"
    counts = collections.Counter(event["type"] for event in shown)
    for query in ("SELECT type, count(*) AS n FROM events GROUP BY type",
                  "SELECT type, count(*) AS n FROM events WHERE time_ns >= 0 GROUP BY type"):
        if {row["type"]: row["n"] for row in sql(hectic, log, query)} != counts:
            return query
    if sql(hectic, log, "SELECT count(*) AS n FROM events") != [{"n": len(shown)}]:
        return "count(*)"
    return compare_types(hectic, log, shown) or compare_interval(hectic, log, shown)


def compare_types(hectic, log, shown):
    """The columns of the tables of single types."""
    names = sorted({event["event"] for event in shown if event["event"]})
    for name in names:
        events = [event for event in shown if event["event"] == name]
        rows = sql(hectic, log, f"SELECT * FROM ev_{name}")
        if len(rows) != len(events):
            return f"ev_{name}: {len(rows)} rows of {len(events)}"
        for row, event in zip(rows, events):
            for key, value in event.items():
                column = {"time": "time_ns", "event": None, "type": None}.get(key, key)
                if column in ("pid", "section", "process", "position") and column in row:
                    column = f"event_{column}"
                if column not in row or name == "SYNC":
                    continue
                found = row[column]
                if isinstance(value, int) and value >= 2 ** 63:
                    value = float(value)
                if isinstance(found, str) and isinstance(value, list):
                    found = json.loads(found, strict=False)
                if isinstance(found, float):
                    found = float(f"{found:.14e}")
                    value = float(f"{value:.14e}")
                if found != value and not (isinstance(value, str) and ("\\" in value or "\ufffd" in value or "\0" in value)) \
                        and not (isinstance(value, list) and name.startswith("PROGRAM_")):
                    return f"ev_{name}: {column}: {found}, show has {value}"
    return None


def compare_interval(hectic, log, shown):
    """Conditions that are pushed down, beside ones that are not."""
    times = sorted(event["time"] for event in shown)
    if not times:
        return None
    a, b = times[len(times) // 3], times[2 * len(times) // 3]
    caps = collections.Counter(event["cap"] for event in shown if event["cap"] is not None)
    cap = caps.most_common(1)[0][0] if caps else 0
    for condition in (f"time_ns >= {a} AND time_ns < {b}", f"time_ns = {a}", f"time_ns > {a}.5 AND time_ns <= {b}.5",
                      f"cap = {cap}", "thread = 1", f"thread = 3 AND time_ns BETWEEN {a} AND {b}",
                      f"cap = {cap} AND name = 'RUN_THREAD'", "type = 2", "type = 2.0", "name = 'none'"):
        hidden = condition.replace("time_ns", "+time_ns").replace("cap", "+cap").replace("thread ", "+thread ") \
                          .replace("type", "+type").replace("name =", "+name =")
        pushed, plain = (sql(hectic, log, f"SELECT position, thread, cap FROM events WHERE {c} ORDER BY position")
                         for c in (condition, hidden))
        # From a later time on, the thread that ran is known from what determines the states of caps.
        if pushed != plain:
            return f"WHERE {condition}: {len(pushed)} rows, without a hint {len(plain)}"
    return None


def compare_states(hectic, log):
    sums = collections.defaultdict(int)
    for row in sql(hectic, log, "SELECT section, process, thread, coalesce(reason, state) AS state,"
                                " sum(duration_ns) AS ns FROM thread_states GROUP BY 1, 2, 3, 4"):
        sums[row["section"], row["process"], row["thread"], row["state"]] += row["ns"]
    threads = collections.defaultdict(int)
    for row in sql(hectic, log, "SELECT * FROM threads"):
        for state in STATES:
            if row[f"{state}_ns"]:
                threads[row["section"], row["process"], row["thread"], state] += row[f"{state}_ns"]
    return None if {k: v for k, v in sums.items() if v} == threads else "thread_states: other sums than threads"


def compare_messages(hectic, log):
    kinds = {"LOG_MSG": "runtime", "USER_MSG": "message", "USER_MARKER": "marker"}
    shown = [(event["time"], event["cap"], kinds[event["event"]]) for event in
             objects(run(hectic, "show", "--jsonl", log)) if event["event"] in kinds]
    rows = [(row["time_ns"], row["cap"], row["kind"]) for row in sql(hectic, log, "SELECT * FROM messages")]
    covered = sql(hectic, log, "SELECT sum(is_complete) = count(*) AS yes FROM runs")
    if covered and covered[0]["yes"] and sorted(map(str, rows)) != sorted(map(str, shown)):
        return f"messages: {len(rows)}, show has {len(shown)}"
    return None


def main():
    hectic, *logs = sys.argv[1:]
    failed = compared = 0
    for log in logs:
        if not run(hectic, "show", "--quiet", log):
            continue  # no event at all
        contradictory = log.endswith(CONTRADICTORY)
        tests = [(compare, name) for name in VERBS if not (contradictory and name.startswith("stat"))]
        tests += [(compare_unordered, name) for name in UNORDERED if not contradictory]
        tests += [(lambda h, f, l: f(h, l), f) for f in (compare_events, compare_states, compare_messages)]
        for test, what in tests:
            problem = test(hectic, what, log)
            compared += 1
            if problem:
                failed += 1
                print(f"{log}: {problem}")
    print(f"{compared} comparisons, {failed} failed")
    sys.exit(failed > 0 or compared == 0)


if __name__ == "__main__":
    main()
