"""Reads event logs by docs/event-log.md alone: no code of this project, no Protobuf library.

What is wrong with a log raises a ValueError; this reader recovers nothing.
"""

import ctypes
import ctypes.util
import pathlib
import struct

_zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
_zstd.ZSTD_decompress.restype = ctypes.c_size_t
_zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
_xxhash = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
_xxhash.XXH3_64bits_withSeed.restype = ctypes.c_uint64
_xxhash.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]

MAGIC, END_MAGIC, MARKER = b"BLXLOG1\n", b"BLXEND1\n", bytes.fromhex("B10C424C581A0D0A")
CONTENT_MAX = 16 << 20
WORD = (1 << 64) - 1

# The names of events by their field numbers in event_log.proto.
EVENTS = dict(enumerate(
    ("requestTaskSlot", "submitTask", "getTaskResult", "openWatch", "closeWatch", "activationPrepared",
     "activationFailed", "builderFinished", "callsAppended", "callStreamEnded", "writerFinished", "executorConnected",
     "executorHeartbeat", "executorExited", "callSucceeded", "callFailed", "subcallRequested", "start", "tick",
     "beginDrain", "forceStop"), start=1))


def need(condition, what):
    if not condition:
        raise ValueError(what)


# ---- Protobuf's wire format ----

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value) of each field in turn; numbers unsigned, everything else as bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            need(tag & 7 == 2, "an unknown wire type")
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        need(at <= len(data), "a field is cut off")
        yield tag >> 3, value


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def zigzag(value):
    return value >> 1 ^ -(value & 1)


# ---- Segments ----

def checksum(head, frame):
    return _xxhash.XXH3_64bits_withSeed(frame, len(frame), _xxhash.XXH3_64bits_withSeed(head, len(head), 0))


def blocks(data, at, end):
    """(letter, records, sequence, now, content) of each content between two offsets, put together of its parts."""
    pieces = b""
    while at < end:
        marker, kind, frame_size, size, records, sequence, now, check = struct.unpack_from("<8sIIIIqqQ", data, at)
        need(marker == MARKER and kind < 128, f"no block at {at}")
        bound = size + size // 256 + ((131072 - size) // 2048 if size < 131072 else 0)
        need(size <= CONTENT_MAX and frame_size <= bound, f"out of bounds at {at}")
        frame = data[at + 48:at + 48 + frame_size]
        need(check == checksum(data[at:at + 40], frame), f"a wrong checksum at {at}")
        content = ctypes.create_string_buffer(size)
        need(_zstd.ZSTD_decompress(content, size, frame, len(frame)) == size, f"no such content at {at}")
        letter = chr(kind)
        need(letter.islower() == bool(pieces), f"a part without its neighbour at {at}")
        pieces += content.raw[:size]
        at += 48 + frame_size
        if letter.upper() != "P":
            yield letter.upper(), records, sequence, now, pieces
            pieces = b""
    need(at == end and not pieces, "the last block is cut off")


def header(content):
    found = {"config": {}}
    names = {1: "format", 2: "engineVersion", 3: "world", 4: "worker", 5: "host", 6: "recordedAtUs", 7: "payloads",
             8: "outputs", 9: "segment", 11: "lostBefore"}
    for number, value in fields(content):
        if number == 10:
            setting = dict(fields(value))
            found["config"][setting[1].decode()] = signed(setting.get(2, 0))
        else:
            found[names[number]] = value.decode() if isinstance(value, bytes) else signed(value)
    return found


def chunk(count, sequence, now, content):
    records = 0
    for number, record in fields(content):
        need(number == 1, "a chunk with something else than records")
        said = dict(fields(record))
        now = signed((now + zigzag(said.get(1, 0))) & WORD)
        (event, detail), = fields(said[3])
        yield {"sequence": sequence + records, "nowUs": now, "digest": f"{said.get(2, 0):016x}", "event": EVENTS[event],
               "detail": detail}
        records += 1
    need(records == count, "a chunk with another number of records")


def segment(path):
    """('header', dict), then ('snapshot', sequence, digest) and ('record', dict) in their order."""
    data = pathlib.Path(path).read_bytes()
    need(data.startswith(MAGIC) and data.endswith(END_MAGIC), "no segment, or one that was not ended")
    index_at, = struct.unpack_from("<Q", data, len(data) - 16)
    (kind, _, _, _, index), = blocks(data, index_at, len(data) - 16)
    need(kind == "I", "no index")
    named = [tuple(signed(dict(fields(entry)).get(number, 0)) for number in (2, 5, 3)) for _, entry in fields(index)]
    met = []
    for letter, records, sequence, now, content in blocks(data, len(MAGIC), index_at):
        met.append((ord(letter), records, sequence))
        if letter == "H":
            yield "header", header(content)
        elif letter == "S":
            said = dict(fields(content))
            need(said.get(1, 0) == sequence, "a snapshot of another place")
            yield "snapshot", sequence, said.get(2, 0)
        else:
            need(letter == "C", f"a block of kind {letter}")
            for record in chunk(records, sequence, now, content):
                yield "record", record
    need(met == named, "the index names other blocks than there are")


def log(folder):
    """The same over all segments, which must follow each other."""
    last = None
    for path in sorted(pathlib.Path(folder).glob("segment-*.blxlog")):
        for found in segment(path):
            if found[0] == "snapshot":
                need(last in (None, found[1]), "a snapshot of another place")
                last = found[1]
            elif found[0] == "record":
                last += 1
                need(found[1]["sequence"] == last, f"record {last} is missing")
            yield found


def contents(folder):
    """All that a log's blocks hold, uncompressed: for whoever looks for something that must not be there."""
    for path in sorted(pathlib.Path(folder).glob("segment-*.blxlog")):
        data = path.read_bytes()
        for _, _, _, _, content in blocks(data, len(MAGIC), len(data) - 16):
            yield content


def fingerprint(data):
    if not data:
        return 0
    secrets = 0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3
    state = (0x9E3779B97F4A7C15 + len(data) * secrets[0]) & WORD
    for at in range(0, len(data), 16):
        first, second = struct.unpack("<QQ", data[at:at + 16].ljust(16, b"\0"))
        product = (first ^ secrets[1]) * (second ^ state ^ secrets[2])
        state = (product & WORD) ^ (product >> 64)
    return state
