//! A safe wrapper of libwebp, which the reference uses too.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::slice;

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

/// Encodes samples of RGB, or of RGBA if `has_alpha`, with the settings that `configure` changes. `None` if
/// the settings are invalid, the samples are not those of `width` x `height` pixels, or memory is short.
pub fn encode(
    samples: &[u8],
    (width, height): (usize, usize),
    has_alpha: bool,
    configure: impl FnOnce(&mut sys::WebPConfig),
) -> Option<Vec<u8>> {
    let channels = if has_alpha { 4 } else { 3 };
    if samples.len() != width.checked_mul(height)?.checked_mul(channels)? {
        return None;
    }
    let mut config = sys::WebPConfig::new().ok()?;
    configure(&mut config);
    let mut picture = sys::WebPPicture::new().ok()?;
    picture.use_argb = config.lossless;
    picture.width = c_int::try_from(width).ok()?;
    picture.height = c_int::try_from(height).ok()?;
    let stride = c_int::try_from(width * channels).ok()?;
    let import = if has_alpha { sys::WebPPictureImportRGBA } else { sys::WebPPictureImportRGB };
    let mut writer = MaybeUninit::uninit();
    // SAFETY: the samples have `height` rows of `stride` bytes. The writer is initialised before it is
    // used, and outlives the encoder that writes to it. Both it and the picture are freed once, after
    // their bytes were copied.
    unsafe {
        sys::WebPMemoryWriterInit(writer.as_mut_ptr());
        let mut writer = writer.assume_init();
        picture.writer = Some(sys::WebPMemoryWrite);
        picture.custom_ptr = (&raw mut writer).cast();
        let is_encoded = sys::WebPValidateConfig(&config) != 0
            && import(&mut picture, samples.as_ptr(), stride) != 0
            && sys::WebPEncode(&config, &mut picture) != 0;
        let file = is_encoded.then(|| slice::from_raw_parts(writer.mem, writer.size).to_vec());
        sys::WebPPictureFree(&mut picture);
        sys::WebPMemoryWriterClear(&mut writer);
        file
    }
}
