#!/usr/bin/env bash
# sql: queries, their output, errors and limits; several logs; the prompt; --where of other verbs.
. tests/support/lib.bash
needs python3
log=$logs/demo.eventlog

# query CODE QUERY [OPTION]…: runs it over $log.
query() {
    local code=$1 text=$2
    shift 2
    gives "$code" sql "$@" "$log" "$text"
}
# answers QUERY VALUE: the only value of its only row.
answers() {
    query 0 "$1" --csv
    [[ $(tail -n +2 "$work/out") == "$2" ]] || fail "$1: $(tail -n +2 "$work/out" | head -3), not $2"
}

# --- Rows

# Terms of an OR may be looked for one after the other, but no row is counted twice, or lost.
for terms in "thread = 5 OR running > 1000" "runs = 3 OR thread > 9" "kind = 'program' OR runs = 3 OR thread = 5"; do
    query 0 "SELECT count(*) FROM threads WHERE +($terms)" --csv
    answers "SELECT count(*) FROM threads WHERE $terms" "$(tail -1 "$work/out")"
    answers "SELECT count(*) FROM gc AS g JOIN threads AS t ON t.section = g.section AND ($terms)" \
        "$("$HECTIC" sql --csv "$log" "SELECT count(*) FROM gc AS g JOIN threads AS t ON t.section = g.section AND +($terms)" | tail -1)"
done
for terms in "cap = 0 OR thread = 5" "type = 5 OR cap = 1" "type = 2 OR name = 'CREATE_THREAD'"; do
    query 0 "SELECT count(*) FROM events WHERE +($terms)" --csv
    answers "SELECT count(*) FROM events WHERE $terms" "$(tail -1 "$work/out")"
done
# Empty texts are known.
log=$logs/every-event.eventlog
answers "SELECT sum(label = '') FROM threads" 1
answers "SELECT count(*) FROM threads WHERE label IS NULL" 4
log=$logs/demo.eventlog

# --- Output

query 0 "SELECT 1 AS a, NULL AS b, 'x,\"y' AS c, 2.5 AS d, x'00ff' AS e" --csv
printf 'a,b,c,d,e\n1,,"x,""y",2.5,00ff\n' | cmp -s - "$work/out" || fail "CSV: $(cat "$work/out")"
query 0 "SELECT 1 AS a, NULL AS b, 'x' AS c, 2.5 AS d UNION ALL SELECT -1, 9223372036854775807, 'a\"\\', 1e400" --json
python3 -c 'import json, sys
value = json.load(sys.stdin)
assert value == {"rows": [{"a": 1, "b": None, "c": "x", "d": 2.5}, {"a": -1, "b": 2**63 - 1, "c": "a\"\\", "d": None}]}, value' \
    <"$work/out" || fail "JSON: $(cat "$work/out")"
query 0 "SELECT 1 AS a; SELECT 2 AS b; -- no more" --jsonl
[[ $(cat "$work/out") == $'{"a":1}\n{"b":2}' ]] || fail "two statements: $(cat "$work/out")"
query 0 "SELECT 1500 AS x_ns, -2000000 AS y_ns, 1536 AS z_bytes, 0.5 AS s_share, 'text' AS t_ns, 12 AS n"
prints "  x_ns     y_ns  z_bytes  s_share  t_ns   n"
prints "1.50us  -2.00ms  1.50KiB    50.0%  text  12"
query 0 "SELECT max(pause) AS m_ns, max(g.pause), max(copied) FROM gc AS g"
tail -1 "$work/out" | grep -qE '^ *[0-9.]+us +[0-9.]+us +[0-9.]+KiB$' || fail "units: $(cat "$work/out")"
query 0 "SELECT 'a' || char(27) || char(10) AS t"
! grep -q $'\033' "$work/out" || fail "a control character is printed"
query 0 'SELECT * FROM gc'
head -1 "$work/out" | grep -q '^ *start_ns' || fail "section, process and pid are shown without need: $(head -1 "$work/out")"
gives 64 sql --csv --json "$log" 'SELECT 1'
says "--json and --csv cannot be combined"
gives 0 sql -o "$work/written" --csv "$log" 'SELECT 1 AS a'
[[ $(cat "$work/written") == $'a\n1' ]] || fail "-o"

# --- Where the query comes from

echo 'SELECT count(*) AS n FROM gc' >"$work/query"
gives 0 sql --csv --file "$work/query" "$log"
cp "$work/out" "$work/wanted"
gives 0 sql --csv "$log" <"$work/query"
cmp -s "$work/out" "$work/wanted" || fail "from standard input"
gives 0 sql --csv - 'SELECT count(*) AS n FROM gc' <"$log"
cmp -s "$work/out" "$work/wanted" || fail "a log from standard input"
# shellcheck disable=SC2002 # a pipe is meant
cat "$log" | gives 0 sql --csv - 'SELECT count(*) AS n FROM gc JOIN gc AS g USING (start_ns) JOIN gc AS h USING (start_ns)'
cmp -s "$work/out" "$work/wanted" || fail "a log from a pipe, which is read several times"
gzip -c "$log" >"$work/log.eventlog.gz"
gives 0 sql --csv "$work/log.eventlog.gz" 'SELECT count(*) AS n FROM gc'
cmp -s "$work/out" "$work/wanted" || fail "a compressed log"
gives 64 sql
says "a log is missing"
gives 64 sql 'SELECT 1'
says "is no log, and the query needs one"
gives 64 sql --file "$work/none" "$log"
says "$work/none: No such file"
gives 64 sql - <"$work/query"
says "the query must be an operand"
gives 2 sql "$work/none" 'SELECT count(*) FROM gc'
says "$work/none: No such file"
gives 2 sql README.md 'SELECT count(*) FROM gc'
says "README.md: byte 0: not an eventlog"

# --- Names and functions

answers "SELECT max(pause) = max(pause_ns) AND max(live) = max(live_bytes) FROM gc" 1
answers "SELECT time('1.5ms') || ' ' || dur(1500000) || ' ' || bytes(1536) || ' ' || dur(-5) || ' ' || coalesce(dur('x'), 'none')" \
    "1500000 1.50ms 1.50KiB -5ns none"
answers "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 200) SELECT percentile(x, 50) || ' ' || percentile(x, 99) || ' ' || percentile(x, 0) || ' ' || percentile(x, 100) || ' ' || coalesce(percentile(NULL, 5), 'none') FROM n" \
    "100 198 1 200 none"
answers "SELECT histogram(column1) FROM (VALUES (0), (1), (5), (7), (NULL), (8))" '"[[0,1,1],[1,2,1],[4,8,2],[8,16,1]]"'
answers "SELECT count(*) > 0 FROM events, json_each(payload) WHERE key = 'thread'" 1
query 64 "SELECT time('5')"
says '"5" is no time'
query 64 "SELECT puse FROM gc"
says "no such column: puse at line 1, column 8; did you mean pause_ns?"
query 64 'SELECT count(*) FROM gc WHERE "puse" > 5'
says "no such column: puse at line 1, column 31; did you mean pause_ns?"
query 64 $'SELECT\n  x FROM gcs'
says "no such table: gcs"
says "did you mean gc?"
query 64 'SELEC 1'
says 'near "SELEC": syntax error at line 1, column 1'

# --- Only reading

for statement in "CREATE TABLE t(a)" "ATTACH '$work/other.db' AS o" "PRAGMA journal_mode" "DELETE FROM gc" \
    "VACUUM INTO '$work/other.db'" "INSERT INTO gc(cap) VALUES (1)" "DROP VIEW pauses_by_second" "BEGIN" \
    "CREATE VIRTUAL TABLE v USING fts5(a)" "CREATE TEMP TABLE t(a)" "DETACH main" "ANALYZE"; do
    query 64 "$statement"
    [[ ! -e $work/other.db ]] || fail "$statement has written a file"
done
query 64 "SELECT load_extension('$HECTIC_BUILD/hectic.so')"
query 64 "SELECT readfile('README.md')"
query 64 "SELECT * FROM pragma_database_list"
! grep -q . "$work/out" || fail "a pragma: $(cat "$work/out")"
query 64 "SELECT zeroblob(1000000000)"
query 2 "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n" --time-limit 50ms
says "time limit"
query 2 "WITH RECURSIVE n(x) AS (SELECT 'x' UNION ALL SELECT x || x FROM n LIMIT 30) SELECT length(max(x)) FROM n" --memory-limit 8M
says "--memory-limit"

# --- Several logs

mkdir -p "$work/runs/old"
cp "$log" "$work/runs/a.eventlog"
cp "$logs/threads.eventlog" "$work/runs/old/b.eventlog"
cp README.md "$work/runs/c.txt"
total=0
for name in a old/b; do
    gives 0 sql --csv "$work/runs/$name.eventlog" 'SELECT count(*) AS n FROM events'
    total=$((total + $(tail -1 "$work/out")))
done
gives 0 sql --csv "$work/runs" 'SELECT count(*) AS n FROM events'
[[ $(tail -1 "$work/out") == "$total" ]] || fail "a folder: $(tail -1 "$work/out") events, not $total"
gives 0 sql --csv "$work/runs" 'SELECT log, count(*) AS n FROM events GROUP BY log ORDER BY log'
[[ $(cut -d, -f1 "$work/out" | tr '\n' ' ') == "log $work/runs/a.eventlog $work/runs/old/b.eventlog " ]] || fail "log: $(cat "$work/out")"
gives 0 sql --csv "$work/runs" "SELECT count(*) AS n FROM events WHERE log LIKE '%a.eventlog' OR log = '$work/runs/old/b.eventlog'"
[[ $(tail -1 "$work/out") == "$total" ]] || fail "WHERE log: $(tail -1 "$work/out")"
: >"$work/runs/empty.eventlog"
gives 1 sql --csv "$work/runs" 'SELECT count(*) AS n FROM events'
says "empty.eventlog: byte 0: the input is empty"
[[ $(tail -1 "$work/out") == "$total" ]] || fail "with an empty log: $(tail -1 "$work/out")"
mkdir "$work/none"
gives 2 sql "$work/none" 'SELECT 1'
says "there is no log in this folder"

# --- Damaged and truncated logs

head -c 60000 "$log" >"$work/cut.eventlog"
gives 0 sql "$work/cut.eventlog" 'SELECT count(*) FROM threads, gc, messages, events LIMIT 1'
python3 tests/support/verbs.py damage "$log" >"$work/damaged.eventlog"
gives 1 sql "$work/damaged.eventlog" 'SELECT count(*) FROM gc'
says "skipped"
[[ $(grep -c skipped "$work/err") == 1 ]] || fail "damage is reported more than once"

# --- Plans

query 0 "EXPLAIN QUERY PLAN SELECT * FROM events WHERE time_ns >= 5 AND time_ns < 7 AND cap = 1" --csv
grep -q "time_ns>=? time_ns<? cap=?" "$work/out" || fail "the plan: $(cat "$work/out")"
query 0 "EXPLAIN QUERY PLAN SELECT name, count(*) FROM events GROUP BY name" --csv
grep -q "counts of types" "$work/out" || fail "the plan: $(cat "$work/out")"
! grep -q "TEMP B-TREE" "$work/out" || fail "types are sorted"
query 0 "EXPLAIN QUERY PLAN SELECT * FROM events ORDER BY time_ns LIMIT 1" --csv
! grep -q "TEMP B-TREE" "$work/out" || fail "events are sorted by time"

# --- The schema

gives 0 sql --schema
for name in threads gc spans_each thread_states messages events runs pauses_by_second span_states; do
    grep -q "^$name: " "$work/out" || fail "--schema lacks $name"
done
! grep -qE '.{81}' "$work/out" || fail "--schema is wider than 80 columns"
gives 0 sql --schema ev_STOP_THREAD
grep -q '^  status_name  *text' "$work/out" || fail "--schema ev_STOP_THREAD: $(cat "$work/out")"
gives 64 sql --schema thread
says "did you mean threads?"
# Each view has the columns that the schema lists.
gives 0 sql --schema
awk '/^[a-z_]+: / { table = $1; sub(":", "", table) } /^  [a-z_]+  / && table { print table, $1 }' "$work/out" |
    grep -E '^(pauses_by_second|allocation_by_second|cap_states|waits_by_thread|waits_by_waker) ' >"$work/columns"
while read -r view column; do
    query 0 "SELECT \"$view\".\"$column\" FROM $view LIMIT 1"
done <"$work/columns"
(($(wc -l <"$work/columns") > 30)) || fail "views: $(cat "$work/columns")"

# The sums of views are those of verbs.
sum() { # VERB JSON-PATH
    "$HECTIC" "$1" --jsonl "$log" | python3 -c "import json, sys
value = json.loads(sys.stdin.readline())
print(eval('value' + sys.argv[1]))" "$2"
}
answers "SELECT sum(allocated_bytes) FROM allocation_by_second" "$(sum stat '["memory"]["allocated_bytes"]')"
answers "SELECT sum(collections) FROM pauses_by_second" "$("$HECTIC" gc --csv "$log" | tail -n +2 | wc -l)"
answers "SELECT sum(total_ns) = (SELECT sum(lifetime - running - unknown) FROM threads) FROM waits_by_thread" 1
answers "SELECT count(*) FROM (SELECT s.start_ns, s.duration, sum(v.total_ns) AS n FROM spans_each AS s JOIN span_states AS v ON v.label = s.label AND v.start_ns = s.start_ns AND v.end_ns = s.end_ns AND v.thread = s.thread AND v.state <> 'gc' GROUP BY 1, 2, s.label, s.thread) WHERE n <> duration" 0

# --- --where of other verbs

many=$logs/heap-generations.eventlog

gives 0 gc --csv --where 'pause > 100us and generation = 0' "$many"
tail -n +2 "$work/out" >"$work/found"
gives 0 gc --csv "$many"
awk -F, 'NR > 1 && $3 == 0 && $7 > 100000' "$work/out" >"$work/wanted"
cmp -s "$work/found" "$work/wanted" || fail "--where: $(wc -l <"$work/found") rows, not $(wc -l <"$work/wanted")"
[[ -s $work/wanted ]] || fail "--where selects nothing"
gives 0 gc --csv --where 'copied >= 1KiB and copied_bytes < 1MiB and work_balance is null' "$many"
gives 0 threads --where "label like 'I%' or thread % 2 = 1" --jsonl "$log"
python3 -c 'import json, sys
rows = [json.loads(line) for line in sys.stdin]
assert rows and all((row["label"] or "").startswith("I") or row["thread"] % 2 for row in rows)' <"$work/out" || fail "--where on threads"
gives 0 gc --where 'pause > 100us' --limit 3 --csv "$many"
[[ $(wc -l <"$work/out") == 4 ]] || fail "--where with --limit"
gives 64 gc --where 'puse > 1ms' "$log"
says "no such column: puse; did you mean pause?"
for condition in 'pause >' '1) from (select 1) --' 'pause > 1ms; select 1' '' 'exists (select * from sqlite_schema) +'; do
    gives 64 gc --where "$condition" "$log"
    says "invalid --where"
done
gives 0 spans --where 'count > 5%' --csv "$log"
# A condition means the same as in hectic sql.
for condition in "pause > time('0.1ms')" "generation = '1'" "work_balance" "0.5" "4294967296" "generation" "reason like 'HEAP%'"; do
    gives 0 gc --csv --where "$condition" "$many"
    rows=$(($(wc -l <"$work/out") - 1))
    [[ $rows == $("$HECTIC" sql --csv "$many" "SELECT count(*) FROM gc WHERE $condition" | tail -1) ]] ||
        fail "--where \"$condition\": $rows rows"
done
gives 0 gc --csv --where 'pause > .1ms' "$many"
cp "$work/out" "$work/found"
gives 0 gc --csv --where 'pause > 0.1ms' "$many"
same "$work/found" "$work/out"

# --- Functions

answers "SELECT histogram(9e999)" '"[[9223372036854775808,18446744073709551615,1]]"'
count="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
answers "$count 1000) SELECT percentile(i, 99.9) FROM n" 999
for percent in 0 1 7 14 28 33.3 50 55 56 99 99.5 100; do
    answers "$count 100) SELECT percentile(i, $percent) FROM n" \
        "$(awk -v p="$percent" 'BEGIN { n = 100 * p * 10; r = int(n / 1000); if (r * 1000 < n) r++; print r < 1 ? 1 : r }')"
done
answers "SELECT percentile(9223372036854775807, 50)" 9223372036854775807
query 64 "SELECT percentile(1, NULL)"

# --- What text shows

query 0 "SELECT 1615466193305567691 AS a_ns, count(*) AS n FROM runs"
query 0 "SELECT clock_start_ns FROM runs" --csv
exact=$(tail -1 "$work/out")
query 0 "SELECT clock_start_ns FROM runs"
[[ $(tail -1 "$work/out" | tr -d ' ,') == "$exact" ]] || fail "clock_start_ns: $(cat "$work/out"), not $exact"
for expression in "sum(pause_ns) / 1000000" "max(pause_ns) > 1000" "max(pause_ns) / min(pause_ns)" "count(*) * 2"; do
    query 0 "SELECT $expression FROM gc"
    ! tail -1 "$work/out" | grep -qE '[a-z]' || fail "$expression has a unit: $(cat "$work/out")"
done
query 0 "SELECT histogram(pause_ns) FROM gc" --wide
! grep -q '…' "$work/out" || fail "--wide cuts a text: $(cat "$work/out")"
query 0 "SELECT a.thread, b.thread FROM threads AS a JOIN threads AS b USING (section) LIMIT 1" --jsonl
grep -q '^{"thread":[0-9]*,"thread_2":[0-9]*}$' "$work/out" || fail "keys of JSON: $(cat "$work/out")"

# --- Mistakes

cp "$log" "$work/own.eventlog"
gives 2 sql --force -o "$work/own.eventlog" "$work/own.eventlog" 'SELECT 1'
says "it is an input and would be overwritten"
same "$log" "$work/own.eventlog"
gives 2 sql nowhere.eventlog 'SELECT 1'
says "nowhere.eventlog: No such file or directory"
query 64 ""
says "the query is empty"
printf 'SELECT 1;\n\nSELECT nope;\n' >"$work/lines.sql"
gives 64 sql --file "$work/lines.sql" "$log"
says "no such column: nope at line 3, column 8"
query 64 "SELECT * FROM gc WHERE start > 50ms"
says "did you mean time('50ms')?"
query 64 "SELECT fts3_tokenizer('simple')"
says "not authorized"
gives 64 sql --schema --json
: >"$work/empty.eventlog"
gives 1 sql "$work/empty.eventlog" "$log" 'SELECT count(*) FROM gc, threads, spans'
[[ $(grep -c 'empty.eventlog' "$work/err") == 1 ]] || fail "a log is reported several times: $(cat "$work/err")"
mkdir "$work/one"
cp "$log" "$work/one"
gives 0 sql "$work/one" 'SELECT log, second FROM pauses_by_second'

# A join by a column that is mostly unknown is not a scan for each row.
generate_log --events 60000 --threads 200 -o "$work/made.eventlog" 2>/dev/null
gives 0 sql --time-limit 20s --csv "$work/made.eventlog" \
    'SELECT count(t.runs) FROM thread_states AS s LEFT JOIN threads AS t ON t.thread = s.waker'
gives 0 sql --time-limit 20s --csv "$work/made.eventlog" \
    "SELECT count(*) FROM thread_states AS s JOIN threads AS t ON t.thread = CAST(s.thread AS TEXT)"
gives 2 sql --spool-limit 64K "$work/made.eventlog" \
    'SELECT count(*) FROM threads AS t JOIN thread_states AS s ON s.thread = t.thread AND s.duration > t.runs'
says "see --spool-limit"
