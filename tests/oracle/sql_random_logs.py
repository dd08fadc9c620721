"""sql_random_logs.py DATABASE QUERIES SEED LOG…: random queries of hectic sql over several logs give the same rows as SQLite over
the tables that hectic export has written to the database."""
import json
import math
import os
import random
import sqlite3
import subprocess
import sys

import sql_random

BATCH = 200


def normal(value):
    """As hectic prints it: NULs and what is no UTF-8 are U+FFFD there, perhaps in another number."""
    return value.replace("\0", "").replace("\ufffd", "") if isinstance(value, str) else value


def is_same(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or math.isclose(a, b, rel_tol=1e-12)
    return a == b


def are_same(found, wanted):
    return len(found) == len(wanted) and all(len(a) == len(b) and all(map(is_same, a, b)) for a, b in zip(found, wanted))


def answer(queries, logs):
    """The rows of each query, by one process; None: of some it takes too long."""
    text = "".join(f'SELECT {number} AS "QUERY";\n{query};\n' for number, query in enumerate(queries))
    done = subprocess.run([os.environ["HECTIC"], "sql", "--quiet", "--jsonl", "--time-limit", "60s", "--file", "/dev/stdin", *logs], input=text, text=True,
                          capture_output=True)
    if "time limit" in done.stderr:
        return None
    assert done.returncode < 2, f"exit code {done.returncode}: {done.stderr}\n{text[:2000]}"
    answers = [[] for _ in queries]
    current = None
    for line in done.stdout.splitlines():
        row = [normal(value) for value in json.loads(line, object_pairs_hook=lambda pairs: [v for _, v in pairs])]
        if line.startswith('{"QUERY":'):
            current = answers[row[0]]
        else:
            current.append(row)
    return answers


def main():
    database, count, seed, *logs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:]
    db = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    db.text_factory = lambda text: text.decode("utf-8", "replace")
    tables = {name: [row[1] for row in db.execute(f"PRAGMA table_info({name})")]
              for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%columns%' AND name NOT LIKE 'sqlite%'")}
    for name in tables:
        db.execute(f"CREATE TEMP VIEW copy_{name} AS SELECT * FROM {name}")
    made = sql_random.Queries(db, tables, seed)
    random.seed(seed)
    steps = [0]

    def too_long():
        steps[0] += 1
        return steps[0] > 3000

    compared = failed = slow = 0
    while compared < count:
        queries, wanted = [], []
        while len(queries) < BATCH:
            query = made.query()
            if "rowid" in query:
                continue
            for name in tables:
                query = query.replace(f"{{{name}}}", name)
            steps[0] = 0
            db.set_progress_handler(too_long, 1000)
            try:
                rows = db.execute(query).fetchall()
            except sqlite3.OperationalError:
                continue
            finally:
                db.set_progress_handler(None, 0)
            queries.append(query)
            wanted.append([[normal(value) for value in row] for row in rows])
        answers = answer(queries, logs)
        if answers is None:
            slow += 1
            assert slow <= 2 + compared // (5 * BATCH), "queries take too long"
            continue
        for query, rows, found in zip(queries, wanted, answers):
            compared += 1
            if not are_same(found, rows):
                failed += 1
                print(f"{query}\n  hectic: {found[:5]}\n  SQLite: {rows[:5]}")
    print(f"{compared} queries, {failed} differ; seed {seed}")
    sys.exit(failed > 0)


main()
