//! x86-64 with AVX-512.
#![allow(unsafe_code)]

use super::apart::{first, sources8, sources16, targets8, targets16};
use super::arrays::check_rows;
use super::derive::lane;
use super::raw::{Double, Forms, Fused, Raw, Sealed, Single};
use super::square::{self, every_row};
use super::{Isa, Pair, Scalar};
use core::arch::x86_64::*;
use core::ops::{BitAnd, BitOr, Not};

/// x86-64 with AVX-512 (F, DQ, VL, BW, CD) and FMA.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

impl Avx512 {
    /// The token: only a function that has the features can call this safely.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512cd,fma,avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline]
    pub(super) fn new() -> Avx512 {
        Avx512(())
    }
}

impl Sealed for Avx512 {}

impl Isa for Avx512 {
    const FMA: bool = true;
    const REGISTERS: usize = 32;
    const LEVEL: super::Level = super::Level::Avx512;
    const NAME: &'static str = "avx512";
}

/// Runs instructions of AVX-512.
macro_rules! run {
    ($e:expr) => {
        // SAFETY: the functions of this file have an argument that is a token, a vector or a mask. Tokens exist only where the features
        // do, and the others are made from tokens. Pointers are to arrays of the vector's size, and a store writes all of one.
        unsafe { $e }
    };
}

impl Fused for Avx512 {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn mul_add_f64(self, a: f64, b: f64, c: f64) -> f64 {
        run!(_mm_cvtsd_f64(_mm_fmadd_sd(_mm_set_sd(a), _mm_set_sd(b), _mm_set_sd(c))))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn mul_add_f32(self, a: f32, b: f32, c: f32) -> f32 {
        run!(_mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c))))
    }
}

impl Forms<Avx512> for f64 {
    type Part = Z8;
    type Wide = Pair<Pair<Z8>>;
    type Vector = Z8;
    type Body = Z8;
    type Large = Pair<Pair<Z8>>;
    type Scalar = Scalar<f64, Avx512>;
}

impl Forms<Avx512> for f32 {
    type Part = Z16;
    type Wide = Pair<Pair<Z16>>;
    type Vector = Z16;
    type Body = Z16;
    type Large = Pair<Pair<Z16>>;
    type Scalar = Scalar<f32, Avx512>;
}

/// 8 lanes of `f64`.
#[derive(Clone, Copy, Debug)]
pub struct Z8(__m512d);

/// 16 lanes of `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Z16(__m512);

/// A mask of 8 lanes.
#[derive(Clone, Copy, Debug)]
pub struct M8(__mmask8);

/// A mask of 16 lanes.
#[derive(Clone, Copy, Debug)]
pub struct M16(__mmask16);

macro_rules! mask {
    ($M:ident) => {
        impl BitAnd for $M {
            type Output = $M;
            #[cfg_attr(not(unoptimized), inline(always))]
            fn bitand(self, b: $M) -> $M {
                $M(self.0 & b.0)
            }
        }
        impl BitOr for $M {
            type Output = $M;
            #[cfg_attr(not(unoptimized), inline(always))]
            fn bitor(self, b: $M) -> $M {
                $M(self.0 | b.0)
            }
        }
        impl Not for $M {
            type Output = $M;
            #[cfg_attr(not(unoptimized), inline(always))]
            fn not(self) -> $M {
                $M(!self.0)
            }
        }
    };
}
mask! { M8 }
mask! { M16 }

/// A bit for each of the first lanes; lanes beyond the vector's are cut off where it becomes its mask.
#[cfg_attr(not(unoptimized), inline(always))]
fn first_lanes(count: usize) -> u32 {
    (1 << count.min(16)) - 1
}

/// `Raw` for a vector; `[…]` holds the names of the intrinsics that differ between the two.
macro_rules! raw {
    (
        $V:ident, $T:ident, $width:literal, $M:ident, steps $steps:expr, reversed $v:ident $reversed:expr,
        total $total:expr, $(totals $all:ident $totals:expr,)?
        casts [$bits:ident $float:ident],
        floats [$set1:ident $loadu:ident $storeu:ident $add:ident $sub:ident $mul:ident $div:ident $fma:ident $sqrt:ident $round:ident
            $max:ident $min:ident $cmp:ident $blend:ident $and:ident $or:ident $xor:ident],
        bits [$iadd:ident $isub:ident $left:ident $right:ident],
        apart [$mask:ident $maskload:ident $maskstore:ident $permute:ident $permute2:ident $sources:ident $targets:ident],
        quads { $($quads:tt)* }
    ) => {
        impl Raw<$T> for $V {
            type Of = Avx512;
            type Truth = $M;
            type Array = [$T; $width];
            const CONVERTS: bool = true;

            #[cfg_attr(not(unoptimized), inline(always))]
            fn isa(self) -> Avx512 {
                Avx512(())
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn all_of(_: Avx512, x: $T) -> Self {
                run!($V($set1(x)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn steps(_: Avx512) -> Self {
                run!($V($steps))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn from_array(_: Avx512, x: &[$T; $width]) -> Self {
                run!($V($loadu(x.as_ptr())))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn to_array(self) -> [$T; $width] {
                // No zeros first, which are a loop until LLVM has unrolled it.
                let mut all = ::core::mem::MaybeUninit::<[$T; $width]>::uninit();
                run!($storeu(all.as_mut_ptr().cast(), self.0));
                run!(all.assume_init())
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn put(self, to: &mut [$T; $width]) {
                run!($storeu(to.as_mut_ptr(), self.0));
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn from_part(_: Avx512, from: &[$T]) -> Self {
                // SAFETY: the token is there; lanes that the mask lets through are in the slice, and the others are not read.
                unsafe { $V($maskload(first_lanes(from.len()) as $mask, from.as_ptr())) }
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn put_part(self, to: &mut [$T]) {
                // SAFETY: as in `from_part`, and nothing else is written.
                unsafe { $maskstore(to.as_mut_ptr(), first_lanes(to.len()) as $mask, self.0) }
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn reversed(self) -> Self {
                let $v = self.0;
                run!($V($reversed))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn from_apart<const STRIDE: usize>(isa: Avx512, from: &[$T]) -> Self {
                let from = &from[..$crate::simd::arrays::reach(STRIDE, $width)];
                if STRIDE < 2 || STRIDE > 4 {
                    return Self::from_array(isa, &$crate::simd::arrays::gather(from, 0, STRIDE as isize));
                }
                let mut all = Self::from_array(isa, $crate::simd::arrays::window(from, 0)).0;
                for k in 1..STRIDE {
                    let next = $crate::simd::arrays::window(from, first(STRIDE, $width, k));
                    let lanes = &const { $sources(STRIDE) }[k - 1];
                    all = run!($permute2(all, _mm512_loadu_si512(lanes.as_ptr().cast()), Self::from_array(isa, next).0));
                }
                $V(all)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn put_apart<const STRIDE: usize>(self, to: &mut [$T]) {
                let to = &mut to[..$crate::simd::arrays::reach(STRIDE, $width)];
                if STRIDE < 2 || STRIDE > 4 {
                    return $crate::simd::arrays::scatter(self.to_array(), to, 0, STRIDE as isize);
                }
                for k in 0..STRIDE {
                    let (lanes, mask) = &const { $targets(STRIDE) }[k];
                    let part = run!($permute(_mm512_loadu_si512(lanes.as_ptr().cast()), self.0));
                    // SAFETY: the token is there. What the masks let through are multiples of the stride, of which the last is inside the slice.
                    unsafe { $maskstore(to.as_mut_ptr().add(k * $width), *mask, part) }
                }
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn plus(self, b: Self) -> Self {
                run!($V($add(self.0, b.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn minus(self, b: Self) -> Self {
                run!($V($sub(self.0, b.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn times(self, b: Self) -> Self {
                run!($V($mul(self.0, b.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn over(self, b: Self) -> Self {
                run!($V($div(self.0, b.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn fused(self, b: Self, c: Self) -> Self {
                run!($V($fma(self.0, b.0, c.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn root(self) -> Self {
                run!($V($sqrt(self.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn down(self) -> Self {
                run!($V($round::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(self.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn up(self) -> Self {
                run!($V($round::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(self.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn toward_zero(self) -> Self {
                run!($V($round::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(self.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn greater(self, b: Self) -> Self {
                run!($V($max(self.0, b.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn lesser(self, b: Self) -> Self {
                run!($V($min(self.0, b.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn total(self) -> $T {
                let $v = self.0;
                run!($total)
            }
            $(
                const TOTALS: bool = true;
                #[cfg_attr(not(unoptimized), inline(always))]
                fn totals(all: [Self; 8]) -> [$T; 8] {
                    let $all = all.map(|v| v.0);
                    run!($V($totals)).to_array()
                }
            )?

            #[cfg_attr(not(unoptimized), inline(always))]
            fn is_lt(self, b: Self) -> $M {
                run!($M($cmp::<_CMP_LT_OQ>(self.0, b.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn is_le(self, b: Self) -> $M {
                run!($M($cmp::<_CMP_LE_OQ>(self.0, b.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn is_eq(self, b: Self) -> $M {
                run!($M($cmp::<_CMP_EQ_OQ>(self.0, b.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn is_ne(self, b: Self) -> $M {
                run!($M($cmp::<_CMP_NEQ_UQ>(self.0, b.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn truth(_: Avx512, x: bool) -> $M {
                $M(if x { !0 } else { 0 })
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn firsts(_: Avx512, count: usize) -> $M {
                $M(first_lanes(count) as $mask)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn some(mask: $M) -> bool {
                mask.0 != 0
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn every(mask: $M) -> bool {
                mask.0 == !0
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn choose(mask: $M, a: Self, b: Self) -> Self {
                run!($V($blend(mask.0, b.0, a.0)))
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn and(self, b: Self) -> Self {
                run!($V($and(self.0, b.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn or(self, b: Self) -> Self {
                run!($V($or(self.0, b.0)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn xor(self, b: Self) -> Self {
                run!($V($xor(self.0, b.0)))
            }
            $($quads)*
            #[cfg_attr(not(unoptimized), inline(always))]
            fn get_eight(isa: Avx512, from: &[$T], at: usize, stride: usize, count: usize) -> [Self; 8] {
                let all = square::get::<$T, Avx512, $width>(isa, from, at, stride, count);
                every_row!(K Self::from_array(isa, &all[K]))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn put_eight(all: [Self; 8], to: &mut [$T], at: usize, stride: usize, count: usize) {
                square::put(all[0].isa(), &every_row!(K all[K].to_array()), to, at, stride, count);
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn bits_add(self, b: Self) -> Self {
                run!($V($float($iadd($bits(self.0), $bits(b.0)))))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn bits_sub(self, b: Self) -> Self {
                run!($V($float($isub($bits(self.0), $bits(b.0)))))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn bits_left(self, count: u32) -> Self {
                run!($V($float($left($bits(self.0), _mm_cvtsi32_si128(count as i32)))))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn bits_right(self, count: u32) -> Self {
                run!($V($float($right($bits(self.0), _mm_cvtsi32_si128(count as i32)))))
            }
        }

        lane! { $V, $T, Avx512, $width, $M }
    };
}

raw! {
    Z8, f64, 8, M8, steps _mm512_setr_pd(0., 1., 2., 3., 4., 5., 6., 7.),
    reversed v _mm512_permutexvar_pd(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), v),
    total {
        let four = _mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd::<1>(v));
        let two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd::<1>(four));
        _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
    },
    totals all {
        // Halves of two, then quarters of four, then pairs of all, from which the sums come out in order.
        macro_rules! joined {
            ($a:expr, $b:expr, $first:literal, $second:literal) => {{
                let (a, b) = ($a, $b);
                _mm512_add_pd(_mm512_shuffle_f64x2::<$first>(a, b), _mm512_shuffle_f64x2::<$second>(a, b))
            }};
        }
        macro_rules! four {
            ($a:literal $b:literal $c:literal $d:literal) => {
                joined!(
                    joined!(all[$a], all[$b], 0b01_00_01_00, 0b11_10_11_10),
                    joined!(all[$c], all[$d], 0b01_00_01_00, 0b11_10_11_10),
                    0b10_00_10_00,
                    0b11_01_11_01
                )
            };
        }
        let (even, odd) = (four!(0 2 4 6), four!(1 3 5 7));
        _mm512_add_pd(_mm512_unpacklo_pd(even, odd), _mm512_unpackhi_pd(even, odd))
    },
    casts [_mm512_castpd_si512 _mm512_castsi512_pd],
    floats [_mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd _mm512_fmadd_pd
        _mm512_sqrt_pd _mm512_roundscale_pd _mm512_max_pd _mm512_min_pd _mm512_cmp_pd_mask _mm512_mask_blend_pd _mm512_and_pd
        _mm512_or_pd _mm512_xor_pd],
    bits [_mm512_add_epi64 _mm512_sub_epi64 _mm512_sll_epi64 _mm512_srl_epi64],
    apart [__mmask8 _mm512_maskz_loadu_pd _mm512_mask_storeu_pd _mm512_permutexvar_pd _mm512_permutex2var_pd
        sources8 targets8],
    quads {
        #[cfg_attr(not(unoptimized), inline(always))]
        fn get_four(_: Avx512, from: &[f64], stride: usize) -> [Self; 4] {
            check_rows(from.len(), 0, 8, stride, 4);
            let p = from.as_ptr();
            // SAFETY: the token is there, and all eight rows are in the slice.
            unsafe {
                // Rows l and l + 4 side by side.
                macro_rules! two {
                    ($l:literal) => {
                        _mm512_insertf64x4::<1>(
                            _mm512_castpd256_pd512(_mm256_loadu_pd(p.add($l * stride))),
                            _mm256_loadu_pd(p.add(($l + 4) * stride)),
                        )
                    };
                }
                let [a, b, c, d] = transposed_four([two!(0), two!(1), two!(2), two!(3)]);
                [Z8(a), Z8(b), Z8(c), Z8(d)]
            }
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn put_four(all: [Self; 4], to: &mut [f64], stride: usize) {
            check_rows(to.len(), 0, 8, stride, 4);
            let p = to.as_mut_ptr();
            // SAFETY: as in `get_four`.
            unsafe {
                let [a, b, c, d] = transposed_four([all[0].0, all[1].0, all[2].0, all[3].0]);
                macro_rules! two {
                    ($l:literal $v:expr) => {
                        _mm256_storeu_pd(p.add($l * stride), _mm512_castpd512_pd256($v));
                        _mm256_storeu_pd(p.add(($l + 4) * stride), _mm512_extractf64x4_pd::<1>($v));
                    };
                }
                two!(0 a);
                two!(1 b);
                two!(2 c);
                two!(3 d);
            }
        }
    }
}

raw! {
    Z16, f32, 16, M16,
    steps _mm512_setr_ps(0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15.),
    reversed v _mm512_permutexvar_ps(_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), v),
    total {
        let eight = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps::<1>(v));
        let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
    },
    casts [_mm512_castps_si512 _mm512_castsi512_ps],
    floats [_mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps _mm512_fmadd_ps
        _mm512_sqrt_ps _mm512_roundscale_ps _mm512_max_ps _mm512_min_ps _mm512_cmp_ps_mask _mm512_mask_blend_ps _mm512_and_ps
        _mm512_or_ps _mm512_xor_ps],
    bits [_mm512_add_epi32 _mm512_sub_epi32 _mm512_sll_epi32 _mm512_srl_epi32],
    apart [__mmask16 _mm512_maskz_loadu_ps _mm512_mask_storeu_ps _mm512_permutexvar_ps _mm512_permutex2var_ps
        sources16 targets16],
    quads {}
}

/// `scaled` and `split`, for which there are instructions.
macro_rules! two_instructions {
    ($T:ident $scalef:ident $getmant:ident $getexp:ident) => {
        #[cfg_attr(not(unoptimized), inline(always))]
        fn scaled(self, n: Self) -> Self {
            run!(Self($scalef(self.0, n.0)))
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn split(self) -> (Self, Self) {
            // Positive for zeros, NaN for negative numbers.
            const SIGN: i32 = _MM_MANT_SIGN_ZERO | _MM_MANT_SIGN_NAN;
            let m = run!(Self($getmant::<_MM_MANT_NORM_1_2, SIGN>(self.0)));
            let k = run!(Self($getexp(self.0)));
            let one = Self::all_of(self.isa(), 1.0);
            let high = Self::all_of(self.isa(), core::$T::consts::SQRT_2).is_le(m);
            (Self::choose(high, m * Self::all_of(self.isa(), 0.5), m), Self::choose(high, k + one, k))
        }
    };
}

/// In each half, four rows of four as columns.
#[cfg_attr(not(unoptimized), inline(always))]
fn transposed_four([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
    // SAFETY: who has such vectors has the instructions.
    unsafe {
        let (e, f) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
        let (g, h) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
        let low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
        let high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
        [
            _mm512_permutex2var_pd(e, low, g),
            _mm512_permutex2var_pd(f, low, h),
            _mm512_permutex2var_pd(e, high, g),
            _mm512_permutex2var_pd(f, high, h),
        ]
    }
}

impl Double for Z8 {
    two_instructions! { f64 _mm512_scalef_pd _mm512_getmant_pd _mm512_getexp_pd }
}

impl Single for Z16 {
    type Wider = Pair<Z8>;
    two_instructions! { f32 _mm512_scalef_ps _mm512_getmant_ps _mm512_getexp_ps }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn widened(self) -> Pair<Z8> {
        let (low, high) = run!((_mm512_castps512_ps256(self.0), _mm512_extractf32x8_ps::<1>(self.0)));
        run!(Pair(Z8(_mm512_cvtps_pd(low)), Z8(_mm512_cvtps_pd(high))))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn narrowed(x: Pair<Z8>) -> Z16 {
        let (low, high) = run!((_mm512_cvtpd_ps(x.0.0), _mm512_cvtpd_ps(x.1.0)));
        run!(Z16(_mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high)))
    }
}
