//! Memory that runs out: every allocation of one search, one add and one hash of an upload fails once, and every fifth one
//! with all that follow it.
//!
//! LMDB's allocations are counted, too, because the functions below replace those of the C library. Rust's own
//! collections end the process when an allocation fails. So each case is a process: it responds with an error or the right
//! answer, or it ends by that abort. What was acknowledged is there afterwards, and the service adds and finds again.

use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use crate::common::{Random, Service, id, unit};
use iscc_codec::Kind;
use iscc_search::{Engine, Options};
use iscc_units::sum::SumHasher;
use serde_json::{Value, json};

/// Environment variable with the operation of the child process.
const OPERATION: &str = "ISCC_SEARCH_TEST_OPERATION";
/// Environment variable with the number of the allocation that fails.
const FAILING: &str = "ISCC_SEARCH_TEST_FAILING";
/// Environment variable that is set if all later allocations fail, too.
const LASTING: &str = "ISCC_SEARCH_TEST_LASTING";
/// Environment variable with the folder of the index.
const FOLDER: &str = "ISCC_SEARCH_TEST_FOLDER";
const STORED: u64 = 20;
const ADDED: u64 = 1000;

/// Allocations until one fails; none does below zero.
static LEFT: AtomicI64 = AtomicI64::new(-1);
static IS_LASTING: AtomicBool = AtomicBool::new(false);

/// Counts an allocation. Returns whether it must fail.
fn fails() -> bool {
    if LEFT.load(Ordering::Relaxed) < 0 {
        return false;
    }
    let left = LEFT.fetch_sub(1, Ordering::SeqCst);
    if left == 0 && IS_LASTING.load(Ordering::Relaxed) {
        LEFT.store(0, Ordering::SeqCst);
    }
    left == 0
}

/// The allocator of the C library, below names that tests can replace.
mod replaced {
    use std::ffi::{c_int, c_void};

    use super::fails;

    unsafe extern "C" {
        fn __libc_malloc(size: usize) -> *mut c_void;
        fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
        fn __libc_realloc(old: *mut c_void, size: usize) -> *mut c_void;
        fn __libc_memalign(align: usize, size: usize) -> *mut c_void;
        fn __errno_location() -> *mut c_int;
    }

    const ENOMEM: c_int = 12;

    fn no_memory() -> *mut c_void {
        // SAFETY: the place of `errno` is valid for the calling thread.
        unsafe { *__errno_location() = ENOMEM };
        std::ptr::null_mut()
    }

    // SAFETY: this and the three functions below have the contracts of the functions that they call or replace.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
        // SAFETY: `malloc` accepts any size.
        if fails() { no_memory() } else { unsafe { __libc_malloc(size) } }
    }

    // SAFETY: see `malloc`.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
        // SAFETY: `calloc` accepts any sizes.
        if fails() { no_memory() } else { unsafe { __libc_calloc(count, size) } }
    }

    // SAFETY: see `malloc`.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn realloc(old: *mut c_void, size: usize) -> *mut c_void {
        // SAFETY: the caller passes memory of this allocator.
        if fails() { no_memory() } else { unsafe { __libc_realloc(old, size) } }
    }

    // SAFETY: see `malloc`.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn posix_memalign(out: *mut *mut c_void, align: usize, size: usize) -> c_int {
        if fails() {
            return ENOMEM;
        }
        // SAFETY: the caller passes a valid alignment and place.
        let memory = unsafe { __libc_memalign(align, size) };
        if memory.is_null() {
            return ENOMEM;
        }
        // SAFETY: the caller passes a valid place.
        unsafe { *out = memory };
        0
    }
}

fn units(number: u64) -> Vec<String> {
    let mut random = Random(number + 1);
    vec![unit(Kind::META, &random.bytes(32)), unit(Kind::INSTANCE, &random.bytes(32))]
}

fn entry(number: u64) -> Value {
    json!({ "iscc_id": id(number), "units": units(number), "metadata": { "number": number } })
}

fn open(folder: &str) -> Service {
    let engine = Engine::open(&format!("usearch://{folder}"), Options::default()).unwrap();
    Service { engine, folder: None }
}

fn finds(service: &Service, number: u64) -> Result<bool, (u16, Value)> {
    let found = service.search("main", &json!({ "units": units(number) }), 5)?;
    let first = &found["global_matches"][0];
    Ok(first["iscc_id"] == id(number) && first["score"] == 1.0)
}

/// Runs `work` while allocations fail as the environment says. Prints how many there were.
fn armed<T>(work: impl FnOnce() -> T) -> T {
    let failing: i64 = std::env::var(FAILING).unwrap().parse().unwrap();
    IS_LASTING.store(std::env::var(LASTING).is_ok(), Ordering::SeqCst);
    LEFT.store(failing, Ordering::SeqCst);
    let result = work();
    let left = LEFT.swap(-1, Ordering::SeqCst);
    IS_LASTING.store(false, Ordering::SeqCst);
    eprintln!("allocations {}", failing - left);
    result
}

/// Does one operation under want of memory, and says what came of it. Then the same one must succeed.
#[test]
#[ignore = "runs as the child of the tests below"]
fn child() {
    let folder = std::env::var(FOLDER).unwrap();
    match std::env::var(OPERATION).unwrap().as_str() {
        "search" => {
            let service = open(&folder);
            let query = json!({ "units": units(3) });
            service.search("main", &query, 5).unwrap();
            match armed(|| finds(&service, 3)) {
                Ok(right) => eprintln!("{}", if right { "right" } else { "wrong" }),
                Err(failure) => eprintln!("refused {failure:?}"),
            }
            assert_eq!(finds(&service, 3), Ok(true), "afterwards");
        }
        "add" => {
            let service = open(&folder);
            service.add("main", &json!([entry(ADDED - 1)])).unwrap();
            match armed(|| service.add("main", &json!([entry(ADDED)]))) {
                Ok(_) => eprintln!("right"),
                Err(failure) => eprintln!("refused {failure:?}"),
            }
            service.add("main", &json!([entry(ADDED)])).expect("afterwards");
        }
        _ => {
            let bytes = Random(9).bytes(300_000);
            let sum = || {
                let mut hasher = SumHasher::default();
                bytes.chunks(70_000).for_each(|piece| hasher.update(piece));
                hasher.finish()
            };
            let (wanted, got) = (sum(), armed(sum));
            let is_right = (got.data, got.instance) == (wanted.data, wanted.instance);
            eprintln!("{}", if is_right { "right" } else { "wrong" });
        }
    }
}

/// How Rust's collections end a process, and how the C library does if it can't keep a destructor of a thread.
const ABORTS: [&str; 2] =
    ["memory allocation of ", "Fatal glibc error: failed to register TLS destructor"];

/// What a child said, or `None` if it ended by such an abort.
fn run(operation: &str, folder: &str, failing: i64, is_lasting: bool) -> Option<String> {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "out_of_memory::child", "--ignored", "--nocapture"]);
    child.env(OPERATION, operation).env(FOLDER, folder).env(FAILING, failing.to_string());
    if is_lasting {
        child.env(LASTING, "1");
    }
    let output = child.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        return Some(said);
    }
    let case = format!("{operation}, allocation {failing}, lasting {is_lasting}");
    assert!(ABORTS.iter().any(|abort| said.contains(abort)), "{case}: {} {said}", output.status);
    None
}

/// Lets each allocation fail. Returns the numbers of right answers, refusals and aborts.
fn each(operation: &str, after: impl Fn(&str, Option<&str>, &str)) -> [u32; 3] {
    let folder = tempfile::tempdir().unwrap();
    let prepared = folder.path().join("prepared");
    let service = open(prepared.to_str().unwrap());
    service.create("main");
    service.add("main", &Value::from((0..STORED).map(entry).collect::<Vec<_>>())).unwrap();
    drop(service);
    let mut outcomes = [0; 3];
    for (is_lasting, step) in [(false, 1), (true, 5)] {
        for failing in (0..).step_by(step) {
            let path = folder.path().join("case");
            copy(&prepared, &path);
            let path_text = path.to_str().unwrap();
            let said = run(operation, path_text, failing, is_lasting);
            let case = format!("{operation}, allocation {failing}, lasting {is_lasting}");
            after(path_text, said.as_deref(), &case);
            std::fs::remove_dir_all(&path).unwrap();
            let said = said.as_deref().unwrap_or_default();
            assert!(!said.contains("wrong\n"), "{case}: a wrong answer");
            let right = said.contains("right\n");
            outcomes[if said.is_empty() { 2 } else { usize::from(!right) }] += 1;
            let count = said.lines().find_map(|line| line.strip_prefix("allocations "));
            if right && count.is_some_and(|count| count.parse::<i64>().unwrap() <= failing) {
                break;
            }
        }
    }
    eprintln!("{operation}: {outcomes:?} right, refused, ended");
    outcomes
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir(to).unwrap();
    for file in std::fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        let target = to.join(file.file_name());
        if file.file_type().unwrap().is_dir() {
            copy(&file.path(), &target);
        } else {
            std::fs::copy(file.path(), target).unwrap();
        }
    }
}

#[test]
fn a_search_without_memory_gives_no_wrong_answer() {
    let [right, refused, ended] = each("search", |_, _, _| {});
    assert!(right >= 2 && refused + ended > 20, "{right} {refused} {ended}");
}

#[test]
fn an_add_without_memory_loses_no_acknowledged_asset() {
    let [right, refused, ended] = each("add", |folder, said, case| {
        let service = open(folder);
        let known = if said.is_some() { STORED + 2 } else { STORED + 1 };
        let stored = service.assets("main");
        // It may have been committed before the process ended.
        assert!((known..=STORED + 2).contains(&stored), "{case}: {stored} assets");
        for number in [0, STORED - 1, ADDED - 1] {
            assert_eq!(finds(&service, number), Ok(true), "{case}: {number}");
        }
        service.add("main", &json!([entry(ADDED)])).unwrap();
        assert_eq!(finds(&service, ADDED), Ok(true), "{case}");
    });
    assert!(right >= 2 && refused + ended > 20, "{right} {refused} {ended}");
}

#[test]
fn a_hash_without_memory_is_right_or_absent() {
    let [right, _, ended] = each("hash", |_, _, _| {});
    assert!(right >= 2 && ended > 2, "{right} {ended}");
}
