#!/usr/bin/env bash
# hectic.so in other programs: one of ours, Debian's sqlite3 and Python's module; its rows are those of
# hectic sql.
. tests/support/lib.bash
log=$logs/demo.eventlog
extension=$HECTIC_BUILD/hectic

# In a program that is built with the same sanitizer, if there is one; also damaged and truncated logs.
python3 tests/support/verbs.py damage "$log" >"$work/damaged.eventlog"
head -c 30000 "$log" >"$work/cut.eventlog"
head -c 300 "$log" >"$work/header.eventlog"
tables=$("$HECTIC" sql --schema | grep -oE '^[a-z_]+: ' | tr -d ': ' | grep -vE '_by_|^cap_states')
for file in "$log" "$work"/*.eventlog; do
    for table in $tables; do
        "$HECTIC_BUILD/sql_client" "$extension" "SELECT * FROM hectic_$table('$file')" \
            "SELECT count(*) FROM hectic_$table('$file') AS a, hectic_threads('$file') AS b WHERE a.section = b.section AND b.thread = 1" \
            >"$work/found" || grep -q '^error: .*header.eventlog: ' "$work/found" || fail "$table of $file: $(tail -1 "$work/found")"
    done
done
"$HECTIC_BUILD/sql_client" "$extension" "SELECT count(*) FROM hectic_gc('$log')" |
    grep -qx "$("$HECTIC" sql --csv "$log" 'SELECT count(*) FROM gc' | tail -1)" || fail "other rows than hectic sql"

is_sanitized && exit
needs sqlite3

for table in threads gc spans_each messages thread_states stat events ev_STOP_THREAD runs; do
    sqlite3 -csv -cmd ".load $extension" :memory: "SELECT * FROM hectic_$table('$log') LIMIT 2000" >"$work/found"
    "$HECTIC" sql --jsonl "$log" "SELECT * FROM $table LIMIT 2000" >"$work/wanted"
    [[ $(python3 -c 'import csv, sys; print(len(list(csv.reader(open(sys.argv[1])))))' "$work/found") == "$(wc -l <"$work/wanted")" ]] ||
        fail "$table: $(wc -l <"$work/found") rows, not $(wc -l <"$work/wanted")"
done
sqlite3 -cmd ".load $extension" :memory: "SELECT hectic_dur(max(pause)), hectic_time('1ms') FROM hectic_gc('$log')" >"$work/found"
"$HECTIC" sql --csv "$log" "SELECT dur(max(pause)) || '|' || time('1ms') FROM gc" | tail -n +2 | cmp -s - "$work/found" ||
    fail "functions: $(cat "$work/found")"

# sqlite QUERY: its message.
sqlite() {
    sqlite3 -cmd ".load $extension" :memory: "$1" 2>&1 || true
}
[[ $(sqlite "SELECT * FROM hectic_gc") == *"hectic_gc needs the path of a log: hectic_gc('Main.eventlog')"* ]] || fail "without a path"
[[ $(sqlite "SELECT * FROM hectic_gc('$work/none')") == *"$work/none: No such file"* ]] || fail "no such file"
[[ $(sqlite "SELECT * FROM hectic_gc('README.md')") == *"README.md: not an eventlog"* ]] || fail "no log"
[[ $(sqlite "INSERT INTO hectic_gc(cap) VALUES (1)") == *"may not be modified"* ]] || fail "it can be written"

# Several logs in one query, and a log that changes between two queries of a connection.
[[ $(sqlite "SELECT (SELECT count(*) FROM hectic_threads('$log')) + (SELECT count(*) FROM hectic_threads('$logs/threads.eventlog'))") == \
    $(($("$HECTIC" sql --csv "$log" 'SELECT count(*) FROM threads' | tail -1) + $("$HECTIC" sql --csv "$logs/threads.eventlog" 'SELECT count(*) FROM threads' | tail -1))) ]] ||
    fail "two logs"

python=
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import sqlite3; sqlite3.connect(":memory:").enable_load_extension' 2>/dev/null &&
        python=$candidate && break
done
[[ $python ]] || skip "needs a Python whose sqlite3 loads extensions"
cat >"$work/client.py" <<'END'
"""client.py EXTENSION LOG OTHER PLACE"""
import shutil, sqlite3, sys, threading

extension, log, other, place = sys.argv[1:]

def connect():
    db = sqlite3.connect(":memory:", check_same_thread=False)
    db.enable_load_extension(True)
    db.load_extension(extension)
    return db

db = connect()
def threads():
    query = "SELECT count(*) FROM hectic_threads(?) AS a, hectic_threads(?) AS b, hectic_threads(?) AS c WHERE a.thread = b.thread AND b.thread = c.thread"
    return db.execute(query, [place] * 3).fetchone()[0]
counts = []
for source in (log, other, log):
    shutil.copy(source, place)
    counts.append(threads())
    counts.append(threads())  # from the copies that the first query has made
assert counts[0] == counts[1] == counts[4] == counts[5] and counts[2] == counts[3] and counts[0] != counts[2], counts

# A query that is not read to its end, an interrupted one, connections in several threads, and one that is closed.
cursor = db.execute("SELECT * FROM hectic_thread_states(?)", [log])
assert cursor.fetchone()
cursor.close()
db.set_progress_handler(lambda: 1, 50)
try:
    db.execute("SELECT count(*) FROM hectic_events(?), hectic_events(?)", [log, log]).fetchone()
    sys.exit("not interrupted")
except sqlite3.OperationalError as error:
    assert str(error) == "interrupted", error
db.set_progress_handler(None, 0)
results = []
def run():
    own = connect()
    results.append(own.execute("SELECT count(*), sum(duration) FROM hectic_thread_states(?)", [log]).fetchone())
    own.close()
workers = [threading.Thread(target=run) for _ in range(8)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
assert len(results) == 8 and len(set(results)) == 1, results
db.close()
END
"$python" "$work/client.py" "$extension" "$log" "$logs/threads.eventlog" "$work/changing.eventlog"
