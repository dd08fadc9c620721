"""Waiting, for tests in Python: for a condition, never for a time. Only a test that fails reaches the
deadline."""
import socket
import time

PATIENCE = 120  # s; machines may be slow and busy


def soon(condition, what, patience=PATIENCE):
    """Waits until it is true; returns its value."""
    end = time.monotonic() + patience
    while not (value := condition()):
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.01)
    return value


def connect(path, patience=PATIENCE):
    """To a Unix socket that may not be there yet, or whose queue may be full."""

    def attempt():
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(patience)
        try:
            s.connect(path)
            return s
        except (FileNotFoundError, ConnectionRefusedError, BlockingIOError):
            s.close()
            return None

    return soon(attempt, f"nothing listens at {path}", patience)
