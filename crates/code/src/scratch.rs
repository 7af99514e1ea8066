//! A file for another program, without a name in any folder: in the sandbox, no file can be made.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

/// A file that child processes open by the path of its descriptor.
pub struct Scratch(File);

impl Scratch {
    /// An empty file.
    pub fn new() -> io::Result<Self> {
        Ok(Self(inherited()?))
    }

    /// A file with this content.
    pub fn of(bytes: &[u8]) -> io::Result<Self> {
        let mut scratch = Self::new()?;
        scratch.0.write_all(bytes)?;
        scratch.0.rewind()?;
        Ok(scratch)
    }

    /// The path for child processes. It has no character that FFmpeg's filters would read.
    #[cfg(unix)]
    pub fn path(&self) -> String {
        format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&self.0))
    }

    /// The path for child processes.
    #[cfg(not(unix))]
    pub fn path(&self) -> String {
        String::new()
    }

    /// The content.
    pub fn bytes(mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.0.rewind()?;
        self.0.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// A file that child processes inherit.
#[cfg(target_os = "linux")]
fn inherited() -> io::Result<File> {
    Ok(rustix::fs::memfd_create("isccd-code", rustix::fs::MemfdFlags::empty())?.into())
}

#[cfg(all(unix, not(target_os = "linux")))]
fn inherited() -> io::Result<File> {
    let file = tempfile::tempfile()?;
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty())?;
    Ok(file)
}

#[cfg(not(unix))]
fn inherited() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}
