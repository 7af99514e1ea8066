//! Sliding windows (ISO 24138, `sliding_window`).

use crate::xxh32;

/// All windows of `width` characters; one short window if there are fewer characters.
pub fn windows(text: &str, width: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() < width {
        return vec![text.to_owned()];
    }
    chars.windows(width).map(|window| window.iter().collect()).collect()
}

/// The features of the Text-Code: xxHash32 of each window of 13 characters.
pub fn features(text: &str) -> Vec<u32> {
    windows(text, 13).iter().map(|window| xxh32::hash(window.as_bytes())).collect()
}
