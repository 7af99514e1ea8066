//! Each test confines a thread, as only the calling thread and what it starts are confined.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use crate::{Confinement, FileRules, confine};

const SYSTEM: [&str; 5] = ["/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"];

struct Place {
    folder: tempfile::TempDir,
    rules: FileRules,
}

impl Place {
    /// A folder with a secret, an input whose folder cannot be listed, and a work folder.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["inputs", "work"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        for name in ["secret", "inputs/one", "work/two"] {
            fs::write(folder.path().join(name), name).expect("a file");
        }
        let rules = FileRules {
            read: SYSTEM.iter().map(PathBuf::from).collect(),
            open: vec![folder.path().join("inputs")],
            write: vec![folder.path().join("work"), PathBuf::from("/dev/null")],
        };
        Self { folder, rules }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the check in a thread that is confined. A kernel without Landlock has nothing to check.
    fn confined(&self, check: impl FnOnce() + Send) {
        if !has_landlock() {
            return;
        }
        thread::scope(|scope| {
            let run = || {
                let Confinement { files, calls } = confine(&self.rules);
                assert_eq!(files, Ok(()));
                assert_eq!(calls, Ok(()));
                check();
            };
            scope.spawn(run).join().expect("the check passes");
        });
    }
}

/// Asks the kernel, not the crate under test.
fn has_landlock() -> bool {
    const VERSION: u32 = 1;
    // SAFETY: with this flag, the call has no other arguments and returns the version of Landlock.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0usize, VERSION)
    };
    version > 0
}

fn refused<T>(result: std::io::Result<T>) -> bool {
    result.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
}

fn text(path: &Path) -> String {
    let mut text = String::new();
    File::open(path).and_then(|mut file| file.read_to_string(&mut text)).expect("readable");
    text
}

#[test]
fn only_files_of_the_rules_open() {
    let place = Place::new();
    place.confined(|| {
        assert!(refused(File::open(place.at("secret"))));
        assert!(refused(fs::read_dir(place.folder.path())));
        assert_eq!(text(&place.at("inputs/one")), "inputs/one");
        assert!(refused(fs::read_dir(place.at("inputs"))), "names are not listed");
        assert!(refused(fs::write(place.at("inputs/one"), "")));
        assert!(refused(fs::remove_file(place.at("inputs/one"))));
        assert_eq!(fs::read_dir(place.at("work")).map(Iterator::count).ok(), Some(1));
        fs::write(place.at("work/three"), "").expect("a work file");
        fs::remove_file(place.at("work/two")).expect("a work file");
        // Both say that the folders are on different devices, or are refused.
        assert!(fs::hard_link(place.at("secret"), place.at("work/four")).is_err());
        assert!(fs::rename(place.at("secret"), place.at("work/four")).is_err());
    });
    assert_eq!(text(&place.at("secret")), "secret");
    assert!(!place.at("work/four").exists());
}

#[test]
fn links_lead_to_no_other_file() {
    let place = Place::new();
    place.confined(|| {
        std::os::unix::fs::symlink(place.at("secret"), place.at("work/link")).expect("a link");
        assert!(refused(File::open(place.at("work/link"))));
        assert!(refused(File::open(place.at("work/../secret"))));
    });
}

#[test]
fn threads_and_programs_that_start_later_are_confined() {
    let place = Place::new();
    place.confined(|| {
        let secret = place.at("secret");
        thread::scope(|scope| {
            let read = scope.spawn(|| refused(File::open(&secret)));
            assert!(read.join().expect("a result"));
        });
        let output = Command::new("cat").arg(&secret).output().expect("the program runs");
        assert!(!output.status.success());
        assert_eq!(output.stdout, b"");
        let allowed = Command::new("cat").arg(place.at("inputs/one")).output().expect("it runs");
        assert_eq!(allowed.stdout, b"inputs/one");
    });
}

#[test]
fn no_connection_opens_and_pairs_of_sockets_do() {
    let place = Place::new();
    let tcp = TcpListener::bind("127.0.0.1:0").expect("a listener");
    let address = tcp.local_addr().expect("an address");
    let named = place.at("work/socket");
    let _unix = UnixListener::bind(&named).expect("a listener");
    place.confined(|| {
        assert!(refused(TcpStream::connect(address)));
        assert!(refused(TcpListener::bind("127.0.0.1:0")));
        assert!(refused(UdpSocket::bind("127.0.0.1:0")));
        assert!(refused(UnixStream::connect(&named)));
        assert!(refused(UnixDatagram::pair()), "datagrams go anywhere");
        UnixStream::pair().expect("a pair of sockets");
    });
}

#[test]
fn rights_of_files_stay() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let rights = fs::Permissions::from_mode(0o777);
    place.confined(|| assert!(refused(fs::set_permissions(place.at("secret"), rights))));
}

#[test]
fn calls_that_hide_others_are_absent() {
    Place::new().confined(|| {
        // SAFETY: the kernel refuses both calls before it reads their arguments.
        let results = unsafe {
            [libc::syscall(libc::SYS_io_uring_setup, 1, 0), libc::syscall(libc::SYS_clone3, 0, 0)]
        };
        assert_eq!(results, [-1, -1]);
        let last = std::io::Error::last_os_error();
        assert_eq!(last.raw_os_error(), Some(libc::ENOSYS));
    });
}

#[test]
fn a_process_outside_is_out_of_reach() {
    let mut place = Place::new();
    place.rules.read.push(PathBuf::from("/proc"));
    let mut other = Command::new("sleep").arg("60").spawn().expect("a process");
    let pid = libc::pid_t::try_from(other.id()).expect("a number");
    place.confined(|| {
        // SAFETY: only the process of this test is meant.
        let traced = unsafe { libc::ptrace(libc::PTRACE_SEIZE, pid, 0, 0) };
        assert_eq!(traced, -1);
        assert!(refused(fs::read(format!("/proc/{pid}/environ"))), "its environment is a secret");
    });
    other.kill().expect("it runs");
    other.wait().expect("it ends");
}

/// The same as in a container or on a kernel without Landlock.
#[test]
fn without_landlock_the_rest_is_confined_and_the_reason_is_known() {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};
    thread::spawn(|| {
        let rules = [(libc::SYS_landlock_create_ruleset, Vec::new())].into();
        let missing = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
        let arch = std::env::consts::ARCH.try_into().expect("a known architecture");
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, missing, arch).expect("valid");
        let program: BpfProgram = filter.try_into().expect("valid");
        apply_filter(&program).expect("the kernel has filters");
        let Confinement { files, calls } = confine(&FileRules::default());
        assert_eq!(files, Err("the kernel or the container has no Landlock".to_owned()));
        assert_eq!(calls, Ok(()));
    })
    .join()
    .expect("the check passes");
}

#[test]
fn rules_are_read_from_json() {
    let rules =
        FileRules::parse(r#"{"read": ["/a"], "open": [], "write": ["/b c"]}"#).expect("valid");
    assert_eq!(rules.write, [PathBuf::from("/b c")]);
    assert!(FileRules::parse("{}").is_err());
}
