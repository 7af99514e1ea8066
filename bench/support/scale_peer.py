"""Times faiss on the rows written by the Rust bench `scale`, compares every answer with the hits written there, and
prints JSON. usage: scale_peer.py FOLDER"""
import json, pathlib, sys, time

import faiss
import numpy as np

folder = pathlib.Path(sys.argv[1])
BITS, NEIGHBOURS, HNSW_ROWS, TRAINED = 256, 10, 100_000, 100_000
faiss.omp_set_num_threads(1)


def vectors(name):
    return np.fromfile(folder / name, dtype=np.uint8).reshape(-1, BITS // 8)


def timed(work):
    start = time.thread_time()
    result = work()
    return time.thread_time() - start, result


rows, queries = vectors("rows"), vectors("queries")
ours = json.loads((folder / "ours.json").read_text())
results = []


def compare(name, index, built):
    for distance, own in ours.items():
        seconds, (limits, _, found) = timed(lambda: index.range_search(queries, int(distance) + 1))
        right = expected = extra = 0
        for number, hits in enumerate(own["hits"]):
            peer = set(found[limits[number] : limits[number + 1]].tolist())
            right += len(peer & set(hits))
            extra += len(peer - set(hits))
            expected += len(hits)
        if extra:
            raise SystemExit(f"{name} finds {extra} rows within {distance} bits that the scan does not find")
        us = seconds / len(queries) * 1e6
        recall = right / max(1, expected)
        results.append({"name": name, "distance": int(distance), "us": us, "recall": recall, "built": built})


def add(index):
    def work():
        if not index.is_trained:
            index.train(rows[:TRAINED])
        index.add(rows)

    return timed(work)[0]


flat = faiss.IndexBinaryFlat(BITS)
compare("IndexBinaryFlat", flat, add(flat))
if any(one["recall"] != 1 for one in results):
    raise SystemExit("IndexBinaryFlat misses rows that the scan finds")
multi = faiss.IndexBinaryMultiHash(BITS, BITS // 16, 16)
built = add(multi)
for flips in (0, 1):
    multi.nflip = flips
    compare(f"IndexBinaryMultiHash 16x16, {flips} flips", multi, built)
single = faiss.IndexBinaryHash(BITS, 20)
built = add(single)
for flips in (1, 2):
    single.nflip = flips
    compare(f"IndexBinaryHash 20, {flips} flips", single, built)
inverted = faiss.IndexBinaryIVF(faiss.IndexBinaryFlat(BITS), BITS, 1024)
inverted.own_fields = False
inverted.cp.niter = 5
built = add(inverted)
for probes in (16, 64):
    inverted.nprobe = probes
    compare(f"IndexBinaryIVF 1024, {probes} probes", inverted, built)
hnsw = faiss.IndexBinaryHNSW(BITS, 16)
hnsw.hnsw.efConstruction, hnsw.hnsw.efSearch = 128, 64
built, _ = timed(lambda: hnsw.add(rows[:HNSW_ROWS]))
part = faiss.IndexBinaryFlat(BITS)
part.add(rows[:HNSW_ROWS])
truth = part.search(queries, NEIGHBOURS)[0][:, -1:]
seconds, (distances, _) = timed(lambda: hnsw.search(queries, NEIGHBOURS))
print(
    json.dumps(
        {
            "range": results,
            "hnsw": {
                "rows": min(HNSW_ROWS, len(rows)),
                "us": seconds / len(queries) * 1e6,
                "recall": float((distances <= truth).mean()),
                "built": built,
            },
        }
    )
)
