#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: trace.py NAME FILE...: writes a recording of memtrace that is known to its tests, by the format that
# memtrace/file/trace_file.h describes, independently of the writer there.
#   scan     period 1, a loop over 50 pages, 100 times: an LRU buffer of 50 pages holds all
#   query    period 1000: a sequential scan of a column in phase "scan", then skewed accesses to a dictionary in "sort"
#   before after equal   period 1000: two ranges; the volume of the first falls by half, the second stays
#   shared   period 1: two threads write different words of one line, the second by updates
#   clock    a sample each 1000000 ns of CPU time
#   refault popularity   100 pages are paged out 20 times each, and page k comes back after about k ms; popularity: 300 loads
#            of a burst in 3 other pages, too
#   large N  period 1000: N samples, zipf-like over a gigabyte
#   names    120000 names of one page, each forgotten before the next; a sample in each, and one after it
#   mappings 120000 mappings of one page, each with a sample
#   nested   120000 mappings, each inside the one before, and each with a sample in the innermost page
import random
import struct
import sys
import zlib

ANON = 0x7F0000000000
HEAP = 0x550000000000
PAGE = 4096
MAP, COMM, FORK, EXIT, MARK, LOST, END = range(1, 8)
NAME, FORGET, RECOVERED = 10, 11, 12
MANY = 120000
LOAD, STORE, MAJOR, UPDATE, OUT = 1, 2, 4, 5, 6


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(difference):
    difference &= 2**64 - 1
    return varint((difference << 1 ^ (2**64 - 1 if difference >> 63 else 0)) & (2**64 - 1))


class Recording:
    def __init__(self, path, period, engine="burst", unit="accesses", rates=""):
        self.file = open(path, "wb")
        self.events = []
        rates = rates or f"period\t{period}\nperiod_unit\t{unit}\n"
        header = f"engine\t{engine}\n{rates}command\tprogram of a test\npage_bytes\t4096\n".encode()
        self.file.write(b"memtrace" + struct.pack("<III", 1, len(header), zlib.crc32(header)) + header)
        self.event(COMM, 1000, 1, 0, text="program")
        self.event(MAP, 1001, ANON, 1 << 30, text="//anon")
        self.event(MAP, 1001, HEAP, 1 << 24, text="[heap]")
        self.payload, self.count, self.time = bytearray(), 0, 2000

    def block(self, kind, payload, count, tid, time):
        head = b"MTB1" + struct.pack("<BBHIII4xQI", kind, 0, 0, len(payload), count, tid, time, zlib.crc32(payload))
        self.file.write(head + struct.pack("<I", zlib.crc32(head)) + payload)

    def event(self, kind, time, *values, text="", tid=100):
        self.events.append((kind, time, values + (0,) * (4 - len(values)), text.encode(), tid))

    def sample(self, address, kind=LOAD, tid=100, step=1000):
        if not self.count:
            self.first = self.last_time = self.time
            self.tid = self.first_tid = tid
            self.address = 0
        if tid != self.tid:
            self.payload += b"\x07" + varint(tid)
            self.tid = tid
        self.payload += bytes([kind]) + signed(self.time - self.last_time) + signed(address - self.address)
        self.last_time, self.address = self.time, address
        self.time += step
        self.count += 1
        if len(self.payload) > 60000:
            self.flush()

    def flush(self):
        if self.count:
            self.block(1, bytes(self.payload), self.count, self.first_tid, self.first)
        self.payload, self.count = bytearray(), 0

    def close(self, lost=0):
        self.flush()
        if lost:
            self.event(LOST, 0, lost, 0)
        self.event(END, 0, 0)
        payload, count = bytearray(), 0
        for kind, at, values, text, tid in self.events:
            if len(payload) > 60000:
                self.block(2, bytes(payload), count, 100, first)
                payload, count = bytearray(), 0
            if not count:
                first = time = at
            payload += bytes([kind]) + signed(at - time) + varint(100) + varint(tid)
            payload += b"".join(varint(value) for value in values) + varint(len(text)) + text
            time = at
            count += 1
        self.block(2, bytes(payload), count, 100, first)
        self.file.close()


def scan(path):
    recording = Recording(path, 1)
    for i in range(5000):
        recording.sample(ANON + i % 50 * PAGE)
    recording.close()


def query(path):
    draw = random.Random(1)
    recording = Recording(path, 1000)
    recording.event(MARK, recording.time, text="scan")
    for i in range(20000):
        recording.sample(ANON + i * 512)
    recording.event(MARK, recording.time, text="sort")
    for i in range(20000):
        hot = draw.random() < 0.8
        recording.sample(HEAP + 8 * ((draw.randrange(20) * 4999) if hot else draw.randrange(100000)))
    recording.close(lost=7)


def volumes(path, first, second):
    recording = Recording(path, 1000)
    for i in range(first):
        recording.sample(ANON + i % 256 * PAGE)
    for i in range(second):
        recording.sample(HEAP + i % 256 * PAGE)
    recording.close()


def shared(path):
    recording = Recording(path, 1)
    recording.event(FORK, 1500, 100, 100, tid=101)
    for _ in range(100):
        recording.sample(ANON, STORE, 100)
        recording.sample(ANON + 32, UPDATE, 101)
    recording.close()


def clock(path):
    recording = Recording(path, 1000000, "cpu-clock", "ns of CPU time")
    for i in range(1000):
        recording.sample(ANON + i % 40 * PAGE)
    recording.event(RECOVERED, 0, 250, 0)
    recording.event(RECOVERED, 0, 100, 1)
    # Of a recovery that this version does not know.
    recording.event(RECOVERED, 0, 5, 99)
    recording.close()


def paged(path, engine, rates):
    recording = Recording(path, 0, engine, rates="paged_out_per_second\t2000\n" + rates)
    for i in range(2000):
        page, turn = i % 100, i // 100
        recording.sample(ANON + page * PAGE, OUT, step=(page + 1) * (50000 + (7 * turn + 13 * page) % 20 * 100000))
        recording.sample(ANON + page * PAGE, MAJOR)
    if "bursts" in rates:
        for i in range(300):
            recording.sample(ANON + (200 + i * i % 3) * PAGE)
    recording.close()


def refault(path):
    paged(path, "refault", "")


def popularity(path):
    paged(path, "popularity", "bursts_per_second\t20\nburst_instructions\t256\n")


def large(path, samples):
    draw = random.Random(2)
    recording = Recording(path, 1000)
    # One rotation of a block of draws after another: many samples without as many draws.
    places = [int(262144 ** draw.random()) - 1 for _ in range(65536)]
    for i in range(samples):
        recording.sample(ANON + (places[i & 65535] * 40503 + i // 65536) % 262144 * PAGE, step=100)
    recording.close()


def names(path):
    recording = Recording(path, 1)
    for i in range(MANY):
        recording.event(NAME, recording.time, ANON, PAGE, text=f"name{i}")
        recording.sample(ANON)
        recording.event(FORGET, recording.time, text=f"name{i}")
        recording.sample(ANON)
    recording.close()


def mappings(path):
    recording = Recording(path, 1)
    for i in range(MANY):
        recording.event(MAP, recording.time, ANON, PAGE, text=f"/file{i}")
        recording.sample(ANON)
    recording.close()


def nested(path):
    recording = Recording(path, 1)
    for i in range(MANY):
        recording.event(MAP, recording.time, ANON + i * PAGE, 2 * (MANY - i) * PAGE, text=f"/file{i}")
        recording.sample(ANON + MANY * PAGE)
    recording.close()


name, paths = sys.argv[1], sys.argv[2:]
if name in ("before", "after", "equal"):
    volumes(paths[0], 5000 if name == "after" else 10000, 1000)
elif name == "large":
    large(paths[0], int(paths[1]))
else:
    globals()[name](paths[0])
