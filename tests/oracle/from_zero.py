"""from_zero.py HECTIC LOG...: compares hectic stat with hectic stat --from 0s. Prints the number of comparisons."""
import json
import subprocess
import sys

# A whole run ends where +RTS -s ends it; an interval, with the last event. INIT and EXIT are part of MUT then. Sparks
# that the last collection discards are in the counters only, which are of whole runs, as the live data at the end are.
OTHERWISE = {
    ".to_ns", ".time.total_ns", ".time.init_ns", ".time.exit_ns", ".time.mutator_ns", ".time.productivity",
    ".time.allocated_bytes_per_mutator_second", ".caps[].present_ns", ".caps[].idle_ns", ".warnings.times_went_back",
    ".sparks.gcd", ".caps[].sparks.gcd", ".memory.live_end_bytes",
}


def stat(*arguments):
    done = subprocess.run([sys.argv[1], "stat", "--jsonl", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [json.loads(line) for line in done.stdout.splitlines()]


def differing(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in a.keys() | b.keys():
            yield from differing(a.get(key), b.get(key), f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for one, other in zip(a, b):
            yield from differing(one, other, f"{path}[]")
    elif a != b:
        yield path, a, b


def main():
    failed = compared = 0
    for log in sys.argv[2:]:
        for whole, part in zip(stat(log), stat("--from", "0s", log)):
            compared += 1
            for path, a, b in differing(whole, part):
                if path not in OTHERWISE:
                    failed += 1
                    print(f"{log}: {path}: {a}, from 0s: {b}")
            # Only at the end, by the events of the runtime that follow.
            later = part["to_ns"] - whole["to_ns"]
            if later < 0 or later > 1_000_000:
                failed += 1
                print(f"{log}: the run ends {later} ns before the interval")
    print(f"{compared} sections compared, {failed} numbers differ")
    sys.exit(failed > 0 or compared == 0)


main()
