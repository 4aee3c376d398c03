//! x86-64 with AVX2 and FMA.
#![allow(unsafe_code)]

use super::arrays::check_rows;
use super::derive::lane;
use super::raw::{Double, Forms, Fused, Raw, Sealed, Single};
use super::square::{self, every_row};
use super::{Isa, Pair, Scalar, math};
use core::arch::x86_64::*;
use core::ops::{BitAnd, BitOr, Not};

/// x86-64 with AVX2 and FMA.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// The token: only a function that has the features can call this safely.
    #[target_feature(enable = "fma,avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline]
    pub(super) fn new() -> Avx2 {
        Avx2(())
    }
}

impl Sealed for Avx2 {}

impl Isa for Avx2 {
    const FMA: bool = true;
    const REGISTERS: usize = 16;
    const LEVEL: super::Level = super::Level::Avx2;
    const NAME: &'static str = "avx2";
}

/// Runs instructions of AVX2.
macro_rules! run {
    ($e:expr) => {
        // SAFETY: the functions of this file have an argument that is a token, a vector or a mask. Tokens exist only where the features
        // do, and the others are made from tokens. Pointers are to arrays of the vector's size, and a store writes all of one.
        unsafe { $e }
    };
}

impl Fused for Avx2 {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn mul_add_f64(self, a: f64, b: f64, c: f64) -> f64 {
        run!(_mm_cvtsd_f64(_mm_fmadd_sd(_mm_set_sd(a), _mm_set_sd(b), _mm_set_sd(c))))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn mul_add_f32(self, a: f32, b: f32, c: f32) -> f32 {
        run!(_mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c))))
    }
}

impl Forms<Avx2> for f64 {
    type Part = Y4;
    type Wide = Pair<Pair<Y4>>;
    type Vector = Pair<Y4>;
    type Body = Y4;
    type Large = Pair<Pair<Y4>>;
    type Scalar = Scalar<f64, Avx2>;
}

impl Forms<Avx2> for f32 {
    type Part = Y8;
    type Wide = Pair<Pair<Y8>>;
    type Vector = Pair<Y8>;
    type Body = Y8;
    type Large = Pair<Pair<Y8>>;
    type Scalar = Scalar<f32, Avx2>;
}

/// 4 lanes of `f64`.
#[derive(Clone, Copy, Debug)]
pub struct Y4(__m256d);

/// 8 lanes of `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Y8(__m256);

/// A mask of 4 lanes: all bits of a lane are set, or none.
#[derive(Clone, Copy, Debug)]
pub struct M4(__m256d);

/// A mask of 8 lanes: all bits of a lane are set, or none.
#[derive(Clone, Copy, Debug)]
pub struct M8(__m256);

macro_rules! mask {
    ($M:ident, $and:ident, $or:ident, $xor:ident, $ones:expr) => {
        impl BitAnd for $M {
            type Output = $M;
            #[cfg_attr(not(unoptimized), inline(always))]
            fn bitand(self, b: $M) -> $M {
                run!($M($and(self.0, b.0)))
            }
        }
        impl BitOr for $M {
            type Output = $M;
            #[cfg_attr(not(unoptimized), inline(always))]
            fn bitor(self, b: $M) -> $M {
                run!($M($or(self.0, b.0)))
            }
        }
        impl Not for $M {
            type Output = $M;
            #[cfg_attr(not(unoptimized), inline(always))]
            fn not(self) -> $M {
                run!($M($xor(self.0, $ones)))
            }
        }
    };
}
mask! { M4, _mm256_and_pd, _mm256_or_pd, _mm256_xor_pd, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)) }
mask! { M8, _mm256_and_ps, _mm256_or_ps, _mm256_xor_ps, _mm256_castsi256_ps(_mm256_set1_epi64x(-1)) }

/// All bits of each of the first lanes, as many as asked for and there are.
macro_rules! first_lanes {
    ($mask:ident, $width:literal, $count:expr) => {{
        static MASKS: [$mask; 2 * $width] = {
            let mut all = [0; 2 * $width];
            let mut l = 0;
            while l < $width {
                all[l] = -1;
                l += 1;
            }
            all
        };
        $crate::simd::arrays::window::<$mask, $width>(&MASKS, $width - Ord::min($count, $width))
    }};
}

/// `Raw` for a vector; `[…]` holds the names of the intrinsics that differ between the two.
macro_rules! raw {
    (
        $V:ident, $T:ident, $width:literal, $M:ident, steps $steps:expr, reversed $v:ident $reversed:expr,
        apart ($from:ident $at:ident) [$($stride:literal $apart:expr;)*], total $total:expr, $(totals $all:ident $totals:expr,)?
        casts [$bits:ident $float:ident],
        floats [$set1:ident $loadu:ident $storeu:ident $add:ident $sub:ident $mul:ident $div:ident $fma:ident $sqrt:ident $round:ident
            $max:ident $min:ident $cmp:ident $blend:ident $movemask:ident $and:ident $or:ident $xor:ident],
        bits [$iadd:ident $isub:ident $left:ident $right:ident],
        part [$mask:ident $maskload:ident $maskstore:ident]
        $(, quads { $($quads:tt)* })?
    ) => {
        impl Raw<$T> for $V {
            type Of = Avx2;
            type Truth = $M;
            type Array = [$T; $width];
            const CONVERTS: bool = false;

            #[cfg_attr(not(unoptimized), inline(always))]
            fn isa(self) -> Avx2 {
                Avx2(())
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn all_of(_: Avx2, x: $T) -> Self {
                run!($V($set1(x)))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn steps(_: Avx2) -> Self {
                run!($V($steps))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn from_array(_: Avx2, x: &[$T; $width]) -> Self {
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
            fn from_part(_: Avx2, from: &[$T]) -> Self {
                let mask = first_lanes!($mask, $width, from.len());
                // SAFETY: the token is there; the mask is as long as the vector; lanes that it lets through are in the slice, and
                // the others are not read.
                unsafe { $V($maskload(from.as_ptr(), _mm256_loadu_si256(mask.as_ptr().cast()))) }
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn put_part(self, to: &mut [$T]) {
                let mask = first_lanes!($mask, $width, to.len());
                // SAFETY: as in `from_part`, and nothing else is written.
                unsafe { $maskstore(to.as_mut_ptr(), _mm256_loadu_si256(mask.as_ptr().cast()), self.0) }
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn reversed(self) -> Self {
                let $v = self.0;
                run!($V($reversed))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn from_apart<const STRIDE: usize>(isa: Avx2, from: &[$T]) -> Self {
                let $from = &from[..$crate::simd::arrays::reach(STRIDE, $width)];
                macro_rules! $at {
                    ($first:expr) => {
                        Self::from_array(isa, $crate::simd::arrays::window($from, $first)).0
                    };
                }
                match STRIDE {
                    $($stride => run!($V($apart)),)*
                    _ => Self::from_array(isa, &$crate::simd::arrays::gather($from, 0, STRIDE as isize)),
                }
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn put_apart<const STRIDE: usize>(self, to: &mut [$T]) {
                $crate::simd::arrays::scatter(self.to_array(), to, 0, STRIDE as isize);
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
                    let (low, high) = run!($totals);
                    let mut out = [0.0; 8];
                    out[..$width].copy_from_slice(&$V(low).to_array());
                    out[$width..].copy_from_slice(&$V(high).to_array());
                    out
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
            fn truth(_: Avx2, x: bool) -> $M {
                run!($M($float(_mm256_set1_epi64x(if x { -1 } else { 0 }))))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn firsts(_: Avx2, count: usize) -> $M {
                let mask = first_lanes!($mask, $width, count);
                run!($M($float(_mm256_loadu_si256(mask.as_ptr().cast()))))
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn some(mask: $M) -> bool {
                run!($movemask(mask.0)) != 0
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn every(mask: $M) -> bool {
                run!($movemask(mask.0)) == (1 << $width) - 1
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn choose(mask: $M, a: Self, b: Self) -> Self {
                run!($V($blend(b.0, a.0, mask.0)))
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
            $($($quads)*)?
            #[cfg_attr(not(unoptimized), inline(always))]
            fn get_eight(isa: Avx2, from: &[$T], at: usize, stride: usize, count: usize) -> [Self; 8] {
                let all = square::get::<$T, Avx2, $width>(isa, from, at, stride, count);
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

        lane! { $V, $T, Avx2, $width, $M }
    };
}

raw! {
    Y4, f64, 4, M4, steps _mm256_setr_pd(0., 1., 2., 3.),
    reversed v _mm256_permute4x64_pd::<0b00_01_10_11>(v),
    // Loads so far apart that each number is in a lane of its own, of which the last ends with the last number.
    apart (from at) [
        2 _mm256_permute4x64_pd::<0b11_01_10_00>(_mm256_blend_pd::<0b1010>(at!(0), at!(3)));
        3 _mm256_blend_pd::<0b1100>(
            _mm256_blend_pd::<0b0010>(at!(0), at!(2)),
            _mm256_blend_pd::<0b1000>(at!(4), at!(6)),
        );
        4 _mm256_blend_pd::<0b1100>(
            _mm256_blend_pd::<0b0010>(at!(0), at!(3)),
            _mm256_blend_pd::<0b1000>(at!(6), at!(9)),
        );
    ],
    total {
        let two = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd::<1>(v));
        _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
    },
    totals all {
        // Halves of two, then pairs of four, from which the sums come out in order.
        macro_rules! two {
            ($a:expr, $b:expr) => {
                _mm256_add_pd(_mm256_permute2f128_pd::<0x20>($a, $b), _mm256_permute2f128_pd::<0x31>($a, $b))
            };
        }
        macro_rules! four {
            ($a:literal $b:literal $c:literal $d:literal) => {{
                let (even, odd) = (two!(all[$a], all[$c]), two!(all[$b], all[$d]));
                _mm256_add_pd(_mm256_unpacklo_pd(even, odd), _mm256_unpackhi_pd(even, odd))
            }};
        }
        (four!(0 1 2 3), four!(4 5 6 7))
    },
    casts [_mm256_castpd_si256 _mm256_castsi256_pd],
    floats [_mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_fmadd_pd
        _mm256_sqrt_pd _mm256_round_pd _mm256_max_pd _mm256_min_pd _mm256_cmp_pd _mm256_blendv_pd _mm256_movemask_pd _mm256_and_pd
        _mm256_or_pd _mm256_xor_pd],
    bits [_mm256_add_epi64 _mm256_sub_epi64 _mm256_sll_epi64 _mm256_srl_epi64],
    part [i64 _mm256_maskload_pd _mm256_maskstore_pd],
    quads {
        #[cfg_attr(not(unoptimized), inline(always))]
        fn get_four(_: Avx2, from: &[f64], stride: usize) -> [Self; 4] {
            check_rows(from.len(), 0, 4, stride, 4);
            let p = from.as_ptr();
            // SAFETY: the token is there, and all four rows are in the slice.
            unsafe {
                let (a, b) = (_mm256_loadu_pd(p), _mm256_loadu_pd(p.add(stride)));
                let (c, d) = (_mm256_loadu_pd(p.add(2 * stride)), _mm256_loadu_pd(p.add(3 * stride)));
                let [a, b, c, d] = transposed_four([a, b, c, d]);
                [Y4(a), Y4(b), Y4(c), Y4(d)]
            }
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn put_four(all: [Self; 4], to: &mut [f64], stride: usize) {
            check_rows(to.len(), 0, 4, stride, 4);
            let p = to.as_mut_ptr();
            // SAFETY: as in `get_four`.
            unsafe {
                let [a, b, c, d] = transposed_four([all[0].0, all[1].0, all[2].0, all[3].0]);
                _mm256_storeu_pd(p, a);
                _mm256_storeu_pd(p.add(stride), b);
                _mm256_storeu_pd(p.add(2 * stride), c);
                _mm256_storeu_pd(p.add(3 * stride), d);
            }
        }
    }
}

raw! {
    Y8, f32, 8, M8,
    steps _mm256_setr_ps(0., 1., 2., 3., 4., 5., 6., 7.),
    reversed v _mm256_permutevar8x32_ps(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0)),
    apart (from at) [
        2 _mm256_permutevar8x32_ps(
            _mm256_blend_ps::<0b1010_1010>(at!(0), at!(7)),
            _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7),
        );
        3 _mm256_permutevar8x32_ps(
            _mm256_blend_ps::<0b1001_0010>(_mm256_blend_ps::<0b0010_0100>(at!(0), at!(7)), at!(14)),
            _mm256_setr_epi32(0, 3, 6, 2, 5, 1, 4, 7),
        );
        4 _mm256_permutevar8x32_ps(
            _mm256_blend_ps::<0b1100_1100>(
                _mm256_blend_ps::<0b0010_0010>(at!(0), at!(7)),
                _mm256_blend_ps::<0b1000_1000>(at!(14), at!(21)),
            ),
            _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7),
        );
    ],
    total {
        let four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps::<1>(v));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
    },
    casts [_mm256_castps_si256 _mm256_castsi256_ps],
    floats [_mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_fmadd_ps
        _mm256_sqrt_ps _mm256_round_ps _mm256_max_ps _mm256_min_ps _mm256_cmp_ps _mm256_blendv_ps _mm256_movemask_ps _mm256_and_ps
        _mm256_or_ps _mm256_xor_ps],
    bits [_mm256_add_epi32 _mm256_sub_epi32 _mm256_sll_epi32 _mm256_srl_epi32],
    part [i32 _mm256_maskload_ps _mm256_maskstore_ps]
}

/// Four rows of four as columns.
#[cfg_attr(not(unoptimized), inline(always))]
fn transposed_four([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
    // SAFETY: who has such vectors has the instructions.
    unsafe {
        let (e, f) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (g, h) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        [
            _mm256_permute2f128_pd::<0x20>(e, g),
            _mm256_permute2f128_pd::<0x20>(f, h),
            _mm256_permute2f128_pd::<0x31>(e, g),
            _mm256_permute2f128_pd::<0x31>(f, h),
        ]
    }
}

impl Double for Y4 {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn scaled(self, n: Y4) -> Y4 {
        math::scaled(self, n)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn split(self) -> (Y4, Y4) {
        math::split(self)
    }
}

impl Single for Y8 {
    type Wider = Pair<Y4>;
    #[cfg_attr(not(unoptimized), inline(always))]
    fn widened(self) -> Pair<Y4> {
        let (low, high) = run!((_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0)));
        run!(Pair(Y4(_mm256_cvtps_pd(low)), Y4(_mm256_cvtps_pd(high))))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn narrowed(x: Pair<Y4>) -> Y8 {
        run!(Y8(_mm256_set_m128(_mm256_cvtpd_ps(x.1.0), _mm256_cvtpd_ps(x.0.0))))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn scaled(self, n: Self) -> Self {
        math::single::scaled(self, n)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn split(self) -> (Self, Self) {
        math::single::split(self)
    }
}
