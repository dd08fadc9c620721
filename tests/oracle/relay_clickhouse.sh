#!/usr/bin/env bash
# relay --clickhouse: what two real servers have of live programs is what an export of their recordings stores, under the
# same ids and numbers; also if a server or the relay is killed meanwhile; what a full spool loses is counted.
. tests/support/lib.bash
. tests/support/compile.bash
needs python3
needs clickhouse-server
needs ghc
compile workers workers.hs -O1 -threaded
less=()
if is_sanitized; then export IS_SANITIZED=1; fi
if is_short; then less=(less); fi
python3 tests/oracle/relay_clickhouse.py "$work" "${less[@]}"
