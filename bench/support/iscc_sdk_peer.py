"""Creates ISCC-CODEs with iscc-sdk, with the options of its web service, one round per line of standard input.

Each line is a JSON list of paths. The output is a line of JSON with seconds, ISCC-CODEs (or names of errors), and peak
memory of this process and of its largest child in KiB.
"""
import json
import logging
import resource
import sys
import time

logging.disable(logging.CRITICAL)
from loguru import logger  # noqa: E402

logger.remove()
import iscc_sdk as idk  # noqa: E402

for name, value in dict(bits=256, add_units=True, wide=True, granular=True, byte_offsets=True, fallback=True).items():
    setattr(idk.sdk_opts, name, value)


def code(path):
    try:
        return idk.code_iscc(path).iscc
    except Exception as error:
        return type(error).__name__


for line in sys.stdin:
    paths = json.loads(line)
    start = time.perf_counter()
    codes = [code(path) for path in paths]
    seconds = time.perf_counter() - start
    peak = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(json.dumps({"seconds": seconds, "codes": codes, "peak_kib": peak}), flush=True)
