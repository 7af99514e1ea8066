"""Tags of audio files by mutagen: `dump FILE` prints all items, `fill FILE` adds items that isccd does not submit."""

import json
import sys

import mutagen
from mutagen import id3
from mutagen.apev2 import BINARY, EXTERNAL, APEValue
from mutagen.mp4 import AtomDataType, MP4Cover, MP4FreeForm

command, path = sys.argv[1:]
file = mutagen.File(path)


def fill_id3(tags):
    for frame in (
        id3.TIT2(encoding=3, text=["Old title"]),
        id3.TPE1(encoding=1, text=["Old artist", "Second"]),
        id3.TRCK(encoding=0, text=["3/12"]),
        id3.COMM(encoding=3, lang="eng", desc="note", text=["Keep ü"]),
        id3.TXXX(encoding=3, desc="replaygain_track_gain", text=["-3 dB"]),
        id3.POPM(email="a@b", rating=100, count=3),
        id3.PRIV(owner="o", data=b"\xff\x00\xfe"),
        id3.UFID(owner="own", data=b"id"),
        id3.USLT(encoding=1, lang="deu", desc="", text="Zeile\nzwei"),
        id3.APIC(encoding=0, mime="image/png", type=3, desc="c", data=b"\x89PNG\r\n\x1a\nxxx"),
    ):
        tags.add(frame)


def fill_ape(tags):
    tags["Title"] = "Old title"
    tags["Artist"] = ["Old artist", "Second"]
    tags["Track"] = "3/12"
    tags["Custom Key"] = ["a", "b"]
    tags["Link"] = APEValue("http://x.example", EXTERNAL)
    tags["Cover Art (Front)"] = APEValue(b"c.png\0\x89PNG\r\n\x1a\nxxx", BINARY)


def fill_mp4(tags):
    tags["\xa9nam"] = ["Old title", "Second"]
    tags["\xa9ART"] = ["Old artist"]
    tags["trkn"] = [(3, 12)]
    tags["hdvd"] = [2]
    tags["stik"] = [10]
    tags["rtng"] = [4]
    tags["covr"] = [MP4Cover(b"\x89PNG\r\n\x1a\nxxx", MP4Cover.FORMAT_PNG)]
    tags["----:com.apple.iTunes:iTunNORM"] = [MP4FreeForm(b" 0000")]
    tags["----:com.apple.iTunes:BINARY"] = [MP4FreeForm(b"\xff\0\xfe", AtomDataType.IMPLICIT)]
    tags["----:org.example:x"] = [MP4FreeForm(b"v1"), MP4FreeForm(b"v2")]


if command == "fill":
    if file.tags is None:
        file.add_tags()
    kind = type(file.tags).__name__
    {"APEv2": fill_ape, "MP4Tags": fill_mp4}.get(kind, fill_id3)(file.tags)
    file.save()
print(json.dumps({str(name): repr(value) for name, value in (file.tags or {}).items()}))
