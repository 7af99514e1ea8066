//! Runs of external programs by a host that keeps the program loaded (`crates/tool-host`).

use napi_derive::napi;

use crate::error::Result;

/// Limits of one run.
#[napi(object)]
pub struct ToolRunLimits {
    /// Bytes of address space
    pub memory_bytes: f64,
    /// Seconds of CPU time
    pub cpu_seconds: f64,
    /// Bytes of any file that the program writes
    pub file_bytes: f64,
}

/// File descriptors of a run, which the caller closes.
#[napi(object)]
pub struct ToolRun {
    /// Standard output of the program
    pub stdout: i32,
    /// Standard error of the program
    pub stderr: i32,
    /// A connection that carries the state of the run, one line of text after another: `s` without
    /// a line end when the program starts, then its exit status, or `signal` and the number of the
    /// signal. Closing it kills the program. It ends without `s` if the host cannot run the program.
    pub life: i32,
}

/// A program that is loaded once and forked for each run. Linux only.
#[napi]
pub struct ToolHost(host::Host);

#[napi]
impl ToolHost {
    /// Starts `executable`, a path or a name in `path`, with the library `preload` in it. Its
    /// environment has `PATH` and `LC_ALL` only. Fails with `IO` if there is no such program.
    #[napi(factory, catch_unwind)]
    pub fn start(preload: String, executable: String, path: String) -> Result<Self> {
        Ok(Self(host::Host::start(&preload, &executable, &path)?))
    }

    /// Starts a run in `folder`, or in the folder of the host. Fails with `IO` if the host has ended.
    #[napi(catch_unwind)]
    pub fn run(
        &self,
        arguments: Vec<String>,
        limits: ToolRunLimits,
        folder: Option<String>,
    ) -> Result<ToolRun> {
        let ToolRunLimits { memory_bytes, cpu_seconds, file_bytes } = limits;
        let limits = [memory_bytes, cpu_seconds, file_bytes].map(|limit| limit.ceil() as u64);
        self.0.run(&arguments, limits, folder.as_deref().unwrap_or_default())
    }
}

#[cfg(target_os = "linux")]
mod host {
    use std::io::IoSlice;
    use std::mem::MaybeUninit;
    use std::os::fd::{AsFd, IntoRawFd, OwnedFd};
    use std::process::{Command, Stdio};

    use rustix::net::{
        AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags,
        SocketType, sendmsg, socketpair,
    };
    use rustix::pipe::{PipeFlags, pipe_with};

    use super::ToolRun;
    use crate::error::{ErrorCode, NativeError, Result};

    pub struct Host {
        /// Requests go here. The host ends when it is closed.
        control: OwnedFd,
    }

    impl Host {
        pub fn start(preload: &str, executable: &str, path: &str) -> Result<Self> {
            let (control, theirs) = connection(SocketType::SEQPACKET)?;
            let mut child = Command::new(executable)
                .env_clear()
                .envs([("PATH", path), ("LC_ALL", "C.UTF-8"), ("LD_PRELOAD", preload)])
                .stdin(theirs)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .map_err(|error| NativeError::io(executable, &error))?;
            // Removes the entry of the ended host from the system's table, whenever it ends.
            let _ = std::thread::Builder::new()
                .name("tool-host".to_owned())
                .spawn(move || child.wait());
            Ok(Self { control })
        }

        pub fn run(&self, arguments: &[String], limits: [u64; 3], folder: &str) -> Result<ToolRun> {
            let (stdout, their_stdout) = pipe_with(PipeFlags::CLOEXEC).map_err(failed)?;
            let (stderr, their_stderr) = pipe_with(PipeFlags::CLOEXEC).map_err(failed)?;
            let (life, their_life) = connection(SocketType::STREAM)?;
            let files = [their_stdout.as_fd(), their_stderr.as_fd(), their_life.as_fd()];
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
            let mut ancillary = SendAncillaryBuffer::new(&mut space);
            ancillary.push(SendAncillaryMessage::ScmRights(&files));
            let strings = [folder].into_iter().chain(arguments.iter().map(String::as_str));
            let mut message: Vec<u8> =
                limits.iter().flat_map(|limit| limit.to_le_bytes()).collect();
            message.extend(strings.collect::<Vec<_>>().join("\0").bytes());
            sendmsg(&self.control, &[IoSlice::new(&message)], &mut ancillary, SendFlags::NOSIGNAL)
                .map_err(failed)?;
            Ok(ToolRun {
                stdout: stdout.into_raw_fd(),
                stderr: stderr.into_raw_fd(),
                life: life.into_raw_fd(),
            })
        }
    }

    fn connection(kind: SocketType) -> Result<(OwnedFd, OwnedFd)> {
        socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None).map_err(failed)
    }

    fn failed(error: rustix::io::Errno) -> NativeError {
        NativeError::new(ErrorCode::Io, format_args!("the host of a program: {error}"))
    }
}

#[cfg(not(target_os = "linux"))]
mod host {
    use super::ToolRun;
    use crate::error::{ErrorCode, NativeError, Result};

    pub struct Host;

    impl Host {
        pub fn start(_preload: &str, _executable: &str, _path: &str) -> Result<Self> {
            Err(NativeError::new(ErrorCode::Io, "hosts of programs need Linux"))
        }

        pub fn run(&self, _: &[String], _: [u64; 3], _: &str) -> Result<ToolRun> {
            Err(NativeError::new(ErrorCode::Io, "hosts of programs need Linux"))
        }
    }
}
