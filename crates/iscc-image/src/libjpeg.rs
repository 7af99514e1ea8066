//! A safe wrapper of libjpeg-turbo's decompressor. This and `libwebp` have the only unsafe code for
//! images.

#[cfg(any(test, target_family = "wasm"))]
mod turbojpeg;

use std::ffi::{CStr, c_int};

#[cfg(target_family = "wasm")]
use self::turbojpeg as sys;
#[cfg(not(target_family = "wasm"))]
use turbojpeg_sys as sys;

/// Maximum memory of one decompression inside the library, in MiB. Progressive files keep all their
/// coefficients in memory. The most that a `long` of 32 bits holds in bytes.
const JPEG_MEBIBYTES_MAX: c_int = 2047;

/// Maximum scans of a progressive file. Only attacks on decoders have more.
const JPEG_SCANS_MAX: c_int = 500;

/// Pixel layouts that JPEG files are decoded to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    Gray,
    Rgb,
    Cmyk,
}

impl Layout {
    /// Samples per pixel.
    pub fn samples(self) -> usize {
        match self {
            Self::Gray => 1,
            Self::Rgb => 3,
            Self::Cmyk => 4,
        }
    }

    fn format(self) -> c_int {
        match self {
            Self::Gray => sys::TJPF_TJPF_GRAY,
            Self::Rgb => sys::TJPF_TJPF_RGB,
            Self::Cmyk => sys::TJPF_TJPF_CMYK,
        }
    }
}

/// The header of a file.
#[derive(Debug, Clone, Copy)]
pub struct Header {
    pub width: usize,
    pub height: usize,
    /// Bits per sample
    pub precision: u8,
    /// The layout that the file decodes to without loss.
    pub layout: Layout,
}

/// A decompressor.
pub struct Decompressor(sys::tjhandle);

impl Decompressor {
    /// # Errors
    /// The library's message if initialisation fails.
    pub fn new() -> Result<Self, String> {
        // SAFETY: takes a number, returns a handle or null.
        let handle = unsafe { sys::tj3Init(sys::TJINIT_TJINIT_DECOMPRESS as c_int) };
        if handle.is_null() {
            // SAFETY: for null, the library returns the message of the last failure without a
            // handle.
            return Err(unsafe { message(handle) });
        }
        let this = Self(handle);
        this.set(sys::TJPARAM_TJPARAM_MAXMEMORY, JPEG_MEBIBYTES_MAX)?;
        this.set(sys::TJPARAM_TJPARAM_SCANLIMIT, JPEG_SCANS_MAX)?;
        Ok(this)
    }

    /// Reads the header of a file.
    ///
    /// # Errors
    /// The library's message.
    pub fn header(&mut self, file: &[u8]) -> Result<Header, String> {
        // SAFETY: the handle is valid; pointer and length belong to a slice that outlives the call.
        let status = unsafe { sys::tj3DecompressHeader(self.0, file.as_ptr(), file.len() as _) };
        self.check(status)?;
        let layout = match self.get(sys::TJPARAM_TJPARAM_COLORSPACE) as sys::TJCS {
            sys::TJCS_TJCS_GRAY => Layout::Gray,
            sys::TJCS_TJCS_CMYK | sys::TJCS_TJCS_YCCK => Layout::Cmyk,
            _ => Layout::Rgb,
        };
        Ok(Header {
            width: usize::try_from(self.get(sys::TJPARAM_TJPARAM_JPEGWIDTH)).unwrap_or(0),
            height: usize::try_from(self.get(sys::TJPARAM_TJPARAM_JPEGHEIGHT)).unwrap_or(0),
            precision: u8::try_from(self.get(sys::TJPARAM_TJPARAM_PRECISION)).unwrap_or(0),
            layout,
        })
    }

    /// Decodes a file whose header was read, with the accurate inverse transform and smooth
    /// upsampling. Damaged data decodes with warnings, as usual with libjpeg.
    ///
    /// # Errors
    /// The library's message.
    pub fn decode(&mut self, file: &[u8], header: &Header) -> Result<Vec<u8>, String> {
        if header.precision != 8 {
            return Err(format!("{} bits per sample", header.precision));
        }
        let pitch = header.width * header.layout.samples();
        let mut pixels = vec![0; pitch * header.height];
        let pitch = c_int::try_from(pitch).map_err(|_| "row too long".to_owned())?;
        // SAFETY: the handle is valid and both buffers outlive the call. The library writes
        // JPEGHEIGHT rows of JPEGWIDTH pixels. It reads the header of `file` again, and a caller
        // could pass a file that does not belong to `header`, so the sizes are compared first.
        let status = unsafe {
            let status = sys::tj3DecompressHeader(self.0, file.as_ptr(), file.len() as _);
            let is_same = self.get(sys::TJPARAM_TJPARAM_JPEGWIDTH) as usize == header.width
                && self.get(sys::TJPARAM_TJPARAM_JPEGHEIGHT) as usize == header.height;
            if status != 0 && !self.is_warning() || !is_same {
                return Err("the header has changed".to_owned());
            }
            sys::tj3Decompress8(
                self.0,
                file.as_ptr(),
                file.len() as _,
                pixels.as_mut_ptr(),
                pitch,
                header.layout.format(),
            )
        };
        self.check(status)?;
        Ok(pixels)
    }

    /// Repeats the samples of subsampled colours, without smooth upsampling.
    ///
    /// # Errors
    /// The library's message.
    pub fn repeat_subsampled(&self) -> Result<(), String> {
        self.set(sys::TJPARAM_TJPARAM_FASTUPSAMPLE, 1)
    }

    /// Makes warnings about damaged data errors.
    ///
    /// # Errors
    /// The library's message.
    pub fn stop_on_warning(&self) -> Result<(), String> {
        self.set(sys::TJPARAM_TJPARAM_STOPONWARNING, 1)
    }

    fn set(&self, parameter: sys::TJPARAM, value: c_int) -> Result<(), String> {
        // SAFETY: the handle is valid.
        let status = unsafe { sys::tj3Set(self.0, parameter as c_int, value) };
        self.check(status)
    }

    fn get(&self, parameter: sys::TJPARAM) -> c_int {
        // SAFETY: the handle is valid.
        unsafe { sys::tj3Get(self.0, parameter as c_int) }
    }

    fn check(&self, status: c_int) -> Result<(), String> {
        let stops = self.get(sys::TJPARAM_TJPARAM_STOPONWARNING) != 0;
        if status == 0 || (!stops && self.is_warning()) {
            return Ok(());
        }
        // SAFETY: the handle is valid.
        Err(unsafe { message(self.0) })
    }

    fn is_warning(&self) -> bool {
        // SAFETY: the handle is valid.
        unsafe { sys::tj3GetErrorCode(self.0) == sys::TJERR_TJERR_WARNING as c_int }
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: the handle came from tj3Init and is destroyed once.
        unsafe { sys::tj3Destroy(self.0) }
    }
}

/// # Safety
/// `handle` is valid or null.
unsafe fn message(handle: sys::tjhandle) -> String {
    // SAFETY: the library returns a pointer to a NUL-terminated string of its own, never null.
    unsafe { CStr::from_ptr(sys::tj3GetErrorStr(handle)) }.to_string_lossy().into_owned()
}
