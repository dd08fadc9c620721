#!/usr/bin/env bash
# hectic export --format otlp: what it writes and sends is what the tables have; a server that is busy, ends
# connections or refuses a part gets each item once.
. tests/support/lib.bash
needs python3
shopt -s nullglob
python3 tests/support/made_traces.py "$work"
certificate() { # NAME: for 127.0.0.1, with its key
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/key" -out "$work/$1.pem" -subj /CN="$1" -addext subjectAltName=IP:127.0.0.1 2>"$work/err" ||
        fail "$(cat "$work/err")"
    cat "$work/key" >>"$work/$1.pem"
}
if command -v openssl >/dev/null; then
    certificate own
    certificate other
else
    echo "SKIPPED: servers with TLS (openssl)"
fi
gives 0 merge -o "$work/merged.eventlog" $logs/spans.eventlog $logs/messages.eventlog
head -c 21000 $logs/demo.eventlog >"$work/cut.eventlog"
others=("$logs"/{demo,every-event,heap-nonmoving,killed,messages,restarted,spans,sparks,tiny-nothing}.eventlog "$corpus"/*.eventlog)
thin others
python3 tests/oracle/export_otlp.py "$HECTIC" "$work" "$work"/*.eventlog "${others[@]}" || fail "see above"
[[ -d $corpus ]] || echo "SKIPPED: the collection of logs (HECTIC_CORPUS)"

gives 0 export $logs/spans.eventlog "$work/spans.otlp.jsonl"
gives 0 export --format otlp $logs/spans.eventlog -
same "$work/out" "$work/spans.otlp.jsonl"
gives 64 export --format otlp --url http://127.0.0.1:9 $logs/spans.eventlog "$work/none"
says "OUT and --url cannot be combined"
gives 64 export --format otlp --url http://me:secret@127.0.0.1:9 $logs/spans.eventlog
says "must not have a password"
gives 64 export --format otlp --database x $logs/spans.eventlog "$work/none"
says "--database cannot be combined with --format otlp"
