"""See export_clickhouse.sh, whose folder is the argument."""
import json
import math
import os
import random
import re
import subprocess
import sys

import clickhouse
import waiting

WORK = sys.argv[1]
HECTIC = os.environ["HECTIC"]
LOGS = f"{WORK}/logs"
IS_LESS = len(sys.argv) > 2
OWN = ("log", "day", "host", "revision", "sequence")
VIEWS = ("cap_states", "pauses_by_second", "allocation_by_second", "waits_by_thread", "waits_by_waker")


def run(*arguments, code=0, **options):
    done = subprocess.run([HECTIC, *arguments], capture_output=True, text=True, **options)
    assert done.returncode == code or (code is None and done.returncode < 2), f"{arguments}: exit code {done.returncode}: {done.stderr}"
    return done


def export(*arguments, code=0, **options):
    return run("export", "--quiet", "--format", "clickhouse", *arguments, code=code, **options).stderr


def hectic_rows(logs, query):
    done = subprocess.run([HECTIC, "sql", "--quiet", "--jsonl", *logs, query], capture_output=True, text=True)
    assert done.returncode < 2 and "runtime error" not in done.stderr and "Sanitizer" not in done.stderr, f"{query}: {done.stderr}"
    return [list(json.loads(line).values()) for line in done.stdout.splitlines()]


def is_same(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9)
    return a == b


def assert_same(what, found, wanted, is_ordered=False):
    if not is_ordered:
        found, wanted = (sorted(rows, key=repr) for rows in (found, wanted))
    assert len(found) == len(wanted), f"{what}: {len(found)} rows, not {len(wanted)}"
    for a, b in zip(found, wanted):
        assert len(a) == len(b) and all(map(is_same, a, b)), f"{what}: {a}, not {b}"


# The path of each log, and what it has; older servers print the day 0 in another way.
servers = clickhouse.make_shards(WORK, 2, (("default", ""), ("writer", "secret")))
here, there = servers
URLS = ",".join(server.url for server in servers)
TO = ("--url", URLS, "--cluster", "shards", "--database", "d")


def columns_of(table, database="d"):
    rows = here.rows(f"SELECT name, type FROM system.columns WHERE database = '{database}' AND table = '{table}'")
    return {name: kind.replace("Nullable", "").strip("()") for name, kind in rows}


def compare_all(what):
    """Each table and view, with what hectic sql says of each log."""
    paths = dict(here.rows("SELECT path, toString(log) FROM d.logs"))
    assert len(paths) == len(os.listdir(LOGS)), f"{what}: logs: {sorted(paths)}"
    tables = [name[:-5] for name, in here.rows("SELECT name FROM system.tables WHERE database = 'd' AND name LIKE '%_rows'")]
    assert len(tables) >= 15, tables
    for table in {*tables, *VIEWS} - {"logs"}:
        columns = [name for name in columns_of(table) if name not in OWN]
        names = ", ".join(columns)
        stored = {}
        for log, *row in here.rows(f"SELECT toString(log), {names} FROM d.{table}"):
            stored.setdefault(log, []).append(row)
        for path, log in paths.items():
            wanted = hectic_rows([path], f"SELECT {names} FROM {table}")
            # Both print bytes that are no UTF-8 in another way.
            found, wanted = (json.loads(re.sub(r"\\\\x[0-9A-F]{2}|\\ufffd|\\u0000", "?", json.dumps(rows)).replace("\\\\\\\\", "\\\\"))
                             for rows in (stored.get(log, []), wanted))
            assert_same(f"{what}: {table}: {path}", found, wanted)


def those_of(*names):
    """The condition on `log`, without a subquery, which older servers would not run on all shards."""
    paths = " OR ".join(f"path LIKE '%/{name}.%'" for name in names)
    logs = here.rows(f"SELECT toString(log) FROM d.logs WHERE {paths}")
    return f"toString(log) IN ({', '.join(repr(log) for log, in logs)})"


def counts():
    return {table: here.rows(f"SELECT count(*) FROM d.{table}")[0][0] for table in ("gc", "threads", "thread_states", "logs")}


export(*TO, LOGS)
compare_all("export")
spread = [server.rows("SELECT count(*) FROM d.logs_rows")[0][0] for server in servers]
assert min(spread) > 0, f"all logs are on one shard: {spread}"

# The rows of a log are on one server, whichever order the servers are given in; nothing changes when it is exported again,
# also by two at a time.
before = counts()
both = [subprocess.Popen([HECTIC, "export", "--quiet", "--format", "clickhouse", "--url", urls, *TO[2:], LOGS], stderr=subprocess.DEVNULL)
        for urls in (URLS, f"{there.url},{here.url}")]
assert all(exporter.wait() == 0 for exporter in both)
assert counts() == before, f"{counts()}, not {before}"
assert [server.rows("SELECT uniq(log) FROM d.gc_rows")[0][0] for server in servers] == \
    [server.rows("SELECT uniqExact(log) FROM d.gc_here")[0][0] for server in servers]
for server in servers:
    server.query("OPTIMIZE TABLE d.gc_rows FINAL")
assert counts() == before
compare_all("repeated export")

# --- Old days are dropped on both servers; logs that do not say when they began stay

days = here.rows("SELECT day, uniqExact(log) FROM d.runs GROUP BY day ORDER BY day")
unknown = ("0000-00-00", "1970-01-01")
limit = [day for day, _ in days if day not in unknown][1]
age = here.rows(f"SELECT today() - toDate('{limit}')")[0][0]
subprocess.run([HECTIC, "export", "--quiet", "--format", "clickhouse", "--url", URLS, "--cluster", "shards", "--database", "d",
                "--keep-days", str(age), "--table", "runs", f"{LOGS}/{sorted(os.listdir(LOGS))[0]}"], check=True)
left = here.rows("SELECT day, uniqExact(log) FROM d.runs GROUP BY day ORDER BY day")
assert len(left) < len(days), left
assert left == [row for row in days if row[0] in unknown or row[0] >= limit], f"{left} of {days} from {limit} on"
export(*TO, LOGS)
assert counts() == before

# --- Random queries of the portable subset: docs/fleet.md

RANDOM = random.Random(20261127)
TABLES = ("gc", "threads", "thread_states", "spans_each", "messages", "sparks", "runs", "stat_cap", "heap_bands")


class Table:
    def __init__(self, name):
        self.name = name
        self.types = {column: kind for column, kind in columns_of(name).items() if column not in OWN}
        values = here.rows(f"SELECT {', '.join(self.types)} FROM d.{name} ORDER BY log, sequence LIMIT 2000")
        self.values = {column: sorted({row[i] for row in values if row[i] is not None}, key=repr)
                       for i, column in enumerate(self.types)}
        # SQLite has no whole numbers from 2**63 on.
        huge = [column for column, kind in self.types.items() if kind == "UInt64" and max(self.values[column], default=0) >= 2**63]
        for column in huge:
            del self.types[column]

    def columns(self, kinds):
        return [column for column, kind in self.types.items() if kind in kinds]

    def summable(self):
        return [column for column in self.columns(("UInt64", "UInt8")) if max(self.values[column], default=0) < 2**40]


def condition(table):
    column = RANDOM.choice([c for c in table.types if table.values[c]])
    kind, value = table.types[column], RANDOM.choice(table.values[column])
    if kind == "String":
        texts = [v for v in RANDOM.choices(table.values[column], k=2) if not re.search(r"['\\\x00-\x1f\x80-\uffff]", v)]
        if not texts:
            return f"{column} IS NOT NULL"
        quoted = [f"'{text}'" for text in texts]
        return RANDOM.choice([f"{column} {RANDOM.choice(('=', '!='))} {quoted[0]}", f"{column} IN ({', '.join(quoted)})"])
    if kind == "Float64" or (isinstance(value, int) and value >= 2**63):
        return f"{column} IS {RANDOM.choice(('', 'NOT '))}NULL"
    operator = RANDOM.choice(("=", "!=", "<", "<=", ">", ">="))
    return RANDOM.choice([f"{column} {operator} {value}", f"{column} BETWEEN {value} AND {value + 1000000}"])


def where(table):
    parts = [condition(table) for _ in range(RANDOM.choice((0, 1, 1, 2)))]
    return f" WHERE {RANDOM.choice((' AND ', ' OR ')).join(parts)}" if parts else ""


def aggregate(table):
    kinds = ["count(*)"]
    if table.summable():
        kinds += [f"{what}({RANDOM.choice(table.summable())})" for what in ("sum", "min", "max", "count")]
    return RANDOM.choice(kinds)


def random_query(tables):
    """A query, and whether the order of its rows is determined."""
    table = RANDOM.choice(tables)
    kind = RANDOM.choice(("rows", "sum", "groups", "join"))
    if kind == "rows":
        names = RANDOM.sample(table.columns(("UInt64", "UInt8", "String")), 3)
        known = " AND ".join(f"{name} IS NOT NULL" for name in names)
        condition_of_rows = where(table)
        condition_of_rows = f"{condition_of_rows.replace(' WHERE ', ' WHERE (')}) AND {known}" if condition_of_rows else f" WHERE {known}"
        order = ", ".join(name + RANDOM.choice(("", " DESC")) for name in names)
        return f"SELECT {', '.join(names)} FROM {table.name}{condition_of_rows} ORDER BY {order} LIMIT {RANDOM.randint(1, 50)}", True
    if kind == "join":
        other = RANDOM.choice([t for t in tables if "thread" in t.types])
        table = RANDOM.choice([t for t in tables if "thread" in t.types])
        left, right = (RANDOM.choice(t.summable()) for t in (table, other))
        return (f"SELECT count(*) AS n, sum(x) AS a, max(y) AS b FROM (SELECT log, thread, {left} AS x FROM {table.name}{where(table)}) AS l"
                f" JOIN (SELECT log, thread, {right} AS y FROM {other.name}{where(other)}) AS r USING (log, thread)"), False
    values = ", ".join(f"{aggregate(table)} AS a{i}" for i in range(RANDOM.randint(1, 3)))
    if kind == "sum":
        return f"SELECT {values} FROM {table.name}{where(table)}", False
    groups = ", ".join(RANDOM.sample(table.columns(("UInt64", "UInt8", "String")), RANDOM.randint(1, 2)))
    return f"SELECT {groups}, {values} FROM {table.name}{where(table)} GROUP BY {groups}", False


tables = [Table(name) for name in TABLES]
for number in range(40 if IS_LESS else min(int(os.environ.get("QUERIES", "200")), 2000)):
    query, is_ordered = random_query(tables)
    in_database = re.sub(r"FROM (\w)", r"FROM d.\1", query)
    wanted = hectic_rows([LOGS], query)
    assert_same(query, here.rows(in_database), wanted, is_ordered)

# --- The queries of docs/fleet.md, on one server and on two; those of the dashboard

with open("docs/fleet.md") as page:
    queries = [query for block in re.findall(r"```sql\n(.*?)```", page.read(), re.DOTALL) for query in block.split(";\n") if query.strip()]
assert len(queries) == 5, queries
export("--url", here.url, "--database", "one_server", LOGS)
for query in queries:
    here.rows(query.replace("hectic.", "one_server."))
    here.rows(query.replace("hectic.", "d.").replace("ALL INNER JOIN", "GLOBAL ALL INNER JOIN"))
found = here.rows(queries[0].replace("hectic.", "one_server.").replace("> 50", "> 5"))
wanted = hectic_rows([LOGS], "SELECT log, max(pause_ns) / 1e6 AS ms FROM gc GROUP BY log HAVING ms > 5")
assert_same("pauses of runs", found, wanted)
found = here.rows(queries[3].replace("hectic.", "d.").replace("3000000000", "30000000").replace("2000000000", "20000000"))
wanted = hectic_rows([LOGS], """SELECT sum(min(end_ns, 30000000) - max(start_ns, 20000000)) AS waited FROM thread_states WHERE state = 'blocked'
    AND start_ns < 30000000 AND end_ns > 20000000 GROUP BY log, thread ORDER BY waited DESC LIMIT 10""")
assert_same("the longest waits", [[row[-1]] for row in found], wanted, True)
found = here.rows(queries[4].replace("hectic.", "one_server.").replace("today() - 1", "toDate(0)"))
assert_same("findings of runs", found, hectic_rows([LOGS], "SELECT log, id, text FROM findings"))
with open("docs/grafana/hectic-clickhouse.json") as text:
    panels = json.load(text)["panels"]
for panel in panels:
    query = panel["targets"][0]["rawSql"]
    for name, value in {"${database}": "d", "${host:singlequote}": "''", "$__from": "0", "$__to": "4000000000000"}.items():
        query = query.replace(name, value)
    assert here.rows(query), f"{panel['title']}: no rows: {query}"

# --- What is private; columns that are added later

ONE = ("--url", here.url, "--database", "one")
DEMO = f"{LOGS}/demo.eventlog"
export(*ONE, DEMO)
stored = " ".join(name for name, in here.rows("SELECT name FROM system.columns WHERE database = 'one'")).split()
assert not {"pid", "args", "payload", "clock_start_ns"} & set(stored), stored
pid = hectic_rows([DEMO], "SELECT pid FROM runs")
export(*ONE, "--private", "--host", "a 'host'\\", DEMO)
assert here.rows("SELECT pid FROM one.runs") == pid
assert here.rows("SELECT DISTINCT host FROM one.gc") == [["a 'host'\\"]]
export(*ONE, DEMO)  # which does not know these columns
assert here.rows("SELECT count(*) FROM one.runs") == [[1]]

# An export without the cluster leaves its tables as they are.
export("--url", here.url, "--database", "d", DEMO)
assert counts() == before, f"{counts()}, not {before}"

# --table: these tables alone, without views that need others.
export("--url", here.url, "--database", "few", "--table", "gc,events,ev_GC_START", DEMO)
names = sorted(name for name, in here.rows("SELECT name FROM system.tables WHERE database = 'few'"))
assert names == ["ev_GC_START", "ev_GC_START_rows", "events", "events_rows", "gc", "gc_rows", "logs", "logs_rows"], names
assert here.rows("SELECT count(*) FROM few.events") == hectic_rows([DEMO], "SELECT count(*) FROM events")

# --- Statements for clickhouse-client

export("-o", f"{WORK}/statements.sql", "--database", "by_client", *(f"{LOGS}/{name}.eventlog" for name in ("demo", "every-event", "merged")))
with open(f"{WORK}/statements.sql", "rb") as statements:
    subprocess.run(["clickhouse-client", "--port", str(there.tcp), "--multiquery"], stdin=statements, check=True)
for table in ("gc", "threads", "messages", "runs", "findings", "rules", "heap_bands", "span_states", "waits_by_thread", "logs"):
    columns = ", ".join(name for name in columns_of(table) if name not in ("host", "path"))
    assert_same(f"statements: {table}", there.rows(f"SELECT {columns} FROM by_client.{table}"),
                here.rows(f"SELECT {columns} FROM d.{table} WHERE {those_of('demo', 'every-event', 'merged')}"))

# --- The same log, what a relay has recorded of it, and its beginning are one; parts of a recording are not


def id_of(log):
    export("-o", f"{WORK}/id.sql", "--force", "--table", "runs", log, code=None)
    with open(f"{WORK}/id.sql") as statements:
        return re.search(r"VALUES \('([-0-9a-f]{36})'", statements.read())[1]


def record(name, log, *options):
    folder = f"{WORK}/{name}"
    os.mkdir(folder)
    relay = subprocess.Popen([HECTIC, "relay", "-f", f"listen:unix:{folder}/in", "--record", f"{folder}/files", *options],
                             stderr=subprocess.PIPE)
    with waiting.connect(f"{folder}/in") as program, open(log, "rb") as content:
        program.sendall(content.read())
    while b"log ended" not in relay.stderr.readline():
        assert relay.poll() is None
    relay.terminate()
    relay.communicate()
    return [f"{folder}/files/{file}" for file in sorted(os.listdir(f"{folder}/files"))]


whole, = record("recorded", DEMO)
assert id_of(whole) == id_of(DEMO)
with open(DEMO, "rb") as content, open(f"{WORK}/beginning.eventlog", "wb") as beginning:
    beginning.write(content.read()[:20000])
assert id_of(f"{WORK}/beginning.eventlog") == id_of(DEMO)
parts = record("rotated", f"{WORK}/large.eventlog", "--record-size", "1M")
assert len(parts) > 2 and len({id_of(part) for part in parts}) == len(parts), parts
every = [f"tests/logs/{file}" for file in os.listdir("tests/logs") if file.endswith(".eventlog")]
assert len({id_of(log) for log in every}) == len(every)

# --- A server is killed while it takes rows, and started again

large = ("--table", "threads,thread_states,events", f"{WORK}/large.eventlog")
exporter = subprocess.Popen([HECTIC, "export", "--format", "clickhouse", *TO, *large], stderr=subprocess.PIPE, text=True)


def has_rows():
    for server in servers:
        try:
            if server.rows("SELECT count(*) FROM d.events_rows")[0][0] > 0:
                return server
        except (ValueError, OSError):
            pass  # the table is not there yet
    assert exporter.poll() is None, exporter.stderr.read()
    return None


victim = waiting.soon(has_rows, "no rows are stored")
victim.kill()
victim.start()
_, said = exporter.communicate()
assert exporter.returncode == 0, said
for table in ("threads", "thread_states", "events"):
    wanted = hectic_rows([f"{WORK}/large.eventlog"], f"SELECT count(*) FROM {table}")
    found = here.rows(f"SELECT count(*) FROM d.{table} WHERE {those_of('large')}")
    assert found == wanted, f"{table}: {found}, not {wanted}"

# --- Errors

assert "Wrong password" in export("--url", here.url, DEMO, code=2, env={**os.environ, "CLICKHOUSE_USER": "writer", "CLICKHOUSE_PASSWORD": "no"})
export("--url", here.url, "--database", "by_writer", DEMO, env={**os.environ, "CLICKHOUSE_USER": "writer", "CLICKHOUSE_PASSWORD": "secret"})
with open(f"{WORK}/.netrc", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as netrc:
    netrc.write("machine 127.0.0.1 login writer password secret\n")
export("--url", f"{here.url}/", "--database", "by netrc", DEMO, env={**os.environ, "HOME": WORK})
assert here.rows("SELECT count(*) FROM `by netrc`.runs") == [[1]]
here.query("CREATE DATABASE other")
here.query("CREATE TABLE other.gc_rows (log UInt64) ENGINE = Memory")
said = export("--url", here.url, "--database", "other", DEMO, code=2)
assert f"hectic: {here.url}: gc: Code: " in said and len(said) < 1000, said
assert "needs --url URL" in export(DEMO, code=64)
assert "cannot be combined" in export("--url", here.url, "-o", f"{WORK}/both", DEMO, code=64)
assert "password" in export("--url", "http://a:b@127.0.0.1", DEMO, code=64)
assert "--url cannot be combined with --format sqlite" in run("export", "--format", "sqlite", "--url", here.url, DEMO, f"{WORK}/x.db", code=64).stderr
assert "no log in this folder" in export("--url", here.url, f"{WORK}/server-0", code=2)
said = export("--url", here.url, "--database", "some", DEMO, f"{WORK}/none.eventlog", code=1)
assert "No such file" in said, said
for server in servers:
    server.kill()
fast = {**os.environ, "LD_PRELOAD": f"{os.environ['HECTIC_BUILD']}/tests/libpreload_clock.so"}
if "IS_SANITIZED" not in os.environ:
    said = export("--url", here.url, DEMO, code=2, env=fast)
    assert f"hectic: {here.url}: " in said and "refused" in said.replace("connect to", "refused"), said
