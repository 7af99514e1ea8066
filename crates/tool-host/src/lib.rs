//! Keeps a program loaded and forks it once per run, so that a run costs no loading of libraries.
//! Debian's FFmpeg has 215 of them: 0.06 s of CPU time per start.
//!
//! The dynamic linker loads this library into the program (`LD_PRELOAD`), where it replaces the C
//! library's start function. The program's `main` is not called in the host itself, but in one
//! fork per request, with the arguments of the request. So a run starts from the same state as a
//! process of its own, and ends like one; only the layout of the address space is shared by all
//! runs of a host.
//!
//! In FFmpeg it also drops packets of films that a run does not need before the decoder (`sampling`).
//!
//! The other side is `binding_tool.rs` of the addon. Linux only: elsewhere this library is empty.

#[cfg(target_os = "linux")]
mod decoder;
#[cfg(target_os = "linux")]
mod request;
#[cfg(target_os = "linux")]
mod sampling;
#[cfg(target_os = "linux")]
mod serve;
#[cfg(target_os = "linux")]
mod start;
#[cfg(target_os = "linux")]
mod syntax;
