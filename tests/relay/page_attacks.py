"""page_attacks.py ADDRESS PID [LOG DESCRIPTOR]: attacks the server of a page, and ends it.

The log is written to the descriptor. Limits are wide: what is wrong takes minutes, or forever."""
import os
import signal
import socket
import struct
import sys
import threading
import time
import urllib.parse

import waiting

PATIENCE = 60  # s, for what takes less than one
SLOW = "(a|b)*a(a|b){60}c"
NESTED = "(" * 60 + "a" + ")+" * 60 + "c"
address = urllib.parse.urlsplit(sys.argv[1])
own = f"Host: {address.netloc}"


def connect(said=b""):
    s = socket.create_connection((address.hostname, address.port), PATIENCE)
    if said:
        s.sendall(said)
    return s


def request(path, *headers):
    return "\r\n".join([f"GET {address.path}{path} HTTP/1.1", *(headers or [own]), "", ""]).encode()


def answer(s):
    """Status and body."""
    text = b""
    while piece := s.recv(1 << 16):
        text += piece
    head, _, body = text.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def get(path, *headers):
    return answer(connect(request(path, *headers)))


def soon(path, wanted):
    waiting.soon(lambda: wanted in get(path)[1], (path, wanted), PATIENCE)


def searches(regex):
    return f"api/search_all?regex=1&text={urllib.parse.quote(regex)}"


def reset(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


def hosts():
    for host in ["localhost:evil", "localhost:80:80", "localhost:80a", "127.0.0.1:8.8", "localhostx", ":80"]:
        assert get("api/overview", f"Host: {host}")[0] == 403, host
    for second in ["evil.example", address.netloc]:
        assert get("api/overview", own, f"Host: {second}")[0] in (400, 403), second
        assert get("api/overview", f"Host: {second}", own)[0] in (400, 403), second
    for host in ["localhost", "localhost:", "LOCALHOST:1", address.netloc]:
        assert get("api/overview", f"Host: {host}")[0] == 200, host


def expressions():
    for regex in [SLOW, NESTED]:
        longest, body = 0, b'"complete":false'
        while b'"complete":false' in body:
            begun = time.monotonic()
            status, body = get(searches(regex))
            longest = max(longest, time.monotonic() - begun)
        print(f"{regex[:20]}: {status} {body[:80]}, at most {longest:.2f} s")
    status, body = get(searches(SLOW))
    assert status == 400 and b"regular expression takes too long" in body, (status, body)
    status, body = get(searches("[ab]{1000}[ab]{1000}[ab]{1000}"))
    assert status == 400 and b"repeats too much" in body, body
    # Others are answered meanwhile, and those whose client has gone are not computed.
    waiting = [connect(request(searches(SLOW + "d" * i))) for i in range(40)]
    soon("", b"")
    for s in waiting[:20]:
        reset(s)
    assert get("")[0] in (200, 404)
    for s in waiting[20:]:
        s.close()
    assert get("api/overview")[0] == 200


def partial():
    """Connections with a part of a request do not keep others out; nor those that were closed."""
    for said in [b"", b"G", b"GET / HTTP/1.1\r\nHo", request("api/overview")[:-2]]:
        open_ones = [connect(said) for _ in range(200)]
        assert get("api/overview")[0] == 200, said
        for s in open_ones:
            s.close()
    for i in range(1000):
        s = connect(b"GET / HTTP/1.1\r\nHo")
        reset(s) if i % 2 else s.close()
    assert get("api/overview")[0] == 200
    begun = time.monotonic()
    waiting.soon(lambda: len(os.listdir(f"/proc/{sys.argv[2]}/fd")) <= 40, "descriptors are kept")
    assert time.monotonic() < begun + 8, "closed connections are kept for 10 s"


def ends():
    """At once, whatever is open and being computed."""
    kept = [connect(b"GET / HTTP/1.1\r\nHo") for _ in range(60)]
    kept += [connect(request(searches(SLOW + "e" * i))) for i in range(10)]
    time.sleep(0.2)
    begun = time.monotonic()
    os.kill(int(sys.argv[2]), signal.SIGTERM)
    waiting.soon(lambda: not os.path.exists(f"/proc/{sys.argv[2]}/fd/2"), "it does not end", PATIENCE)
    print(f"ended after {time.monotonic() - begun:.2f} s")


def write_log():
    with open(sys.argv[3], "rb") as log, open(int(sys.argv[4]), "wb") as out:
        out.write(log.read())


if len(sys.argv) > 3:
    soon("api/overview", b"")
    threading.Thread(target=write_log, daemon=True).start()
soon("api/overview", b'"to_ns":100,')
hosts()
expressions()
partial()
ends()
