//! ISCC codec: converts between bytes and code text (ISO 24138). No I/O; every function is total.
//!
//! Any string or byte slice gives a value or a named [`Error`]. A body that is longer or shorter
//! than its header states is an error; it is never truncated. Decoding and encoding a plain code
//! allocate nothing.
//!
//! ```
//! use iscc_codec::{Code, Unit};
//!
//! let code: Code = "iscc:KUABLDA46RGP3AQIGWC7QX6D7PGA2".parse()?;
//! assert_eq!(code.to_string(), "ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2");
//! let names: Vec<String> = code.units().iter().map(|unit| unit.kind().to_string()).collect();
//! assert_eq!(names, ["DATA_NONE_V0", "INSTANCE_NONE_V0"]);
//!
//! let unit: Unit = "AAAQRLWHM2YFGCWG".parse()?;
//! assert_eq!(unit.body(), [0x08, 0xae, 0xc7, 0x66, 0xb0, 0x53, 0x0a, 0xc6]);
//! # Ok::<(), iscc_codec::Error>(())
//! ```

mod any_code;
pub mod base;
mod code;
mod compare;
mod compat;
mod error;
mod explain;
mod featureless;
mod header;
mod id;
mod kind;
mod limits;
pub mod multiformat;
mod numerals;
mod padded;
mod parse;
pub mod seq;
mod tables;
mod text;
mod unit;
mod units;
mod varnibble;

pub use any_code::{Code, clean, normalize, validate};
pub use code::IsccCode;
pub use compare::{Comparison, compare, compare_units};
pub use compat::{Compat, UnknownCompat};
pub use error::Error;
pub use explain::{Explanation, UnitExplanation, explain, explain_json};
pub use featureless::is_featureless;
pub use header::{HEADER_BYTES_MAX, Header};
pub use id::{IsccId, LegacyIsccId};
pub use kind::Kind;
pub use limits::{BODY_BYTES_MAX, UNITS_MAX};
pub use tables::{MainType, Mode, Version};
pub use text::CodeText;
pub use unit::Unit;
pub use units::Units;
