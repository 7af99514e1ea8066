//! Data-Code, Instance-Code and their kernels, compared with iscc-lib.

mod common;

use bench_harness::Group;
use common::KINDS;
use iscc_lib as peer;
use iscc_units::data::{self, DataHasher};
use iscc_units::kernels::cdc::{self, Params, Walker};
use iscc_units::kernels::xxh32;
use iscc_units::sum::{self, SumHasher};
use iscc_units::{instance, simd};

const MB: usize = 1_000_000;
const LARGE: usize = 100 * MB;
const BLOCK: usize = 512 * 1024;

fn main() {
    for (kind, make) in KINDS {
        let data = make(20 * MB);
        chunking(kind, &data);
        chunk_hashes(kind, &data[..MB]);
        one_shot(kind, "1 MB", &data[..MB]);
        one_shot(kind, "20 MB", &data);
    }
    let data = common::random(LARGE);
    streaming(&data);
    tiny_updates(&data[..MB]);
    one_shot("random", "100 MB", &data);
    two_threads(&data);
    instance_code(&data[..MB], "1 MB");
    instance_code(&data, "100 MB");
}

fn chunking(kind: &str, data: &[u8]) {
    Group::new(format!("CDC scan, {kind} 20 MB"))
        .bytes(data.len())
        .must(1.9)
        .case("three cursors", || {
            let (mut walker, mut ends, mut at) = (Walker::new(), vec![], 0);
            while at < data.len() {
                let view = &data[at..data.len().min(at + BLOCK + Params::DATA.max())];
                at += walker.walk(view, BLOCK.min(view.len()), &mut ends);
            }
            at
        })
        .case("one cursor", || cdc::boundaries(data, Params::DATA).count())
        .case("iscc-lib alg_cdc_chunks", || peer::alg_cdc_chunks(data, false, 1024).unwrap().len())
        .run();
}

/// With data in the cache, as in the Data-Code.
fn chunk_hashes(kind: &str, data: &[u8]) {
    let ends: Vec<u32> = cdc::boundaries(data, Params::DATA).map(|end| end as u32).collect();
    let mut group =
        Group::new(format!("xxh32 over chunks, {kind} 1 MB")).bytes(data.len()).must(1.6);
    let mut levels: Vec<_> = simd::levels().collect();
    levels.reverse();
    for level in levels {
        let ends = &ends;
        group = group.case(level.set().name(), move || {
            // Block by block, like the Data-Code.
            let (mut hashes, mut start, mut relative) = (vec![], 0, vec![]);
            for block in ends.chunks(480) {
                relative.clear();
                relative.extend(block.iter().map(|&end| end - start));
                xxh32::hash_chunks_at(level, &data[start as usize..], &relative, &mut hashes);
                start = *block.last().unwrap();
            }
            hashes
        });
    }
    group
        .case("xxhash-rust per chunk, as iscc-lib", || {
            let mut start = 0;
            let hash = |&end: &u32| {
                let chunk = &data[start..end as usize];
                start = end as usize;
                xxhash_rust::xxh32::xxh32(chunk, 0)
            };
            ends.iter().map(hash).collect::<Vec<_>>()
        })
        .run();
}

fn one_shot(kind: &str, size: &str, data: &[u8]) {
    let mut group =
        Group::new(format!("Data-Code one-shot, {kind} {size}")).bytes(data.len()).must(2.5);
    let mut levels: Vec<_> = simd::levels().collect();
    levels.reverse();
    for level in levels {
        group = group.case(level.set().name(), move || data::digest_at(level, data));
    }
    group.case("iscc-lib", || peer::gen_data_code_v0(data, 64).unwrap()).run();
    Group::new(format!("ISCC-SUM one pass, {kind} {size}"))
        .bytes(data.len())
        .must(2.2)
        .case("one thread", || sum::digest(data))
        .case("iscc-lib SumHasher, 4 MiB", || peer_sum(data))
        .run();
}

fn streaming(data: &[u8]) {
    for (name, piece, must) in [("64 KiB", 64 * 1024, 2.2), ("4 KiB", 4096, 2.0)] {
        Group::new(format!("Data-Code stream, {name} updates"))
            .bytes(data.len())
            .must(must)
            .case("stream", || stream_data(data, piece))
            .case("one-shot", || data::digest(data))
            .case("iscc-lib DataHasher", || peer_data(data, piece))
            .run();
        Group::new(format!("ISCC-SUM stream, {name} updates"))
            .bytes(data.len())
            .must(2.0)
            .case("stream", || {
                let mut hasher = SumHasher::new();
                data.chunks(piece).for_each(|piece| hasher.update(piece));
                hasher.finish()
            })
            .case("one-shot", || sum::digest(data))
            .case("iscc-lib SumHasher, 4 MiB", || peer_sum(data))
            .run();
    }
}

fn tiny_updates(data: &[u8]) {
    Group::new("Data-Code stream, 16 B updates")
        .bytes(data.len())
        .must(20.0)
        .case("stream", || stream_data(data, 16))
        .case("iscc-lib DataHasher", || peer_data(data, 16))
        .run();
}

fn two_threads(data: &[u8]) {
    Group::new("Data-Code two threads, random 100 MB")
        .bytes(data.len())
        .must(4.0)
        .wall()
        .case("two threads", || data::digest_parallel(data, 2))
        .case("one thread", || data::digest(data))
        .case("iscc-lib", || peer::gen_data_code_v0(data, 64).unwrap())
        .run();
    Group::new("ISCC-SUM two threads, random 100 MB")
        .bytes(data.len())
        .must(3.5)
        .wall()
        .case("two threads", || sum::digest_parallel(data, 2))
        .case("one thread", || sum::digest(data))
        .case("iscc-lib SumHasher, 4 MiB", || peer_sum(data))
        .run();
    Group::new("Instance-Code two threads, random 100 MB")
        .bytes(data.len())
        .must(3.8)
        .wall()
        .case("two threads", || instance::digest_parallel(data, 2))
        .case("iscc-lib", || peer::gen_instance_code_v0(data, 64).unwrap())
        .run();
}

fn instance_code(data: &[u8], size: &str) {
    Group::new(format!("Instance-Code one-shot, random {size}"))
        .bytes(data.len())
        .must(1.95)
        .case("one-shot", || instance::digest(data))
        .case("iscc-lib", || peer::gen_instance_code_v0(data, 64).unwrap())
        .run();
    Group::new(format!("Instance-Code stream, 4 MiB updates, random {size}"))
        .bytes(data.len())
        .must(1.0)
        .case("stream", || {
            let mut hasher = instance::InstanceHasher::new();
            data.chunks(4 << 20).for_each(|piece| hasher.update(piece));
            hasher.finish()
        })
        .case("iscc-lib InstanceHasher", || {
            let mut hasher = peer::InstanceHasher::new();
            data.chunks(4 << 20).for_each(|piece| hasher.update(piece));
            hasher.finalize(64).unwrap()
        })
        .run();
}

fn stream_data(data: &[u8], piece: usize) -> [u8; 32] {
    let mut hasher = DataHasher::new();
    data.chunks(piece).for_each(|piece| hasher.update(piece));
    hasher.finish()
}

fn peer_data(data: &[u8], piece: usize) -> String {
    let mut hasher = peer::DataHasher::new();
    data.chunks(piece).for_each(|piece| hasher.update(piece));
    hasher.finalize(64).unwrap().iscc
}

fn peer_sum(data: &[u8]) -> String {
    let mut hasher = peer::streaming::SumHasher::new();
    data.chunks(4 << 20).for_each(|piece| hasher.update(piece));
    hasher.finalize(64, false, false).unwrap().iscc
}
