"""Each number of `hectic stat --json` has a name for `hectic require`, which finds the same value."""
import json
import subprocess
import sys

hectic, log = sys.argv[1:]


def numbers(value, path=""):
    """The paths of all numbers, with their values."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from numbers(member, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from numbers(member, f"{path}[{member.get('cap', index)}]")
    elif value is not None:
        yield path, value


def run(*words):
    return subprocess.run([hectic, *words], capture_output=True, text=True)


report = json.loads(run("stat", "--json", log).stdout)["stat"][0]
expected = {path: value for path, value in numbers(report)
            if not path.endswith((".cap", ".generation"))}
found = run("require", "--jsonl", *(f"{path} >= 0" for path in expected), log)
rows = [json.loads(line) for line in found.stdout.splitlines()]
assert found.returncode == 0, found.stderr
assert len(rows) == len(expected) > 50, len(rows)
for row, (path, value) in zip(rows, expected.items()):
    assert row["number"] == path, (row, path)
    assert abs(row["value"] - value) <= 1e-9 * abs(value), (row, value)
    assert row["outcome"] == "passed", row
