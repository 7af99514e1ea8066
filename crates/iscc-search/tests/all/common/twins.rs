//! An index with sealed segments, and its twin in memory.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use iscc_codec::{Kind, Mode};
use iscc_search::{Engine, Options, Sealing, SegmentSizes, StoreOptions};
use serde_json::{Value, json};

use super::{Random, Service, id, unit, value};

/// Assets of a full segment.
pub const FULL: u32 = 64;

pub fn options(sealing: Sealing) -> Options {
    let sizes = SegmentSizes::early(FULL);
    let store = StoreOptions { sync: false, ..StoreOptions::default() };
    Options { sizes, sealing, store, ..Options::default() }
}

pub fn sealed() -> Options {
    options(Sealing::early())
}

/// An asset whose content depends on a seed. Some units and simprints are equal to those of other seeds.
pub fn entry(number: u64, seed: u64) -> Value {
    let mut random = Random(seed * 7919 + 1);
    let group = Random(seed / 5 + 1).bytes(32);
    let content = random.flipped(&group, seed % 5 * 4);
    let length = [8, 16, 32][(seed % 3) as usize];
    let units = [
        unit(Kind::content(Mode::Text), &content[..length]),
        unit(Kind::INSTANCE, if seed.is_multiple_of(7) { &group } else { &content }),
    ];
    let mut entry = json!({ "iscc_id": id(number), "units": units, "metadata": { "seed": seed } });
    if seed.is_multiple_of(2) {
        let simprint = |offset: u64| {
            let body = random.flipped(&Random(seed / 4 + offset + 1).bytes(16), 2);
            json!({ "simprint": data_encoding::BASE64URL_NOPAD.encode(&body), "offset": offset, "size": 9 })
        };
        let simprints: Vec<Value> = [0, 40].map(simprint).to_vec();
        entry["simprints"] = json!({ "CONTENT_TEXT_V0": simprints });
    }
    entry
}

/// An index whose full segments are sealed, and its twin, which keeps everything in memory.
pub struct Twins {
    pub scheme: &'static str,
    pub options: Options,
    pub sealed: Service,
    pub plain: Service,
    pub known: BTreeSet<u64>,
    pub next: u64,
}

impl Twins {
    pub fn new(scheme: &'static str, options: Options) -> Self {
        let plain = self::options(Sealing::never());
        let plain = Service::new(scheme, Options { sizes: SegmentSizes::default(), ..plain });
        let sealed = Service::new(scheme, options.clone());
        plain.create("main");
        sealed.create("main");
        Self { scheme, options, sealed, plain, known: BTreeSet::new(), next: 0 }
    }

    /// With some sealed segments, deaths in them, and assets in memory.
    pub fn filled(scheme: &'static str, options: Options) -> Self {
        let mut twins = Self::new(scheme, options);
        twins.add(3, u64::from(FULL) * 3 + 20);
        twins.update(5, 9);
        twins.sealed.engine.wait_for_maintenance();
        twins.update(6, 20);
        twins.delete(7, 12);
        twins
    }

    pub fn folder(&self) -> PathBuf {
        self.sealed.folder.as_ref().unwrap().path().join("main")
    }

    pub fn put(&mut self, entries: Vec<Value>) {
        for batch in entries.chunks(50) {
            for service in [&self.sealed, &self.plain] {
                service.add("main", &json!(batch)).unwrap();
            }
        }
    }

    pub fn add(&mut self, seed: u64, count: u64) {
        let numbers = self.next..self.next + count;
        self.next += count;
        self.known.extend(numbers.clone());
        self.put(numbers.map(|number| entry(number, number + seed)).collect());
    }

    pub fn some(&self, seed: u64, count: u64) -> BTreeSet<u64> {
        let (mut random, all) = (Random(seed | 1), self.known.iter().copied().collect::<Vec<_>>());
        let some =
            (0..count).filter_map(|_| all.get(random.below(all.len().max(1) as u64) as usize));
        some.copied().collect()
    }

    pub fn update(&mut self, seed: u64, count: u64) {
        let some = self.some(seed, count);
        self.put(some.into_iter().map(|number| entry(number, number * 3 + seed)).collect());
    }

    pub fn delete(&mut self, seed: u64, count: u64) {
        for number in self.some(seed, count) {
            for service in [&self.sealed, &self.plain] {
                service.delete("main", &id(number)).unwrap();
            }
            self.known.remove(&number);
        }
    }

    /// Stops the sealed service, calls `between` with its folder, and starts it again.
    pub fn restart(&mut self, between: impl FnOnce(&Path)) {
        let folder = self.folder();
        let memory = Engine::open("memory://", Options::default()).unwrap();
        drop(std::mem::replace(&mut self.sealed.engine, memory));
        between(&folder);
        self.sealed.engine = open(self.scheme, folder.parent().unwrap(), &self.options);
    }

    pub fn check(&self, name: &str) {
        self.check_other(&self.sealed, name);
    }

    pub fn check_other(&self, service: &Service, name: &str) {
        assert_eq!(service.assets("main"), self.known.len() as u64, "{name}");
        for seed in 0..24 {
            let mut query = entry(0, seed * 13);
            query.as_object_mut().unwrap().retain(|key, _| key == "units");
            assert_equal(service, &self.plain, &query, name);
            if let Some(list) = entry(0, seed * 14)["simprints"]["CONTENT_TEXT_V0"].as_array() {
                let list: Vec<&Value> = list.iter().map(|one| &one["simprint"]).collect();
                let query = json!({ "simprints": { "CONTENT_TEXT_V0": list } });
                assert_equal(service, &self.plain, &query, name);
            }
        }
        for number in self.some(4, 10) {
            let query = json!({ "iscc_id": id(number) });
            assert_equal(service, &self.plain, &query, name);
            let get = |service: &Service| service.get("main", &id(number)).unwrap();
            assert_eq!(get(service), get(&self.plain), "{name}");
        }
    }
}

fn assert_equal(service: &Service, plain: &Service, query: &Value, name: &str) {
    let of = |service: &Service| service.search("main", query, 1000).unwrap().to_string();
    assert_eq!(of(service), of(plain), "{name}: {query}");
}

pub fn open(scheme: &str, folder: &Path, options: &Options) -> Engine {
    Engine::open(&format!("{scheme}://{}", folder.display()), options.clone()).unwrap()
}

/// Kinds of the segments, oldest first.
pub fn kinds(service: &Service) -> Vec<String> {
    let info = value(service.engine.index("main")).unwrap();
    let segments = info["segments"].as_array().cloned().unwrap_or_default();
    segments.iter().map(|segment| segment["kind"].as_str().unwrap().to_owned()).collect()
}

/// The files of sealed segments.
pub fn files(index: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(index.join("segments")).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

pub fn copy_data(from: &Path, to: &Path) {
    fs::copy(from.join("data.mdb"), to.join("data.mdb")).unwrap();
}

pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
