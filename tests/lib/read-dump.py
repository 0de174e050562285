#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: read-dump.py FILE: its records as `ssd-workloads analyze records` prints them. Shares nothing with that program: it was
# written from docs/dump-format.md, and proves that the page is enough.
import struct
import sys

data = open(sys.argv[1], 'rb').read()
magic, checksum, file_bytes, source, segment_count, record_bytes, split_bytes = struct.unpack_from('<8sQQIIII', data, 0)
has_flushes = magic == b'ssdrecs2'
assert magic in (b'ssdrecs1', b'ssdrecs2') and file_bytes == len(data) and (record_bytes, split_bytes) == (64, 64 if has_flushes else 48)
total = 0
for (word,) in struct.iter_unpack('<Q', data[16:]):
    total = (total ^ word) * 0x9e3779b97f4a7c15 % 2**64
    total ^= total >> 32
assert total == checksum
(begin_ns,) = struct.unpack_from('<Q', data, 432)
segments = [struct.unpack_from('<BBB5xQQQQQQQQ', data, 576 + 72 * i) for i in range(segment_count)]
at = 576 + 72 * segment_count
records = []
for segment in segments:
    records.append([struct.unpack_from('<QQQQQIIiIBBHHH', data, at + 64 * i) for i in range(segment[3])])
    at += 64 * segment[3]
splits = []
for segment in segments:
    count = segment[3] if segment[2] else 0
    splits.append([struct.unpack_from('<QQQQQQIIQ' if has_flushes else '<QQQQQII', data, at + split_bytes * i)
                   for i in range(count)])
    at += split_bytes * count
assert at == len(data)
print('stream,worker,sequence,pass,offset,bytes,result,batch,inflight_own,inflight_other,due_ns,prep_ns,enter_ns,'
      'entered_ns,reap_ns,joined,requests,batching_ns,submit_ns,queue_ns,device_ns,reaping_ns,flushes,flush_ns')
for segment, its_records, its_splits in zip(segments, records, splits):
    first_due_ns, first_due_sequence, period_num, period_den = segment[7:]
    for i, record in enumerate(its_records):
        sequence, prep, enter, reap, offset, entered, length, result, batch, stream, worker, turn, own, other = record
        due = prep
        if period_den and length:
            due = first_due_ns + (sequence - first_due_sequence) * period_num // period_den
        tail = [''] * 9
        if segment[2]:
            split = its_splits[i]
            if has_flushes:
                batching, submit, queue, device, flush, reaping, state, requests, flushes = split
            else:
                batching, submit, queue, device, reaping, state, requests = split
            if not has_flushes or flushes == 2**64 - 1:
                flush = flushes = ''
            tail[0] = ('no', 'own', 'merged')[state]
            if state:
                tail[1:] = requests, batching, submit, queue, device, reaping, flushes, flush
        print(','.join(map(str, [('log', 'checkpoint')[stream], worker, sequence, turn, offset, length, result, batch, own,
                                 other, due - begin_ns, prep - begin_ns, enter - begin_ns, entered, reap - begin_ns, *tail])))
