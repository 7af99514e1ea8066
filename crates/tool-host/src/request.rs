//! One run of the program, as the addon asks for it in one message.

use std::ffi::CString;
use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, recvmsg};

/// The longest message: limits, working directory and arguments.
const MESSAGE_BYTES_MAX: usize = 64 * 1024;
const LIMITS: usize = 3;

pub struct Request {
    /// Limits of address space in bytes, CPU time in seconds, and written files in bytes.
    pub limits: [u64; LIMITS],
    /// Empty: that of the host.
    pub folder: CString,
    pub arguments: Vec<CString>,
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
    /// Gets the state of the run. Its end ends the run.
    pub life: OwnedFd,
}

/// Begins an argument for the host, which comes before those of the program.
const SAMPLED: &str = "isccd:sampled=";

impl Request {
    /// What to drop of a film, from the argument for the host if there is one.
    pub fn take_plan(&mut self) -> Option<String> {
        let plan = self.arguments.first()?.to_str().ok()?.strip_prefix(SAMPLED)?.to_owned();
        self.arguments.remove(0);
        Some(plan)
    }
}

/// The next request; `None` at the end of the connection, and for a message without sense.
pub fn receive(control: impl AsFd) -> Option<Request> {
    let mut bytes = vec![0; MESSAGE_BYTES_MAX];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let message = loop {
        let into = &mut [IoSliceMut::new(&mut bytes)];
        match recvmsg(&control, into, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => {}
            received => break received.ok()?,
        }
    };
    let mut files = ancillary.drain().flat_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => files.collect(),
        _ => Vec::new(),
    });
    let (stdout, stderr, life) = (files.next()?, files.next()?, files.next()?);
    if message.flags.contains(ReturnFlags::TRUNC) {
        return None;
    }
    let (limits, strings) = bytes[..message.bytes].split_at_checked(8 * LIMITS)?;
    let mut strings = strings.split(|byte| *byte == 0).filter_map(|text| CString::new(text).ok());
    let limits =
        [0, 1, 2].map(|at| u64::from_le_bytes(std::array::from_fn(|n| limits[8 * at + n])));
    Some(Request {
        limits,
        folder: strings.next()?,
        arguments: strings.collect(),
        stdout,
        stderr,
        life,
    })
}
