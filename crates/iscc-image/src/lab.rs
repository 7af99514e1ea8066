//! CIE L*a*b* to RGB, as Pillow converts it: by Little CMS, from a Lab profile of version 2 to sRGB.

#[cfg(feature = "native")]
use lcms2::{CIExyY, GlobalContext, Intent, PixelFormat, Profile, Transform};

use iscc_media::MediaError;

/// The white point D50 (0.9642, 1, 0.8249) as chromaticity and luminance.
#[cfg(feature = "native")]
const D50: CIExyY = CIExyY { x: 0.9642 / 2.7891, y: 1.0 / 2.7891, Y: 1.0 };

/// Converts samples of L*, a* + 128 and b* + 128 to RGB.
#[cfg(feature = "native")]
pub fn lab_to_rgb(lab: &[u8]) -> Result<Vec<u8>, MediaError> {
    let failed = |error: lcms2::Error| MediaError::NoDecoder(format!("CIE L*a*b*: {error}"));
    let from = Profile::new_lab2_context(GlobalContext::new(), &D50).map_err(failed)?;
    let transform: Transform<[u8; 3], [u8; 3]> = Transform::new(
        &from,
        PixelFormat::Lab_8,
        &Profile::new_srgb(),
        PixelFormat::RGB_8,
        Intent::Perceptual,
    )
    .map_err(failed)?;
    let mut rgb = vec![0; lab.len() / 3 * 3];
    transform.transform_pixels(lab.as_chunks().0, rgb.as_chunks_mut().0);
    Ok(rgb)
}

/// Little CMS is C.
#[cfg(not(feature = "native"))]
pub fn lab_to_rgb(_: &[u8]) -> Result<Vec<u8>, MediaError> {
    Err(MediaError::NoDecoder("CIE L*a*b*".to_owned()))
}
