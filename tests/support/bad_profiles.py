"""Everything that is printed of odd profiles is well-formed: python3 bad_profiles.py HECTIC WORK LOG…

Text fits 80 columns, and has no control character and no number that is none; JSON and CSV are
valid; the consumers of exported files accept them."""

import csv
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata

hectic, work, *logs = sys.argv[1:]
csv.field_size_limit(sys.maxsize)
environment = dict(os.environ, COLUMNS="80", LC_ALL="C.UTF-8")
failures = []

TEXTS = [
    "heap --at peak", "heap --by module", "heap --from 15ns --to 150ns", "heap --sort name --bands 2",
    "heap --include . --exclude x", "heap --breakdown i", "prof --flame", "prof --tree --focus f", "prof --cap 0",
    "prof --weight time", "info",
]  # fmt: skip
TABLES = ["heap", "heap --by tree", "heap --every 100000h", "prof", "prof --tree", "prof --stacks", "prof --every 100000h", "ticky"]
EXPORTS = ["hp", "prof", "prof-json", "speedscope", "pprof", "folded", "speedscope --every 100000h", "speedscope --at peak",
           "folded --at end"]  # fmt: skip


CONTROL = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff]")


def fail(what, why):
    failures.append(f"{what}: {why}")


def width(line):
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in line)


def judge_text(what, text):
    try:
        lines = text.decode().split("\n")
    except UnicodeDecodeError:
        return fail(what, "invalid UTF-8")
    for line in lines:
        if CONTROL.search(line):
            fail(what, f"control characters: {line[:200]!r}")
        if re.search(r"(^|[ (])-?(nan|inf)\b", line):
            fail(what, f"no number: {line!r}")


def no_number(text):
    raise ValueError(text)


def judge_json(what, text):
    try:
        return json.loads(text.decode(), parse_constant=no_number)
    except ValueError as error:
        fail(what, f"JSON: {error}")


def judge_csv(what, text):
    rows = list(csv.reader(io.StringIO(text.decode(errors="replace"), newline=""), strict=True))
    if len({len(row) for row in rows}) > 1:
        fail(what, "rows of different length")


def run(what, *arguments):
    done = subprocess.run([hectic, *arguments], capture_output=True, env=environment)
    if done.returncode not in (0, 1) and b"several profiles" not in done.stderr:
        fail(what, f"exit code {done.returncode}: {done.stderr[-300:]!r}")
    if b"Sanitizer" in done.stderr or b"runtime error" in done.stderr:
        fail(what, done.stderr[:500])
    judge_text(f"{what}, stderr", done.stderr)
    return done


def consume(what, form, path):
    """The file is one of its format."""
    with open(path, "rb") as file:
        content = file.read()
    command = None
    if form == "hp":
        command = ["hp2ps", "-c", os.path.basename(path)]
    elif form == "pprof":
        gzip.decompress(content)
        command = ["go", "tool", "pprof", "-top", path]
    elif form == "folded":
        if not re.fullmatch(rb"([^\x00-\x1f]* \d+\n)*", content):
            fail(what, "no folded stacks")
    elif form == "prof":
        judge_text(what, content.replace(b"\t", b""))
    elif file := judge_json(what, content):
        judge_speedscope(what, file) if form == "speedscope" else None
    if command and shutil.which(command[0]):
        done = subprocess.run(command, cwd=work, capture_output=True, env=dict(environment, HOME=work))
        if done.returncode != 0:
            fail(what, f"{command[0]}: {done.stderr[-300:]!r}")


def judge_speedscope(what, file):
    frames = len(file["shared"]["frames"])
    for profile in file["profiles"]:
        stacks = profile.get("samples", [])
        used = [frame for stack in stacks for frame in stack] + [call["frame"] for call in profile.get("events", [])]
        if any(frame >= frames for frame in used):
            fail(what, "an unknown frame")
        if len(stacks) != len(profile.get("weights", [])):
            fail(what, "stacks without weights")
        if sum(profile.get("weights", [])) not in (0, profile["endValue"]) and profile["endValue"] != 2**64 - 1:
            fail(what, "the sum of the weights")


def some(forms, number):
    """Each third, but not the same ones of the next log."""
    return forms if os.environ.get("EXHAUSTIVE") else forms[number % 3 :: 3]


for number, log in enumerate(logs):
    for command in some(TEXTS + TABLES, number):
        what = f"{command} {os.path.basename(log)}"
        done = run(what, *command.split(), log)
        judge_text(what, done.stdout)
        # The longest line may be a command that names the log.
        lines = done.stdout.decode(errors="replace").replace(log, "LOG").split("\n")
        for line in lines:
            if len(line) > 40 and width(line) > 80:
                fail(what, f"{width(line)} columns: {line!r}")
    for command in some(TABLES, number):
        what = f"{command} {os.path.basename(log)}"
        judge_csv(f"{what} --csv", run(f"{what} --csv", *command.split(), "--csv", log).stdout)
    for command in some(TABLES + ["info", "watch"], number):
        what = f"{command} --json {os.path.basename(log)}"
        text = run(what, *command.split(), "--json", log).stdout
        for line in text.splitlines() if command == "watch" else [text] if text else []:
            judge_json(what, line)
    for options in some(EXPORTS, number):
        what = f"export --format {options} {os.path.basename(log)}"
        path = os.path.join(work, "exported.hp")
        done = run(what, "export", "--format", *options.split(), log, path)
        if os.path.exists(path) != (done.returncode == 0):
            fail(what, f"exit code {done.returncode}, and the file is{'' if os.path.exists(path) else ' not'} there")
        if os.path.exists(path):
            consume(what, options.split()[0], path)
            os.unlink(path)

print("\n".join(failures[:20]))
sys.exit(1 if failures else 0)
