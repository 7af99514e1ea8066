//! Compositing over white and CMYK conversion, with Pillow's integer arithmetic.

/// Composites RGBA samples over white; returns RGB.
pub fn rgb_on_white(rgba: &[u8]) -> Vec<u8> {
    let mut rgb = vec![0; rgba.len() / 4 * 3];
    for (pixel, out) in rgba.as_chunks::<4>().0.iter().zip(rgb.as_chunks_mut::<3>().0) {
        let [red, green, blue, alpha] = *pixel;
        *out = [on_white(red, alpha), on_white(green, alpha), on_white(blue, alpha)];
    }
    rgb
}

/// RGBA samples of which the colours are not multiplied by alpha any more.
pub fn divided_by_alpha(rgba: &[u8]) -> Vec<u8> {
    let colour = |&[red, green, blue, alpha]: &[u8; 4]| {
        let level = |sample: u8| match alpha {
            0 => 0,
            255 => sample,
            _ => (255 * u32::from(sample) / u32::from(alpha)).min(255) as u8,
        };
        [level(red), level(green), level(blue), alpha]
    };
    rgba.as_chunks().0.iter().flat_map(colour).collect()
}

/// Composites gray and alpha samples over white; returns gray.
pub fn gray_on_white(samples: &[u8]) -> Vec<u8> {
    samples.as_chunks::<2>().0.iter().map(|[gray, alpha]| on_white(*gray, *alpha)).collect()
}

/// Composites one sample with `alpha` over white.
pub fn on_white(sample: u8, alpha: u8) -> u8 {
    let (sample, alpha) = (u32::from(sample), u32::from(alpha));
    divide_255(255 * (255 - alpha) + sample * alpha)
}

/// Converts CMYK samples (255 is full ink) to RGB: `k' - k' c / 255`, where `k'` is `255 - k`.
pub fn cmyk_to_rgb(cmyk: &[u8]) -> Vec<u8> {
    let mut rgb = vec![0; cmyk.len() / 4 * 3];
    for (pixel, out) in cmyk.as_chunks::<4>().0.iter().zip(rgb.as_chunks_mut::<3>().0) {
        let light = 255 - pixel[3];
        let level = |ink: u8| light.saturating_sub(divide_255(u32::from(ink) * u32::from(light)));
        *out = [level(pixel[0]), level(pixel[1]), level(pixel[2])];
    }
    rgb
}

/// `value / 255`, rounded, for values up to 255 x 255.
fn divide_255(value: u32) -> u8 {
    let value = value + 128;
    ((value + (value >> 8)) >> 8) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opaque_and_transparent_samples_are_exact() {
        for sample in 0..=255 {
            assert_eq!(on_white(sample, 255), sample);
            assert_eq!(on_white(sample, 0), 255);
            assert_eq!(on_white(255, sample), 255);
        }
        assert_eq!(rgb_on_white(&[10, 20, 30, 255, 1, 2, 3, 0]), [10, 20, 30, 255, 255, 255]);
        assert_eq!(gray_on_white(&[0, 128]), [127]);
    }

    #[test]
    fn converts_cmyk_to_rgb() {
        assert_eq!(
            cmyk_to_rgb(&[0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 255]),
            [255, 255, 255, 0, 255, 255, 0, 0, 0]
        );
    }

    #[test]
    fn division_rounds() {
        for value in 0..=255 * 255u32 {
            assert_eq!(u32::from(divide_255(value)), (f64::from(value) / 255.0).round() as u32);
        }
    }
}
