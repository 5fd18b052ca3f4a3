#!/usr/bin/env python3
"""A NetTrace reader as an adapter of the conformance suite, see PROTOCOL.md:

    nettrace conformance run --stream -- python3 conformance/adapters/python/adapter.py --stream

It reads versions 4, 5 and 6, and stops at the first fault, with exit code 1.
"""

import ctypes
import datetime
import io
import itertools
import json
import struct
import sys


class Fault(Exception):
    """The trace breaks the format."""
class Truncated(Fault):
    """The trace ends too early."""
class Unsupported(Exception):
    """The trace has a version that this reader does not read."""
class Misfit(Exception):
    """A payload does not fit its fields."""


def check(holds, message):
    if not holds:
        raise Fault(message)


class Cursor:
    """Reads data[pos:end]. It raises error when a value goes past the end."""

    def __init__(self, data, pos, end, error):
        self.data, self.pos, self.end, self.error = data, pos, end, error

    def done(self):
        return self.pos >= self.end

    def take(self, size):
        start = self.pos
        if not 0 <= size <= self.end - start:
            raise self.error(f"{size} bytes at offset {start} go past {self.end}")
        self.pos += size
        return self.data[start : self.pos]

    def rest(self):
        return self.take(self.end - self.pos)

    def part(self, size):
        """A cursor for the next size bytes."""
        self.take(size)
        return Cursor(self.data, self.pos - size, self.pos, self.error)

    def numbers(self, layout):
        """Numbers by the letters of module struct: B, H, I and Q have 1, 2, 4 and 8 bytes."""
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))

    def number(self, letter):
        return self.numbers(letter)[0]

    def varuint(self, bits):
        """A varuint32 or varuint64, of at most 5 or 10 bytes."""
        value = 0
        for shift in range(0, bits, 7):
            byte = self.number("B")
            value |= (byte & 0x7F) << shift
            if byte < 0x80 and value >> bits == 0:
                return value
        raise self.error(f"the varuint{bits} before offset {self.pos} is too large")

    def varint64(self):
        value = self.varuint(64)
        return (value >> 1) ^ -(value & 1)

    def utf8(self):
        """A string of version 6: its length as a varuint32, then UTF-8."""
        return self.take(self.varuint(32)).decode("utf-8")

    def utf16z(self):
        """UTF-16 up to a code unit 0."""
        start = self.pos
        while self.take(2) != b"\0\0":
            pass
        return utf16(self.data[start : self.pos - 2])

    def guid(self):
        a, b, c, d = self.numbers("IHH8s")
        return f"{a:08x}-{b:04x}-{c:04x}-{d[:2].hex()}-{d[2:].hex()}"


def utf16(data):
    """Text that can have a surrogate without its partner. Module json writes it as \\udxxx."""
    return data.decode("utf-16-le", "surrogatepass")


def unique(values, key):
    """A key that is not in values yet. The second "a" is "a#2"."""
    names = itertools.chain([key], (f"{key}#{n}" for n in itertools.count(2)))
    return next(name for name in names if name not in values)


def floating(value):
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(repr(value), value)


def single(value):
    """The number with the fewest digits that is this Single."""
    shorter = (float(f"{value:.{digits}g}") for digits in range(1, 10))
    return floating(next((number for number in shorter if ctypes.c_float(number).value == value), value))


def system_time(data):
    """Eight Int16: the date, with the day of the week after the month, and the time."""
    year, month, _, day, hour, minute, second, ms = struct.unpack("<8h", data)
    return datetime.datetime(year, month, day, hour, minute, second, ms * 1000).isoformat(timespec="milliseconds")


# The names of the type codes, and how to read a value of a type without parts.
TYPES = {
    1: ("Object", None), 3: ("Boolean", lambda c: c.number("I") != 0), 4: ("UTF16CodeUnit", lambda c: c.number("H")),
    5: ("SByte", lambda c: c.number("b")), 6: ("Byte", lambda c: c.number("B")),
    7: ("Int16", lambda c: c.number("h")), 8: ("UInt16", lambda c: c.number("H")),
    9: ("Int32", lambda c: c.number("i")), 10: ("UInt32", lambda c: c.number("I")),
    11: ("Int64", lambda c: str(c.number("q"))), 12: ("UInt64", lambda c: str(c.number("Q"))),
    13: ("Single", lambda c: single(c.number("f"))), 14: ("Double", lambda c: floating(c.number("d"))),
    16: ("DateTime", None), 17: ("Guid", Cursor.guid), 18: ("NullTerminatedUTF16String", Cursor.utf16z),
    19: ("Array", None), 20: ("VarInt", lambda c: str(c.varint64())), 21: ("VarUInt", lambda c: str(c.varuint(64))),
    22: ("FixedLengthArray", None), 23: ("UTF8CodeUnit", lambda c: c.number("B")), 24: ("RelLoc", None),
    25: ("DataLoc", None), 26: ("Boolean8", lambda c: c.number("B") != 0),
}
READERS = dict(TYPES.values())
LOCATORS = ("RelLoc", "DataLoc")
WITH_ELEMENT = ("Array", "FixedLengthArray") + LOCATORS
# An array of these is a string: hex or text.
UNITS = {"Byte": (1, bytes.hex), "UTF16CodeUnit": (2, utf16), "UTF8CodeUnit": (1, lambda b: b.decode(errors="replace"))}


class Payload:
    """Decodes a payload by fields as metadata lines have them, with DateTime values of 8 or 16 bytes."""

    def __init__(self, data, fields, date_time_size):
        self.date_time_size, self.values, self.error = date_time_size, {}, None
        self.impossible = 0  # times that are none
        self.far = 0  # the end of what locators refer to
        cursor = Cursor(data, 0, len(data), Misfit)
        try:
            self.read_fields(cursor, fields, self.values)
            if max(cursor.pos, self.far) < len(data):
                self.error = "bytes after the last field"
        except Misfit as misfit:
            self.error = str(misfit)

    def read_fields(self, cursor, fields, values):
        for field in fields:
            values[unique(values, field["name"])] = self.value(cursor, field)
        return values

    def value(self, cursor, t):
        name, element = t["type"], t.get("element")
        if name == "Object":
            return self.read_fields(cursor, t["fields"], {})
        if name == "DateTime":
            return self.date_time(cursor.take(self.date_time_size))
        if name in LOCATORS:
            return self.located(cursor, name, element)
        if not element:
            return READERS[name](cursor)
        count = cursor.number("H") if name == "Array" else t["count"]
        if element["type"] in UNITS:
            size, text = UNITS[element["type"]]
            return text(cursor.take(count * size))
        return [self.value(cursor, element) for _ in range(count)]

    def date_time(self, data):
        """Of 16 bytes, or of 8: a FILETIME, 100 ns since 1601."""
        try:
            if len(data) == 16:
                return system_time(data) + "0000Z"
            seconds, ticks = divmod(int.from_bytes(data, "little"), 10**7)
            moment = datetime.datetime(1601, 1, 1) + datetime.timedelta(seconds=seconds)
            return f"{moment.isoformat()}.{ticks:07}Z"
        except (ValueError, OverflowError):
            self.impossible += 1
            return {"raw": data.hex()}

    def located(self, cursor, name, element):
        """The values that a locator refers to, by their position and their size in bytes."""
        position, size = cursor.numbers("HH")
        position += cursor.pos if name == "RelLoc" else 0
        target, values = Cursor(cursor.data, position, position + size, Misfit), []
        self.far = max(self.far, target.end)
        if target.end > len(cursor.data):
            raise Misfit("a locator goes past the payload")
        if element["type"] in UNITS:
            return UNITS[element["type"]][1](target.rest())
        while not target.done():
            values.append(self.value(target, element))
        return values


def kinds_of(cursor, kinds):
    """Reads parts that begin with a kind: optional metadata, or properties of a thread."""
    values = {"attributes": []}
    while not cursor.done():
        key, read_value = kinds.get(cursor.number("B"), (None, None))
        check(key, f"the kind before offset {cursor.pos} is unknown")
        value = read_value(cursor)
        values[key] = values[key] + [value] if key == "attributes" else value
    return values


def byte(cursor):
    return cursor.number("B")


def pair(cursor):
    return [cursor.utf8(), cursor.utf8()]


OPTIONAL_METADATA = {
    1: ("opcode", byte), 3: ("keywords", lambda c: hex(c.number("Q"))), 4: ("message", Cursor.utf8),
    5: ("description", Cursor.utf8), 6: ("attributes", pair), 7: ("guid", Cursor.guid), 8: ("level", byte),
    9: ("version", byte),
}
THREAD_PROPERTIES = {
    1: ("name", Cursor.utf8), 2: ("process", lambda c: str(c.varuint(64))), 3: ("thread", lambda c: str(c.varuint(64))),
    4: ("attributes", pair),
}
LABELS = {
    1: lambda c: {"activity": c.guid()}, 2: lambda c: {"relatedActivity": c.guid()},
    3: lambda c: {"traceId": c.take(16).hex()}, 4: lambda c: {"spanId": c.take(8).hex()},
    5: lambda c: {"key": c.utf8(), "value": c.utf8()}, 6: lambda c: {"key": c.utf8(), "number": str(c.varint64())},
    7: lambda c: {"opcode": byte(c)}, 8: lambda c: {"keywords": hex(c.number("Q"))}, 9: lambda c: {"level": byte(c)},
    10: lambda c: {"version": byte(c)},
}
# The objects of versions 4 and 5 with the kinds of blocks of version 6.
OBJECTS = {b"Trace": 1, b"EventBlock": 2, b"MetadataBlock": 3, b"SPBlock": 4, b"StackBlock": 5}


class Reader:
    """Reads one trace and prints its lines."""

    def __init__(self, data, out):
        self.file, self.out = Cursor(data, 0, len(data), Truncated), out
        self.metadata, self.threads, self.stacks, self.labels = {}, {}, {}, {0: []}
        self.last = {}  # the last sequence number of each capture thread
        self.events = self.lost = 0
        self.trace = None  # its properties

    def print(self, kind, **keys):
        """Writes a line with those keys that have a value. An empty one is as good as none."""
        line = {"type": kind} | {key: value for key, value in keys.items() if value is not None}
        self.out.write(json.dumps(line, separators=(",", ":")) + "\n")

    # Framing.

    def read(self):
        if self.file.data[4:24] == b"!FastSerialization.1":
            raise Unsupported("version 3")
        magic = self.file.data[:8]
        check(magic == b"Nettrace"[: len(magic)], "not NetTrace")
        self.file.take(8)
        self.v6 = self.file.number("I") == 0
        if self.v6:
            self.read_blocks()
        else:
            self.read_objects()

    def read_objects(self):
        """Versions 4 and 5: the objects of the FastSerialization library."""
        self.file.pos -= 4
        self.expect(b"\x14\0\0\0!FastSerialization.1")
        while self.file.number("B") != 1:
            self.file.pos -= 1
            self.expect(b"\5\5\1")
            version, minimum, length = self.file.numbers("III")
            kind = OBJECTS.get(self.file.take(length))
            self.expect(b"\6")
            if minimum > (5 if kind == 1 else 2):
                raise Unsupported(f"an object for readers of version {minimum}")
            self.version = str(version)
            size = 48 if kind == 1 else self.file.number("I")
            self.file.take(0 if kind == 1 else -self.file.pos % 4)
            self.block(kind, size)
            self.expect(b"\6")

    def expect(self, data):
        check(self.file.take(len(data)) == data, f"the bytes before offset {self.file.pos} are not {data}")

    def read_blocks(self):
        """Version 6: blocks with a kind and a size."""
        major, minor = self.file.numbers("II")
        if major > 6:
            raise Unsupported(f"version {major}.{minor}")
        check(major == 6, f"version {major}.{minor}")
        self.version, kind = f"6.{minor}", None
        while kind != 0:
            header = self.file.number("I")
            kind = header >> 24
            self.block(kind, header & 0xFFFFFF)

    def block(self, kind, size):
        """Reads a block. One that the end of the file cuts off is read up to there."""
        check((kind == 1) == (self.trace is None), "the first block is a Trace block, and no other one")
        end = min(self.file.pos + size, self.file.end)
        body = Cursor(self.file.data, self.file.pos, end, Truncated if end < self.file.pos + size else Fault)
        blocks = {1: self.trace_block, 2: lambda c: self.rows(c, self.event), 3: self.metadata_block,
                  4: self.sequence_point, 5: self.stack_block, 6: self.thread_block,
                  7: self.remove_block, 8: self.label_block}
        blocks.get(kind, Cursor.rest)(body)
        check(body.done(), f"bytes after the last row, at offset {body.pos}")
        self.file.take(size)

    def trace_block(self, cursor):
        moment, ticks, frequency, self.pointer_size = cursor.numbers("16sqqi")
        check(self.pointer_size in (4, 8) and frequency > 0,
              f"pointers of {self.pointer_size} bytes, {frequency} ticks per second")
        self.trace = {}
        if self.v6:
            for _ in range(cursor.number("I")):
                key = cursor.utf8()
                self.trace[unique(self.trace, key)] = cursor.utf8()
            cursor.rest()
        else:
            keys = ("ProcessId", "HardwareThreadCount", "ExpectedCPUSamplingRate")
            numbers = zip(keys, cursor.numbers("III"))
            self.trace = {key: str(number) for key, number in numbers if (key, number) != ("ProcessId", 2**32 - 1)}
        self.print("trace", format=self.version, pointerSize=self.pointer_size, syncTime=system_time(moment) + "Z",
                   syncTicks=str(ticks), tickFrequency=str(frequency), properties=self.trace)

    # Metadata.

    def definition(self, _, payload):
        """A row of a metadata block of versions 4 and 5 is that of an event. Its payload is the definition."""
        c = Cursor(payload, 0, len(payload), Fault)
        m = {"id": c.number("I"), "provider": c.utf16z(), "eventId": c.number("I"), "name": c.utf16z(),
             "keywords": hex(c.number("Q")), "version": c.number("I"), "level": c.number("I"),
             "fields": [] if c.done() else self.fields(c, 4)}
        while not c.done():  # the tags of version 5
            size, kind = c.numbers("IB")
            tag = c.part(size)
            if kind == 1:
                m["opcode"] = byte(tag)
            elif kind == 2:
                m["fields"] = self.fields(tag, 5)
        self.define(m)

    def metadata_block(self, cursor):
        if not self.v6:
            return self.rows(cursor, self.definition)
        cursor.take(cursor.number("H"))
        while not cursor.done():
            c = cursor.part(cursor.number("H"))
            m = {"id": c.varuint(32), "provider": c.utf8(), "eventId": c.varuint(32), "name": c.utf8(), "version": 0,
                 "level": 0, "keywords": "0x0", "fields": self.fields(c, 6)}
            self.define(m | kinds_of(c.part(c.number("H")), OPTIONAL_METADATA))

    def define(self, m):
        self.metadata[m["id"]] = m
        self.print("metadata", **m)

    def fields(self, cursor, version):
        """A list of fields. In version 4 a field has a type and a name, later a size, a name and a type."""
        fields = []
        for _ in range(cursor.number("H" if version == 6 else "I")):
            if version == 4:
                fields.append(self.type(cursor, version) | {"name": cursor.utf16z()})
                continue
            field = cursor.part(cursor.number("H") if version == 6 else cursor.number("I") - 4)
            fields.append({"name": field.utf8() if version == 6 else field.utf16z()} | self.type(field, version))
        return fields

    def type(self, cursor, version):
        name, _ = TYPES.get(cursor.number("B" if version == 6 else "I"), (None, None))
        check(name and not (version == 4 and name in WITH_ELEMENT),
              f"the type before offset {cursor.pos} is not one of version {version}")
        t = {"type": name}
        if name in WITH_ELEMENT:
            t["element"] = self.type(cursor, version)
        if name in LOCATORS and t["element"]["type"] in ("NullTerminatedUTF16String", "Array"):
            raise Fault(f"a locator of values without a fixed size before offset {cursor.pos}")
        if name == "FixedLengthArray":
            t["count"] = cursor.number("H")
        if name == "Object":
            t["fields"] = self.fields(cursor, version)
        return t

    # Stacks, label lists, threads and sequence points.

    def stack_block(self, cursor):
        first, count = cursor.numbers("II")
        for i in range(count):
            data = cursor.take(cursor.number("I"))
            check(len(data) % self.pointer_size == 0, f"a stack of {len(data)} bytes before offset {cursor.pos}")
            addresses = struct.iter_unpack("<Q" if self.pointer_size == 8 else "<I", data)
            self.stacks[first + i] = [hex(address) for (address,) in addresses]

    def label_block(self, cursor):
        first, count = cursor.numbers("II")
        check(first > 0, "a label list with index 0")
        for i in range(count):
            self.labels[first + i] = labels = []
            kind = 0
            while kind < 0x80:
                kind = byte(cursor)
                check(kind & 0x7F in LABELS, f"a label of kind {kind & 0x7F}")
                labels.append(LABELS[kind & 0x7F](cursor))

    def thread_block(self, cursor):
        while not cursor.done():
            row = cursor.part(cursor.number("H"))
            index = row.varuint(64)
            self.threads[index] = kinds_of(row, THREAD_PROPERTIES)
            self.print("thread", index=str(index), **self.threads[index])

    def remove_block(self, cursor):
        while not cursor.done():
            index, number = cursor.varuint(64), cursor.varuint(32)
            check(index in self.threads, f"the removal of the unknown thread {index}")
            self.print("removeThread", index=str(index), sequence=number)
            self.reached(index, number, None)
            self.threads.pop(index)
            self.last.pop(index, None)

    def sequence_point(self, cursor):
        time, flags = cursor.number("Q"), cursor.number("I") if self.v6 else 0
        threads = [(cursor.varuint(64), cursor.varuint(32)) if self.v6 else cursor.numbers("QI")
                   for _ in range(cursor.number("I"))]
        listed = [[self.long(thread), number] for thread, number in threads]
        self.print("sequencePoint", time=self.long(time), flags=flags, threads=listed)
        for thread, number in threads:
            self.reached(thread, number, self.long(time))
        self.stacks, self.labels = {}, {0: []}
        if flags & 1:
            self.threads, self.last = {}, {}
        if flags & 2:
            self.metadata = {}

    def long(self, number):
        """Times and threads are signed in versions 4 and 5, unsigned in version 6."""
        return str(number if self.v6 or number < 2**63 else number - 2**64)

    # Losses.

    def ahead(self, capture, number):
        """How far number is ahead of the last one of a thread; negative for a step back."""
        ahead = number - self.last.get(capture, 0)
        return ahead + 2**32 if ahead < -(2**31) else ahead

    def report(self, capture, count, before):
        self.lost += count
        keys = {"captureThread": self.long(capture)}
        if self.v6:
            keys = {"captureThread": self.threads.get(capture, {}).get("thread"), "captureThreadIndex": str(capture)}
        self.print("lost", **keys, count=str(count), before=before)

    def reached(self, capture, number, before):
        """Handles the number of a thread in a sequence point, or its last one."""
        if (lost := self.ahead(capture, number)) > 0:
            self.last[capture] = number
            self.report(capture, lost, before)

    # Events.

    def rows(self, cursor, use):
        """Calls use with each row of a block and its payload."""
        size, flags = cursor.numbers("HH")
        check(size >= 20, f"a block header of {size} bytes")
        cursor.take(size - 4)
        row = {"metadata": 0, "sequence": 0, "capture": 0, "processor": 0, "thread": 0, "stack": 0, "time": 0,
               "labels": 0, "activity": None, "related": None, "size": 0}
        while not cursor.done():
            if flags & 1:
                self.compressed_row(cursor, row)
                use(row, cursor.take(row["size"]))
            else:
                use(row, self.plain_row(cursor, row))

    def compressed_row(self, cursor, row):
        """Makes the row before the next one."""
        flags = byte(cursor)
        if flags & 1:
            row["metadata"] = cursor.varuint(32)
        if flags & 2:
            row["sequence"] += cursor.varuint(32)
            row["capture"], row["processor"] = cursor.varuint(64), cursor.varuint(32)
        if row["metadata"] or self.v6:
            row["sequence"] = (row["sequence"] + 1) % 2**32
        if flags & 4:
            row["thread"] = cursor.varuint(64)
        if flags & 8:
            row["stack"] = cursor.varuint(32)
        row["time"] = (row["time"] + cursor.varuint(64)) % 2**64
        if flags & 16:
            row["labels" if self.v6 else "activity"] = cursor.varuint(32) if self.v6 else cursor.guid()
        if flags & 32 and not self.v6:
            row["related"] = cursor.guid()
        if flags & 128:
            row["size"] = cursor.varuint(32)
        row["sorted"] = flags & 64 != 0

    def plain_row(self, cursor, row):
        """Reads a row that is not compressed, and returns its payload."""
        end = cursor.pos + 4 + cursor.number("I")
        row["metadata"], row["sequence"], row["thread"], row["capture"] = cursor.numbers("IIQQ")
        row["processor"], row["stack"], row["time"] = cursor.numbers("IIQ")
        if self.v6:
            row["labels"] = cursor.number("I")
        else:
            row["activity"], row["related"] = cursor.guid(), cursor.guid()
        payload = cursor.take(cursor.number("I"))
        check(end == cursor.pos or cursor.pos < end <= cursor.end and not self.v6,
              f"a row ends at offset {end}, its payload at {cursor.pos}")
        # Rows of versions 4 and 5 are padded to 4 bytes. Their size includes the padding or not.
        cursor.pos = end if self.v6 else min(end + -end % 4, cursor.end)
        # The text calls the high bit IsSorted. Writers set it in rows that are not sorted.
        row["sorted"] = row["metadata"] < 2**31
        row["metadata"] %= 2**31
        return payload

    def event(self, row, payload):
        m, labels = self.metadata.get(row["metadata"]), self.labels.get(row["labels"])
        stack = self.stacks.get(row["stack"])
        check(m and labels is not None and (stack is not None or not row["stack"]),
              f"metadata {row['metadata']}, stack {row['stack']} or label list {row['labels']} is unknown")
        threads = self.thread_keys(row["thread"], row["capture"])
        number, time, capture = row["sequence"], self.long(row["time"]), row["capture"]
        # In versions 4 and 5 the number 1 can be that of a new thread with an old id.
        ahead = 1 if number == 1 and not self.v6 else self.ahead(capture, number)
        check(ahead > 0, f"the sequence number {number} of thread {capture} is not after its last one")
        if ahead > 1:
            self.report(capture, ahead - 1, time)
        self.last[capture] = number
        keys = {"version": m["version"], "level": m["level"], "opcode": m.get("opcode", 0), "keywords": m["keywords"],
                "activity": row["activity"], "relatedActivity": row["related"]}
        for label in labels:
            keys |= {key: value for key, value in label.items() if key in keys}
        if m["fields"]:
            # A DateTime of version 6 has 16 bytes by the text, 8 by writers: take the size that fits.
            payloads = [Payload(payload, m["fields"], size) for size in ((16, 8) if self.v6 else (8,))]
            best = min(payloads, key=lambda p: (p.error is not None, p.impossible))
            keys |= {"fields": best.values, "fieldsError": best.error}
        self.events += 1
        self.print("event", provider=m["provider"], id=m["eventId"], name=m["name"], time=time, **threads, **keys,
                   processor=None if row["processor"] == 2**32 - 1 else row["processor"], sequence=number, stack=stack,
                   labels=labels, payload=payload.hex(), metadata=m["id"], sorted=row["sorted"] or None)

    def thread_keys(self, thread, capture):
        process = self.trace.get("ProcessId")
        if not self.v6:
            return {"thread": self.long(thread), "captureThread": self.long(capture), "process": process}
        check(thread in self.threads and capture in self.threads, f"thread {thread} or {capture} is unknown")
        row = self.threads[thread]
        return {"thread": row.get("thread"), "captureThread": self.threads[capture].get("thread"),
                "process": row.get("process", process), "threadIndex": str(thread), "captureThreadIndex": str(capture),
                "threadName": row.get("name")}


def read(data, out):
    """Reads a trace. Returns the exit code: 0 read, 1 rejected, 3 this version is not supported."""
    exit_code, truncated, reader = 0, False, Reader(data, out)
    try:
        reader.read()
    except (Fault, Unsupported, ValueError, RecursionError) as problem:  # ValueError: no UTF-8, no date
        exit_code = 3 if isinstance(problem, Unsupported) else 1
        truncated = isinstance(problem, Truncated)
        print(problem, file=sys.stderr)
    reader.print("end", events=reader.events, lost=str(reader.lost), truncated=truncated)
    return exit_code


def serve(source, sink):
    """Answers requests until the input ends."""
    while head := source.read(4):
        out = io.StringIO()
        exit_code = read(source.read(int.from_bytes(head, "little")), out)
        lines = out.getvalue().encode()
        sink.write(struct.pack("<I", len(lines)) + lines + bytes([exit_code]))
        sink.flush()


if __name__ == "__main__":
    stream = "--stream" in sys.argv
    sys.exit(serve(sys.stdin.buffer, sys.stdout.buffer) if stream else read(sys.stdin.buffer.read(), sys.stdout))
