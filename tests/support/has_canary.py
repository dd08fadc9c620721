"""Exits with 1 if eight bytes of CANARY in a row are in a file: has_canary.py CANARY FILE..."""

import sys


def has_canary(canary, data):
    return any(canary[i : i + 8] in data for i in range(len(canary) - 7))


if __name__ == "__main__":
    for path in sys.argv[2:]:
        with open(path, "rb") as file:
            if has_canary(sys.argv[1].encode(), file.read()):
                sys.exit(f"{path}: a canary")
