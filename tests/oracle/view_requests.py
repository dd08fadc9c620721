#!/usr/bin/env python3
"""view_requests.py VIEW TABLE LOG...: the answers of a page's engine have the members that the table says.
VIEW is tests/wasm/view.c, TABLE view/src/engine/requests.ts. Prints the number of answers."""
import json
import re
import subprocess
import sys

KEYS = {
    "search": ["text=a"],
    "search_all": ["text=a"],
    "events": ["", "backward=1&count=3"],
    "thread_rows": ["width=30", "threads=1,2,3,4&width=2000"],
    "thread_times": ["threads=1,2,3,4"],
    "latency": ["", "thread=1"],
    "links": ["thread=1", "thread=2&time=1000000000"],
    "element": [f"kind={kind}&thread=2&which={which}&time=5000000" for kind in ("thread", "collection", "span", "message") for which in ("next", "longest")],
    "gc_rows": ["width=1", "width=16384"],
    "span_rows": ["width=1", "width=16384&by=name"],
    "message_rows": ["width=1", "width=1000"],
    "prof": ["", "source=call-stacks&width=10", "by=thread", "by=span&part=1"],
    "heap": ["", "bands=2&points=4&by=leaf"],
}
PLAIN = {"number": (int, float), "time": (int, float), "text": (str,), "flag": (bool,)}


def read_table(path):
    """By record: whether it has further members, and of each member its type and whether it may be missing."""
    records = {}
    for name, text in re.findall(r'^    (\w+):\s*"(.*)",$', open(path, encoding="utf-8").read(), re.M):
        words = text.split()
        members = [word.split(":") for word in words if word != "..."]
        records[name] = ("..." in words, {key.rstrip("~"): (kind, key.endswith("~")) for key, kind in members})
    return records


def problems(records, value, kind, at):
    if kind == "run_times":
        kind = "number?[]"
    if kind.endswith("?"):
        return [] if value is None else problems(records, value, kind[:-1], at)
    if kind.endswith("[]"):
        if not isinstance(value, list):
            return [f"{at}: {value} is not a list"]
        return [text for item in value for text in problems(records, item, kind[:-2], f"{at}[]")]
    if kind in PLAIN:
        right = isinstance(value, PLAIN[kind]) and (kind == "flag" or not isinstance(value, bool))
        return [] if right else [f"{at}: {value} is not a {kind}"]
    if not isinstance(value, dict):
        return [f"{at}: {value} is not an object"]
    is_open, members = records[kind]
    found = [f"{at}.{key}: not in the table" for key in value if key not in members and not is_open]
    for key, (inner, is_optional) in members.items():
        if key in value:
            found += problems(records, value[key], inner, f"{at}.{key}")
        elif not is_optional:
            found.append(f"{at}.{key}: missing")
    return found


def answers(view, log, requests):
    out = subprocess.run([view, log], input="\n".join(requests).encode(), stdout=subprocess.PIPE).stdout
    at = out.find(b"\n") + 1
    while at < len(out):
        end = out.index(b"\n", at)
        request, done, kind, length = out[at:end].decode().rsplit(" ", 3)
        yield request, done == "1", kind, out[end + 1 : end + 1 + int(length)]
        at = end + 1 + int(length) + 1


def main():
    view, table, *logs = sys.argv[1:]
    records = read_table(table)
    names = re.search(r"export interface Keys \{\n(.*?)\n\}", open(table, encoding="utf-8").read(), re.S)[1]
    names = re.findall(r"^    (\w+):", names, re.M)
    requests = [f"{name}?{keys}" for name in names for keys in KEYS.get(name, [""])]
    compared, done_names, failed = 0, set(), []
    for log in logs:
        # The log compared with itself.
        numbers = [json.loads(body).get("numbers", "") for _, _, _, body in answers(view, log, ["numbers"])]
        both = ["comparison\x1e" + "\f".join(2 * numbers).replace("\n", "\x1e")]
        for request, done, kind, body in answers(view, log, requests + both):
            name = request.split("?")[0]
            if kind != "application/json":
                continue
            compared += 1
            if done:
                done_names.add(name)
            found = problems(records, json.loads(body), name if done else "error", name)
            failed += [f"{log}: {request}: {text}" for text in found]
    failed += [f"{name}: never answered" for name in records.keys() & set(names) - done_names]
    print("\n".join(failed[:20]), f"{compared} answers, {len(failed)} failures", sep="\n")
    return bool(failed)


sys.exit(main())
