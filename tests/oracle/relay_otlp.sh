#!/usr/bin/env bash
# relay --otlp: what a receiver gets of live programs is what an export of their recordings writes, under the same ids; also if
# the receiver is busy, ends connections or is away, and if the relay ends meanwhile; what is refused or finds no room is counted.
. tests/support/lib.bash
needs python3
python3 tests/support/made_traces.py "$work"
less=()
if is_sanitized; then less=(less); fi
python3 tests/oracle/relay_otlp.py "$work" "${less[@]}"

gives 64 relay --from "listen:unix:$work/s" --otlp http://me:secret@127.0.0.1:9
says "must not have a password"
gives 64 relay --from "listen:unix:$work/s" --listen "unix:$work/out" --spool "$work/spool"
says "--spool needs --clickhouse URL or --otlp URL"
gives 64 relay --from "listen:unix:$work/s" --otlp http://127.0.0.1:9 --table gc
says "--table, --private, --database and --cluster need --clickhouse URL"

# Addresses that no receiver has.
for url in ftp://127.0.0.1:9 http:// "" 127.0.0.1:99999 'a b'; do
    gives 64 relay --from "listen:unix:$work/s" --otlp "$url"
    says "--otlp $url: th"
done
for url in 'http://127.0.0.1:9/?x=1' http://127.0.0.1:9/#f; do
    gives 64 relay --from "listen:unix:$work/s" --otlp "$url"
    says 'must have no "?" or "#"'
done
for path in /v1/traces /v1/logs/ /otlp/v1/metrics; do
    gives 64 relay --from "listen:unix:$work/s" --otlp "http://127.0.0.1:9$path"
    says "the path of each signal is added"
done
gives 64 relay --from "listen:unix:$work/s" --clickhouse gopher://127.0.0.1:9
says "must begin with http:// or https://"
