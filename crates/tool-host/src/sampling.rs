//! Which packets of a film the decoder needs if only some frames a second are used.
//!
//! The filter `fps` uses, for each of its ticks, the last frame whose time rounds to that tick or an
//! earlier one. A frame is therefore not used if a later frame rounds to the same tick. Its packet is
//! not needed if no other picture refers to it, either.
//!
//! That is proved from packets that are not decoded yet, so the frames of all others are checked: each
//! packet gives one frame, with the packet's time and in the order of times. If this fails before the
//! first packet was dropped, none is dropped. Afterwards the run fails, and the caller repeats it.
//!
//! The same holds for errors, after which frames depend on what was decoded before. With several threads
//! they always fail the run, because they then differ from run to run.

use std::collections::{BTreeMap, BTreeSet};

use crate::syntax::{Codec, Use, use_of};

/// Packets that are known before the decoder gets one. Frames are reordered by 16 at most.
pub const LOOKAHEAD: usize = 24;

/// What to drop, from a request.
pub struct Plan {
    /// Index of the stream in the file.
    pub stream: i32,
    codec: Codec,
    /// Ticks of the filter per unit of time stamps.
    ticks: (i128, i128),
    /// Frames at the start that all are used.
    leading: u64,
    has_threads: bool,
}

impl Plan {
    /// Seven words: index of the stream, codec, time base as two numbers, frames per second that are
    /// used, frames at the start that all are used, and threads of the decoder.
    pub fn parse(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').collect();
        let [stream, codec, numerator, denominator, rate, leading, threads] = *words else {
            return None;
        };
        let number = |word: &str| word.parse::<u32>().ok().filter(|number| *number > 0);
        let ticks = i128::from(number(numerator)?) * i128::from(number(rate)?);
        Some(Self {
            stream: stream.parse().ok()?,
            codec: Codec::named(codec)?,
            ticks: (ticks, number(denominator)?.into()),
            leading: leading.parse().ok()?,
            has_threads: number(threads)? > 1,
        })
    }

    /// Rounds to the nearest tick, halves away from zero, as the filter does.
    fn tick(&self, time: i64) -> i128 {
        let (numerator, denominator) = self.ticks;
        let rounded = (i128::from(time).abs() * numerator + denominator / 2) / denominator;
        if time < 0 { -rounded } else { rounded }
    }
}

/// The parts of a packet that count.
pub struct Packet<'a> {
    /// Presentation time stamp.
    pub time: Option<i64>,
    pub data: &'a [u8],
    /// Whether its frame is decoded but not shown.
    pub is_hidden: bool,
    pub is_corrupt: bool,
}

/// What is known of a packet that waits.
pub struct Waiting {
    time: Option<i64>,
    is_hidden: bool,
    is_unused: bool,
}

/// The decoder did not do what the dropped packets were judged by.
pub struct Failed;

pub struct Sampler {
    plan: Plan,
    /// Whether packets may be dropped.
    is_on: bool,
    dropped: u64,
    frames: u64,
    /// Size and pixel format of the frames.
    shape: Option<[i32; 3]>,
    /// Time of the last frame.
    shown: i64,
    /// Times after the last frame, of all packets.
    known: BTreeSet<i64>,
    /// Times of frames that the decoder has to return.
    due: BTreeSet<i64>,
    /// The latest time of each tick.
    latest: BTreeMap<i128, i64>,
}

impl Sampler {
    pub fn new(plan: Plan) -> Self {
        Self {
            plan,
            is_on: true,
            dropped: 0,
            frames: 0,
            shape: None,
            shown: i64::MIN,
            known: BTreeSet::new(),
            due: BTreeSet::new(),
            latest: BTreeMap::new(),
        }
    }

    pub fn stream(&self) -> i32 {
        self.plan.stream
    }

    /// Takes note of a packet as it arrives, before it waits.
    pub fn arrive(&mut self, packet: &Packet) -> Result<Waiting, Failed> {
        let needed = use_of(packet.data, self.plan.codec);
        let Packet { time, is_hidden, is_corrupt, .. } = *packet;
        let is_new = time.is_some_and(|time| time > self.shown && self.known.insert(time));
        self.check((is_hidden || is_new && !is_corrupt) && needed != Use::Fields)?;
        if let Some(time) = time.filter(|_| !is_hidden) {
            let latest = self.latest.entry(self.plan.tick(time)).or_insert(time);
            *latest = time.max(*latest);
        }
        Ok(Waiting { time, is_hidden, is_unused: needed == Use::Unused })
    }

    /// Whether the decoder needs a packet that has waited.
    pub fn is_needed(&mut self, packet: &Waiting) -> bool {
        if self.frames >= self.plan.leading && self.is_dropped(packet) {
            self.dropped += 1;
            return false;
        }
        self.send(packet);
        true
    }

    fn is_dropped(&self, packet: &Waiting) -> bool {
        let Waiting { time: Some(time), is_hidden: false, is_unused: true } = *packet else {
            return false;
        };
        let latest = self.latest.get(&self.plan.tick(time));
        self.is_on && latest.is_some_and(|latest| *latest > time)
    }

    /// Takes note of a packet that the decoder gets.
    pub fn send(&mut self, packet: &Waiting) {
        if self.is_on && !packet.is_hidden {
            self.due.extend(packet.time);
        }
    }

    /// Takes note of a frame from the decoder.
    pub fn show(&mut self, time: i64, shape: [i32; 3]) -> Result<(), Failed> {
        self.frames += 1;
        let is_due = self.due.pop_first() == Some(time);
        let has_shape = *self.shape.get_or_insert(shape) == shape;
        self.check(is_due && has_shape)?;
        self.shown = time;
        self.known = self.known.split_off(&(time + 1));
        // The ticks of later frames are not before this one.
        self.latest = self.latest.split_off(&self.plan.tick(time));
        Ok(())
    }

    /// Takes note of the end.
    pub fn end(&mut self) -> Result<(), Failed> {
        self.check(self.due.is_empty())
    }

    /// Takes note of an error of the decoder.
    pub fn fault(&mut self) -> Result<(), Failed> {
        if self.plan.has_threads { Err(Failed) } else { self.check(false) }
    }

    /// Takes note of whether dropping packets is certain to be right.
    fn check(&mut self, is_right: bool) -> Result<(), Failed> {
        if !is_right && self.dropped > 0 {
            return Err(Failed);
        }
        self.is_on &= is_right;
        Ok(())
    }
}
