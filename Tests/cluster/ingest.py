#!/usr/bin/env python3
"""How fast one, two and three nodes record into one database, and what that costs: Tests/cluster/ingest.py SKAN

Everything runs on this machine: the load, the nodes and PostgreSQL share its processors. So the costs of a postback, on a
node and on the database, say more than the rates; ten machines are calculated from them. A plain receiver in Go does the
same job without verifying anything, where Go can be found.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

from processes import BINARIES, Failure, Process, USER, as_server_user, free_port, wait_until

COUNT = int(os.environ.get("COUNT", "60000"))
# Programs that post: one of them alone keeps few requests under way.
LOADS = 12
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid, has_children=False):
    """What a process has used, with the children that it has waited for."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return sum(int(ticks) for ticks in fields[11:15 if has_children else 13]) / TICKS


class Server(Process):
    """One PostgreSQL with its defaults for durability, and without a standby."""

    def __init__(self, folder):
        self.port, data = free_port(), os.path.join(folder, "data")
        subprocess.run(
            as_server_user([f"{BINARIES}/initdb", "-D", data, "-U", USER, "--auth", "trust", "-E", "UTF8",
                            "--locale", "C.UTF-8", "--no-sync"]), check=True, cwd=folder, stdout=subprocess.DEVNULL)
        with open(os.path.join(data, "postgresql.conf"), "a", encoding="ascii") as file:
            file.write(f"listen_addresses = '127.0.0.1'\nport = {self.port}\nunix_socket_directories = '{folder}'\n"
                       "shared_buffers = '256MB'\nmax_wal_size = '4GB'\nmax_connections = 200\n")
        super().__init__(folder, "postgres", as_server_user([f"{BINARIES}/postgres", "-D", data]))
        wait_until(self.is_ready, 60, "PostgreSQL")

    def is_ready(self):
        return subprocess.run([f"{BINARIES}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)],
                              check=False).returncode == 0

    def sql(self, statement, database="postgres"):
        return subprocess.run(
            [f"{BINARIES}/psql", "--no-psqlrc", "-qAt", "-h", "127.0.0.1", "-p", str(self.port), "-U", USER, "-d",
             database, "-c", statement], capture_output=True, text=True, check=True).stdout.strip()


class Measurement:
    def __init__(self, folder, skan, server):
        self.folder, self.skan, self.server = folder, skan, server
        subprocess.run([skan, "simulate", "--count", str(COUNT), "--faults", "0", "--keys", "keys", "--output", "sim"],
                       cwd=folder, check=True, stderr=subprocess.DEVNULL)
        with open(os.path.join(folder, "sim", "postbacks.ndjson"), encoding="utf-8") as file:
            self.lines = file.readlines()

    def run(self, name, database, make, count, table):
        """Posts all postbacks to some receivers, each its share."""
        self.server.sql(f"CREATE DATABASE {database} TEMPLATE template0")
        receivers = [make(database, number) for number in range(count)]
        for receiver in receivers:
            wait_until(lambda: self.listens(receiver.port), 30, f"a receiver; see {receiver.log}")
        time.sleep(1)
        lsn = self.server.sql("SELECT pg_current_wal_lsn()")
        used = [cpu_seconds(receiver.process.pid) for receiver in receivers]
        database_used = cpu_seconds(self.server.process.pid, True)
        start = time.monotonic()
        loads = []
        for number in range(LOADS):
            share = os.path.join(self.folder, f"share{number}.ndjson")
            with open(share, "w", encoding="utf-8") as file:
                file.writelines(self.lines[number::LOADS])
            loads.append(Process(self.folder, f"load{number}", [
                self.skan, "replay", share, "--concurrency", "16",
                "--url", f"http://127.0.0.1:{receivers[number % count].port}/skadnetwork/postbacks"]))
        for load in loads:
            load.process.wait()
        seconds = time.monotonic() - start
        cpu = sum(cpu_seconds(receiver.process.pid) for receiver in receivers) - sum(used)
        wal = int(self.server.sql(f"SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '{lsn}')::int8"))
        stored = int(self.server.sql(f"SELECT count(*) FROM {table}", database))
        commits = int(self.server.sql("SELECT count(*) FROM skan.batch", database)) if "skan" in table else stored
        for receiver in receivers:
            receiver.end()
        # Those of the backends count as soon as they have ended.
        wait_until(lambda: self.server.sql(
            f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}'") == "0", 20, "the end of backends")
        database_cpu = cpu_seconds(self.server.process.pid, True) - database_used
        print(f"{name:24} {stored / seconds:8.0f}/s  receiver {cpu / stored * 1e6:5.0f} us  database "
              f"{database_cpu / stored * 1e6:5.0f} us and {wal / stored:5.0f} bytes of WAL  "
              f"{stored / max(commits, 1):6.1f} in a commit", flush=True)
        if stored != len(self.lines):
            raise Failure(f"{len(self.lines)} were posted, and {stored} stored")
        self.server.sql(f"DROP DATABASE {database}")
        return cpu / stored, database_cpu / stored, wal / stored

    @staticmethod
    def listens(port):
        return subprocess.run(["curl", "-s", "-o", "/dev/null", "--max-time", "2", f"http://127.0.0.1:{port}/"],
                              check=False).returncode == 0

    def node(self, database, number):
        port = free_port()
        process = Process(self.folder, f"node{number}", [
            self.skan, "serve", "--listen", f"127.0.0.1:{port}", "--console", "127.0.0.1:0",
            "--store", f"postgresql://{USER}@127.0.0.1:{self.server.port}/{database}",
            "--trust-test-key", "keys/test-p192.public.pem", "--trust-test-key", "keys/test-p256.public.pem"])
        process.port = port
        return process

    def plain(self, database, number):
        port = free_port()
        process = Process(self.folder, f"plain{number}", [
            os.path.join(self.folder, "receiver"), str(port),
            f"host=127.0.0.1 port={self.server.port} user={USER} dbname={database} sslmode=disable"])
        process.port = port
        return process

    def build_plain(self):
        """Builds the receiver in Go; says why not."""
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "receiver.go")
        if shutil.which("go") is None or not os.path.isdir("/usr/share/gocode/src/github.com/lib/pq"):
            return "left out: there is no Go (apt-get install golang-go golang-github-lib-pq-dev)"
        built = subprocess.run(
            ["go", "build", "-o", os.path.join(self.folder, "receiver"), source], capture_output=True, text=True,
            check=False, env={**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": "",
                              "GOCACHE": os.path.join(self.folder, "gocache")})
        return None if built.returncode == 0 else f"left out: it does not build: {built.stderr}"


def main():
    folder = tempfile.mkdtemp(prefix="skan-ingest-", dir="/tmp")
    if os.getuid() == 0:
        shutil.chown(folder, USER, USER)
    server = None
    try:
        server = Server(folder)
        measurement = Measurement(folder, os.path.realpath(sys.argv[1]), server)
        print(f"{COUNT} postbacks on {os.cpu_count()} processors, which the load, the receivers and PostgreSQL share")
        for count in (1, 2, 3):
            costs = measurement.run(
                f"skan, {count} node{'s' if count > 1 else ''}", f"nodes{count}", measurement.node, count,
                "skan.postback")
        problem = measurement.build_plain()
        if problem:
            print(f"plain Go receiver        {problem}")
        else:
            measurement.run("plain Go receiver", "plain", measurement.plain, 1, "postback")
        node, database, wal = costs
        print(f"with 8 processors each, of which PostgreSQL keeps one free: the database takes {7 / database:,.0f}/s and "
              f"writes {7 / database * wal / 1e6:.0f} MB/s; nodes for that: {7 / database * node / 8:.1f}")
    finally:
        if server:
            server.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
