//! Creates the text tables of `src/kernels/table.rs` from the pinned Unicode crates.
//!
//! At build time, because processing all code points takes about a second, too long for the start
//! of a server or a short command. As statics, the tables are shared, read-only pages.

#[path = "build/character.rs"]
mod character;
#[path = "build/emit.rs"]
mod emit;
#[path = "build/entries.rs"]
mod entries;

use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let seconds = character::composition_seconds();
    let collapse = entries::collapse(&seconds);
    let clean = entries::clean(&seconds);
    let words = entries::word_positions();
    let source = [
        emit::rewrites("COLLAPSE", &collapse),
        emit::rewrites("CLEAN", &clean),
        emit::classes("WORD_POSITION", &words),
    ]
    .concat();
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    std::fs::write(folder.join("text_tables.rs"), source).expect("OUT_DIR is writable");
}
