"""The processes of a cluster, all on 127.0.0.1 and in one folder, ended by their ids."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

BINARIES = "/usr/lib/postgresql/15/bin"
USER = "postgres"


class Failure(Exception):
    """Something did not come about in time."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, seconds, what):
    """Waits for a condition, and returns what it returned."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    raise Failure(f"not within {seconds} s: {what}")


def as_server_user(command):
    """PostgreSQL does not run as root."""
    if os.getuid() != 0:
        return command
    return ["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups", "--"] + command


class Process:
    """A process with a log, in a session of its own."""

    def __init__(self, folder, name, command, environment=None):
        self.log = os.path.join(folder, name + ".log")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command, cwd=folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
                env={**os.environ, **(environment or {})})

    @property
    def is_running(self):
        return self.process.poll() is None

    def end(self, number=signal.SIGTERM, seconds=20):
        if self.is_running:
            self.process.send_signal(number)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Etcd(Process):
    def __init__(self, folder):
        self.port, peer = free_port(), free_port()
        super().__init__(
            folder, "etcd",
            ["etcd", "--data-dir", os.path.join(folder, "etcd"), "--log-level", "error",
             "--listen-client-urls", f"http://127.0.0.1:{self.port}",
             "--advertise-client-urls", f"http://127.0.0.1:{self.port}",
             "--listen-peer-urls", f"http://127.0.0.1:{peer}",
             "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
             "--initial-cluster", f"default=http://127.0.0.1:{peer}"])


class Member:
    """A server of PostgreSQL, and the Patroni that looks after it."""

    def __init__(self, folder, number, etcd):
        self.folder, self.name = folder, f"pg{number}"
        self.port, self.api = free_port(), free_port()
        self.data = os.path.join(folder, self.name)
        self.configuration = os.path.join(folder, self.name + ".yml")
        with open(self.configuration, "w", encoding="ascii") as file:
            json.dump(self.settings(etcd), file)  # JSON is YAML.
        self.patroni = None

    def settings(self, etcd):
        return {
            "scope": "skan", "name": self.name,
            "restapi": {"listen": f"127.0.0.1:{self.api}", "connect_address": f"127.0.0.1:{self.api}"},
            "etcd3": {"host": f"127.0.0.1:{etcd.port}"},
            "bootstrap": {
                "dcs": {
                    # The shortest that Patroni allows for the lease, so that ten failovers take minutes.
                    "ttl": 20, "loop_wait": 2, "retry_timeout": 3, "maximum_lag_on_failover": 1048576,
                    "synchronous_mode": True, "synchronous_mode_strict": True,
                    "postgresql": {
                        "use_pg_rewind": True,
                        "parameters": {
                            "max_connections": 100, "shared_buffers": "64MB", "wal_keep_size": "256MB",
                            "unix_socket_directories": self.folder, "wal_log_hints": "on",
                        },
                    },
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "no-sync"],
            },
            "postgresql": {
                "listen": f"127.0.0.1:{self.port}", "connect_address": f"127.0.0.1:{self.port}",
                "data_dir": self.data, "bin_dir": BINARIES, "pgpass": os.path.join(self.folder, self.name + ".pass"),
                "pg_hba": ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust",
                           "local all all trust"],
                "authentication": {
                    "superuser": {"username": "postgres", "password": "x"},
                    "replication": {"username": "replicator", "password": "x"},
                    "rewind": {"username": "rewinder", "password": "x"},
                },
            },
        }

    def start(self):
        self.patroni = Process(
            self.folder, self.name, as_server_user(["patroni", self.configuration]), {"HOME": self.folder})

    def asks(self, path):
        """Whether Patroni answers 200."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.api}/{path}", timeout=2) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    @property
    def postmaster(self):
        try:
            with open(os.path.join(self.data, "postmaster.pid"), encoding="ascii") as file:
                return int(file.readline())
        except (OSError, ValueError):
            return None

    def kill(self):
        """Ends the member as the loss of its machine would: nothing gets to say goodbye."""
        postmaster = self.postmaster
        children = []
        if postmaster:
            listed = subprocess.run(
                ["ps", "-o", "pid=", "--ppid", str(postmaster)], capture_output=True, text=True, check=False)
            children = [int(pid) for pid in listed.stdout.split()]
        self.patroni.process.kill()
        for pid in ([postmaster] if postmaster else []) + children:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.patroni.process.wait()

    def end(self):
        if self.patroni:
            # Patroni ends its server in order.
            self.patroni.end(seconds=30)
        if self.postmaster:
            try:
                os.kill(self.postmaster, signal.SIGQUIT)
            except ProcessLookupError:
                pass


class PgBouncer(Process):
    """A pooler in transaction mode, which is told where the leader is."""

    def __init__(self, folder, leader):
        self.port, self.folder, self.leader = free_port(), folder, leader
        self.write()
        super().__init__(folder, "pgbouncer", as_server_user(["/usr/sbin/pgbouncer", self.path]))

    @property
    def path(self):
        return os.path.join(self.folder, "pgbouncer.ini")

    def write(self):
        with open(self.path + ".new", "w", encoding="ascii") as file:
            file.write(
                f"[databases]\nskan = host=127.0.0.1 port={self.leader.port} dbname=skan user={USER}\n"
                f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {self.port}\nunix_socket_dir =\n"
                "auth_type = any\npool_mode = transaction\nmax_client_conn = 200\ndefault_pool_size = 3\n"
                "server_check_delay = 1\nserver_connect_timeout = 3\nserver_login_retry = 1\n")
        os.replace(self.path + ".new", self.path)

    def follow(self, leader):
        """Points to another leader, as a callback of Patroni does where it runs with PgBouncer."""
        if leader is not self.leader:
            self.leader = leader
            self.write()
            self.process.send_signal(signal.SIGHUP)


class Node(Process):
    """A server of skan."""

    def __init__(self, folder, number, skan, store, keys):
        self.port, self.console = free_port(), free_port()
        super().__init__(
            folder, f"node{number}",
            [skan, "serve", "--listen", f"127.0.0.1:{self.port}", "--console", f"127.0.0.1:{self.console}",
             "--store", store, "--require-synchronous"] + keys)

    @property
    def is_ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.console}/readyz", timeout=2) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False
