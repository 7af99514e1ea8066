//! Moving assets in and out: pages of a listing, NDJSON with one entry per line, and readers of folders.

pub(crate) mod lines;
mod page;
mod reader;
mod reference;
mod salvage;

pub use iscc_index::lmdb_file::FileError;
pub use page::{AssetPage, Form};
pub(crate) use page::{PageRequest, PageWriter, after, write_filtered_page, write_page};
pub use reader::{AssetReader, Batch, ReadError, Source};
