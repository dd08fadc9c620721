#!/usr/bin/env bash
# Whatever ends top, in the foreground or in the background, the terminal is as before.
. tests/support/lib.bash
needs python3
cat >"$work/terminal.py" <<'END'
"""terminal.py SIGNAL foreground|background|stop COMMAND…: runs it on a terminal of its own, and sends the signal when
the screen is shown. Then its process group may be in the background; "stop": which must not write to the terminal."""
import os, pty, signal, sys, termios, waiting
number, where, command = getattr(signal, "SIG" + sys.argv[1]), sys.argv[2], sys.argv[3:]
leader, master = pty.fork()
if leader == 0:  # the leader of the terminal's session, as a shell
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    before = termios.tcgetattr(0)
    go, ready = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.close(ready)
        os.read(go, 1)
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.environ["TERM"] = "xterm"
        os.execvp(command[0], command)
    os.setpgid(child, child) if os.getpgid(child) != child else None
    os.tcsetpgrp(0, child)
    os.write(ready, b"x")
    def soon(condition, what):
        try:
            waiting.soon(condition, what)
        except TimeoutError:
            os.kill(child, signal.SIGKILL)
            os.write(2, f"FAILED: {what}\r\n".encode())
            os._exit(3)
    soon(lambda: not termios.tcgetattr(0)[3] & termios.ICANON, "no screen is shown")
    if where != "foreground":
        os.tcsetpgrp(0, os.getpgrp())
    if where == "stop":
        modes = termios.tcgetattr(0)
        modes[3] |= termios.TOSTOP
        termios.tcsetattr(0, termios.TCSANOW, modes)
        before[3] |= termios.TOSTOP
        soon(lambda: " T " in open(f"/proc/{child}/stat").read() or " t " in open(f"/proc/{child}/stat").read(), "not stopped")
    os.kill(child, number)
    if where == "stop":
        os.kill(child, signal.SIGCONT)
    ended = []
    soon(lambda: ended.append(os.waitpid(child, os.WNOHANG)) or ended[-1][0] == child, f"{sys.argv[1]} in the {where} does not end it")
    after = termios.tcgetattr(0)
    after[3] &= ~(termios.TOSTOP if where == "stop" else 0)
    before[3] &= ~(termios.TOSTOP if where == "stop" else 0)
    if after != before:
        os.write(2, f"FAILED: after {sys.argv[1]} in the {where} the terminal has other modes: {after} instead of {before}\r\n".encode())
        os._exit(4)
    os._exit(0)
output = b""
while True:
    try:
        piece = os.read(master, 65536)
    except OSError:
        break
    if not piece:
        break
    output += piece
code = os.waitstatus_to_exitcode(os.waitpid(leader, 0)[1])
if code == 0 and (b"\x1b[?1049l" not in output or output.rfind(b"\x1b[?1049l") < output.rfind(b"\x1b[?1049h")):
    sys.exit(f"FAILED: after {sys.argv[1]} in the {where} the screen is not restored")
if code:
    sys.exit(f"{output[-300:]!r}: {code}")
END
generate_log --size 100k -o "$work/whole"
head -c 90000 "$work/whole" >"$work/grows"
restores() { # SIGNAL WHERE COMMAND…
    python3 "$work/terminal.py" "$@" || fail "$*"
}
for signal in PIPE TERM HUP INT QUIT USR1 ALRM VTALRM XCPU IO RTMIN; do
    restores $signal foreground "$HECTIC" top --follow "$work/grows"
done
restores TERM background "$HECTIC" top --follow "$work/grows"
restores PIPE background "$HECTIC" top --follow "$work/grows"
# ThreadSanitizer delays a signal until the system call returns, which is begun again here, and stopped again.
[[ $(nm -D "$HECTIC" 2>/dev/null) =~ __tsan_init ]] || restores TERM stop "$HECTIC" top --follow --every 100ms "$work/grows"
restores TERM background "$HECTIC" top "$logs/demo.eventlog"

# A program that it has started ends, too.
command -v ghc >/dev/null || exit 0
. tests/support/compile.bash
compile all run.hs -threaded
restores PIPE foreground "$HECTIC" run --top "$work/all" last 600
restores TERM background "$HECTIC" run --top "$work/all" last 600
! pgrep -f "$work/all" >/dev/null || fail "the program still runs"

# A terminal that goes away ends the session's leader and the program that it has started.
cat >"$work/hangs_up.py" <<'END2'
"""hangs_up.py FILE COMMAND…: runs it as the leader of a terminal's session, which ends when the file has bytes."""
import os, pty, sys, waiting
file, command = sys.argv[1], sys.argv[2:]
leader, master = pty.fork()
if leader == 0:
    os.execvp(command[0], command)
waiting.soon(lambda: os.path.exists(file) and os.path.getsize(file), "no log")
os.close(master)
waiting.soon(lambda: os.waitpid(leader, os.WNOHANG)[0] == leader, "it still runs")
END2
python3 "$work/hangs_up.py" "$work/log" "$HECTIC" run --log "$work/log" "$work/all" last 600 || fail "hangup"
! pgrep -f "$work/all" >/dev/null || fail "the program still runs after the hangup"
