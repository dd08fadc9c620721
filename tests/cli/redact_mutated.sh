#!/usr/bin/env bash
# hectic redact of logs with damage of all kinds: nothing secret is left, and the result is redacted.
# REDACTIONS=N tries N logs. In a few, damage makes bytes of a text numbers of an event that looks
# valid, which stay (docs/privacy.md); as texts, they never do.
. tests/support/lib.bash
canary=Zq7Rw2Xv9Lk4Jh6T
count=${REDACTIONS:-$(is_short && echo 60 || echo 1000)}
python3 tests/support/canary_log.py "$canary" >"$work/canary"
python3 - "$canary" "$work" "$count" <<'END'
import os
import random
import subprocess
import sys

sys.path.insert(0, "tests/support")
from has_canary import has_canary

canary, work, count = sys.argv[1].encode(), sys.argv[2], int(sys.argv[3])
hectic = os.environ["HECTIC"]
log = open(f"{work}/canary", "rb").read()
rules = [
    ["--for", "structure"],
    ["--for", "performance", "--drop", "types,functions,modules,bands"],
    ["--for", "team", "--drop", "all"],
]
bad, out, again = (f"{work}/{name}" for name in ("bad", "out", "again"))


def mutate(r, data):
    data = bytearray(data)
    first = 0 if r.random() < 0.1 else data.index(b"datb") + 4  # few have a damaged header
    for _ in range(r.randrange(1, 6)):
        at = r.randrange(first, len(data))
        how = r.randrange(5)
        if how == 0:
            data[at] ^= 1 << r.randrange(8)
        elif how == 1:
            data[at] = r.randrange(256)
        elif how == 2:
            del data[at : at + r.randrange(1, 40)]
        elif how == 3:
            data[at:at] = data[at : at + r.randrange(1, 200)]
        else:
            data[at:at] = r.randbytes(r.randrange(1, 20))
    return data[: r.randrange(len(data) // 2, len(data))] if r.random() < 0.1 else data


def run(*args):
    return subprocess.run([hectic, *args], capture_output=True, check=False)


redacted = misread = 0
for seed in range(count):
    r = random.Random(seed)
    with open(bad, "wb") as file:
        file.write(mutate(r, log))
    rule = rules[seed % len(rules)]
    got = run("redact", "--force", *rule, bad, out)
    if got.returncode == 2:
        continue  # no header
    if got.returncode > 2:
        sys.exit(f"seed {seed}: {got.returncode}, {got.stderr}")
    redacted += 1
    log_out = open(out, "rb").read()
    misread += has_canary(canary, log_out)
    outputs = {"redact": got.stdout + got.stderr, "its texts": run("show", out).stdout}
    checked = run("redact", "--check", *rule, out)
    if checked.returncode != 0:
        sys.exit(f"seed {seed}: {checked.stdout}")
    if run("redact", "-q", "--force", *rule, out, again).returncode != 0 or log_out != open(again, "rb").read():
        sys.exit(f"seed {seed}: redacting it again changes it")
    if seed % 20 < 3:
        path = f"{work}/report.html"
        got = run("view", "--force", "--redact-for", *rule[1:], "-o", path, bad)
        outputs["report"] = got.stdout + got.stderr + (open(path, "rb").read() if got.returncode < 2 else b"")
        path = f"{work}/tables.db"
        got = run("export", "--force", "--format", "sqlite", "--private", "--redact-for", *rule[1:], bad, path)
        outputs["export"] = got.stdout + got.stderr + (open(path, "rb").read() if got.returncode < 2 else b"")
    for what, data in outputs.items():
        if has_canary(canary, data):
            sys.exit(f"seed {seed}: a canary in {what}")
if redacted < count * 9 // 10 or misread > count // 100:
    sys.exit(f"{redacted} of {count} logs were redacted; {misread} have texts as numbers")
END
