//! A safe wrapper of libwebp's decoder, which the reference uses too.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use libwebp_sys as sys;

/// A function of the library that decodes into a buffer.
type DecodeInto = unsafe extern "C" fn(*const u8, usize, *mut u8, usize, c_int) -> *mut u8;

/// The header of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub width: usize,
    pub height: usize,
    pub has_alpha: bool,
    pub is_animation: bool,
}

impl Header {
    /// Reads the header of a file. `None` if it is damaged.
    pub fn read(file: &[u8]) -> Option<Self> {
        let mut features = MaybeUninit::zeroed();
        // SAFETY: pointer and length belong to a slice that outlives the call, and all bits zero are
        // valid features.
        let features = unsafe {
            let status = sys::WebPGetFeatures(file.as_ptr(), file.len(), features.as_mut_ptr());
            (status == sys::VP8StatusCode::VP8_STATUS_OK).then(|| features.assume_init())?
        };
        Some(Self {
            width: usize::try_from(features.width).ok()?,
            height: usize::try_from(features.height).ok()?,
            has_alpha: features.has_alpha != 0,
            is_animation: features.has_animation != 0,
        })
    }

    /// Decodes the still image of a file with this header: RGBA samples if it has alpha, else RGB.
    /// `None` if the file is damaged or has another header.
    pub fn decode(&self, file: &[u8]) -> Option<Vec<u8>> {
        let (decode_into, channels): (DecodeInto, usize) = match self.has_alpha {
            true => (sys::WebPDecodeRGBAInto, 4),
            false => (sys::WebPDecodeRGBInto, 3),
        };
        let stride = self.width * channels;
        let mut samples = vec![0; stride * self.height];
        let stride = c_int::try_from(stride).ok()?;
        // SAFETY: both pointers and lengths belong to buffers that outlive the call. The library
        // fails if the image in the file needs a larger buffer or longer rows.
        let decoded = unsafe {
            decode_into(file.as_ptr(), file.len(), samples.as_mut_ptr(), samples.len(), stride)
        };
        (!decoded.is_null() && Self::read(file)? == *self).then_some(samples)
    }
}
