"""Times iscc-core on the inputs of bench/iscc-core.ts and prints seconds per call as JSON.
usage: iscc_core_peer.py FOLDER SECONDS_PER_CASE"""
import io, json, pathlib, sys, time

import iscc_core as ic

folder, seconds = pathlib.Path(sys.argv[1]), float(sys.argv[2])
data = (folder / "data.bin").read_bytes()
text = (folder / "text.txt").read_text("utf-8")
pixels = list((folder / "pixels.bin").read_bytes())
codes = (folder / "codes.txt").read_text().split()

cases = {
    "Data-Code": lambda: ic.gen_data_code_v0(io.BytesIO(data), bits=256)["iscc"],
    "Instance-Code": lambda: ic.gen_instance_code_v0(io.BytesIO(data), bits=256)["iscc"],
    "Text-Code": lambda: ic.gen_text_code_v0(text, bits=256)["iscc"],
    "Image-Code": lambda: ic.gen_image_code_v0(pixels, bits=256)["iscc"],
    "Meta-Code": lambda: ic.gen_meta_code_v0("A title of a work", bits=256)["iscc"],
    "decode": lambda: [ic.iscc_decode(code) for code in codes] and "",
}


def best(case):
    """Minimum time of a call within the given seconds, and the call's result."""
    least, end, value = float("inf"), time.perf_counter() + seconds, None
    while value is None or time.perf_counter() < end:
        start = time.perf_counter()
        value = case()
        least = min(least, time.perf_counter() - start)
    return {"seconds": least, "value": value}


print(json.dumps({name: best(case) for name, case in cases.items()}))
