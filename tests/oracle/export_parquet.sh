#!/usr/bin/env bash
# export --format parquet: DuckDB and hyparquet read its files; the values are those of hectic sql, also of damaged logs;
# nothing private is in them; what fails leaves no file. Their npm packages are those of scripts/install-deps test.
. tests/support/lib.bash
needs node
modules=$(scripts/install-deps npm-directory)/node_modules
[[ -d $modules/@duckdb/node-api && -d $modules/hyparquet && -d $modules/hyparquet-compressors ]] ||
    skip "needs the npm packages of scripts/install-deps test"

# One process, since DuckDB takes half a second to begin.
coproc reader { exec node tests/oracle/export_parquet.mjs "$modules" 2>"$work/reader"; }
# reads WHAT OPERAND…: sets $found to what it answers.
reads() {
    printf '%s\1' "$@" >&"${reader[1]}"
    printf '\0' >&"${reader[1]}"
    IFS= read -r -d '' found <&"${reader[0]}" || fail "$*: $(head -c 2000 "$work/reader")"
}

# finds RESULT QUERY: that is what DuckDB finds.
finds() {
    reads query "$2"
    found=${found%$'\n'}
    [[ $found == "$1" ]] || fail "$2: $found, not $1"
}

# counts QUERY: the number that hectic sql finds in both logs.
counts() {
    "$HECTIC" sql --quiet --csv $logs/{demo,threads}.eventlog "$1" | tail -n +2
}

# The writer, with what is hard to encode.
for rows in "0 0" "0 1" "0 8" "0 1000" "0 70000" "1047000 1050000"; do
    "$HECTIC_BUILD/parquet_rows" "${rows#* }" >"$work/made"
    # shellcheck disable=SC2086 # two numbers
    reads made "$work/made" $rows
done

# same_tables LOG OPTION…: all tables of the log, with those of its types of events, will be compared with hectic sql.
same_tables() {
    local log=$1 name names=$results code=0 folder
    shift
    folder=$(mktemp -d "$work/same/XXXXXX")
    while read -r name; do
        names+=,ev_$name
    done < <("$HECTIC" sql --quiet --csv "$log" "SELECT DISTINCT name FROM events WHERE name IS NOT NULL" 2>/dev/null | tail -n +2)
    for name in ${names//,/ }; do
        echo "SELECT '$name' AS \"TABLE\"; SELECT * FROM $name;"
    done >"$work/query"
    "$HECTIC" sql --quiet --jsonl --file "$work/query" "$log" >"$folder/wanted" 2>/dev/null || code=$?
    gives "$code" export --format parquet --quiet "$@" --table "$names" "$log" "$folder/tables"
    ((code > 1)) || return 0
    [[ ! -e $folder/tables ]] || fail "$log: a failed export leaves a folder"
    rm -rf "$folder"
}

mkdir "$work/same"
# Without --table: all results, and the events.
gives 0 export --format parquet --quiet $logs/demo.eventlog "$work/demo"
results=$(cd "$work/demo" && echo *)
results=${results// /,}
[[ $results == events,findings,gaps_each,gc,gc_caps,heap_bands,*,threads,ticky,time_samples,utilization && $results != *ev_* ]] || fail "tables: $results"

all=("$logs"/*.eventlog "$corpus"/*.eventlog)
thin all
for log in "${all[@]}"; do
    [[ ! -e $log ]] || same_tables "$log" --private
done

# A synthetic log, a merged one, truncated and damaged ones.
generate_log --size 300K --caps 3 -o "$work/small.eventlog"
same_tables "$work/small.eventlog"
"$HECTIC" merge --quiet -o "$work/merged.eventlog" $logs/{demo,threads}.eventlog
same_tables "$work/merged.eventlog" --private
for size in 100 20000 $(is_short || echo 3000 150000); do
    head -c "$size" "$work/small.eventlog" >"$work/cut.eventlog"
    same_tables "$work/cut.eventlog"
done
for seed in 1 $(is_short || echo 2 3 4 5 6); do
    python3 - "$work/small.eventlog" "$seed" >"$work/damaged.eventlog" <<'END'
import random, sys
random.seed(int(sys.argv[2]))
log = bytearray(open(sys.argv[1], "rb").read())
for _ in range(20):
    place = random.randrange(5000, len(log))
    size = random.choice([1, 8, 500])
    log[place:place + size] = random.randbytes(random.choice([0, size]))
sys.stdout.buffer.write(log)
END
    same_tables "$work/damaged.eventlog" --private
done
reads same "$work"/same/*

# Several logs are partitions by their paths, which DuckDB restores. Another export adds to them.
gives 0 export --quiet $logs/demo.eventlog "$work/two.parquet"
gives 0 export --quiet $logs/threads.eventlog "$work/two.parquet"
finds "$(counts "SELECT log, count(*), sum(pause_ns) FROM gc GROUP BY log ORDER BY log")" \
    "SELECT log, count(*), sum(pause_ns) FROM read_parquet('$work/two.parquet/gc/*/*.parquet') GROUP BY log ORDER BY log"
mkdir "$work/odd = names %20"
cp $logs/tiny.eventlog "$work/odd = names %20/a&b [1]=é.eventlog"
gives 0 export --quiet --format parquet --table gc,runs "$work/odd = names %20" "$work/odd"
finds "$work/odd = names %20/a&b [1]=é.eventlog" "SELECT log FROM read_parquet('$work/odd/runs/*/*.parquet', hive_partitioning = true)"
finds "$work/odd = names %20/a&b [1]=é.eventlog" "SELECT decode(value) FROM parquet_kv_metadata('$work/odd/gc/*/*.parquet') WHERE decode(key) = 'log'"
cp $logs/tiny.eventlog "$work/odd = names %20/"$'caf\xe9.eventlog' # no UTF-8
gives 0 export --quiet --format parquet --table gc "$work/odd = names %20/"$'caf\xe9.eventlog' "$work/bytes"
finds "$work/odd = names %20/caf\\xE9.eventlog" "SELECT decode(value) FROM parquet_kv_metadata('$work/bytes/gc/*/*.parquet') WHERE decode(key) = 'log'"
gives 0 export --quiet --format parquet --table gc $logs/demo.eventlog $logs/demo.eventlog "$work/twice"
[[ $(find "$work/twice" -type f | wc -l) == 1 ]] || fail "a log that is given twice is not exported once"
"$HECTIC" export --quiet --format parquet --table gc - "$work/stdin" <$logs/demo.eventlog
finds "-" "SELECT DISTINCT log FROM read_parquet('$work/stdin/gc/*/*.parquet', hive_partitioning = true)"

# The meanings and units are there, and an empty table has its columns.
finds "0" "SELECT count(*) FROM (SELECT path_in_schema AS name FROM parquet_metadata('$work/demo/gc/*/*.parquet'))
    WHERE 'meaning.' || name NOT IN (SELECT decode(key) FROM parquet_kv_metadata('$work/demo/gc/*/*.parquet'))"
finds "ns" "SELECT decode(value) FROM parquet_kv_metadata('$work/demo/gc/*/*.parquet') WHERE decode(key) = 'unit.pause_ns'"
finds "bytes/s" "SELECT decode(value) FROM parquet_kv_metadata('$work/demo/heap_bands/*/*.parquet') WHERE decode(key) = 'unit.growth_bytes'"
finds "0" "SELECT count(allocs_bytes) FROM read_parquet('$work/demo/ticky/*/*.parquet')"

# The examples of docs/export.md.
examples=0 folder="'tables/" own="'$work/two.parquet/"
# shellcheck disable=SC2016 # no backquotes of the shell
while IFS= read -r query; do
    reads query "${query//"$folder"/"$own"}"
    [[ $found ]] || fail "finds nothing: $query"
    examples=$((examples + 1))
done < <(sed -n '/^.``sql/,/^.``$/{/^[A-Z]/p}' docs/export.md)
((examples > 0)) || fail "docs/export.md has no examples"

# What a log tells about its user is not in the files, but for --private.
secret=$("$HECTIC" sql --csv $logs/demo.eventlog "SELECT value FROM ev_PROGRAM_ARGS, json_each(args) LIMIT 1" | tail -1)
pid=$("$HECTIC" sql --csv $logs/demo.eventlog "SELECT pid FROM runs" | tail -1)
[[ $secret && $pid ]] || fail "the log has no arguments"
gives 0 export --quiet --format parquet --table ev_PROGRAM_ARGS,EV_OSPROCESS_PID,runs,events $logs/demo.eventlog "$work/chosen"
tables=$(cd "$work/chosen" && echo *)
[[ $tables == "ev_OSPROCESS_PID ev_PROGRAM_ARGS events runs" ]] || fail "--table: $tables"
for column in args pid payload program; do
    finds "0" "SELECT count(*) FROM parquet_schema('$work/chosen/*/*/*.parquet') WHERE name = '$column'"
done
gives 0 export --quiet --format parquet --private --table ev_PROGRAM_ARGS,runs $logs/demo.eventlog "$work/private"
finds "true" "SELECT contains(args, '$secret') FROM read_parquet('$work/private/ev_PROGRAM_ARGS/*/*.parquet')"
finds "$pid" "SELECT pid FROM read_parquet('$work/private/runs/*/*.parquet')"

# Errors leave no file, and an existing one as it was.
find "$work/chosen" -type f -exec sha256sum {} + >"$work/before"
gives 2 export --format parquet --table runs $logs/demo.eventlog "$work/chosen"
says "already exists: use --force"
gives 2 export --format parquet --force --table runs README.md "$work/chosen"
find "$work/chosen" -type f -exec sha256sum {} + | cmp -s - "$work/before" || fail "a failed export has changed its output"
gives 0 export --format parquet --force --table runs --quiet $logs/demo.eventlog "$work/chosen"
gives 2 export --format parquet "$work/none" "$work/new"
says "$work/none: No such file"
gives 2 export --format parquet README.md "$work/new"
gives 2 export --format parquet $logs/demo.eventlog "$work/no/new"
says "$work/no/new: No such file or directory"
gives 2 export --format parquet $logs/demo.eventlog "$work/before"
says "$work/before: not a directory"
gives 2 export --format parquet $logs/demo.eventlog /dev/null/new
long=$(printf '%0200d' 0)
mkdir "$work/$long"
cp $logs/tiny.eventlog "$work/$long/$long.eventlog"
gives 2 export --format parquet "$work/$long/$long.eventlog" "$work/new"
says "the path is too long for the name of a folder: start hectic in a folder that is closer to the log"
gives 64 export --format parquet $logs/demo.eventlog -
gives 64 export --format parquet $logs/demo.eventlog
says "missing operand: OUT"
gives 64 export --format parquet --at peak $logs/demo.eventlog "$work/new"
says "--at cannot be combined with --format parquet"
gives 64 export --format parquet --table gs $logs/demo.eventlog "$work/new"
says "did you mean gc?"
gives 64 export --format parquet --table "" $logs/demo.eventlog "$work/new"
[[ ! -e $work/new ]] || fail "a failed export leaves a folder"

# Of several logs, those that cannot be read are left out.
mkdir "$work/runs"
cp $logs/{demo,threads}.eventlog "$work/runs"
: >"$work/runs/empty.eventlog"
gives 1 export --quiet "$work/runs" "$work/most.parquet"
[[ $(grep -c "empty.eventlog: byte 0: the input is empty" "$work/err") == 1 ]] || fail "said: $(<"$work/err")"
finds "$(counts "SELECT count(*) FROM threads")" "SELECT count(*) FROM read_parquet('$work/most.parquet/threads/*/*.parquet')"
! compgen -G "$work/most.parquet/*/*empty*" || fail "there are files of an empty log"

# A full disk, also where files cannot be made without a name.
if may_preload; then
    for unnamed in "" NO_UNNAMED=1; do
        code=0
        "${preload[@]}" FULL_DISK="$work/new" FULL_AFTER=20000 $unnamed \
            "$HECTIC" export --format parquet $logs/demo.eventlog "$work/new" 2>"$work/err" || code=$?
        [[ $code == 2 ]] || fail "a full disk: exit code $code"
        says "No space left on device"
        [[ $(wc -l <"$work/err") == 1 ]] || fail "said: $(<"$work/err")"
        rm -rf "$work/new" # what was complete before
    done
    "${preload[@]}" NO_UNNAMED=1 "$HECTIC" export --quiet --format parquet $logs/demo.eventlog "$work/named"
    (cd "$work/named" && find . -type f -exec cmp {} "$work/demo/{}" \;) || fail "files with temporary names differ"
    [[ $(find "$work/named" -type f | wc -l) == $(find "$work/demo" -type f | wc -l) ]] || fail "files are missing"
fi

# Ended by a signal.
generate_log --size 30M -o "$work/large.eventlog" 2>/dev/null
"$HECTIC" export --format parquet "$work/large.eventlog" "$work/new" &
exporter=$!
begins() {
    [[ -d $work/new/events ]] || ! kill -0 "$exporter" 2>/dev/null
}
soon begins
kill -TERM "$exporter" && ! wait "$exporter"
! find "$work" -name '.hectic.*' | grep . || fail "a temporary file is left"
eval "exec ${reader[1]}>&-" && wait "${reader_PID:?}"
