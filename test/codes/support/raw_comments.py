"""Reads or replaces all Vorbis comments of an Ogg or FLAC file, as bytes: `get FILE`, or `set FILE HEX...`."""

import json
import sys

from mutagen.ogg import OggPage

PREFIXES = (b"\x03vorbis", b"OpusTags", b"\x84", b"\x04")


def split(block):
    """Vendor, comments and what follows them."""
    number = lambda at: int.from_bytes(block[at : at + 4], "little")
    at = 4 + number(0)
    vendor, count = block[4:at], number(at)
    at += 4
    comments = []
    for _ in range(count):
        end = at + 4 + number(at)
        comments.append(block[at + 4 : end])
        at = end
    return vendor, comments, block[at:]


def join(vendor, comments, rest):
    sized = lambda part: len(part).to_bytes(4, "little") + part
    return sized(vendor) + len(comments).to_bytes(4, "little") + b"".join(map(sized, comments)) + rest


def changed(block, comments):
    vendor, old, rest = split(block)
    found.extend(old)
    return join(vendor, old if comments is None else comments, rest)


def ogg(file, comments):
    # The second packet of the stream; in Speex it has no prefix.
    OggPage(file)
    pages = [OggPage(file)]
    while not pages[-1].complete and len(pages[-1].packets) == 1:
        pages.append(OggPage(file))
    packets = OggPage.to_packets(pages)
    prefix = next((one for one in PREFIXES if packets[0].startswith(one)), b"")
    # FLAC has the length of the block after its type.
    size = 4 if len(prefix) == 1 else len(prefix)
    block = changed(packets[0][size:], comments)
    head = packets[0][:1] + len(block).to_bytes(3, "big") if len(prefix) == 1 else packets[0][:size]
    if comments is not None:
        packets[0] = head + block
        OggPage.replace(file, pages, OggPage.from_packets(packets, pages[0].sequence))


def flac(file, comments):
    data = file.read()
    at = data.index(b"fLaC") + 4
    written = data[:at]
    last = 0
    while not last:
        last, kind = data[at] & 0x80, data[at] & 0x7F
        end = at + 4 + int.from_bytes(data[at + 1 : at + 4], "big")
        block = data[at + 4 : end]
        block = changed(block, comments) if kind == 4 else block
        written += bytes([last | kind]) + len(block).to_bytes(3, "big") + block
        at = end
    if comments is not None:
        file.seek(0)
        file.write(written + data[at:])
        file.truncate()


command, path, *values = sys.argv[1:]
found = []
with open(path, "r+b") as file:
    is_ogg = file.read(4) == b"OggS"
    file.seek(0)
    edit = ogg if is_ogg else flac
    edit(file, [bytes.fromhex(one) for one in values] if command == "set" else None)
print(json.dumps([one.hex() for one in found]))
