"""schema.py HECTIC SCHEMA: the rows and records that verbs print have the keys and types of the schema."""
import json
import subprocess
import sys

PRINTS = [
    (["stat"], ["stat"]), (["stat", "--every", "5ms"], ["stat_every"]), (["gc"], ["gc"]),
    (["threads"], ["threads"]), (["threads", "--os"], ["tasks"]), (["spans"], ["spans"]),
    (["spans", "--each"], ["spans_each", "spans"]), (["sparks"], ["sparks"]),
    (["sparks", "--each"], ["sparks_each", "sparks"]), (["heap", "--every", "5ms"], ["heap_every"]),
    (["heap", "--by", "tree"], ["heap_tree"]), (["ticky"], ["ticky", "counters"]), (["prof"], ["prof", "frames"]),
]
LOGS = ["demo", "spans", "sparks", "heap-profile-c", "time-profile", "restarted", "every-event"]
TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None), "array": list}


def check(schema, name, value, path):
    """What is wrong with an object."""
    properties = schema[name]["properties"]
    for key, one in value.items():
        where = f"{path}.{key}"
        if key not in properties:
            yield f"{where}: not in the schema of {name}"
        elif "anyOf" in properties[key]:
            if one is not None:
                yield from check(schema, properties[key]["anyOf"][0]["$ref"].split("/")[-1], one, where)
        elif not any(type(one) is bool if t == "boolean" else isinstance(one, TYPES[t]) and not isinstance(one, bool)
                     for t in properties[key]["type"]):
            yield f"{where}: {one!r} is not {properties[key]['type']}"
        elif one and "items" in properties[key]:
            for element in one:
                yield from check(schema, properties[key]["items"]["$ref"].split("/")[-1], element, where)


def main():
    hectic, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)["$defs"]
    wrong, checked = [], 0
    for arguments, (table, *key) in PRINTS:
        for log in LOGS:
            for form in ("--json", "--jsonl"):
                command = [hectic, *arguments, form, f"tests/logs/{log}.eventlog"]
                printed = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
                if not printed:  # refused: too many rows
                    continue
                if form == "--jsonl":
                    rows = [json.loads(line) for line in printed.splitlines()]
                elif table == "prof":
                    rows = [row for profile in json.loads(printed)["profiles"] for row in profile["frames"]]
                else:
                    rows = json.loads(printed)[(key or [table])[0]]
                for row in rows:
                    checked += 1
                    wrong += [f"{' '.join(command[1:])}: {one}" for one in check(schema, table, row, "")]
    for one in wrong[:20]:
        print(one)
    sys.exit(bool(wrong) or checked < 500)


main()
