//! SIMD vectors, and functions compiled once for each instruction set, of which the right one runs.
//!
//! A [`Kernel2`] (one for each number of arguments) is a function generic over an instruction set [`Isa`]; [`dispatch2`] runs it compiled
//! for the best that the processor has. Within, `I: Lanes<f64>` names the vectors: [`Lanes::Vector`], [`Lanes::Wide`] of several of them,
//! [`Lanes::Scalar`] of one lane, and [`Lanes::Remainder`]
//! for the remainder of a loop.
//!
//! ```
//! # use tensor_kernels as tensor_rt;
//! use tensor_rt::simd::{Kernel2, Lane, Lanes, dispatch2};
//!
//! struct Dot;
//! impl Kernel2<f64, &[f64], &[f64]> for Dot {
//!     type Out = f64;
//!     #[inline(always)]
//!     fn run<I: Lanes<f64>>(isa: I, x: &[f64], y: &[f64]) -> f64 {
//!         let width = I::Vector::WIDTH;
//!         let n = x.len().min(y.len());
//!         let (mut sum, mut rest) = (I::Vector::splat(isa, 0.0), I::Scalar::splat(isa, 0.0));
//!         let whole = n - n % width;
//!         for i in (0..whole).step_by(width) {
//!             sum = I::Vector::load(isa, x, i).mul_add(I::Vector::load(isa, y, i), sum);
//!         }
//!         for i in whole..n {
//!             rest = I::Scalar::load(isa, x, i).mul_add(I::Scalar::load(isa, y, i), rest);
//!         }
//!         sum.sum() + rest.sum()
//!     }
//! }
//!
//! let x: Vec<f64> = (0..100).map(f64::from).collect();
//! assert_eq!(dispatch2::<Dot, f64, _, _>(&x, &x), 328350.0);
//! ```
//!
//! # In unoptimized builds
//!
//! Operations are inlined wherever they stand, else they would have none of the instructions. Not where nothing is optimized: there each is a call,
//! which takes rustc a quarter to a half of the time, and runs at most a quarter longer.
//!
//! # Safe
//!
//! A token of an instruction set exists only where its features do: this crate makes them inside [`dispatch2`] and its like alone. Vectors
//! are made from tokens or from vectors, so whoever holds one may run its instructions.
//!
//! # The same bits
//!
//! A lane's result depends on the values in that lane alone, never on its position, on the other lanes or on the type's width. Between
//! instruction sets the results differ: [`Isa::FMA`] says whether `a * b + c` is rounded once. [`limit`] fixes the instruction set.
//! The error of each function (`exp`, `sin`, …) stands in the manual; with the feature `exact-math` they are those of [`Real`], lane by lane.

#[cfg(target_arch = "x86_64")]
mod across;
#[cfg(target_arch = "x86_64")]
mod apart;
mod arrays;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod correlate;
mod derive;
mod dispatch;
mod grid;
mod lane;
mod level;
mod math;
mod pair;
mod raw;
mod remainder;
mod scalar;
mod square;

pub use arrays::add_sums;
pub(crate) use arrays::window;
#[doc(hidden)]
pub use arrays::{get_far, put_far};
pub use correlate::correlate;
pub use dispatch::*;
pub(crate) use grid::Grid;
pub use lane::Lane;
pub use level::{Level, isa_name, level, limit};
#[cfg(not(feature = "std"))]
pub(crate) use math::power;
pub use pair::Pair;
pub use remainder::{Few, Remainder};
pub use scalar::Scalar;
#[doc(hidden)]
pub use square::symmetrize_square;
pub(crate) use square::{SIDE, Squares, every_row};

#[cfg(target_arch = "x86_64")]
pub use {avx2::Avx2, avx512::Avx512};

use crate::math::Real;
use raw::{Forms, Sealed};

/// An instruction set. A value of such a type is a token: proof that the processor has it.
pub trait Isa: Copy + Send + Sync + 'static + raw::Fused {
    /// Whether [`Lane::mul_add`] rounds once.
    const FMA: bool;
    /// How many vectors fit into registers.
    const REGISTERS: usize;
    /// Its name, as [`isa_name`] tells it.
    const NAME: &'static str;
    /// Its level.
    const LEVEL: Level = Level::Baseline;
}

/// The vectors of an instruction set for an element type. Every [`Isa`] has them for `f64` and `f32`.
pub trait Lanes<T: Real>: Isa {
    /// What fits into a register.
    type Part: Lane<T, Isa = Self, Part = Self::Part>;
    /// Several vectors as one: for long loops of cheap operations.
    type Wide: Lane<T, Isa = Self, Part = Self::Part>;
    /// A vector.
    type Vector: Lane<T, Isa = Self, Part = Self::Part>;
    /// A vector for bodies of many operations, which fill the registers by themselves.
    type Body: Lane<T, Isa = Self, Part = Self::Part>;
    /// Several vectors as one, where those pay beside what they take to compile: for bodies of many statements and loops.
    type Large: Lane<T, Isa = Self, Part = Self::Part>;
    /// One lane: the same formulas and the same bits as a lane of the others.
    type Scalar: Lane<T, Isa = Self>;
    /// The token of the remainder of a loop.
    type Few: Lanes<T>;
    /// The remainder of a vectorized loop: the first lanes of a vector where it is fast to leave out the others (AVX-512), else one lane.
    type Remainder: Lane<T, Isa = Self::Few>;
    /// The token for the first `count` lanes.
    fn few(self, count: usize) -> Self::Few;
    /// `out[i][j] = block[j][i]`
    #[doc(hidden)]
    fn transposed(self, block: &[[T; 8]; 8]) -> [[T; 8]; 8];
    /// A vector of the remainder, and of `other` in the lanes behind.
    fn whole(rest: Self::Remainder, other: T) -> Self::Vector;
    /// The token for the first `count` lanes of a register, however slow it is to leave out the others: of loops that take little time, one type of
    /// vectors is less to compile than two.
    #[doc(hidden)]
    #[cfg_attr(not(unoptimized), inline(always))]
    fn masked(self, count: usize) -> Few<Self> {
        Few::new(self, count)
    }
    /// A vector of these lanes, and of `other` in those behind.
    #[doc(hidden)]
    #[cfg_attr(not(unoptimized), inline(always))]
    fn whole_of_masked(lanes: Remainder<Self::Part, Self>, other: T) -> Self::Part {
        remainder::filled(lanes, other)
    }
}

/// The instruction set that every processor of the target has.
#[derive(Clone, Copy, Debug)]
pub struct Baseline(());

impl Baseline {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn new() -> Baseline {
        Baseline(())
    }
}

impl Sealed for Baseline {}

impl Isa for Baseline {
    // Elsewhere it may be a call.
    const FMA: bool = cfg!(all(target_arch = "aarch64", feature = "std"));
    const REGISTERS: usize = 16;
    const NAME: &'static str = "baseline";
}

/// What an element type has for each instruction set.
#[doc(hidden)]
pub trait Every<I>: Forms<I> + raw::Across<I> {}
impl<T: Forms<I> + raw::Across<I>, I> Every<I> for T {}

/// What a kernel may be generic over: `f64` or `f32`.
#[cfg(target_arch = "x86_64")]
pub trait Element: Real + Every<Baseline> + Every<Avx2> + Every<Avx512> {}

/// What a kernel may be generic over: `f64` or `f32`.
#[cfg(not(target_arch = "x86_64"))]
pub trait Element: Real + Every<Baseline> {}

impl raw::Across<Baseline> for f64 {}
impl raw::Across<Baseline> for f32 {}
impl Element for f64 {}
impl Element for f32 {}

macro_rules! every_element {
    ($($isa:ident $few:ty, $rest:ty, $token:expr, $whole:expr;)*) => { $(
        impl<T: Element> Lanes<T> for $isa {
            type Part = <T as Forms<$isa>>::Part;
            type Wide = <T as Forms<$isa>>::Wide;
            type Vector = <T as Forms<$isa>>::Vector;
            type Body = <T as Forms<$isa>>::Body;
            type Large = <T as Forms<$isa>>::Large;
            type Scalar = <T as Forms<$isa>>::Scalar;
            type Few = $few;
            type Remainder = $rest;
            #[cfg_attr(not(unoptimized), inline(always))]
            fn few(self, count: usize) -> $few {
                $token(self, count)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn transposed(self, block: &[[T; 8]; 8]) -> [[T; 8]; 8] {
                <T as raw::Across<$isa>>::transposed(self, block)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn whole(rest: $rest, other: T) -> Self::Vector {
                $whole(rest, other)
            }
        }
    )* };
}
every_element! { Baseline Baseline, <T as Forms<Baseline>>::Scalar, |isa, _| isa, one::<T, Baseline>; }
// AVX2 can write some lanes of a vector, but what is read after it waits until that is in memory.
#[cfg(target_arch = "x86_64")]
every_element! { Avx2 Avx2, <T as Forms<Avx2>>::Scalar, |isa, _| isa, one::<T, Avx2>; }
#[cfg(target_arch = "x86_64")]
every_element! { Avx512 Few<Avx512>, Remainder<<T as Forms<Avx512>>::Vector, Avx512>, Few::new, remainder::filled; }

/// A number, and another one in all other lanes.
#[cfg_attr(not(unoptimized), inline(always))]
fn one<T: Forms<I>, I: Isa>(x: <T as Forms<I>>::Scalar, other: T) -> <T as Forms<I>>::Vector {
    let isa = x.token();
    let first = <T as Forms<I>>::Vector::firsts(isa, 1);
    Lane::select(first, Lane::splat(isa, x.sum()), Lane::splat(isa, other))
}

/// x86-64 without AVX2 is rare enough that bodies of many operations have one form for it, which is the least to compile.
#[cfg(target_arch = "x86_64")]
type Least<V> = V;
#[cfg(not(target_arch = "x86_64"))]
type Least<V> = Pair<Pair<V>>;

impl Forms<Baseline> for f64 {
    type Part = Scalar<f64, Baseline>;
    type Wide = Pair<Pair<Scalar<f64, Baseline>>>;
    type Vector = Pair<Pair<Scalar<f64, Baseline>>>;
    type Body = Least<Scalar<f64, Baseline>>;
    type Large = Least<Scalar<f64, Baseline>>;
    type Scalar = Scalar<f64, Baseline>;
}

impl Forms<Baseline> for f32 {
    type Part = Scalar<f32, Baseline>;
    type Wide = Pair<Pair<Scalar<f32, Baseline>>>;
    type Vector = Pair<Pair<Scalar<f32, Baseline>>>;
    type Body = Least<Scalar<f32, Baseline>>;
    type Large = Least<Scalar<f32, Baseline>>;
    type Scalar = Scalar<f32, Baseline>;
}
