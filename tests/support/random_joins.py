"""Connects to running programs at random times, reads in many ways, and checks each log: see
haskell/units.sh.

    random_joins.py HECTIC DIRECTORY JOINS SEED [--whole] SOCKET…
    random_joins.py --silent SOCKET, which connects and does not read

With --whole, a client reads the first socket from the beginning, and each log must have all of its
events, from the time at which the log begins, outside of gaps."""
import collections
import glob
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import threading
import time

import eventlog
import waiting

if sys.argv[1] == "--silent":
    silent = socket.socket(socket.AF_UNIX)
    silent.connect(sys.argv[2])
    time.sleep(3600)
hectic, directory, joins, seed = sys.argv[1:5]
is_whole = "--whole" in sys.argv
places = [place for place in sys.argv[5:] if place != "--whole"]
rng = random.Random(int(seed))
PEER = shutil.which("ghc-events")
AT_ONCE, PAUSE_S = 6, 0.25
SYNC, LOG_MSG, MARKER, PEER_MAX = 1999, 16, 18, 100000  # events, of which ghc-events takes long
GAP = re.compile(rb"hectic: (\d+) events were dropped here")
problems = []


def connect(place):
    client = waiting.connect(place)
    client.settimeout(None)
    return client


def read_to_pause(client, log):
    """Until nothing comes for a while: not between the blocks of one flush."""
    client.settimeout(PAUSE_S)
    end = time.monotonic() + 20
    try:
        while time.monotonic() < end:
            data = client.recv(1 << 20)
            if not data:
                return
            log.write(data)
    except (TimeoutError, ConnectionError):
        pass


def read_for(client, log, seconds, size, pause):
    end = time.monotonic() + seconds
    client.settimeout(0.1)
    while time.monotonic() < end:
        try:
            data = client.recv(size)
        except TimeoutError:
            continue
        except ConnectionError:
            return
        if not data:
            return
        log.write(data)
        time.sleep(pause)


def join(number, kind, seconds, place):
    if kind == "flush" or kind == "replay":
        subprocess.run([hectic, "ctl", f"unix:{place}", kind], capture_output=True, check=False)
        return
    client = connect(place)
    if kind == "silent":
        time.sleep(seconds)
        client.close()
        return
    path = f"{directory}/{number}-{kind}.eventlog"
    with open(path, "wb") as log:
        if kind == "stalled":
            time.sleep(seconds)
        elif kind == "slow":
            read_for(client, log, 2 * seconds, 4096, 0.01)
        else:
            read_for(client, log, seconds, 1 << 20, 0)
        if kind == "cut":
            read_for(client, log, 0.01, 1 << 16, 0)
            os.rename(path, path + ".cut")
        else:
            read_to_pause(client, log)
    client.close()


def run(numbers):
    for number, kind, seconds, place in numbers:
        join(number, kind, seconds, place)


def check(path, *arguments):
    done = subprocess.run(arguments + (path,), capture_output=True, check=False)
    output = (done.stdout + done.stderr).decode("utf-8", "replace")
    if done.returncode != 0 or ("ghc-events" in arguments and "Valid" not in output):
        problems.append(f"{path}: {' '.join(arguments[1:])}: {output[:600]}")


def gaps_of(events):
    """(message, replay) for each gap: the events between these times are missing."""
    gaps = []
    for when, _, kind, payload in events:
        if kind == LOG_MSG and GAP.match(payload):
            gaps.append([when, None])
        elif kind == SYNC and gaps and gaps[-1][1] is None:
            gaps[-1][1] = when
    return [(begin, float("inf") if end is None else end) for begin, end in gaps]


def within(events, since, until, gaps):
    return collections.Counter(
        event for event in events
        if since < event[0] <= until and event[2] not in (SYNC, LOG_MSG, MARKER)
        and not any(begin < event[0] <= end for begin, end in gaps))


def verify(path, whole):
    with open(path, "rb") as file:
        data = file.read()
    if not data:
        return None
    check(path, hectic, "check")
    check(path, hectic, "validate", "-q", "all")
    events = eventlog.read(data)[0]
    gaps = gaps_of(events)
    if PEER and not gaps and len(events) < PEER_MAX:
        check(path, PEER, "validate", "threads")
    if whole is None or not events:
        return gaps
    since = next(event for event in events if event[2] != MARKER)[0]
    last = collections.Counter()
    for when, cap, kind, _ in events:
        if cap < 4 and kind != MARKER:
            last[cap] = max(last[cap], when)
    if len(last) < 4:
        return gaps
    until = min(min(last.values()), whole[1])
    both = gaps + whole[2]
    wanted, found = (within(some, since, until, both) for some in (whole[0], events))
    for what, lost in ("missing", wanted - found), ("of another log", found - wanted):
        if lost:
            some = sorted(lost)[:3]
            problems.append(f"{path}: from {since} to {until}: {lost.total()} events are {what}, "
                            f"as {some}; gaps {gaps}")
    return gaps


def main():
    stop = threading.Event()
    whole_path = f"{directory}/whole.eventlog"

    def read_whole():
        client = connect(places[0])
        client.settimeout(0.1)
        with open(whole_path, "wb") as log:
            while not stop.is_set():
                try:
                    data = client.recv(1 << 20)
                except TimeoutError:
                    continue
                log.write(data)
            read_to_pause(client, log)
        client.close()

    others = [threading.Thread(target=read_whole)] if is_whole else []
    kinds = ["join"] * 8 + ["slow"] * 3 + ["stalled"] * 4 + ["silent", "cut", "flush", "flush", "replay"]
    # Of few clients, one at least has a log.
    tasks = [(n, rng.choice(kinds) if n > 0 else "join", rng.uniform(0.05, 1.5), rng.choice(places))
             for n in range(max(int(joins), 2))]
    threads = [threading.Thread(target=run, args=(tasks[i::AT_ONCE],)) for i in range(AT_ONCE)]
    for thread in others:
        thread.start()
        time.sleep(1)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    for thread in others:
        thread.join()
    whole = None
    if is_whole:
        with open(whole_path, "rb") as file:
            events = eventlog.read(file.read())[0]
        last = collections.Counter()
        for when, cap, _, _ in events:
            last[cap] = max(last[cap], when)
        whole = (events, min(last[cap] for cap in range(4)), gaps_of(events))
    logs = sorted(glob.glob(f"{directory}/[0-9]*.eventlog"))
    found = [gaps for gaps in (verify(path, whole) for path in logs) if gaps is not None]
    print(f"{len(found)} logs, {sum(len(gaps) > 0 for gaps in found)} with gaps")
    if problems:
        print(f"{len(problems)} problems", *problems[:8], sep="\n", file=sys.stderr)
    sys.exit(bool(problems) or not found)


main()
