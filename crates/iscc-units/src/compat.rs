//! The reference release whose codes are reproduced.

use std::str::FromStr;

/// Which release of the reference SDK decides where releases differ in output.
///
/// Releases differ in the windows of the Image-Code above 64 bits and in whether a short last
/// chunk counts among the text features; the media crate has further points of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compat {
    /// iscc-sdk 0.9.7 with iscc-lib 0.7: what is published today.
    #[default]
    Sdk0_9_7,
    /// iscc-sdk 0.9.5 with iscc-lib 0.6: what older indexes hold.
    Sdk0_9_5,
}

/// The text names no release this crate knows.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("compat: {0:?} is not one of \"0.9.7\", \"0.9.5\"")]
pub struct UnknownCompat(String);

impl FromStr for Compat {
    type Err = UnknownCompat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "0.9.7" => Ok(Self::Sdk0_9_7),
            "0.9.5" => Ok(Self::Sdk0_9_5),
            _ => Err(UnknownCompat(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_two_releases_and_names_the_rule_otherwise() {
        assert_eq!("0.9.7".parse(), Ok(Compat::Sdk0_9_7));
        assert_eq!("0.9.5".parse(), Ok(Compat::Sdk0_9_5));
        let error = "0.9.6".parse::<Compat>().unwrap_err();
        assert_eq!(error.to_string(), "compat: \"0.9.6\" is not one of \"0.9.7\", \"0.9.5\"");
    }
}
