"""A relay for tests: its programs' socket, recordings and spool are in a folder of its own."""
import atexit
import os
import re
import signal
import socket
import subprocess
import urllib.request

import waiting


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


class Relay:
    """`sends`: what it sends, as in the names of its metrics: "clickhouse" or "otlp"; `waits`: what waits, in them."""

    def __init__(self, folder, sends, waits, options, env=None):
        self.folder, self.sends, self.waits, self.options, self.env = folder, sends, waits, options, env
        self.name, self.spool = os.path.basename(folder), f"{folder}/spool"
        os.makedirs(folder, exist_ok=True)
        self.start()

    def start(self):
        self.metrics = f"127.0.0.1:{free_port()}"
        self.errors = open(f"{self.folder}/errors", "ab")
        self.process = subprocess.Popen(
            [os.environ["HECTIC"], "relay", "--from", f"listen:unix:{self.folder}/socket", "--record", f"{self.folder}/logs",
             "--spool", self.spool, "--metrics", self.metrics, *self.options],
            stderr=self.errors, env={**os.environ, **(self.env or {})})
        atexit.register(self.process.kill)
        waiting.soon(self.answers, f"{self.name}: the relay does not begin: {self.said()}")

    def answers(self):
        try:
            return f"hectic_relay_{self.sends}_failing" in self.page()
        except OSError:
            return False

    def page(self):
        with urllib.request.urlopen(f"http://{self.metrics}/metrics") as answer:
            return answer.read().decode()

    def metric(self, name):
        return int(re.search(rf"^hectic_relay_{self.sends}_{name} (\d+)$", self.page(), re.M).group(1))

    def said(self):
        return open(f"{self.folder}/errors").read()

    def says(self, text):
        waiting.soon(lambda: text in self.said(), f"{self.name}: not said: {text}")

    def ended(self):
        """How many logs have."""
        return self.said().count(": log ended")

    def sends_all(self):
        waiting.soon(lambda: self.metric(self.waits) == 0 and self.metric("failing") == 0, f"{self.name}: not all is sent: {self.said()}")

    def end(self, lost=False):
        """`lost`: is its exit code to say so?"""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(waiting.PATIENCE)
        assert code == int(lost), f"{self.name}: exit code {code}: {self.said()}"
        assert "Sanitizer" not in self.said() and "runtime error" not in self.said(), self.said()

    def kill(self):
        self.process.kill()
        self.process.wait()


def paced(relay, events, rate):
    """A program that connects to the relay."""
    return subprocess.Popen([f"{os.environ['HECTIC_BUILD']}/paced", f"unix:{relay.folder}/socket", str(events), str(rate)],
                            stdout=subprocess.PIPE, text=True)


def finish(*programs):
    for program in programs:
        dropped = program.communicate(timeout=waiting.PATIENCE)[0]
        assert program.returncode == 0 and dropped == "0\n", f"exit code {program.returncode}, {dropped} events dropped"
