#!/usr/bin/env python3
"""Three nodes of skan on a cluster of Patroni whose leader is killed again and again: Tests/cluster/run.py SKAN

Two nodes reach PostgreSQL by its three addresses, the third through PgBouncer in transaction mode. Meanwhile devices post,
and repeat what is not answered 200. Afterwards what was acknowledged has to be there, each postback once, and the report
has to be the one that `skan simulate` expects. KILLS and COUNT in the environment say how often, and how much is posted.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from load import Load
from processes import BINARIES, Etcd, Failure, Member, Node, PgBouncer, USER, wait_until

KILLS = int(os.environ.get("KILLS", "10"))
COUNT = int(os.environ.get("COUNT", "20000"))
# Postbacks a second while leaders are killed; the rest follows as fast as it goes.
RATE = int(os.environ.get("RATE", "40"))
MINUTES = int(os.environ.get("MINUTES", "30"))
BY = "network,app,campaign-id,source-identifier"


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def required(programs):
    missing = [program for program in programs if shutil.which(program) is None and not os.access(program, os.X_OK)]
    if missing:
        sys.exit(f"not tested, for these are missing: {', '.join(missing)}; make test-cluster installs them")


class Cluster:
    def __init__(self, folder, skan):
        self.folder, self.skan = folder, skan
        self.processes = []
        self.members = []
        self.bouncer = None
        self.is_ending = threading.Event()

    def start(self):
        etcd = Etcd(self.folder)
        self.processes.append(etcd)
        self.members = [Member(self.folder, number, etcd) for number in (1, 2, 3)]
        for member in self.members:
            member.start()
        say("waiting for a leader and two standbys")
        wait_until(self.leader, 90, "a leader")
        self.wait_for_standbys(None)
        self.sql("CREATE DATABASE skan TEMPLATE template0", "postgres")
        self.bouncer = PgBouncer(self.folder, wait_until(self.leader, 60, "a leader"))
        self.processes.append(self.bouncer)
        threading.Thread(target=self.guide, daemon=True).start()

    def guide(self):
        """Tells PgBouncer who leads."""
        while not self.is_ending.wait(0.3):
            leader = self.leader()
            if leader:
                self.bouncer.follow(leader)

    def leader(self):
        return next((member for member in self.members if member.asks("primary")), None)

    def wait_for_standbys(self, but):
        """Until the others replicate, one of them in step with the leader."""
        def are_there():
            others = [member for member in self.members if member is not but]
            return (any(member.asks("synchronous") for member in others)
                    and sum(member.asks("replica") for member in others) == 2)
        wait_until(are_there, 120, "two standbys, one of them synchronous")

    def sql(self, statement, database="skan"):
        leader = wait_until(self.leader, 60, "a leader")
        done = subprocess.run(
            [f"{BINARIES}/psql", "--no-psqlrc", "-qAt", "-h", "127.0.0.1", "-p", str(leader.port), "-U", USER,
             "-d", database, "-c", statement], capture_output=True, text=True, check=False, timeout=60)
        if done.returncode != 0:
            raise Failure(f"{statement}: {done.stderr.strip()}")
        return done.stdout.strip()

    @property
    def store(self):
        hosts = ",".join(f"127.0.0.1:{member.port}" for member in self.members)
        return f"postgresql://{USER}@{hosts}/skan"

    @property
    def pooled_store(self):
        # What PgBouncer says of the server's role may be old: it is told itself who leads.
        return f"postgresql://{USER}@127.0.0.1:{self.bouncer.port}/skan?target_session_attrs=any"

    def run_skan(self, *arguments):
        return subprocess.run(
            [self.skan, *arguments], cwd=self.folder, capture_output=True, text=True, check=False, timeout=600)

    def end(self):
        self.is_ending.set()
        for process in reversed(self.processes[1:]):
            process.end()
        for member in self.members:
            member.end()
        for process in self.processes[:1]:
            process.end()


def kill_leaders(cluster, load):
    """Kills leaders, and returns the longest time without an acknowledgement around each."""
    gaps = []
    for number in range(1, KILLS + 1):
        leader = wait_until(cluster.leader, 60, "a leader")
        cluster.wait_for_standbys(leader)
        load.take_gap()
        acknowledged = len(load.acknowledged)
        leader.kill()
        # Dead but for its files: the others lead on.
        def other_leader():
            found = cluster.leader()
            return found if found is not leader else None
        new = wait_until(other_leader, 90, "another leader")
        wait_until(lambda: len(load.acknowledged) > acknowledged + 30, 90, "acknowledgements after the failover")
        gaps.append(load.take_gap())
        say(f"kill {number} of {KILLS}: {leader.name} is dead, {new.name} leads; "
            f"{gaps[-1]:.1f} s without an acknowledgement")
        leader.start()
    return gaps


def by_values(rows):
    """Rows of a report by their values; the expectation has them in another order."""
    return {tuple(row[dimension] for dimension in BY.split(",")): row for row in rows}


def check(cluster, load):
    """What is stored, against what was acknowledged and what the harness expects."""
    problems = []
    exported = cluster.run_skan("export", "--store", cluster.store, "--test", "--bodies")
    stored = [json.loads(line)["body"] for line in exported.stdout.splitlines()]
    lost = load.acknowledged - set(stored)
    if exported.returncode != 0:
        problems.append(f"the export failed: {exported.stderr}")
    if lost:
        problems.append(f"{len(lost)} acknowledged postbacks are not stored")
    if len(stored) != len(set(stored)):
        problems.append(f"{len(stored) - len(set(stored))} postbacks are stored more than once")
    say(f"acknowledged {len(load.acknowledged)}, stored {len(stored)}, lost {len(lost)}")
    with open(os.path.join(cluster.folder, "sim", "expected-report.json"), encoding="utf-8") as file:
        expected = json.load(file)
    report = cluster.run_skan("report", "--store", cluster.store, "--test", "--by", BY, "--format", "json")
    if report.returncode != 0:
        problems.append(f"the report failed: {report.stderr}")
    found = json.loads(report.stdout or "{}")
    if by_values(found.get("rows", [])) != by_values(expected["rows"]):
        problems.append("the report is not the one that was expected")
    say(f"the report has {len(found.get('rows', []))} rows, as expected: {not problems}")
    recount = cluster.run_skan("recount", "--store", cluster.store, *cluster.keys)
    say((recount.stdout.strip().splitlines() or ["the recount says nothing"])[-1])
    if recount.returncode != 0:
        problems.append(f"the recount differs: {recount.stdout} {recount.stderr}")
    return problems


def main():
    required(["etcd", "patroni", "/usr/sbin/pgbouncer", f"{BINARIES}/postgres", "ps"])
    skan = os.path.realpath(sys.argv[1])
    # Paths of sockets have room for 107 bytes.
    folder = tempfile.mkdtemp(prefix="skan-cluster-", dir="/tmp")
    if os.getuid() == 0:
        shutil.chown(folder, USER, USER)
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(Failure(f"not within {MINUTES} minutes")))
    signal.alarm(MINUTES * 60)
    cluster = Cluster(folder, skan)
    problems = ["it was not finished"]
    try:
        problems = run(cluster)
    except (Failure, subprocess.TimeoutExpired) as failure:
        problems = [str(failure)]
    finally:
        signal.alarm(0)
        cluster.end()
        if problems:
            say(f"the logs are in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    for problem in problems:
        say(f"FAILED: {problem}")
    sys.exit(1 if problems else 0)


def run(cluster):
    cluster.start()
    made = cluster.run_skan("simulate", "--count", str(COUNT), "--faults", "0", "--keys", "keys", "--output", "sim")
    if made.returncode != 0:
        return [f"no postbacks: {made.stderr}"]
    with open(os.path.join(cluster.folder, "sim", "postbacks.ndjson"), encoding="utf-8") as file:
        bodies = file.read().splitlines()
    cluster.keys = [word for curve in ("p192", "p256")
                    for word in ("--trust-test-key", f"keys/test-{curve}.public.pem")]
    nodes = [Node(cluster.folder, number, cluster.skan, store, cluster.keys)
             for number, store in enumerate([cluster.store, cluster.store, cluster.pooled_store], 1)]
    cluster.processes += nodes
    for node in nodes:
        wait_until(lambda: node.is_ready, 60, f"a node that is ready; see {node.log}")
    say("three nodes are ready, one of them through PgBouncer")
    load = Load([node.port for node in nodes], bodies, RATE, repeats=0.05)
    load.start()
    gaps = kill_leaders(cluster, load)
    load.rate = None
    wait_until(lambda: load.has_ended, 600, "every postback acknowledged")
    say(f"answers by status (0: none): {dict(sorted(load.answers.items()))}")
    problems = check(cluster, load)
    if not all(node.is_running for node in nodes):
        problems.append("a node ended")
    say(f"longest time without an acknowledgement: {max(gaps, default=0):.1f} s, of {len(gaps)} failovers; "
        "the lease of the leader is 20 s")
    return problems


if __name__ == "__main__":
    main()
