"""sql_tables.py HECTIC LOG…: the tables of hectic sql have the rows of the verbs; those of events, the events of
hectic show; sums of thread_states are the numbers of threads; findings are those of hectic info."""
import collections
import csv
import json
import sys

from library_tables import CONTRADICTORY, UNORDERED, VERBS, objects, run, same, verb_rows

STATES = ("running", "runnable", "mvar", "mvar_read", "stm", "black_hole", "delay", "io", "foreign_call", "throw_to",
          "other", "unknown")


def sql(hectic, log, query):
    return list(objects(run(hectic, "sql", "--jsonl", log, query)))


def sql_all(hectic, log, queries):
    """The rows of each query, by one process."""
    results = []
    for row in sql(hectic, log, ";".join(f"SELECT {i} AS next_query; {query}" for i, query in enumerate(queries))):
        if "next_query" in row:
            results.append([])
        else:
            results[-1].append(row)
    return results


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
    tables = sql_all(hectic, log, [f"SELECT * FROM ev_{name}" for name in names])
    for name, rows in zip(names, tables, strict=True):
        events = [event for event in shown if event["event"] == name]
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
    conditions = (f"time_ns >= {a} AND time_ns < {b}", f"time_ns = {a}", f"time_ns > {a}.5 AND time_ns <= {b}.5",
                  f"cap = {cap}", "thread = 1", f"thread = 3 AND time_ns BETWEEN {a} AND {b}",
                  f"cap = {cap} AND name = 'RUN_THREAD'", "type = 2", "type = 2.0", "name = 'none'")
    hidden = [condition.replace("time_ns", "+time_ns").replace("cap", "+cap").replace("thread ", "+thread ")
              .replace("type", "+type").replace("name =", "+name =") for condition in conditions]
    select = "SELECT position, thread, cap FROM events WHERE {} ORDER BY position"
    rows = sql_all(hectic, log, [select.format(condition) for condition in (*conditions, *hidden)])
    for condition, pushed, plain in zip(conditions, rows, rows[len(conditions):], strict=False):
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


def compare_caps(hectic, log):
    """The sums of cap_states are the numbers of stat_cap, which counts requests as waits for the beginning."""
    sums = collections.Counter()
    for row in sql(hectic, log, "SELECT section, process, cap, state, sum(duration_ns) AS ns FROM cap_states"
                                " GROUP BY 1, 2, 3, 4"):
        sums[row["section"], row["process"], row["cap"], row["state"]] = row["ns"]
    for row in sql(hectic, log, "SELECT * FROM stat_cap"):
        running, requested, gc, waited = (sums[row["section"], row["process"], row["cap"], state]
                                          for state in ("running", "gc_requested", "gc", "gc_wait"))
        if row["running_ns"] is not None and running != row["running_ns"]:
            return f"cap_states: running: {running}, stat has {row}"
        if row["gc_ns"] is not None and row["wait_begin_ns"] is not None and \
                (gc - waited, waited + requested) != (row["gc_ns"], row["wait_begin_ns"] + row["wait_end_ns"]):
            return f"cap_states: {requested}, {gc}, {waited}, stat has {row}"
    return None


def compare_sizes(hectic, log):
    found = {(row["section"], row["process"], row["kind"]): row for row in
             sql(hectic, log, "SELECT section, process, kind, sum(bytes) AS sum, max(bytes) AS max FROM sizes"
                              " GROUP BY 1, 2, 3")}
    for row in sql(hectic, log, "SELECT * FROM stat"):
        for kind, how, column in (("allocated", "sum", "allocated"), ("live", "max", "residency_max"),
                                  ("heap", "max", "heap_max"), ("blocks", "max", "blocks_max")):
            size = found.get((row["section"], row["process"], kind), {}).get(how)
            wanted = row[f"memory_{column}_bytes"]
            if wanted is not None and (size or 0) != wanted:
                return f"sizes: {kind}: {size}, stat has {wanted}"
    return None


def compare_samples(hectic, log):
    """Bands and profiles are sums of their samples."""
    bands = sql(hectic, log, "SELECT section, profile, label, max_bytes, samples FROM heap_bands WHERE label <> '(others)'")
    samples = collections.defaultdict(list)
    for row in sql(hectic, log, "SELECT section, profile, label, sample, sum(bytes) AS bytes FROM heap_samples"
                                " GROUP BY section, process, profile, band, sample"):
        samples[row["section"], row["profile"], row["label"]].append(row["bytes"])
    for band in bands:
        found = samples.get((band["section"], band["profile"], band["label"]), [])
        if len(band["label"]) < 255 and (max(found, default=0), len(found)) != (band["max_bytes"], band["samples"]):
            return f"heap_samples: {max(found, default=0)} in {len(found)} samples, heap has {band}"
    for profile in next(objects(run(hectic, "prof", "--json", log))).get("profiles", []):
        found = {row["kind"]: row for row in sql(
            hectic, log, "SELECT kind, count(*) AS n, sum(since_ns) AS ns FROM time_samples"
                         f" WHERE section = {profile['section']} AND source = '{profile['source'].replace(' ', '_')}' GROUP BY 1")}
        for kind in ("own", "gc", "idle", "system", "overhead", "dont_care"):
            row = found.get(kind, {"n": 0, "ns": 0})
            if (row["n"], row["ns"]) != (profile["all"][f"{kind}_samples"], profile["all"][f"{kind}_ns"]):
                return f"time_samples: {row}, prof has {profile['all']}"
    return None


def compare_utilization(hectic, log):
    """The windows that begin or end with a pause, or at an end of the run, one by one."""
    pauses = collections.defaultdict(list)
    for row in sql(hectic, log, "SELECT section, start_ns, pause_ns FROM gc"):
        pauses[row["section"]].append((row["start_ns"], row["start_ns"] + row["pause_ns"]))
    runs = {row["section"]: row for row in sql(hectic, log, "SELECT * FROM runs")}
    for row in sql(hectic, log, "SELECT * FROM utilization WHERE process IS NULL"):
        key = row["section"]
        own, length = pauses[key][:400], row["window_ns"]
        first, last = runs[key]["first_ns"], runs[key]["last_ns"]
        if row["minimum"] is None or len(pauses[key]) > len(own):
            continue
        starts = {first, last - length}
        starts.update(x for begin, end in own for x in (begin, end - length) if first <= x <= last - length)
        worst = max(sum(max(0, min(end, start + length) - max(begin, start)) for begin, end in own) for start in starts)
        if abs(row["minimum"] - (1 - worst / length)) > 1e-9:
            return f"utilization: {row}, but {worst} ns of a window were pauses"
    return None


def compare_gaps(hectic, log):
    rows = sql(hectic, log, "SELECT * FROM gaps_each")
    for key, value in (("dropped_events", sum(row["events"] or 0 for row in rows)),
                       ("dropped_places", sum(row["kind"] == "dropped" for row in rows)),
                       ("lost_bytes", sum(row["bytes"] or 0 for row in rows)),
                       ("lost_places", sum(row["kind"] == "lost" for row in rows))):
        wanted = sum(row[f"gaps_{key}"] or 0 for row in sql(hectic, log, "SELECT * FROM stat"))
        if value != wanted:
            return f"gaps_each: {key}: {value}, stat has {wanted}"
    incomplete = sql(hectic, log, "SELECT count(*) AS n FROM runs WHERE NOT is_complete AND events > 0")[0]["n"]
    cut = len({row["section"] for row in rows if row["kind"] == "cut"})
    return None if cut == incomplete else f"gaps_each: {cut} sections are cut, runs has {incomplete}"


def compare_findings(hectic, log):
    """The findings are those of the verdict, of which info has the first four sections; their rules apply."""
    verdict = next(objects(run(hectic, "info", "--json", log)), {"verdict": []})["verdict"]
    rows = sql(hectic, log, "SELECT * FROM findings WHERE section <= 4")
    if len(rows) != len(verdict):
        return f"findings: {len(rows)}, info has {len(verdict)}"
    several = any(finding["process"] is not None for finding in verdict)
    for row, finding in zip(rows, verdict):
        if not row["command"].endswith(" LOG") or not finding["command"].startswith(row["command"][:-len("LOG")]):
            return f"findings: {row['command']}, info has {finding['command']}"
        for key, value in finding.items():
            # A log with several processes in one section names them in all.
            if key != "command" and not same(row[key], value) and (key != "process" or value is not None or not several):
                return f"findings: {key}: {row[key]}, info has {value}"
    found = {(row["section"], row["process"], row["id"]) for row in sql(hectic, log, "SELECT * FROM findings")}
    rules = {(row["section"], row["process"], row["id"]): row["count"] for row in sql(hectic, log, "SELECT * FROM rules")}
    if any(rules.get(rule) != 1 for rule in found):
        return "rules: a finding does not apply"
    applied = collections.Counter(rule[:2] for rule, count in rules.items() if count == 1)
    shown = collections.Counter(rule[:2] for rule in found)
    wrong = [of for of, count in applied.items() if shown[of] != min(count, 5)]
    return f"rules: {applied}, but findings: {shown}" if wrong else None


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
        tests += [(lambda h, f, l: f(h, l), f) for f in (compare_events, compare_states, compare_messages,
                                                          compare_findings)]
        tests += [(lambda h, f, l: f(h, l), f) for f in (compare_caps, compare_sizes, compare_samples, compare_gaps,
                                                         compare_utilization)
                  if not contradictory]
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
