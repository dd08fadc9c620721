"""See relay_clickhouse.sh, whose folder is the argument."""
import os
import re
import subprocess
import sys

import clickhouse
import relays
import waiting

WORK = sys.argv[1]
HECTIC, BUILD = os.environ["HECTIC"], os.environ["HECTIC_BUILD"]
IS_LESS = len(sys.argv) > 2
# With a sanitizer the relay is slow, and programs wait only 2 s for it when they end: what they have written by then fits
# the buffers of the sockets.
EVENTS = 4_000 if IS_LESS else 80_000
PROGRAMS = 3 if IS_LESS else 8
TABLES = ("runs", "thread_states", "messages", "gaps_each", "sizes", "gc", "gc_caps", "spans_each", "span_states",
          "heap_samples", "time_samples")


class Relay(relays.Relay):
    def __init__(self, name, *options, urls=None, env=None):
        super().__init__(f"{WORK}/{name}", "clickhouse", "waiting_rows",
                         ["--clickhouse", urls or URLS, "--cluster", "shards", "--database", name, *options], env)


def paced(relay, events=EVENTS, rate=1_000_000):
    return relays.paced(relay, events, rate)


def logs_end(relay, count):
    """When the relay has the logs: all rows but those of tables that wait for more are made."""
    waiting.soon(lambda: relay.ended() == count, f"{relay.name}: {count} logs: {relay.said()}")


def export(relay, database):
    subprocess.run([HECTIC, "export", "--quiet", "--format", "clickhouse", "--url", URLS, "--cluster", "shards", "--database", database,
                    "--table", ",".join(TABLES), f"{relay.folder}/logs"], check=True)


def rows(database, table, columns):
    """As lines."""
    return here.query(f"SELECT toString(log), {columns} FROM {database}.{table} ORDER BY log, sequence").splitlines()


def columns_of(table):
    names = here.rows(f"SELECT name FROM system.columns WHERE database = 'exported' AND table = '{table}'")
    return ", ".join(name for name, in names if name != "log")


def compare(relay, logs):
    """What is stored, with an export of the recordings."""
    for server in servers:
        server.query("DROP DATABASE IF EXISTS exported")
    export(relay, "exported")
    ids = {log for log, in here.rows("SELECT DISTINCT toString(log) FROM exported.logs")}
    assert len(ids) == logs, f"{relay.name}: {len(ids)} logs"
    assert {log for log, in here.rows(f"SELECT toString(log) FROM {relay.name}.logs")} == ids, f"{relay.name}: the ids differ"
    events = [here.rows(f"SELECT log, events FROM {database}.logs ORDER BY log") for database in (relay.name, "exported")]
    assert events[0] == events[1], f"{relay.name}: {events[0]}, not {events[1]}"
    for table in TABLES:
        found, wanted = (rows(database, table, columns_of(table)) for database in (relay.name, "exported"))
        assert len(found) == len(wanted), f"{relay.name}: {table}: {len(found)} rows, not {len(wanted)}"
        for a, b in zip(found, wanted):
            assert a == b, f"{relay.name}: {table}: {a}, not {b}"
    # Rows of an export replace those that were live, and do not differ from them.
    before = count(relay.name)
    export(relay, relay.name)
    assert count(relay.name) == before


def count(database):
    return {table: here.rows(f"SELECT count(*) FROM {database}.{table}")[0][0] for table in TABLES}


def spooled(relay):
    """Rows in the files of the spool."""
    names = [name for _, _, files in os.walk(relay.spool) for name in files if name.endswith(".rows")]
    return sum(int(re.match(r"\d+-(\d+)\.rows$", name).group(1)) for name in names)


servers = clickhouse.make_shards(WORK, 2)
here, there = servers
URLS = ",".join(server.url for server in servers)

# --- Eight programs at a time, and a real Haskell program, on two shards

relay = Relay("eight")
relays.finish(*[paced(relay, EVENTS // 4 + EVENTS // 80 * i) for i in range(PROGRAMS)])
logs_end(relay, PROGRAMS)
relay.sends_all()
compare(relay, PROGRAMS)
# Each log is on one server.
assert sum(server.rows("SELECT uniqExact(log) FROM eight.logs_rows")[0][0] for server in servers) == PROGRAMS
relay.end()

os.makedirs(f"{WORK}/haskell")
os.mkfifo(f"{WORK}/haskell/fifo")
relay = Relay("haskell", "--from", f"fifo:{WORK}/haskell/fifo")
subprocess.run([f"{WORK}/workers", "+RTS", "-N2", "-l", f"-ol{WORK}/haskell/fifo"], check=True, stdout=subprocess.DEVNULL)
logs_end(relay, 1)
relay.sends_all()
compare(relay, 1)
relay.end()

# A program that is killed: its log has no end marker.
relay = Relay("killed")
program = paced(relay, 100 * EVENTS, EVENTS / 4)
waiting.soon(lambda: relay.metric("rows_total") > 0, "no rows of a program that runs")
program.kill()
program.communicate()
logs_end(relay, 1)
relay.sends_all()
compare(relay, 1)
relay.end()

# --- A server is killed, and comes back

relay = Relay("server")
programs = [paced(relay, EVENTS, EVENTS / 4) for _ in range(4)]
waiting.soon(lambda: relay.metric("rows_total") > 0, "no rows of programs that run")
for server in servers:
    server.kill()
# Which of the servers fail depends on the ids of the logs.
waiting.soon(lambda: relay.metric("failing") > 0 and relay.metric("spool_bytes") > 0, f"nothing is spooled: {relay.said()}")
for server in servers:
    server.start()
relays.finish(*programs)
logs_end(relay, 4)
relay.sends_all()
assert relay.metric("lost_rows_total") == 0 and relay.metric("spool_bytes") == 0 and spooled(relay) == 0
relay.says("takes rows again")
compare(relay, 4)
relay.end()

# --- The relay ends, or is killed, while its rows wait in the spool

for name, ends in (("ended", Relay.end), ("slain", Relay.kill)):
    for server in servers:
        server.kill()
    relay = Relay(name)
    relays.finish(paced(relay), paced(relay))
    logs_end(relay, 2)
    waiting.soon(lambda: spooled(relay) > 0 and spooled(relay) == relay.metric("waiting_rows"), f"rows are not spooled: {relay.said()}")
    kept = spooled(relay)
    ends(relay)
    assert spooled(relay) == kept
    for server in servers:
        server.start()
    relay.start()
    relay.sends_all()
    assert spooled(relay) == 0 and relay.metric("rows_total") == kept and relay.metric("lost_rows_total") == 0
    compare(relay, 2)
    relay.end()

# --- The spool is full: what is lost is counted, and the log is not said to be complete

if "IS_SANITIZED" not in os.environ:
    for server in servers:
        server.kill()
    relay = Relay("full", "--spool-max", "1Mi")
    # In memory are 64 MiB at most for each server.
    programs = 0
    while relay.metric("lost_rows_total") == 0:
        relays.finish(paced(relay, 500_000))
        programs += 1
        logs_end(relay, programs)
    relay.says("rows are lost")
    for server in servers:
        server.start()
    relay.sends_all()
    lost, sent = relay.metric("lost_rows_total"), relay.metric("rows_total")
    assert relay.metric("lost_blocks_total") > 0
    relays.finish(paced(relay, 1000))
    programs += 1
    logs_end(relay, programs)
    relay.sends_all()
    relay.says("rows are kept again")
    sent = relay.metric("rows_total")
    for server in servers:
        server.query("DROP DATABASE IF EXISTS exported")
    export(relay, "exported")
    recorded = sum(count("exported").values())
    complete, = here.rows("SELECT count(*) FROM full.logs")[0]
    assert complete < programs
    # On a busy machine, some events come too late for the rows that they belong to. Rows of logs can be lost, too.
    assert abs(sent - complete + lost - recorded) <= recorded // 1000, f"{sent} rows sent with {complete} of logs, {lost} lost, not {recorded}"
    assert sum(count("full").values()) == sent - complete, "rows are stored twice, or not at all"
    relay.end(lost=True)

# --- A file is read again by another relay: the same rows, also of all events

log, chosen = f"{WORK}/again.eventlog", ("thread_states", "gc", "events")
TO = ("--cluster", "shards", "--database", "again", "--table", ",".join(chosen))
subprocess.run([f"{BUILD}/generate-log", "--force", "--size", "1M", "--caps", "2", "-o", log], check=True, stderr=subprocess.DEVNULL)


def again():
    return [here.query(f"SELECT * FROM again.{table} ORDER BY sequence") for table in chosen]


stored = []
for number in range(2):
    subprocess.run([HECTIC, "relay", "--quiet", "--once", "--from", log, "--record", f"{WORK}/again-{number}", "--clickhouse", URLS, *TO,
                    "--spool", f"{WORK}/again"], check=True)
    assert here.rows("SELECT count(*) FROM again.logs")[0][0] == 1
    stored.append(again())
assert stored[0] == stored[1] and all(stored[0])
subprocess.run([HECTIC, "export", "--quiet", "--format", "clickhouse", "--url", URLS, *TO, f"{WORK}/again-0"], check=True)
assert again() == stored[0]

# --- A password that is wrong is reported; once it is right, nothing is lost

relay = Relay("denied", urls=here.url, env={"CLICKHOUSE_USER": "default", "CLICKHOUSE_PASSWORD": "wrong"})
relays.finish(paced(relay, 1000))
logs_end(relay, 1)
relay.says("rows wait in")
relay.end()
kept = spooled(relay)
assert kept > 0, relay.said()
relay.env = None
relay.start()
relay.sends_all()
assert relay.metric("rows_total") == kept
relay.end()

# --- Rows that the server refuses are lost, counted, and do not keep those of other tables

for server in servers:
    server.query("CREATE DATABASE refused")
    server.query("CREATE TABLE refused.messages_rows (log UUID, day Date, host String, revision UInt64, sequence UInt64, text Array(UInt8)) "
                 "ENGINE = ReplacingMergeTree(revision) PARTITION BY day ORDER BY (log, sequence)")
relay = Relay("refused")
relays.finish(paced(relay, 1000))
logs_end(relay, 1)
relay.says("rows are refused, and lost")
relay.sends_all()
assert relay.metric("lost_rows_total") > 0 and relay.metric("lost_blocks_total") > 0
found = count("refused")
assert found["runs"] > 0 and found["messages"] == 0, found
relay.end(lost=True)
