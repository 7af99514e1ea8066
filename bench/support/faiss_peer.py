"""Times faiss on the vectors written by the Rust bench `nearest`, and prints microseconds per query as JSON.
usage: faiss_peer.py FOLDER COUNT SECONDS_PER_CASE"""
import json, pathlib, sys, time

import faiss
import numpy as np

folder, count, seconds = pathlib.Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
faiss.omp_set_num_threads(1)
BITS, NEIGHBOURS = 256, 10


def vectors(name):
    return np.fromfile(folder / f"{name}-{count}", dtype=np.uint8).reshape(-1, BITS // 8)


rows, queries = vectors("rows"), vectors("queries")
flat = faiss.IndexBinaryFlat(BITS)
flat.add(rows)
truth = flat.search(queries, NEIGHBOURS)[0][:, -1:]


def measure(index, k=NEIGHBOURS):
    distances, _ = index.search(queries, k)
    recall = float((distances[:, :NEIGHBOURS] <= truth).mean())
    best, end = float("inf"), time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.thread_time()
        for query in queries[:64]:
            index.search(query[None], k)
        best = min(best, (time.thread_time() - start) / 64)
    return {"us": best * 1e6, "recall": recall}


results = {"IndexBinaryFlat, 1 per call": measure(flat)}
start = time.thread_time()
flat.search(queries, NEIGHBOURS)
results["IndexBinaryFlat, 256 per call"] = {"us": (time.thread_time() - start) / len(queries) * 1e6, "recall": 1.0}
hnsw = faiss.IndexBinaryHNSW(BITS, 16)
hnsw.hnsw.efConstruction = 128
hnsw.add(rows)
for ef in (32, 64, 128):
    hnsw.hnsw.efSearch = ef
    results[f"IndexBinaryHNSW, ef {ef}"] = measure(hnsw)
print(json.dumps(results))
