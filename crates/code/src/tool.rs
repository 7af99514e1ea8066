//! Runs FFmpeg's programs on untrusted files under limits of time, memory and bytes written: as
//! `src/services/codes/tools/process.ts`, with the arguments of `tools/ffmpeg.ts`.

use std::env;
use std::ffi::OsString;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Instant;

use serde_json::Value;

use crate::failure::Refusal;

/// Self-contained formats. None of them opens another file.
const FORMATS: &str = "aac,ac3,aiff,amr,ape,asf,au,avi,caf,dirac,dsf,dts,dv,eac3,flac,flv,h261,h263,h264,hevc,ivf,m4v,\
matroska,mov,mp3,mpc,mpc8,mpeg,mpegts,mpegvideo,mxf,nut,obu,ogg,rm,swf,tak,tta,vc1,voc,w64,wav,wv,xwma";
/// Decoders reject larger frames.
const FRAME_PIXELS_MAX: &str = "67108864";
/// Errors in a damaged stream do not fail the run: the decodable part is used.
const GENERAL: [&str; 8] = [
    "-nostdin",
    "-hide_banner",
    "-loglevel",
    "error",
    "-filter_threads",
    "1",
    "-max_error_rate",
    "1",
];

/// Limits are set by a shell, so that they apply from the program's first instruction. The environment may contain
/// secrets, so the program gets an empty one.
const LIMITED: &str = "ulimit -v \"$1\"; ulimit -t \"$2\"; ulimit -f \"$3\"; shift 3\n\
exec env -i PATH=\"$PATH\" LC_ALL=C.UTF-8 \"$@\"";
const MEMORY_KIB_MAX: &str = "3145728";
const CPU_SECONDS_MAX: &str = "3601";
/// Blocks of 512 bytes. 86 bytes per frame signature: enough for 170 hours.
const FILE_BLOCKS_MAX: &str = "524288";

const PROBE_BYTES_MAX: usize = 8 << 20;
const PIECE_BYTES: usize = 64 << 10;
const NOT_EXECUTABLE_STATUS: i32 = 126;
const NOT_FOUND_STATUS: i32 = 127;
const SIGXCPU: i32 = 24;
const SIGXFSZ: i32 = 25;

const NOT_INSTALLED: &str = "ISCC processing error. Audio and video need FFmpeg, which is not installed: install it \
(on Debian: apt-get install -y ffmpeg) or set CODESDK_FFMPEG and CODESDK_FFPROBE.";

/// Arguments that open a file. One thread: with more, damaged streams decode differently from run to run.
pub fn input(path: &str) -> Vec<String> {
    let guards = ["-protocol_whitelist", "file", "-format_whitelist", FORMATS];
    let limits = ["-threads", "1", "-max_pixels", FRAME_PIXELS_MAX, "-i"];
    let mut arguments: Vec<String> =
        guards.iter().chain(&limits).map(|argument| (*argument).to_owned()).collect();
    arguments.push(format!("file:{path}"));
    arguments
}

/// Runs `ffmpeg` and passes its standard output to `sink`.
pub fn ffmpeg(
    arguments: &[String],
    deadline: Instant,
    sink: impl FnMut(&[u8]) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let general = GENERAL.iter().map(|argument| (*argument).to_owned());
    let all: Vec<String> = general.chain(arguments.iter().cloned()).collect();
    run(executable("CODESDK_FFMPEG", "ffmpeg"), &all, deadline, sink)
}

/// Runs `ffprobe` on a file and returns its JSON.
pub fn ffprobe(
    path: &str,
    entries: &str,
    extra: &[&str],
    deadline: Instant,
) -> Result<Value, Refusal> {
    let shown = ["-hide_banner", "-loglevel", "error", "-show_entries", entries, "-of", "json"];
    let mut arguments: Vec<String> =
        shown.iter().chain(extra).map(|argument| (*argument).to_owned()).collect();
    arguments.extend(input(path));
    let mut json = Vec::new();
    let name = executable("CODESDK_FFPROBE", "ffprobe");
    run(name, &arguments, deadline, collected(&mut json, PROBE_BYTES_MAX))?;
    serde_json::from_slice(&json).map_err(|_| Refusal::of_file("FILE_DAMAGED"))
}

/// A sink that keeps up to `bytes_max` bytes.
pub fn collected(
    bytes: &mut Vec<u8>,
    bytes_max: usize,
) -> impl FnMut(&[u8]) -> Result<(), Refusal> + '_ {
    move |piece| {
        if bytes.len() + piece.len() > bytes_max {
            return Err(Refusal::of_file("FILE_TOO_LARGE"));
        }
        bytes.extend_from_slice(piece);
        Ok(())
    }
}

/// Whether a refusal is one of a program that ran, and not of a missing one.
pub fn has_run(refusal: &Refusal) -> bool {
    refusal.code != "FFMPEG_MISSING"
}

fn executable(variable: &str, default: &str) -> OsString {
    env::var_os(variable).filter(|name| !name.is_empty()).unwrap_or_else(|| default.into())
}

fn run(
    executable: OsString,
    arguments: &[String],
    deadline: Instant,
    mut sink: impl FnMut(&[u8]) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let mut child = started(executable, arguments).map_err(|_| missing())?;
    let taken = read(&mut child, deadline, &mut sink);
    if taken.is_err() {
        let _ = child.kill();
    }
    let status = child.wait()?;
    taken?;
    ended(status)
}

fn started(executable: OsString, arguments: &[String]) -> io::Result<Child> {
    Command::new("/bin/sh")
        .args(["-c", LIMITED, "sh", MEMORY_KIB_MAX, CPU_SECONDS_MAX, FILE_BLOCKS_MAX])
        .arg(executable)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
}

fn read(
    child: &mut Child,
    deadline: Instant,
    sink: &mut impl FnMut(&[u8]) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let Some(mut stdout) = child.stdout.take() else { return Ok(()) };
    let (send, pieces) = sync_channel(4);
    thread::spawn(move || {
        loop {
            let mut piece = vec![0; PIECE_BYTES];
            match stdout.read(&mut piece) {
                Ok(length) if length > 0 => piece.truncate(length),
                _ => return,
            }
            if send.send(piece).is_err() {
                return;
            }
        }
    });
    loop {
        match pieces.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(piece) => sink(&piece)?,
            Err(RecvTimeoutError::Timeout) => return Err(Refusal::of_file("FILE_TOO_SLOW")),
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

/// What the end of a program means. Limits are signals as well.
fn ended(status: ExitStatus) -> Result<(), Refusal> {
    match (status.code(), signal(status)) {
        (Some(0), _) => Ok(()),
        (Some(NOT_EXECUTABLE_STATUS | NOT_FOUND_STATUS), _) => Err(missing()),
        (_, Some(SIGXCPU)) => Err(Refusal::of_file("FILE_TOO_SLOW")),
        (_, Some(SIGXFSZ)) => Err(Refusal::of_file("FILE_TOO_LARGE")),
        (_, Some(_)) => Err(Refusal::of_file("FILE_CRASHES_DECODER")),
        _ => Err(Refusal::of_file("FILE_DAMAGED")),
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_status: ExitStatus) -> Option<i32> {
    None
}

fn missing() -> Refusal {
    Refusal::new("FFMPEG_MISSING", NOT_INSTALLED)
}
