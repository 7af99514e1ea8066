//! Takes the place of functions of FFmpeg's libraries, so that packets that a run does not need are
//! dropped before the decoder. Runs without a plan, and other programs, are not affected.

use std::cell::Cell;
use std::collections::VecDeque;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr::null;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{LazyLock, Mutex};

use crate::sampling::{Failed, LOOKAHEAD, Packet, Plan, Sampler, Waiting};

/// The status of a run whose dropped packets were needed.
const FAILED_STATUS: c_int = 75;

const TRY_AGAIN: c_int = -libc::EAGAIN;
const NO_MEMORY: c_int = -libc::ENOMEM;
const END_OF_FILE: c_int = -i32::from_le_bytes(*b"EOF ");

const NO_TIME: i64 = i64::MIN;
const IS_CORRUPT: c_int = 2;
const IS_HIDDEN: c_int = 4;

/// The start of `AVPacket`, the same in FFmpeg 4 to 8.
#[repr(C)]
pub struct AvPacket {
    buffer: *mut c_void,
    time: i64,
    decoding_time: i64,
    data: *const u8,
    size: c_int,
    stream: c_int,
    flags: c_int,
}

/// The start of `AVFrame`, the same in FFmpeg 4 to 8.
#[repr(C)]
pub struct AvFrame {
    data: [*mut u8; 8],
    line_bytes: [c_int; 8],
    more_data: *mut c_void,
    width: c_int,
    height: c_int,
    samples: c_int,
    format: c_int,
    /// Kind of picture and aspect ratio, whose order differs by release.
    others: [c_int; 4],
    time: i64,
}

/// Major versions of libavutil in FFmpeg 4 to 8.
const VERSIONS: std::ops::RangeInclusive<u32> = 56..=60;

type Context = *mut c_void;
type SendPacket = unsafe extern "C" fn(Context, *const AvPacket) -> c_int;
type ReceiveFrame = unsafe extern "C" fn(Context, *mut AvFrame) -> c_int;
type FindStreams = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;
type ClonePacket = unsafe extern "C" fn(*const AvPacket) -> *mut AvPacket;
type FreePacket = unsafe extern "C" fn(*mut *mut AvPacket);
type Version = unsafe extern "C" fn() -> u32;
/// The last argument is a list of arguments, which all ABIs pass as a pointer.
type Log = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *mut c_void);
type SetLog = unsafe extern "C" fn(Log);

/// The functions that replaced ones call.
#[derive(Clone, Copy)]
struct Functions {
    find_streams: FindStreams,
    send: SendPacket,
    receive: ReceiveFrame,
    clone: ClonePacket,
    free: FreePacket,
    version: Version,
    log: Log,
    set_log: SetLog,
}

/// `None` in programs without these libraries.
static FUNCTIONS: LazyLock<Option<Functions>> = LazyLock::new(|| {
    // SAFETY: FFmpeg's functions of these names have these types.
    unsafe {
        Some(Functions {
            find_streams: transmute::<*mut c_void, FindStreams>(next(
                c"avformat_find_stream_info",
            )?),
            send: transmute::<*mut c_void, SendPacket>(next(c"avcodec_send_packet")?),
            receive: transmute::<*mut c_void, ReceiveFrame>(next(c"avcodec_receive_frame")?),
            clone: transmute::<*mut c_void, ClonePacket>(next(c"av_packet_clone")?),
            free: transmute::<*mut c_void, FreePacket>(next(c"av_packet_free")?),
            version: transmute::<*mut c_void, Version>(next(c"avutil_version")?),
            log: transmute::<*mut c_void, Log>(next(c"av_log_default_callback")?),
            set_log: transmute::<*mut c_void, SetLog>(next(c"av_log_set_callback")?),
        })
    }
});

/// The function of this name in the libraries after this one.
fn next(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name is a C string.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    Some(found).filter(|found| !found.is_null())
}

/// FFmpeg called one of the functions, so its libraries are loaded.
fn functions() -> Functions {
    FUNCTIONS.unwrap_or_else(|| std::process::abort())
}

static FILM: Mutex<Option<Film>> = Mutex::new(None);

thread_local! {
    /// Whether this thread decodes the first frames of a file to find its streams.
    static PROBES: Cell<bool> = const { Cell::new(false) };
}

/// The decoder of a film, and the packets that wait for it.
struct Film {
    functions: Functions,
    sampler: Sampler,
    /// Address of the decoder's state; 0 before its first packet.
    context: usize,
    waiting: VecDeque<(OwnPacket, Waiting)>,
    /// Whether the last packet has arrived.
    is_ending: bool,
    /// Whether the decoder knows that.
    is_flushed: bool,
}

/// Whether a decoder has reported an error since the last check.
static FAULT: AtomicBool = AtomicBool::new(false);

/// FFmpeg's level of errors.
const ERROR_LEVEL: c_int = 16;
/// Starts messages of a lower level about guessed parts of pictures.
const CONCEALING: &[u8] = b"concealing";

/// Begins to drop packets in this process. Ends it if its FFmpeg is not a known one.
pub fn sample(plan: Option<Plan>) {
    let known = FUNCTIONS.filter(|functions| {
        // SAFETY: the function has no arguments.
        VERSIONS.contains(&(unsafe { (functions.version)() } >> 16))
    });
    let (functions, plan) = or_exit(known.zip(plan).ok_or(Failed));
    // SAFETY: the function is of the type that FFmpeg calls.
    unsafe { (functions.set_log)(log) };
    if let Ok(mut film) = FILM.lock() {
        *film = Some(Film {
            functions,
            sampler: Sampler::new(plan),
            context: 0,
            waiting: VecDeque::new(),
            is_ending: false,
            is_flushed: false,
        });
    }
}

/// Takes note of errors, and passes all messages on.
unsafe extern "C" fn log(of: *mut c_void, level: c_int, format: *const c_char, list: *mut c_void) {
    // SAFETY: the format is a C string. The arguments are those of the caller.
    unsafe {
        let is_fault =
            level <= ERROR_LEVEL || CStr::from_ptr(format).to_bytes().starts_with(CONCEALING);
        if is_fault && !PROBES.get() {
            FAULT.store(true, Relaxed);
        }
        (functions().log)(of, level, format, list);
    }
}

/// Takes the place of FFmpeg's function.
///
/// # Safety
/// As for that function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn avformat_find_stream_info(
    file: *mut c_void,
    options: *mut c_void,
) -> c_int {
    PROBES.set(true);
    // SAFETY: the arguments are those of the caller.
    let status = unsafe { (functions().find_streams)(file, options) };
    PROBES.set(false);
    status
}

/// Takes the place of FFmpeg's function.
///
/// # Safety
/// As for that function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn avcodec_send_packet(context: Context, packet: *const AvPacket) -> c_int {
    // SAFETY: a packet is null or valid. The arguments are those of the caller.
    unsafe {
        if let Ok(mut film) = FILM.lock()
            && let Some(film) = film.as_mut()
            && film.decodes(context, packet.as_ref())
        {
            return film.send(context, packet);
        }
        (functions().send)(context, packet)
    }
}

/// Takes the place of FFmpeg's function.
///
/// # Safety
/// As for that function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn avcodec_receive_frame(context: Context, frame: *mut AvFrame) -> c_int {
    // SAFETY: the arguments are those of the caller.
    unsafe {
        if let Ok(mut film) = FILM.lock()
            && let Some(film) = film.as_mut()
            && film.context == context as usize
        {
            return film.receive(context, frame);
        }
        (functions().receive)(context, frame)
    }
}

impl Film {
    /// Whether a context is the film's, which gets the first packet of the stream after probing.
    fn decodes(&mut self, context: Context, packet: Option<&AvPacket>) -> bool {
        if self.context == 0
            && !PROBES.get()
            && packet.is_some_and(|packet| packet.stream == self.sampler.stream())
        {
            self.context = context as usize;
        }
        self.context == context as usize
    }

    /// Lets a packet wait, and passes on or drops the one that has waited longest.
    ///
    /// # Safety
    /// The context is open; the packet is null or valid.
    unsafe fn send(&mut self, context: Context, packet: *const AvPacket) -> c_int {
        // SAFETY: see above.
        let given = unsafe { packet.as_ref() }.filter(|given| !given.data.is_null());
        let Some(given) = given else {
            let status = if self.is_ending { END_OF_FILE } else { 0 };
            self.is_ending = true;
            return status;
        };
        let size = usize::try_from(given.size).unwrap_or(0);
        // SAFETY: the data of a packet has its size.
        let data = unsafe { std::slice::from_raw_parts(given.data, size) };
        let known = or_exit(self.sampler.arrive(&Packet {
            time: Some(given.time).filter(|time| *time != NO_TIME),
            data,
            is_hidden: given.flags & IS_HIDDEN != 0,
            is_corrupt: given.flags & IS_CORRUPT != 0,
        }));
        // SAFETY: see above. The copy shares the data.
        let copy = OwnPacket(unsafe { (self.functions.clone)(packet) });
        if copy.0.is_null() {
            return NO_MEMORY;
        }
        self.waiting.push_back((copy, known));
        if self.waiting.len() <= LOOKAHEAD {
            return 0;
        }
        match self.waiting.pop_front() {
            Some((packet, known)) if self.sampler.is_needed(&known) => {
                // SAFETY: see above.
                unsafe { self.pass(context, packet.0) }
            }
            _ => 0,
        }
    }

    /// Returns a frame. At the end, the decoder gets the packets that wait as soon as it wants them.
    ///
    /// # Safety
    /// The context is open; the frame is valid.
    unsafe fn receive(&mut self, context: Context, frame: *mut AvFrame) -> c_int {
        loop {
            // SAFETY: see above.
            let status = unsafe { (self.functions.receive)(context, frame) };
            self.check(matches!(status, 0 | TRY_AGAIN | END_OF_FILE));
            match status {
                0 => {
                    // SAFETY: see above.
                    let AvFrame { time, width, height, format, .. } = unsafe { &*frame };
                    or_exit(self.sampler.show(*time, [*width, *height, *format]));
                    return status;
                }
                TRY_AGAIN if self.is_ending && !self.is_flushed => {
                    let next = self.waiting.pop_front();
                    self.is_flushed = next.is_none();
                    let packet = next.as_ref().map_or(null(), |(packet, known)| {
                        self.sampler.send(known);
                        packet.0.cast_const()
                    });
                    // SAFETY: see above.
                    let status = unsafe { self.pass(context, packet) };
                    if status < 0 {
                        return status;
                    }
                }
                END_OF_FILE => {
                    or_exit(self.sampler.end());
                    return status;
                }
                _ => return status,
            }
        }
    }

    /// Passes a packet to the decoder.
    ///
    /// # Safety
    /// The context is open; the packet is null or valid.
    unsafe fn pass(&mut self, context: Context, packet: *const AvPacket) -> c_int {
        // SAFETY: see above.
        let status = unsafe { (self.functions.send)(context, packet) };
        self.check(status >= 0);
        status
    }

    /// Takes note of errors so far.
    fn check(&mut self, is_right: bool) {
        if FAULT.swap(false, Relaxed) || !is_right {
            or_exit(self.sampler.fault());
        }
    }
}

/// A packet of this library. All of them are used under the lock of the film.
struct OwnPacket(*mut AvPacket);

// SAFETY: packets are not bound to a thread.
unsafe impl Send for OwnPacket {}

impl Drop for OwnPacket {
    fn drop(&mut self) {
        // SAFETY: the packet is null or valid, and is freed once.
        unsafe { (functions().free)(&raw mut self.0) };
    }
}

/// Ends a run whose result would be wrong.
fn or_exit<T>(judged: Result<T, Failed>) -> T {
    // SAFETY: ends the process at once, without exit handlers.
    judged.unwrap_or_else(|Failed| unsafe { libc::_exit(FAILED_STATUS) })
}
