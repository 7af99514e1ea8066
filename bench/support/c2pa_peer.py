"""Times c2pa-python on the sidecars of bench/c2pa.ts and prints validations per second as JSON.
usage: c2pa_peer.py FIXTURES SECONDS_PER_CASE PROCESSES FILE..."""
import io, json, multiprocessing, pathlib, sys, time

import c2pa

fixtures, seconds, processes = pathlib.Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
files = sys.argv[4:]
sidecars = [(fixtures / file).read_bytes() for file in files]
settings = {
    "trust": {
        "trust_anchors": (fixtures / "certs" / "trust-anchors.pem").read_text(),
        "trust_config": (fixtures / "certs" / "eku.cfg").read_text(),
    },
    "verify": {"remote_manifest_fetch": False, "ocsp_fetch": False},
    "core": {"decode_identity_assertions": False, "allowed_network_hosts": []},
}
# Failures that are expected without the asset, or allowed.
IGNORED = {
    "signingCredential.untrusted",
    "assertion.dataHash.mismatch",
    "assertion.bmffHash.mismatch",
    "assertion.boxesHash.mismatch",
    "assertion.boxesHash.unknownBox",
    "assertion.collectionHash.mismatch",
    "assertion.collectionHash.incorrectFileCount",
}
context = c2pa.Context.from_dict(settings)


def read(sidecar, format):
    return c2pa.Reader(format, io.BytesIO(b""), manifest_data=sidecar, context=context)


def failures(sidecar):
    """Codes of all relevant failures."""
    try:
        reader = read(sidecar, "application/c2pa")
    except c2pa.C2paError.NotSupported:
        reader = read(sidecar, "zip")
    with reader:
        results = json.loads(reader.json())["validation_results"]
    statuses = list(results["activeManifest"]["failure"])
    for delta in results.get("ingredientDeltas", []):
        statuses += delta["validationDeltas"]["failure"]
    return [status["code"] for status in statuses if status["code"] not in IGNORED]


def rate(_=None):
    """Sequential validations per second of CPU time, and per second of elapsed time."""
    done, cpu, start = 0, time.process_time(), time.perf_counter()
    while time.perf_counter() < start + seconds:
        failures(sidecars[done % len(sidecars)])
        done += 1
    return done / (time.process_time() - cpu), done / (time.perf_counter() - start)


if __name__ == "__main__":
    accepted = [file for file, sidecar in zip(files, sidecars) if not failures(sidecar)]
    one, _ = rate()
    # A c2pa context is invalid after a fork.
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        total = sum(clock for _, clock in pool.map(rate, range(processes), chunksize=1))
    print(json.dumps({"accepted": accepted, "one": one, "all": total}))
