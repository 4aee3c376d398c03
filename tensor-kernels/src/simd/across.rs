//! Blocks of 8 by 8 numbers, transposed in registers.
#![allow(unsafe_code)]

use super::raw::Across;
use super::{Avx2, Avx512};
use core::arch::x86_64::*;

impl Across<Avx512> for f64 {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn transposed(_: Avx512, b: &[[f64; 8]; 8]) -> [[f64; 8]; 8] {
        let mut out = [[0.0; 8]; 8];
        // SAFETY: there is a token only where there are the instructions; each pointer is to an array of 8 numbers.
        unsafe {
            macro_rules! pairs {
                ($k:literal) => {{
                    let (r, s) = (_mm512_loadu_pd(b[$k].as_ptr()), _mm512_loadu_pd(b[$k + 1].as_ptr()));
                    (_mm512_unpacklo_pd(r, s), _mm512_unpackhi_pd(r, s))
                }};
            }
            // Parts 0 and 2 of two vectors, and parts 1 and 3.
            macro_rules! parts {
                ($a:expr, $b:expr) => {
                    (
                        _mm512_shuffle_f64x2::<0b10_00_10_00>($a, $b),
                        _mm512_shuffle_f64x2::<0b11_01_11_01>($a, $b),
                    )
                };
            }
            let (p, q, r, s) = (pairs!(0), pairs!(2), pairs!(4), pairs!(6));
            // Rows k and k + 4, k and k + 2 of the result.
            macro_rules! rows {
                ($k:literal, $of:tt) => {
                    let ((a, b), (c, d)) = (parts!(p.$of, q.$of), parts!(r.$of, s.$of));
                    let ((a, b), (c, d)) = (parts!(a, c), parts!(b, d));
                    _mm512_storeu_pd(out[$k].as_mut_ptr(), a);
                    _mm512_storeu_pd(out[$k + 4].as_mut_ptr(), b);
                    _mm512_storeu_pd(out[$k + 2].as_mut_ptr(), c);
                    _mm512_storeu_pd(out[$k + 6].as_mut_ptr(), d);
                };
            }
            rows!(0, 0);
            rows!(1, 1);
        }
        out
    }
}

impl Across<Avx2> for f64 {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn transposed(_: Avx2, b: &[[f64; 8]; 8]) -> [[f64; 8]; 8] {
        let mut out = [[0.0; 8]; 8];
        // SAFETY: there is a token only where there are the instructions; each pointer is to 4 of 8 numbers.
        unsafe {
            // Rows of the quarter from row $i and column $j on.
            macro_rules! quarter {
                ($i:literal $j:literal) => {
                    let a = _mm256_loadu_pd(b[$i].as_ptr().add($j));
                    let b1 = _mm256_loadu_pd(b[$i + 1].as_ptr().add($j));
                    let c = _mm256_loadu_pd(b[$i + 2].as_ptr().add($j));
                    let d = _mm256_loadu_pd(b[$i + 3].as_ptr().add($j));
                    let (e, f) = (_mm256_unpacklo_pd(a, b1), _mm256_unpackhi_pd(a, b1));
                    let (g, h) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
                    _mm256_storeu_pd(out[$j].as_mut_ptr().add($i), _mm256_permute2f128_pd::<0x20>(e, g));
                    _mm256_storeu_pd(out[$j + 1].as_mut_ptr().add($i), _mm256_permute2f128_pd::<0x20>(f, h));
                    _mm256_storeu_pd(out[$j + 2].as_mut_ptr().add($i), _mm256_permute2f128_pd::<0x31>(e, g));
                    _mm256_storeu_pd(out[$j + 3].as_mut_ptr().add($i), _mm256_permute2f128_pd::<0x31>(f, h));
                };
            }
            quarter!(0 0);
            quarter!(0 4);
            quarter!(4 0);
            quarter!(4 4);
        }
        out
    }
}

impl Across<Avx512> for f32 {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn transposed(_: Avx512, b: &[[f32; 8]; 8]) -> [[f32; 8]; 8] {
        // SAFETY: there is a token only where there are the instructions, which include these.
        unsafe { singles(b) }
    }
}

impl Across<Avx2> for f32 {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn transposed(_: Avx2, b: &[[f32; 8]; 8]) -> [[f32; 8]; 8] {
        // SAFETY: there is a token only where there are the instructions.
        unsafe { singles(b) }
    }
}

/// A block in single precision.
///
/// # Safety
/// The processor has AVX.
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn singles(b: &[[f32; 8]; 8]) -> [[f32; 8]; 8] {
    let mut out = [[0.0; 8]; 8];
    // SAFETY: as the caller says; each pointer is to an array of 8 numbers.
    unsafe {
        macro_rules! pairs {
            ($k:literal) => {{
                let (r, s) = (_mm256_loadu_ps(b[$k].as_ptr()), _mm256_loadu_ps(b[$k + 1].as_ptr()));
                (_mm256_unpacklo_ps(r, s), _mm256_unpackhi_ps(r, s))
            }};
        }
        // Of four rows, columns $k, $k + 1 and $k + 4, $k + 5.
        macro_rules! fours {
            ($p:expr, $q:expr) => {
                (_mm256_shuffle_ps::<0b01_00_01_00>($p, $q), _mm256_shuffle_ps::<0b11_10_11_10>($p, $q))
            };
        }
        let (p, q, r, s) = (pairs!(0), pairs!(2), pairs!(4), pairs!(6));
        macro_rules! rows {
            ($k:literal, $of:tt) => {
                let ((a, b), (c, d)) = (fours!(p.$of, q.$of), fours!(r.$of, s.$of));
                _mm256_storeu_ps(out[$k].as_mut_ptr(), _mm256_permute2f128_ps::<0x20>(a, c));
                _mm256_storeu_ps(out[$k + 1].as_mut_ptr(), _mm256_permute2f128_ps::<0x20>(b, d));
                _mm256_storeu_ps(out[$k + 4].as_mut_ptr(), _mm256_permute2f128_ps::<0x31>(a, c));
                _mm256_storeu_ps(out[$k + 5].as_mut_ptr(), _mm256_permute2f128_ps::<0x31>(b, d));
            };
        }
        rows!(0, 0);
        rows!(2, 1);
    }
    out
}
