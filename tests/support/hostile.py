"""Hostile text wherever the command prints untrusted text on a terminal: python3 hostile.py HECTIC
HOSTILE_LOG WORK. The output must consist of printable characters, except for the command's own
escape sequences, which are removed first.
"""

import ctypes
import fcntl
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time
import unicodedata

hectic, hostile_log, work = sys.argv[1:]
PATIENCE = 60

# Colours, titles, cursors, answers of the terminal; C1 controls as UTF-8 and as bytes; changes of
# direction, line separators, zero width; invalid UTF-8; formats, quotes, separators.
H = (
    b"%n%s\x1b[95;101mred\x1b]0;title\x07\x1b[6n\x1bP1$q\x1b\\\x1bc\x9b31m\xc2\x9b31m\xc2\x85\xc2\x90"
    b"\x85\r\nINJECTED\n\rINJECTED\x0b\x0c\x08\x0e\x0f\t\x7f\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f\xe2\x80\xa8"
    b"\xe2\x80\x8b\xef\xbb\xbf\xf3\xa0\x81\x81\xff\xc0\x80\xed\xa0\x80\xe2\x80\"'\\,;=:$(x)`x`"
)
LONG = H * 40

# --- Terminals ---------------------------------------------------------------------------------

colour = rb"\x1b\[[012]m"
progress = rb"\r *[0-9]+% \[[= ]*\]|\r\x1b\[K"
again = rb"\x1b\[H\x1b\[2J"
# The sequences of xterm in terminfo that ncurses uses: attributes, the eight colours, positions, erasing,
# scrolling, modes, character sets.
screen = (
    rb"\x1b\[(?:(?:[0-9]|2[0-9]|3[0-79]|4[0-79])?(?:;(?:[0-9]|2[0-9]|3[0-79]|4[0-79]))*)m"
    rb"|\x1b\[[0-9;]*[HfABCDEFGJKLMPSTXdbr@]|\x1b\[\?[0-9;]*[hl]|\x1b\[[0-9;]*[hl]|\x1b\[22;0;0t|\x1b\[23;0;0t"
    rb"|\x1b[()][AB0]|\x1b[=>78M]|[\r\b\t\x0e\x0f]"
)

class Failures(list):
    def append(self, failure):
        super().append(failure)
        print("FAILED:", failure, flush=True)


failures = Failures()


def judge(name, said, own):
    rest = re.sub(own, b"", said)
    try:
        text = rest.decode("utf-8")
    except UnicodeDecodeError as error:
        failures.append(f"{name}: invalid UTF-8: {error}")
        return
    text = re.sub("\r+\n", "\n", text)  # a terminal adds its own; CSV has one
    for at, character in enumerate(text):
        if character != "\n" and unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
            around = text[max(0, at - 40) : at + 20]
            failures.append(f"{name}: U+{ord(character):04X} in {around!r}")
            return
    if re.search("^INJECTED", text, re.MULTILINE):
        failures.append(f"{name}: a line of its own")


class Terminal:
    """A command on its own terminal, with all three descriptors."""

    def __init__(self, arguments, environment=None, directory=None, size=(40, 120)):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.said = b""
        self.process = subprocess.Popen(
            arguments,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            preexec_fn=own_terminal,
            cwd=directory,
            env={**os.environb, b"TERM": b"xterm-256color", **(environment or {})},
        )
        os.close(slave)

    def read(self, enough):
        """Reads until `enough` is true, or the output ends. False: timeout."""
        until = time.monotonic() + PATIENCE
        while not enough(self.said):
            if not select.select([self.master], [], [], max(0, until - time.monotonic()))[0]:
                return False
            try:
                more = os.read(self.master, 65536)
            except OSError:  # it is closed
                more = b""
            if not more:
                return True
            self.said += more
        return True

    def end(self):
        done = self.read(lambda said: False)
        if not done:
            self.process.kill()
        self.process.wait()
        os.close(self.master)
        return done


WAITING = b"waiting for"  # an interrupt ends it


def run(*arguments, own=colour, wants=None, keys=None, **options):
    name = repr(b" ".join(arguments))[:150]
    terminal = Terminal([hectic.encode(), *arguments], **options)
    if wants and not terminal.read(lambda said: wants in said):
        failures.append(f"{name}: it does not say {wants!r}; but: {terminal.said[-300:]!r}")
    if keys:
        os.write(terminal.master, keys)
    elif wants == WAITING:
        terminal.process.send_signal(signal.SIGINT)
    if not terminal.end():
        failures.append(f"{name}: it does not end; it said: {terminal.said[-300:]!r}")
    judge(name, terminal.said, progress + b"|" + own)
    if wants and wants not in terminal.said:
        failures.append(f"{name}: it has not said {wants!r}, but {terminal.said[-300:]!r}")
    return terminal.said


# --- Logs --------------------------------------------------------------------------------------

name = b"log" + H.replace(b"/", b"")
log = os.path.join(work.encode(), name)
text = os.path.join(work, "text")
logs = {}
for what, content in ("whole", H + b"\0" + H), ("long", LONG):
    with open(text, "wb") as file:
        file.write(content)
    logs[what] = subprocess.run([hostile_log, text], stdout=subprocess.PIPE, check=True).stdout
with open(log, "wb") as file:
    file.write(logs["whole"])
others = {}
for what, content in (
    ("long", logs["long"]),
    ("damaged", logs["whole"][:-700] + b"no event" + logs["whole"][-700:]),
    ("header", logs["whole"][:900]),
    ("text", H),
    ("behind", H + logs["whole"]),
    ("empty", b""),
):
    others[what] = log + what.encode()
    with open(others[what], "wb") as file:
        file.write(content)

lists = [b"show", b"inc", b"show threads", b"show caps", b"show --pretty-time", b"show --json", b"inc --header"]
tables = [b"gc", b"threads", b"tasks", b"sparks", b"spans"]
rest = [b"info", b"info --json", b"check", b"validate all", b"validate --json all", b"simulate threads"]
rest += [b"profile threads", b"profile sparks", b"stat", b"stat --json", b"stat --csv", b"stat --verbose"]
rest += [b"watch", b"watch --json", b"watch --csv", b"simulate --json threads"]
rest += [b"heap", b"heap --wide", b"heap --json", b"heap --csv", b"heap --at end", b"heap --by tree", b"heap --by module"]
rest += [b"prof", b"prof --tree", b"prof --stacks", b"prof --csv", b"prof --tree --json", b"prof --every 1s"]
rest += [b"heap --nonmoving", b"heap --nonmoving --json", b"ticky", b"ticky --wide", b"ticky --json", b"ticky --csv", b"ticky --every 1s"]
for verb in lists + rest:
    run(*verb.split(), log)
    run(*verb.split(), b"--quiet", others["long"])
for verb in tables:
    for form in b"--verbose", b"--json", b"--csv":
        run(verb, form, log)
        run(verb, form, others["long"])
run(b"prof", b"--flame", log, own=colour + rb"|\x1b\[30;48;5;[0-9]+m")
for form in b"hp", b"prof", b"prof-json", b"speedscope", b"folded", b"chrome", b"otlp":
    # The format has tabs.
    run(b"export", b"--to", form, log, b"-", own=colour + b"|\t")
for what in "damaged", "header", "text", "behind", "empty":
    for verb in b"show", b"inc", b"info", b"check", b"stat", b"validate all", b"threads", b"watch", b"copy -o /dev/null":
        run(*verb.split(), others[what])
run(b"show", b"--color=never", log)
run(b"show", b"--color=always", log, environment={b"NO_COLOR": b"1"})
run(b"show", b"--match", b"red", log, wants=b"\\x1b]0;title\\a")
run(b"stat", b"--window", H, log)
run(b"stat", b"--between", H + b".." + H, log)
run(b"show", b"--from", b"marker:" + H, log)

# The same for a pager that passes colours; in a pipe and a file the text is unchanged.
said = subprocess.run([hectic, "show", "--color=always", log], stdout=subprocess.PIPE, check=True).stdout
judge("show --color=always", said, colour)
said = subprocess.run([hectic, "show", log], stdout=subprocess.PIPE, check=True).stdout
if b"\x1b]0;title\x07" not in said:
    failures.append("show: the text is changed in a pipe")

# A log is not written to a terminal.
for verb in b"copy LOG -", b"copy -o - LOG", b"cut --from 1ms LOG -", b"merge -o - LOG LOG", b"check --repair LOG -":
    run(*[log if word == b"LOG" else word for word in verb.split()], wants=b"not writing a log to a terminal")

# --- Command lines -----------------------------------------------------------------------------

for words in (
    [H], [b"--" + H], [b"-" + H], [b"help", H], [b"--man", H], [b"--completions", H],
    [b"show", b"--" + H], [b"show", H, log], [b"show", log, H, H], [b"inc", H, log],
    [b"show", b"--from", H, log], [b"show", b"--event", H, log], [b"show", b"--cap", H, log],
    [b"show", b"--thread", H, log], [b"show", b"--limit", H, log], [b"show", b"--match", b"(" + H, log],
    [b"show", b"--color", H, log], [b"show", b"--spool-limit", H, log], [b"show", b"-o", H + b"/x", log],
    [b"show", b"-o", work.encode(), log], [b"gc", b"--sort", H, log], [b"gc", b"--limit", H, log],
    [b"gc", b"--from", H, log], [b"gc", b"--between", H, log], [b"stat", b"--every", H, log],
    [b"stat", b"--gc-time", H, log], [b"sparks", b"--every", H, log], [b"validate", H, log],
    [b"simulate", H, log], [b"profile", H, log], [b"check", b"--repair", log, H + b"/x"],
    [b"check", b"--repair", others["damaged"], H], [b"copy", log, H + b"/x"], [b"cut", log, H + b"/x"],
    [b"merge", b"-o", H + b"/x", log, log], [b"merge", b"--align", H, b"-o", b"x", log, log], [b"merge", b"-o", log, log, log],
    [b"watch", b"--every", H, log],
    [b"run", H], [b"run", H + b"/x"], [b"run", log], [b"run", b"--every", H, b"true"], [b"watch", b"run:" + H],
    [b"watch", b"unix:" + H * 3], [b"watch", b"tcp:" + H], [b"watch", b"tcp:localhost:" + H],
    [b"watch", b"tcp:localhost:1,token-file=" + H], [b"watch", b"tcp:localhost:1," + H], [b"watch", b"fd:" + H],
    [b"show", b"run:" + H], [b"inc", b"listen:" + H], [b"inc", b"run:" + log],
    [b"ctl", H, b"flush"], [b"ctl", b"unix:" + H, b"flush"], [b"ctl", b"unix:" + H, H], [b"ctl", b"unix:x", b"classes", H],
    [b"ctl", b"unix:x", b"custom", b"n", H], [b"ctl", b"tcp:" + H, b"flush"], [b"ctl", b"unix:x", b"custom", H, b"1"],
    [b"relay", b"--from", b"unix:" + H * 3, b"--listen", b"unix:x"], [b"relay", b"--from", b"unix:x", b"--listen", H],
    [b"relay", b"--from", b"unix:x", b"--listen", b"unix:" + b"x" * 200 + H[2:]], [b"relay", b"--from", b"unix:x", b"--metrics", H],
    [b"relay", b"--from", b"unix:x", b"--record", H + b"/x/y"], [b"relay", b"--from", b"unix:x", b"--record", log],
    [b"relay", b"--from", b"unix:x", b"--record", b"r", b"--record-time", H], [b"relay", H],
    [b"relay", b"--from", b"tcp:localhost:1", b"--listen", b"tcp:localhost:0", b"--token-file", H],
    [b"relay", b"--from", b"tcp:localhost:1", b"--listen", b"tcp:localhost:0", b"--token-file", others["header"]],
    [b"top", b"--every", H, log], [b"top", others["text"]],
):  # fmt: skip
    run(*words, own=colour if words[0] != b"top" else screen, directory=work)
    for path in H, b"r":
        subprocess.run([b"rm", b"-rf", os.path.join(work.encode(), path)], check=True)
for words in (
    [b"watch", b"--follow", H + b"missing"], [b"watch", b"unix:" + H[:100]], [b"watch", b"tcp:localhost:1"],
    [b"inc", b"--follow", H + b"missing"], [b"watch", b"fifo:" + H], [b"relay", b"--from", H + b"=" + H, b"--listen", b"unix:x"],
    [b"relay", b"--from", b"unix:x", b"--listen", b"unix:" + H[:60]], [b"relay", b"--from", b"unix:x", b"--record", H],
):  # fmt: skip
    run(*words, directory=work, wants=WAITING)
environment = {b"TMPDIR": H}
# ncurses leaks its data of an unknown terminal.
run(b"top", log, environment={b"TERM": H, b"ASAN_OPTIONS": b"detect_leaks=0"}, wants=b"(TERM)")
with subprocess.Popen(["cat", log], stdout=subprocess.PIPE) as piped:
    run(b"show", b"/dev/fd/9", environment=environment)
packed = log + b".gz"
with open(packed, "wb") as file:
    subprocess.run(["gzip", "-c", log], stdout=file, check=True)
run(b"show", packed, environment=environment)

# --- The screen --------------------------------------------------------------------------------

for what in log, others["long"]:
    run(b"top", what, own=screen, wants=b"\\x1b]0;title", keys=b"q")
    run(b"top", what, own=screen, wants=b"q", keys=b"?q", size=(10, 40))

# --- Programs ----------------------------------------------------------------------------------


def serve(content):
    """A program that serves that to each client; its path."""
    path = os.path.join(work, "served")
    if os.path.exists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()

    def give():
        try:
            while True:
                reader, _ = listener.accept()
                try:
                    reader.sendall(content)
                    reader.shutdown(socket.SHUT_WR)
                    while reader.recv(4096):
                        pass
                except OSError:
                    pass
                reader.close()
        except OSError:
            pass

    threading.Thread(target=give, daemon=True).start()
    return b"unix:" + path.encode()


for verb in b"inc", b"watch", b"stat", b"show", b"info", b"threads":
    run(*verb.split(), serve(logs["whole"]), own=colour + b"|" + again)
run(b"inc", serve(H))
run(b"top", serve(logs["whole"]), own=screen, wants=b"\\x1b]0;title", keys=b"q")


def declared(number, size):
    return b"etb\0" + struct.pack(">HHI", number, size, len(H)) + H + struct.pack(">I", 0) + b"ete\0"


LOG_MSG, SYNC = 16, 1999
header = b"hdrbhetb" + declared(LOG_MSG, 0xFFFF) + declared(SYNC, 0xFFFF) + b"hetehdredatb"
for answer in b"hectic: n 1: " + H, b"hectic: n 1: " + LONG, b"hectic: n " + H:
    run(
        b"ctl", serve(header + struct.pack(">HQH", LOG_MSG, 1, len(answer)) + answer), b"custom", b"n", b"1",
        wants=b"\\x1b]0;title\\a",
    )  # fmt: skip

# --- A relay -----------------------------------------------------------------------------------

ctypes.CDLL(None).prctl(15, ctypes.c_char_p(H[10:25]))  # PR_SET_NAME
with open(os.path.join(work, "token"), "w") as file:
    file.write("a-token-of-enough-letters\n")
relay = Terminal(
    [
        hectic.encode(), b"relay", b"--from", b"listen:unix:in", b"--from", b"listen:tcp:127.0.0.1:0",
        b"--from", b"file=" + log, b"--listen", b"unix:out", b"--listen", b"tcp:127.0.0.1:0",
        b"--metrics", b"127.0.0.1:0", b"--token-file", b"token", b"--record", b"records",
    ],
    directory=work,
)  # fmt: skip
relay.read(lambda said: said.count(b", port ") == 3)
if relay.said.count(b", port ") != 3:
    sys.exit(f"the relay does not begin: {relay.said!r}")
web, *tcp = (("127.0.0.1", int(port)) for port in re.findall(rb", port ([0-9]+)", relay.said))


def say(where, content, listen=True):
    """Sends that, and waits until the relay disconnects."""
    peer = socket.socket(socket.AF_UNIX if isinstance(where, str) else socket.AF_INET)
    peer.settimeout(PATIENCE)
    peer.connect(where)
    answer = b""
    try:
        peer.sendall(content)
        if not listen:
            peer.shutdown(socket.SHUT_WR)
        while more := peer.recv(65536):
            answer += more
    except OSError:
        pass
    peer.close()
    return answer


os.chdir(work)
for request in (
    b"GET /" + H + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET /log/" + H.split(b"\r")[0] + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    H, LONG, H + b" / HTTP/1.1\r\n\r\n", b"GET / " + H + b"\r\n\r\n", b"GET / HTTP/1.1\r\n" + H + b": x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: " + H + b"\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: " + H + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nAuthorization: Bearer " + H + b"\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n" + H,
    b"GET / HTTP/1.1\r\nTransfer-Encoding: " + H + b"\r\n\r\n", b"GET / HTTP/1.1\r\nCookie: " + H + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 5000 + b"\r\n", b"GET /?" + H[:4] + b"\x1b]0;\x07 HTTP/1.1\r\nHost: a b\x1b[31m\r\n x\r\n\r\n",
):  # fmt: skip
    say(web, request, listen=False)
for place in tcp:
    say(place, H + b"\n")
    say(place, b"a-token-of-enough-letters\n" + H * 4, listen=False)
    say(place, b"a-token-of-enough-letters\n" + H * 4000)
say("in", H * 20, listen=False)
say("in", logs["whole"], listen=False)
say("in", logs["long"] + H * 20, listen=False)
say("in", logs["whole"][:-2] + H * 20000)
say("out", H * 20, listen=False)
for command in b"\xf0\x9e\x97\x8c\x00" + struct.pack(">H", len(H)) + H, b"\xf0\x9e\x97\x8c" + H * 10:
    say("out", command, listen=False)
if not relay.read(lambda said: b"ended without an eventlog" in said or b"are not an eventlog" in said):
    failures.append(f"the relay has not seen it all: {relay.said[-600:]!r}")
relay.process.send_signal(signal.SIGTERM)
if not relay.end():
    failures.append("the relay does not end")
judge("relay", relay.said, progress)
for path in os.listdir(b"records"):
    judge("record", path, progress)
if b"\\x1b" not in relay.said:
    failures.append(f"the relay has noted nothing that is hostile: {relay.said[:2000]!r}")

sys.exit(1 if failures else 0)
