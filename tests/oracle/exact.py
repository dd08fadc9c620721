"""JSON of hectic, with the texts of a log as pages show them: each byte that is not UTF-8 is U+FFFD."""
import json, re


def text_of(exact):
    """A text of which \\xE4 is a byte, and \\\\ a backslash."""
    found = re.sub(rb"\\(\\|x[0-9A-F]{2})", lambda at: at[1] if at[1] == b"\\" else bytes([int(at[1][1:], 16)]), exact.encode())
    return re.sub("[\udc80-\udcff]", "\ufffd", found.decode("utf-8", "surrogateescape"))


def restored(value):
    if isinstance(value, str):
        return text_of(value)
    if isinstance(value, list):
        return [restored(one) for one in value]
    return {key: restored(one) for key, one in value.items()} if isinstance(value, dict) else value


def loads(printed):
    return restored(json.loads(printed))
