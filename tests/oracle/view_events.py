"""Pages of events, searches and their counts in a page are the lines of hectic show: for random
intervals, filters, directions and texts of each log."""
import json
import random
import re
import subprocess
import sys

hectic, answers = sys.argv[1:3]
chosen = random.Random(7)
ROUNDS = 12


def shown(log, *options):
    """(time, cap, text) of the events of the first section."""
    lines = subprocess.run([hectic, "show", "--json", *options, log],
                           capture_output=True, text=True, errors="surrogateescape").stdout
    texts = subprocess.run([hectic, "show", "--no-header", *options, log], capture_output=True).stdout
    return lines.splitlines(), texts.decode()


def ask(log, requests):
    """The answers, each as JSON; None if it failed."""
    run = subprocess.run([answers, log], input="".join(r + "\n" for r in requests).encode(), capture_output=True)
    out, at, found = run.stdout, run.stdout.index(b"\n") + 1, []
    for request in requests:
        end = out.index(b"\n", at)
        _, done, _, length = out[at:end].decode().rsplit(" ", 3)
        body = out[end + 1:end + 1 + int(length)]
        found.append(json.loads(body.decode()) if done == "1" else None)
        at = end + 2 + int(length)
    return found


def events_of(log):
    """All events of a log with one section: (time, cap, name, text)."""
    as_json, as_text = shown(log)
    events = [json.loads(line) for line in as_json]
    heads = [f"{event['time']}: " + ("" if event["cap"] is None else f"cap {event['cap']}: ") for event in events]
    at, found = 0, []
    for number, event in enumerate(events):
        head = heads[number]
        assert as_text.startswith(head, at), (log, head, as_text[at:at + 80])
        # A text may contain newlines.
        following = "\n" + heads[number + 1] if number + 1 < len(heads) else "\n"
        end = as_text.index(following, at + len(head)) if number + 1 < len(heads) else len(as_text) - 1
        found.append((event["time"], event["cap"], event["event"], as_text[at + len(head):end], event))
        at = end + 1
    return found


def differs(log, request, got, want):
    print(f"{log}: {request}: {len(got)} events, not {len(want)}")
    for one, other in zip(got + [None] * len(want), want + [None] * len(got)):
        if one != other:
            print(f"  {one}\n  {other}")
            break
    return 1


def is_about(event, threads, running):
    numbers = {event.get(key) for key in ("thread", "new_thread", "other_thread")}
    return bool(numbers & threads) or running in threads


def check(log):
    events = events_of(log)
    if not events:
        return 0, 0
    first, last = events[0][0], events[-1][0]
    requests, wanted = [], []
    words = sorted({word for event in events for word in re.findall(r"[A-Za-z_]{3,}|[0-9]+", event[3])})
    names = sorted({event[2] for event in events if event[2]})
    for _ in range(ROUNDS):
        time = chosen.choice(events)[0]
        length = (last - first) >> chosen.randrange(12)
        begin, end = time, min(last, time + length) + 1
        some = [e for e in events if begin <= e[0] < end]
        keys = f"from={begin}&to={end}"
        if chosen.random() < .4:
            caps = [chosen.choice(events)[1] for _ in range(2)]
            keys += "&cap=" + ",".join("none" if cap is None else str(cap) for cap in caps)
            some = [e for e in some if e[1] in caps]
        if chosen.random() < .3:
            name = chosen.choice(names)
            keys += f"&event={name}"
            some = [e for e in some if e[2] == name]
        counted = None
        if chosen.random() < .6:
            word = chosen.choice(words)
            if chosen.random() < .5:
                counted = f"&text={word.upper()}"
                some = [e for e in some if word.lower() in e[3].lower()]
            else:
                pattern = word[:2] + ".*" + word[-1]
                counted = f"&regex=1&case=1&text={pattern}"
                some = [e for e in some if re.search(pattern, e[3], re.DOTALL)]
        keys += counted or ""
        count = chosen.choice([1, 7, 100, 1000])
        plain = [(e[0], e[1], e[2], e[3]) for e in some]
        requests.append(f"events?{keys}&count={count}")
        wanted.append(plain[:count])
        requests.append(f"events?{keys}&count={count}&backward=1")
        wanted.append(plain[-count:])
        if counted:
            requests += [f"search?{keys}", f"search?{keys}&backward=1", f"search_all?{keys}&width=50"]
            wanted += [plain[:1], plain[-1:], plain]
    failed = 0
    for request, got, want in zip(requests, ask(log, requests), wanted):
        if got is None:
            print(f"{log}: {request}: failed")
            failed += 1
            continue
        if request.startswith("search_all"):
            same = got["matches"] == len(want) == sum(got["columns"])
            same = same and (not want or (got["first_ns"], got["last_ns"]) == (want[0][0], want[-1][0]))
            if not same:
                print(f"{log}: {request}: {got['matches']} matches, not {len(want)}")
                failed += 1
            continue
        lines = got["events"] if "events" in got else [got["match"]] if got["match"] else []
        lines = [(e["time_ns"], e["cap"], e["event"], e["text"]) for e in lines]
        if lines != want:
            failed += differs(log, request, lines, want)
    # Page by page, by places, forward and backward: all events once.
    failed += check_pages(log, [(e[0], e[1], e[2], e[3]) for e in events][:3000], False)
    failed += check_pages(log, [(e[0], e[1], e[2], e[3]) for e in events][-3000:], True)
    # By thread: as hectic show --thread from the beginning.
    threads = {e[4]["thread"] for e in events if "thread" in e[4]}
    if threads:
        failed += check_thread(log, events, chosen.choice(sorted(threads)))
    return len(requests), failed


def check_pages(log, want, backward):
    got, place = [], None
    first, last = want[0][0], want[-1][0]
    begin, end = first, last + 1
    for _ in range(5):
        keys = f"from={begin}&to={end}&count=211" + ("&backward=1" if backward else "")
        page = ask(log, [f"events?{keys}" + (f"&beyond={place}" if place is not None else "")])[0]
        lines = [(e["time_ns"], e["cap"], e["event"], e["text"]) for e in page["events"]]
        got = lines + got if backward else got + lines
        if not page["more"] or not lines:
            break
        edge = page["events"][0 if backward else -1]
        place = edge["position"]
        begin, end = (begin, edge["time_ns"] + 1) if backward else (edge["time_ns"], end)
    part = want[-len(got):] if backward else want[:len(got)]
    return differs(log, f"pages, backward {backward}", got, part) if got != part or len(got) < min(len(want), 1000) else 0


def check_thread(log, events, thread):
    time = chosen.choice(events)[0]
    lines = subprocess.run([hectic, "show", "--no-header", "--thread", str(thread), "--from", f"{time}ns", log],
                           capture_output=True).stdout.decode()
    failed = 0
    for backward in (False, True):
        request = f"events?thread={thread}&from={time}&count=1000" + ("&backward=1" if backward else "")
        got = ask(log, [request])[0]
        text = "".join(f"{e['time_ns']}: " + ("" if e["cap"] is None else f"cap {e['cap']}: ") + e["text"] + "\n"
                       for e in got["events"])
        same = lines.endswith(text) if backward else lines.startswith(text)
        if not same or (not got["more"] and text != lines):
            print(f"{log}: {request}: differs from hectic show")
            failed += 1
    return failed


total = failures = used = 0
for path in sys.argv[3:]:
    sections = subprocess.run([answers, path], input=b"overview\n", capture_output=True).stdout
    if sections.count(b'"section":') != 1:
        continue
    count, failed = check(path)
    total += count
    failures += failed
    used += count > 0
print(f"{total} requests about {used} logs, {failures} differ")
sys.exit(failures > 0 or used < 10)
