//! AVX-512 VL: a rotation is one instruction. Wider registers gain nothing, because filling them
//! from four places costs as much as the wider multiplication saves.

use std::arch::x86_64::*;

super::lanes::kernel!("avx2,avx512f,avx512vl", _mm256_rol_epi32::<13>);
