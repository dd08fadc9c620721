"""Servers of ClickHouse for tests: each in a folder, on ports of 127.0.0.1."""
import atexit
import json
import os
import signal
import socket
import subprocess
import urllib.error
import urllib.request

import waiting

CONFIG = """<yandex>
<logger><level>warning</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host><http_port>{http}</http_port><tcp_port>{tcp}</tcp_port>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><timezone>UTC</timezone>
<users_config>{folder}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size>
<remote_servers><shards>{shards}</shards></remote_servers>
{settings}</yandex>"""
SHARD = "<shard><replica><host>127.0.0.1</host><port>{tcp}</port></replica></shard>"
USERS = """<yandex><profiles><default/></profiles><quotas><default/></quotas><users>{users}</users></yandex>"""
USER = """<{name}><password>{password}</password><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></{name}>"""


class Server:
    def __init__(self, folder, http, tcp):
        self.folder, self.http, self.tcp = folder, http, tcp
        self.url = f"http://127.0.0.1:{http}"
        self.process = None

    def start(self):
        with open(f"{self.folder}/output", "ab") as output:
            self.process = subprocess.Popen(["clickhouse-server", f"--config-file={self.folder}/config.xml"],
                                            stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        atexit.register(self.process.kill)
        waiting.soon(self.answers, f"no server: {self.folder}")

    def answers(self):
        try:
            return self.query("SELECT 1") == "1\n"
        except OSError:
            return False

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def post(self, address, statement):
        try:
            with urllib.request.urlopen(address, statement.encode(), timeout=waiting.PATIENCE) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise ValueError(f"{statement}: {error.read().decode()[:500]}") from error

    def query(self, statement):
        return self.post(self.url, statement)

    def rows(self, statement):
        """As lists of values; whole numbers are exact."""
        address = f"{self.url}/?output_format_json_quote_64bit_integers=0"
        return json.loads(self.post(address, f"{statement} FORMAT JSONCompact"))["data"]


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def make_shards(folder, count, users=(("default", ""),), settings=""):
    """Servers that are shards of the cluster `shards`; they are started. settings: XML of their configuration."""
    ports = free_ports(2 * count)
    shards = "".join(SHARD.format(tcp=tcp) for tcp in ports[count:])
    servers = []
    for number in range(count):
        place = f"{folder}/server-{number}"
        for part in ("data", "tmp"):
            os.makedirs(f"{place}/{part}")
        server = Server(place, ports[number], ports[count + number])
        with open(f"{place}/config.xml", "w") as config:
            config.write(CONFIG.format(folder=place, http=server.http, tcp=server.tcp, shards=shards, settings=settings))
        with open(f"{place}/users.xml", "w") as config:
            config.write(USERS.format(users="".join(USER.format(name=n, password=p) for n, p in users)))
        server.start()
        servers.append(server)
    return servers
