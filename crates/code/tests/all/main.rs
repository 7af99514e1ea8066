//! Runs the program. `test/cli/isccd-code.test.ts` compares its results with those of `isccd`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_isccd-code");
const CODE: &str = "ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY";

fn run(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).output().expect("the program runs")
}

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/fixtures").join(name);
    path.to_str().expect("a text").to_owned()
}

/// The lines of JSON on standard output.
fn lines(output: &Output) -> Vec<Value> {
    let text = str::from_utf8(&output.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, content) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, content).expect("a file");
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        let path: PathBuf = self.0.path().join(name);
        path.to_str().expect("a text").to_owned()
    }
}

#[test]
fn files_of_a_folder_come_in_order_and_a_failed_one_stops_no_other() {
    let folder = Folder::new(&[
        ("b.txt", b"Some text of a file"),
        ("a/inner.txt", b"More text"),
        ("c.png", b"\x89PNG\r\n\x1a\nnot a picture"),
        ("d.iscc.json", b"{}"),
    ]);
    let output = run(&["code", &folder.path(""), &folder.path("missing.txt")]);
    assert_eq!(output.status.code(), Some(1));
    let lines = lines(&output);
    let names: Vec<_> = lines
        .iter()
        .map(|line| line["path"].as_str().and_then(|path| path.rsplit('/').next()))
        .collect();
    assert_eq!(names, [Some("b.txt"), Some("c.png"), Some("inner.txt"), Some("missing.txt")]);
    assert_eq!(lines[0]["mode"], "text");
    assert_eq!(lines[0]["name"], "b");
    assert_eq!(lines[0]["units"].as_array().map(Vec::len), Some(4));
    assert_eq!(lines[1]["error"]["code"], "FILE_DAMAGED");
    assert_eq!(lines[3]["error"]["code"], "NOT_FOUND");
    assert!(said(&output).contains("missing.txt: the file does not exist"), "{}", said(&output));
}

#[test]
fn one_file_has_the_same_code_whatever_the_number_of_processes() {
    let pictures = fixture("codes/tiff");
    let [one, several] =
        ["1", "3"].map(|jobs| run(&["code", &pictures, "--jobs", jobs, "--no-thumbnail"]).stdout);
    assert!(one.len() > 1000);
    assert_eq!(one, several);
}

#[test]
fn given_metadata_replaces_that_of_the_file() {
    let folder = Folder::new(&[("page.html", b"<title>Read</title><p>Text of the page</p>")]);
    let page = folder.path("page.html");
    let result = |more: &[&str]| {
        let output = run(&[&["code", &page], more].concat());
        lines(&output).remove(0)
    };
    assert_eq!(result(&[])["name"], "Read");
    assert_eq!(result(&["--no-metadata"])["name"], "page");
    let given = result(&["--name", "Given", "--description", "About", "--meta", "{\"a\":1}"]);
    assert_eq!((&given["name"], &given["description"]), (&"Given".into(), &"About".into()));
    assert!(given["meta"].as_str().is_some_and(|meta| meta.starts_with("data:application/json")));
    assert_ne!(given["units"][0], result(&[])["units"][0]);
    let wrong = run(&["code", &page, "--meta", "[]"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(said(&wrong).contains("--meta must be a JSON object"), "{}", said(&wrong));
}

#[test]
fn standard_input_has_a_name() {
    let mut child = Command::new(PROGRAM)
        .args(["code", "-", "--filename", "my-note.txt"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    child.stdin.take().expect("a pipe").write_all(b"A note").expect("written");
    let output = child.wait_with_output().expect("it ends");
    let line = lines(&output).remove(0);
    assert_eq!((&line["path"], &line["name"]), (&"-".into(), &"my note".into()));
    assert_eq!(line["mediatype"], "text/plain");
}

#[test]
fn hash_reads_bytes_only() {
    let folder = Folder::new(&[("damaged.png", b"\x89PNG\r\n\x1a\nnot a picture"), ("empty", b"")]);
    let output = run(&["hash", &folder.path("damaged.png"), &folder.path("empty")]);
    assert_eq!(output.status.code(), Some(0));
    let lines = lines(&output);
    assert_eq!(lines[0]["units"].as_array().map(Vec::len), Some(2));
    assert_eq!(lines[0]["metahash"], Value::Null);
    // BLAKE3 of an empty input.
    let nothing = "1e20af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
    assert_eq!(lines[1]["datahash"], nothing);
}

#[test]
fn csv_has_a_line_per_file() {
    let folder = Folder::new(&[("=sum,1.txt", b"Text"), ("empty.txt", b"")]);
    let output = run(&["code", "--csv", &folder.path("")]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].starts_with("path,iscc,mode,"), "{text}");
    assert!(lines[1].contains(",\"'=sum,1\","), "a title is no formula: {text}");
    assert!(lines[2].contains("FILE_EMPTY"), "{text}");
}

#[test]
fn codes_are_explained_and_compared() {
    let explained = run(&["explain", CODE]);
    assert!(String::from_utf8_lossy(&explained.stdout).contains(&format!("iscc        {CODE}")));
    let wrong = run(&["explain", "nonsense"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(said(&wrong).contains("nonsense is not a code"), "{}", said(&wrong));
    let same = run(&["compare", CODE, CODE, "--json"]);
    assert!(lines(&same)[0].as_array().is_some_and(|units| {
        !units.is_empty() && units.iter().all(|unit| unit["distance"] == 0)
    }));
    let missing = run(&["compare", CODE, "ISCC:KACY"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(said(&missing).contains("there is no file "), "{}", said(&missing));
    let folder = Folder::new(&[("a.txt", b"One text"), ("b.txt", b"One text")]);
    let files = run(&["compare", &folder.path("a.txt"), &folder.path("b.txt")]);
    let text = String::from_utf8_lossy(&files.stdout).into_owned();
    assert!(
        text.contains("CONTENT_TEXT_V0      ####################  100.0 % of 256 bits"),
        "{text}"
    );
}

#[test]
fn a_missing_ffmpeg_is_named() {
    let output = Command::new(PROGRAM)
        .args(["code", &fixture("codes/files/test_a.mp4")])
        .env("CODESDK_FFMPEG", "/nonexistent/ffmpeg")
        .env("CODESDK_FFPROBE", "/nonexistent/ffprobe")
        .output()
        .expect("the program runs");
    let line = lines(&output).remove(0);
    assert_eq!(line["error"]["code"], "FFMPEG_MISSING", "{line}");
    assert!(line["error"]["detail"].as_str().is_some_and(|text| text.contains("CODESDK_FFMPEG")));
}

/// Programs in place of FFmpeg's, which run in the child process that reads a file.
#[cfg(unix)]
struct Script(Folder);

#[cfg(unix)]
impl Script {
    fn new(text: &str) -> Self {
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new(&[("ffprobe", format!("#!/bin/sh\n{text}\n").as_bytes())]);
        let rights = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path("ffprobe"), rights).expect("rights");
        Self(folder)
    }

    /// Codes a film, and a text after it.
    fn code(&self) -> Vec<Value> {
        let text = Folder::new(&[("a.txt", b"A text")]);
        let output = Command::new(PROGRAM)
            .args(["code", "--jobs", "1", &fixture("codes/files/test_a.mp4"), &text.path("a.txt")])
            .env("CODESDK_FFPROBE", self.0.path("ffprobe"))
            .output()
            .expect("the program runs");
        lines(&output)
    }
}

#[cfg(unix)]
#[test]
fn a_crash_costs_one_file() {
    let lines = Script::new("kill -ABRT $PPID").code();
    assert_eq!(lines[0]["error"]["code"], "FILE_CRASHES_DECODER", "{}", lines[0]);
    assert_eq!(lines[1]["mode"], "text", "{}", lines[1]);
}

#[cfg(target_os = "linux")]
#[test]
fn readers_of_files_write_none() {
    let modules = fs::read_to_string("/sys/kernel/security/lsm").unwrap_or_default();
    let script = Script::new("echo written > \"${0%/*}/written\"; exit 1");
    assert_eq!(script.code()[0]["error"]["code"], "FILE_DAMAGED");
    let written = Path::new(&script.0.path("written")).exists();
    assert!(!written || !modules.split(',').any(|module| module.trim() == "landlock"));
}

#[test]
fn wrong_arguments_end_with_status_2() {
    for arguments in [
        &[][..],
        &["code"],
        &["nonsense"],
        &["code", "--nonsense"],
        &["code", "x", "--jobs", "0"],
        &["compare", "a"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(said(&output).starts_with("isccd-code: "), "{arguments:?}");
    }
    let help = run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&help.stdout).contains("isccd-code COMMAND"));
}
