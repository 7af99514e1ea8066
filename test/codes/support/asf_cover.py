"""Adds a cover picture to an ASF file: `asf_cover.py file picture`."""

import struct
import sys

from mutagen.asf import ASF, ASFByteArrayAttribute

path, picture = sys.argv[1:]
with open(picture, "rb") as file:
    data = file.read()
text = "image/jpeg\0".encode("utf-16-le") + "\0".encode("utf-16-le")
song = ASF(path)
song["WM/Picture"] = [ASFByteArrayAttribute(data=struct.pack("<bi", 3, len(data)) + text + data)]
song.save()
