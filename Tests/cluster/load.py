"""Devices: they post each postback until it is answered 200, at whichever node is there."""

import collections
import http.client
import queue
import random
import threading
import time


class Load:
    def __init__(self, ports, bodies, rate, repeats, workers=24):
        self.ports, self.rate, self.repeats = ports, rate, repeats
        self.pending = queue.Queue()
        self.bodies = bodies
        self.acknowledged = set()
        self.answers = collections.Counter()
        self.gap, self.last = 0.0, time.monotonic()
        self.lock = threading.Lock()
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self.work, args=(number,), daemon=True) for number in range(workers)]
        self.feeder = threading.Thread(target=self.feed, daemon=True)

    def start(self):
        self.last = time.monotonic()
        for thread in self.threads + [self.feeder]:
            thread.start()

    def feed(self):
        """Hands the bodies out at the rate, and some of them twice: devices repeat what was answered, too."""
        chance = random.Random(1)
        for body in self.bodies:
            rate = self.rate
            if rate:
                time.sleep(1 / rate)
            self.pending.put(body)
            if chance.random() < self.repeats:
                self.pending.put(body)
        self.pending.join()
        self.stopped.set()

    def work(self, number):
        chance = random.Random(number)
        connections = {}
        while not self.stopped.is_set():
            try:
                body = self.pending.get(timeout=0.5)
            except queue.Empty:
                continue
            port = chance.choice(self.ports)
            status = self.post(connections, port, body)
            self.note(status, body)
            if status != 200:
                # A device waits for hours; a moment is enough here.
                time.sleep(0.2)
                self.pending.put(body)
            self.pending.task_done()

    @staticmethod
    def post(connections, port, body):
        connection = connections.pop(port, None) or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request(
                "POST", "/skadnetwork/postbacks", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            response.read()
            connections[port] = connection
            return response.status
        except (OSError, http.client.HTTPException):
            connection.close()
            return 0

    def note(self, status, body):
        with self.lock:
            self.answers[status] += 1
            if status == 200:
                now = time.monotonic()
                self.gap = max(self.gap, now - self.last)
                self.last = now
                self.acknowledged.add(body)

    def take_gap(self):
        """The longest time without an acknowledgement since the last call."""
        with self.lock:
            gap, self.gap = max(self.gap, time.monotonic() - self.last), 0.0
            return gap

    @property
    def has_ended(self):
        return self.stopped.is_set()
