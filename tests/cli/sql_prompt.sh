#!/usr/bin/env bash
# The prompt of sql, on a terminal: statements of several lines, completion, commands, Ctrl-C, history.
. tests/support/lib.bash
needs python3
cat >"$work/prompt.py" <<'END'
"""prompt.py COMMAND…: types at the prompt, and waits for answers."""
import fcntl, os, pty, select, struct, sys, termios, time

def fail(what):
    print(f"{what}; the terminal shows:\n{screen[-2000:]}")
    os.kill(child, 9)
    sys.exit(1)

def read_for(seconds):
    global screen
    if select.select([master], [], [], seconds)[0]:
        try:
            screen += os.read(master, 65536).decode(errors="replace")
        except OSError:
            return False
    return True

def shows(text, after):
    """Waits until the terminal shows the text after that place."""
    end = time.monotonic() + 60
    while text not in screen[after:]:
        if time.monotonic() > end or not read_for(1):
            fail(f"not shown: {text}")

def types(keys, answer, prompt="hectic> "):
    before = len(screen)
    os.write(master, keys.encode())
    shows(answer, before)
    shows(prompt, screen.index(answer, before))

screen = ""
child, master = pty.fork()
if child == 0:
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[1], sys.argv[1:])
fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))
shows("hectic> ", 0)
types("SELECT count(*) + 41 AS answer\n", "answer", "   ...> ")
types("FROM (SELECT 1);\n", "42")
types("SELECT max(pause) FROM gc WHERE gener\t", "ation", "")
types(" = 7;\n", "N/A")
types("SELECT puse FROM gc;\n", "did you mean pause_ns?")
types(".timer on\n", "on")
types("SELECT 5;\n", "s)")  # the time: (12us)
types(".schema runs\n", "is_complete")
types(".tables\n", "pauses_by_second")
types(".nothing\n", "unknown command .nothing")
types("SELECT 1 +", "+", "")
types("\x03", "")
types("SELECT 'again';\n", "again")
before = len(screen)
types("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n;\n", "FROM n;\r\n", "")
# A Ctrl-C before the query begins has no effect, and each one discards what the terminal has not shown yet.
end = time.monotonic() + 60
while "hectic> " not in screen[before:].partition("FROM n;\r\n")[2]:
    os.write(master, b"\x03")
    again = time.monotonic() + 1
    while "hectic> " not in screen[before:].partition("FROM n;\r\n")[2] and time.monotonic() < again:
        read_for(0.1)
    if time.monotonic() > end:
        fail("a query is not interrupted")
types("SELECT 'after';\n", "after")
types(".quit\n", "", "")
_, status = os.waitpid(child, 0)
if status != 0:
    fail(f"status {status}")
END
XDG_STATE_HOME=$work/state python3 "$work/prompt.py" "$HECTIC" sql "$logs/demo.eventlog"
[[ -s $work/state/hectic/sql_history ]] || fail "no history"
[[ $(stat -c %a "$work/state/hectic") == 700 ]] || fail "others can read the history"
# Without a place for it, too.
env -u HOME -u XDG_STATE_HOME python3 "$work/prompt.py" "$HECTIC" sql "$logs/demo.eventlog"
