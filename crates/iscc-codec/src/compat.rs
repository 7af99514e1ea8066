//! The reference release whose output is reproduced.

use std::str::FromStr;

/// The release of the reference SDK to follow where releases differ in output.
///
/// In this crate they differ in the readable form of an ISCC-IDv1; in `iscc-units`, in the windows
/// of the Image-Code above 64 bits and in whether a short last chunk counts among the text
/// features. The media crate has further differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compat {
    /// iscc-sdk 0.9.7 with iscc-lib 0.7: the current release.
    #[default]
    Sdk0_9_7,
    /// iscc-sdk 0.9.5 with iscc-lib 0.6: the release that made older indexes.
    Sdk0_9_5,
}

/// The text is not the name of a supported release.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("compat must be 0.9.7 or 0.9.5, not {0}")]
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
    fn parses_both_releases_and_names_the_rule_otherwise() {
        assert_eq!("0.9.7".parse(), Ok(Compat::Sdk0_9_7));
        assert_eq!("0.9.5".parse(), Ok(Compat::Sdk0_9_5));
        let error = "0.9.6".parse::<Compat>().unwrap_err();
        assert_eq!(error.to_string(), "compat must be 0.9.7 or 0.9.5, not 0.9.6");
    }
}
