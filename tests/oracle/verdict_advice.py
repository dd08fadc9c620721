"""Follows the advice of each finding literally, and looks at the next verdict: see programs/faults/advice.
By default, of those that name flags; VERDICTS=all: of all. Arguments are names of rules."""

import os
import re
import sys
import tempfile

import verdict_corpus as corpus

TABLE = f"{os.path.dirname(corpus.TABLE)}/advice"
MORE = 1 + 1 / 3
# What costs more, and how a text says so.
PRICES = {"memory": r"memory", "processor": r"processor time", "pause": r"longer|pauses"}
UPPER = {"gc_balance", "sparks_small", "yields"}  # the higher their numbers, the better


class Run:
    """A run and its verdict."""

    def __init__(self, directory, caps, command):
        self.command = command
        log = f"{directory}/{command[0]}.{caps}.eventlog"
        took = corpus.run(command, log)
        stat = corpus.hectic("stat", "--jsonl", log)
        pauses = stat["gc"]["pause"]
        # Programs run for a time: what a unit of work takes is comparable.
        work = stat["memory"]["allocated_bytes"]
        self.takes = {
            "memory": took["memory"],
            "processor": took["processor"] / work,
            "pause": pauses["total_ns"] / pauses["count"],
        }
        self.findings = {f["id"]: f for f in corpus.hectic("info", "--json", log)["verdict"]}
        crowd = corpus.Table().names(["crowd", "busy"]) if took["preempted"] > corpus.BUSY else set()
        self.serious = {name: f["importance"] for name, f in self.findings.items() if name not in crowd}

    def __str__(self):
        found = " ".join(f"{name} {f['importance']:.2f}" for name, f in self.findings.items()) or "-"
        return f"    {' '.join(self.command)}: {found}"


def advised(text):
    """Flags after +RTS in a text: of the first sentence that has some."""
    flags = re.search(r"\+RTS((?: -[\w.-]*\w)+)", text)
    return flags.group(1).split() if flags else []


def followed(command, flags):
    """A run with flags, which replace those of the same kind (-A64k by -A16m)."""
    kinds = {flag[:2] for flag in flags if not flag.startswith("--")}
    return [word for word in command if word[:2] not in kinds] + [flag for flag in flags if flag != "-l"]


def wrong_of(directory, rules, caps, command, then, expected):
    before = Run(directory, caps, command)
    rule = next((name for name in before.findings if name in rules), None)
    if rule is None:
        return [f"nobody advises\n{before}"]
    finding = before.findings[rule]
    flags = advised(finding["text"]) if then == ["flags"] else []
    if then == ["flags"] and not flags:
        return [f"no flags in: {finding['text']}"]
    after = Run(directory, caps, followed(command, flags) if flags else then)
    wrong = []
    if expected:
        if not after.findings.keys() & expected:
            wrong.append(f"does not name {' or '.join(sorted(expected))}")
    else:
        left = after.findings.get(rule)
        keys = ["importance"] if rule in UPPER else ["importance", "value"]
        if left and all(left[key] > 0.8 * finding[key] for key in keys):
            wrong.append(f"no better: {left['text']}")
        worst = max(finding["importance"] for finding in before.findings.values())
        wrong += [
            f"{name} is new, and more important than all before"
            for name in after.serious.keys() - before.findings.keys()
            if after.serious[name] > worst
        ]
    if flags and not expected:
        wrong += [
            f"{what} × {after.takes[what] / before.takes[what]:.1f} is not in: {finding['text']}"
            for what, words in PRICES.items()
            if after.takes[what] > MORE * before.takes[what] and not re.search(words, finding["text"])
        ]
    return [f"{what}\n{before}\n{after}" for what in wrong]


def rows():
    with open(TABLE, encoding="utf-8") as lines:
        for line in lines:
            line = line.split("#")[0].strip()
            if not line:
                continue
            before, then = line.split(" => ")
            rules, caps, *command = before.split()
            then, _, expected = then.partition("; names ")
            yield rules, caps, command, then.split(), set(filter(None, expected.split("|")))


def main():
    failed = count = 0
    for rules, caps, command, then, expected in rows():
        if sys.argv[1:] and not set(sys.argv[1:]) & set(rules.split("|")):
            continue
        if then != ["flags"] and not sys.argv[1:] and not corpus.ALL:
            continue
        count += 1
        for _ in range(corpus.TRIES):  # as for the corpus
            with tempfile.TemporaryDirectory() as directory:
                wrong = wrong_of(directory, rules.split("|"), caps, command, then, expected)
            if not wrong:
                break
        failed += bool(wrong)
        for what in wrong:
            print(f"{rules} -N{caps}, {' '.join(command)} => {' '.join(then)}: {what}")
    print(f"advice of {count} findings, {failed} wrong")
    sys.exit(bool(failed))


main()
