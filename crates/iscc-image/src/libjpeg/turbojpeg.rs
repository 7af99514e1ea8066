//! What `turbojpeg-sys` declares, for WebAssembly, where its types of C are missing. The library is linked by
//! `scripts/libjpeg-wasm.mjs`.

#![allow(
    non_camel_case_types,
    clippy::upper_case_acronyms,
    reason = "the names of turbojpeg-sys, of which each platform uses some"
)]

use std::ffi::c_uint;
#[cfg(target_family = "wasm")]
use std::ffi::{c_char, c_int, c_uchar, c_void};

pub type TJINIT = c_uint;
pub type TJPF = i32;
pub type TJCS = c_uint;
pub type TJPARAM = c_uint;
pub type TJERR = c_uint;

pub const TJINIT_TJINIT_DECOMPRESS: TJINIT = 1;
pub const TJPF_TJPF_RGB: TJPF = 0;
pub const TJPF_TJPF_GRAY: TJPF = 6;
pub const TJPF_TJPF_CMYK: TJPF = 11;
pub const TJCS_TJCS_GRAY: TJCS = 2;
pub const TJCS_TJCS_CMYK: TJCS = 3;
pub const TJCS_TJCS_YCCK: TJCS = 4;
pub const TJPARAM_TJPARAM_STOPONWARNING: TJPARAM = 0;
pub const TJPARAM_TJPARAM_JPEGWIDTH: TJPARAM = 5;
pub const TJPARAM_TJPARAM_JPEGHEIGHT: TJPARAM = 6;
pub const TJPARAM_TJPARAM_PRECISION: TJPARAM = 7;
pub const TJPARAM_TJPARAM_COLORSPACE: TJPARAM = 8;
pub const TJPARAM_TJPARAM_FASTUPSAMPLE: TJPARAM = 9;
pub const TJPARAM_TJPARAM_SCANLIMIT: TJPARAM = 13;
pub const TJPARAM_TJPARAM_MAXMEMORY: TJPARAM = 23;
pub const TJERR_TJERR_WARNING: TJERR = 0;

#[cfg(target_family = "wasm")]
pub type tjhandle = *mut c_void;

#[cfg(target_family = "wasm")]
unsafe extern "C" {
    pub fn tj3Init(init: c_int) -> tjhandle;
    pub fn tj3Destroy(handle: tjhandle);
    pub fn tj3GetErrorStr(handle: tjhandle) -> *mut c_char;
    pub fn tj3GetErrorCode(handle: tjhandle) -> c_int;
    pub fn tj3Set(handle: tjhandle, parameter: c_int, value: c_int) -> c_int;
    pub fn tj3Get(handle: tjhandle, parameter: c_int) -> c_int;
    pub fn tj3DecompressHeader(handle: tjhandle, file: *const c_uchar, size: usize) -> c_int;
    pub fn tj3Decompress8(
        handle: tjhandle,
        file: *const c_uchar,
        size: usize,
        pixels: *mut c_uchar,
        pitch: c_int,
        format: c_int,
    ) -> c_int;
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    macro_rules! same {
        ($($name:ident)*) => { $(assert_eq!(super::$name, turbojpeg_sys::$name, stringify!($name));)* };
    }

    #[test]
    fn the_numbers_are_those_of_the_library() {
        same!(
            TJINIT_TJINIT_DECOMPRESS TJPF_TJPF_RGB TJPF_TJPF_GRAY TJPF_TJPF_CMYK TJCS_TJCS_GRAY TJCS_TJCS_CMYK
            TJCS_TJCS_YCCK TJPARAM_TJPARAM_STOPONWARNING TJPARAM_TJPARAM_JPEGWIDTH TJPARAM_TJPARAM_JPEGHEIGHT
            TJPARAM_TJPARAM_PRECISION TJPARAM_TJPARAM_COLORSPACE TJPARAM_TJPARAM_FASTUPSAMPLE
            TJPARAM_TJPARAM_SCANLIMIT TJPARAM_TJPARAM_MAXMEMORY TJERR_TJERR_WARNING
        );
    }
}
