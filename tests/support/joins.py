"""Joins the CSV tables of a log in sqlite: see cli/joins.sh."""
import csv
import io
import sqlite3
import subprocess
import sys

hectic, log = sys.argv[1:3]
EVERY = "500us"

TABLES = {  # name: the verb, and the columns that identify a row
    "threads": (["threads"], ["section", "thread"]),
    "spans": (["spans"], ["section", "kind", "label"]),
    "each_span": (["spans", "--each"], ["section", "label", "subscript", "thread", "start_ns"]),
    "sparks": (["sparks"], ["section", "cap"]),
    "slices_of_sparks": (["sparks", "--every", EVERY], ["section", "from_ns", "cap"]),
    "each_spark": (["sparks", "--each"], ["section", "thread", "start_ns"]),
    "tasks": (["tasks"], ["section", "task", "created_ns"]),
    "gc": (["gc"], ["section", "start_ns"]),
    "slices": (["stat", "--every", EVERY], ["section", "from_ns"]),
    "profile": (["profile", "threads"], ["section", "thread"]),
    "simulation": (["simulate", "threads"], None),
}
# Numbers that identify something, and others that are not nanoseconds, bytes, or counts.
TEXTS = {"kind", "label", "task", "cap_list", "reason", "state", "event", "from", "to", "fault"}
FLAGS = {"spark_thread", "parallel", "across_threads"}
SHARES = {"gc_share", "running_share", "work_balance"}


def value(column, text):
    """Nothing is None; numbers have neither signs, nor separators, nor units."""
    if text == "":
        return None
    if column in TEXTS:
        return text
    if column in FLAGS:
        return {"true": 1, "false": 0}[text]
    if column in SHARES:
        return float(text)
    assert text.isdigit() and (text == "0" or text[0] != "0"), (column, text)
    return int(text)


db = sqlite3.connect(":memory:")


def load(name, arguments, key):
    done = subprocess.run([hectic, *arguments, "--csv", log], capture_output=True, check=False)
    assert done.returncode in (0, 1), (name, done)
    columns, *rows = csv.reader(io.StringIO(done.stdout.decode("utf-8"), newline=""))
    assert len(set(columns)) == len(columns) and "section" in columns, (name, columns)
    db.execute(f"CREATE TABLE {name} ({', '.join(chr(34) + c + chr(34) for c in columns)})")
    seen = set()
    for row in rows:
        assert len(row) == len(columns), (name, row)
        cells = [value(c, text) for c, text in zip(columns, row)]
        assert cells[columns.index("section")] >= 1, (name, row)
        identity = tuple(cells[columns.index(c)] for c in key or columns)
        # The clock of the oldest logs is too coarse to distinguish consecutive events.
        assert not key or identity not in seen or "2011" in log, (name, identity)
        seen.add(identity)
        db.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(cells))})", cells)


def nothing(what, query):
    rows = db.execute(query).fetchmany(3)
    assert not rows, f"{log}: {what}: {rows}"


for name, (arguments, key) in TABLES.items():
    load(name, arguments, key)
# (Windows may begin and end with markers, too.)
for (label,) in db.execute("""
        SELECT DISTINCT label FROM spans AS s WHERE kind = 'span' AND NOT EXISTS (
            SELECT * FROM spans WHERE kind = 'marker' AND label = 'START ' || s.label)""").fetchall():
    load("window", ["stat", "--window", label], None)
    nothing("a window is not a span", """
        SELECT * FROM (SELECT section, label, thread, from_ns AS start_ns, to_ns AS end_ns, count(*)
                       FROM window GROUP BY 1, 2, 3, 4, 5)
        EXCEPT SELECT section, label, thread, start_ns, end_ns, count(*)
               FROM each_span GROUP BY 1, 2, 3, 4, 5
        EXCEPT SELECT section, label, thread, from_ns, to_ns, count(*) FROM window
               JOIN spans USING (section, label) WHERE unstopped > 0 GROUP BY 1, 2, 3, 4, 5""")
    db.execute("DROP TABLE window")

nothing("each span counts with its label", """
    SELECT section, label, count, sum(across) FROM (
        SELECT section, label, count(*) AS count, sum(across_threads) AS across, max(duration_ns) AS max_ns
        FROM each_span GROUP BY section, label)
    GROUP BY section, label, count, max_ns
    EXCEPT SELECT section, label, count, across FROM spans WHERE kind = 'span'""")
nothing("a span is none of its threads", """
    SELECT * FROM each_span AS s LEFT JOIN threads AS t USING (section, thread)
    WHERE s.thread IS NOT NULL AND (t.thread IS NULL OR s.start_ns < t.born_ns
          OR s.start_ns > t.ended_ns OR (NOT s.across_threads AND s.end_ns > t.ended_ns))""")
nothing("a spark is evaluated by a thread for sparks, while it lives", """
    SELECT * FROM each_spark AS s LEFT JOIN threads AS t USING (section, thread)
    WHERE NOT coalesce(spark_thread, 0) OR start_ns < born_ns OR end_ns > ended_ns
          OR duration_ns <> idle_ns + eval_ns""")
nothing("sparks are those that their caps converted", """
    SELECT section, cap, count(*) FROM each_spark GROUP BY section, cap
    EXCEPT SELECT section, cap, converted FROM sparks""")
for column in ("sparks", "created", "converted", "overflowed", "dud", "gcd", "fizzled", "eval_ns"):
    nothing(f"slices of {column} do not add up", f"""
        SELECT section, cap, sum({column}) FROM slices_of_sparks GROUP BY section, cap
        EXCEPT SELECT section, cap, sum({column}) FROM sparks GROUP BY section, cap""")
nothing("slices of sparks and of all are the same", """
    SELECT section, from_ns, to_ns FROM slices_of_sparks
    EXCEPT SELECT section, from_ns, to_ns FROM slices""")
# Of a log that was cut before it had all caps, what caps did is unknown.
nothing("stat and sparks count sparks alike", """
    SELECT section, sum(sparks), sum(created), sum(converted) FROM sparks
    WHERE section NOT IN (SELECT section FROM slices WHERE sparks IS NULL) GROUP BY section
    EXCEPT SELECT section, sum(sparks), sum(sparks_created), sum(sparks_converted) FROM slices
           GROUP BY section""")
nothing("collections are those of the slices", """
    SELECT section, count(*) FROM gc
    WHERE end_ns IS NOT NULL AND section NOT IN (SELECT section FROM slices WHERE collections IS NULL) GROUP BY section
    EXCEPT SELECT section, sum(collections) FROM slices GROUP BY section""")
nothing("a collection ends when its pause does", """
    SELECT * FROM gc WHERE end_ns <> start_ns + pause_ns""")
nothing("threads run as often as caps run them", """
    SELECT section, sum(runs) FROM threads
    WHERE section NOT IN (SELECT section FROM slices WHERE runs IS NULL) GROUP BY section
    EXCEPT SELECT section, sum(runs) FROM slices GROUP BY section""")
nothing("threads are those of the profile", """
    SELECT section, thread, running_ns FROM profile WHERE state = 'finished'
    EXCEPT SELECT section, thread, running_ns FROM threads""")
nothing("threads are those that are simulated", """
    SELECT section, thread FROM simulation EXCEPT SELECT section, thread FROM threads""")
