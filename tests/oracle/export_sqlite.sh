#!/usr/bin/env bash
# export --format sqlite: the tables are those of hectic sql; nothing private is in the file; what fails leaves none.
. tests/support/lib.bash
needs sqlite3
mkdir "$work/runs"
cp $logs/{demo,threads,spans,heap-types,killed}.eventlog "$work/runs"
"$HECTIC" merge --quiet -o "$work/runs/merged.eventlog" $logs/{demo,threads}.eventlog
head -c 60000 $logs/demo.eventlog >"$work/runs/cut.eventlog"

# database: of its tables
database() {
    sqlite3 "$work/runs.db" "$@"
}
gives 0 export --format sqlite --quiet "$work/runs" "$work/runs.db"
[[ $(database 'PRAGMA integrity_check') == ok ]] || fail "integrity: $(database 'PRAGMA integrity_check')"
tables=$(database "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%of_tables' AND name NOT LIKE 'sqlite%'")
(($(wc -w <<<"$tables") > 15)) || fail "tables: $tables"
views=$(database "SELECT name FROM sqlite_schema WHERE type = 'view'")
(($(wc -w <<<"$views") > 4)) || fail "views: $views"
for table in $tables $views; do
    columns=$(database "SELECT group_concat('\"' || name || '\"', ', ') FROM pragma_table_info('$table')")
    query="SELECT $columns FROM $table ORDER BY $columns"
    database -csv -header "$query" >"$work/found"
    "$HECTIC" sql --quiet --csv "$work/runs" "$query" >"$work/wanted"
    python3 - "$work/found" "$work/wanted" <<'END' || fail "$table: other rows"
import csv, sys
def rows(path):
    def value(text):
        try:
            return f"{float(text):.10g}"
        except ValueError:
            return text.lstrip("'")
    return [list(map(value, row)) for row in csv.reader(open(path, errors="replace"))]
a, b = (rows(path)[1:] for path in sys.argv[1:])
if a != b:
    print(len(a), len(b), [(x, y) for x, y in zip(a, b) if x != y][:2])
sys.exit(a != b)
END
done
[[ $(database "SELECT count(*) FROM columns_of_tables WHERE meaning = '' OR meaning IS NULL") == 0 ]] || fail "columns without a meaning"
[[ $(database "EXPLAIN QUERY PLAN SELECT * FROM gc WHERE start_ns > 5") == *"USING INDEX"* ]] || fail "no index"

# What a log tells about its user is not in the file, but for --private.
secret=$("$HECTIC" sql --csv $logs/demo.eventlog "SELECT value FROM ev_PROGRAM_ARGS, json_each(args) LIMIT 1" | tail -1)
pid=$("$HECTIC" sql --csv $logs/demo.eventlog "SELECT pid FROM runs" | tail -1)
[[ $secret && $pid ]] || fail "the log has no arguments"
gives 0 export --format sqlite --quiet --table events,ev_PROGRAM_ARGS,ev_OSPROCESS_PID,runs $logs/demo.eventlog "$work/few.db"
[[ $(sqlite3 "$work/few.db" "SELECT count(*) FROM events") == $("$HECTIC" sql --csv $logs/demo.eventlog "SELECT count(*) FROM events" | tail -1) ]] ||
    fail "--table events"
[[ $(sqlite3 "$work/few.db" ".tables" | wc -w) == 5 ]] || fail "--table: $(sqlite3 "$work/few.db" .tables)"
! grep -qF -- "$secret" "$work/few.db" "$work/runs.db" || fail "the program's arguments are in the file"
! sqlite3 "$work/few.db" .dump | grep -qw -- "$pid" || fail "the process id is in the file"
gives 0 export --format sqlite --quiet --private --table ev_PROGRAM_ARGS,runs $logs/demo.eventlog "$work/private.db"
grep -qF -- "$secret" "$work/private.db" || fail "--private lacks the arguments"
[[ $(sqlite3 "$work/private.db" "SELECT pid FROM runs") == "$pid" ]] || fail "--private lacks the process id"

# Errors leave no file, and an existing one as it was.
cp "$work/private.db" "$work/kept.db"
gives 2 export --format sqlite $logs/demo.eventlog "$work/kept.db"
says "already exists: use --force"
gives 2 export --format sqlite --force README.md "$work/kept.db"
cmp -s "$work/private.db" "$work/kept.db" || fail "a failed export has changed its output"
gives 2 export --format sqlite "$work/none" "$work/new.db"
says "$work/none: No such file"
gives 2 export --format sqlite $logs/demo.eventlog "$work/no/new.db"
says "No such file or directory"
gives 2 export --format sqlite $logs/demo.eventlog /dev/null
says "it is no regular file"
gives 64 export --format sqlite $logs/demo.eventlog -
gives 64 export --format sqlite $logs/demo.eventlog
says "missing operand: OUT"
gives 64 export --format sqlite --at peak $logs/demo.eventlog "$work/new.db"
says "--at cannot be combined with --format sqlite"
gives 64 export --format sqlite --from 1ms $logs/demo.eventlog "$work/new.db"
gives 64 export --format folded --private $logs/demo.eventlog "$work/new.db"
gives 64 export --format sqlite --table gs $logs/demo.eventlog "$work/new.db"
says "did you mean gc?"
gives 64 export --format folded $logs/demo.eventlog $logs/threads.eventlog "$work/new.db"
says "a profile or trace is exported from one log"
cp $logs/demo.eventlog "$work/input.db"
gives 2 export --format sqlite --force "$work/input.db" "$work/input.db"
cmp -s $logs/demo.eventlog "$work/input.db" || fail "the input is overwritten"
: >"$work/runs/empty.eventlog"
gives 1 export --quiet "$work/runs" "$work/most.db"
says "empty.eventlog: byte 0: the input is empty"
[[ $(sqlite3 "$work/most.db" "SELECT count(*) FROM threads") == $(database "SELECT count(*) FROM threads") ]] || fail "with an empty log"
[[ ! -e $work/new.db ]] || fail "a failed export leaves a file"

# Ended by a signal.
generate_log --size 30M -o "$work/large.eventlog" 2>/dev/null
"$HECTIC" export --format sqlite "$work/large.eventlog" "$work/new.db" &
exporter=$!
begins() {
    compgen -G "$work/.hectic.*" >/dev/null || ! kill -0 "$exporter" 2>/dev/null
}
soon begins
kill -TERM "$exporter" && ! wait "$exporter"
if [[ ! -e $work/new.db ]]; then
    ! compgen -G "$work/.hectic.*" || fail "a temporary file is left"
fi
