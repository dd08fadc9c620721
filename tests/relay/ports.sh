#!/usr/bin/env bash
# Garbage, incomplete messages, floods, slow clients and too many clients at every port of a relay:
# they are disconnected with a diagnostic, and other clients are not affected.
. tests/support/lib.bash
. tests/support/live.bash
needs python3

reported() { # PATTERN
    grep -qE -- "$1" "$work/relay.err" || fail "not reported: $1; but: $(cut -c-200 "$work/relay.err" | sort | uniq -c | tail -40)"
}

token=a-token-of-enough-letters
echo "$token" >"$work/token"
umask 0 # sockets must be private nevertheless
launch_relay relay --listen "unix:$work/out" --listen tcp:127.0.0.1:0 --listen "unix:$work/%n.sock" \
    --from "listen:unix:$work/in" --from listen:tcp:127.0.0.1:0 --metrics 127.0.0.1:0 \
    --token-file "$work/token" --record "$work/record"
port_of relay 3
mapfile -t ports < <(sed -n 's/.*, port //p' "$work/relay.err")
for socket in in out; do
    [[ $(stat -c %a "$work/$socket") == 600 ]] || fail "$socket is accessible to other users"
done
# The ports: HTTP, readers, programs.
said=$(python3 tests/relay/ports.py "$relay" "$work" "$token" "${ports[2]}" "${ports[1]}" "${ports[0]}") ||
    fail "see above; the relay said: $(cut -c-200 "$work/relay.err" | sort | uniq -c | tail -40)"
finish "$relay"

# The good reader gets all events, in order.
gives 0 check "$work/log"
"$HECTIC" inc --no-header "$work/log" | sed -n 's/.*: number //p' >"$work/got"
seq 0 $((said - 1)) >"$work/expected"
same "$work/got" "$work/expected"
for log in "$work"/record/good-*.zst; do
    [[ -s $log ]] || fail "nothing is recorded"
    if "$HECTIC" inc "$log" | grep do-not-tell; then fail "the environment is recorded"; fi
done

# The reasons, for each port.
reported '^hectic: reader disconnected: invalid command$'
reported ': reader rejected: 256 are waiting for a program$'
reported ': disconnected: not an eventlog$'
reported ': disconnected: timeout: no eventlog received$'
reported ': disconnected: no eventlog received, and too many clients$'
reported 'tcp:.*: client disconnected: authentication failed: wrong token$'
reported 'tcp:.*: client disconnected: timeout: no token received$'
reported 'good: reader disconnected: invalid command$'
reported 'good: reader disconnected: incomplete command$'
reported 'good: reader rejected: there are too many$'
reported 'HTTP: client disconnected: timeout: no request$'
reported 'HTTP: client disconnected: no request, and too many clients$'
reported 'HTTP: Error processing request .*4[0-9][0-9]'
(($(stat -c %s "$work/relay.err") < 300000)) || fail "too many diagnostics"

# If descriptors run out, clients wait; the relay does not spin, and continues when there are some.
launch relay prlimit --nofile=60 "$HECTIC" relay --from "listen:unix:$work/in" --listen tcp:127.0.0.1:0 \
    --metrics 127.0.0.1:0
relay=$launched
port_of relay 2
readers=$port
port_of relay
cat >"$work/short.py" <<'END'
import os, socket, sys, time

pid, port, readers = (int(argument) for argument in sys.argv[1:])
many = [socket.create_connection(("127.0.0.1", readers)) for _ in range(100)]


def seconds():
    with open(f"/proc/{pid}/stat") as stat:
        user, system = stat.read().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


time.sleep(0.5)
before = seconds()
time.sleep(2)  # that it rests, only time can show
if seconds() - before > 1:
    sys.exit("busy loop")
for s in many:
    s.close()
s = socket.create_connection(("127.0.0.1", port), 20)
s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
if not s.recv(100).startswith(b"HTTP/1.1 200"):
    sys.exit("no response after descriptors became free")
END
python3 "$work/short.py" "$relay" "$port" "$readers" || fail "see above; the relay said: $(cat "$work/relay.err")"
reported 'cannot accept clients now: Too many open files$'
finish "$relay"
