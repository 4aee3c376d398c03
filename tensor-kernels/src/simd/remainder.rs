//! The first lanes of a vector: the remainder of a vectorized loop, at once.

use super::arrays::{check_rows, check_stride};
use super::raw::{Fused, Sealed};
use super::square::every_row;
use super::{Element, Isa, Lane, Lanes};
use crate::math::Real;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// The token of an instruction set, and how many of a vector's lanes there are.
#[derive(Clone, Copy, Debug)]
pub struct Few<I> {
    isa: I,
    count: usize,
}

impl<I> Few<I> {
    /// The first `count` lanes.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn new(isa: I, count: usize) -> Few<I> {
        Few { isa, count }
    }
}

impl<I: Isa> Sealed for Few<I> {}

impl<I: Isa> Fused for Few<I> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn mul_add_f64(self, a: f64, b: f64, c: f64) -> f64 {
        self.isa.mul_add_f64(a, b, c)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn mul_add_f32(self, a: f32, b: f32, c: f32) -> f32 {
        self.isa.mul_add_f32(a, b, c)
    }
}

impl<I: Isa> Isa for Few<I> {
    const FMA: bool = I::FMA;
    const REGISTERS: usize = I::REGISTERS;
    const NAME: &'static str = I::NAME;
    const LEVEL: super::Level = I::LEVEL;
}

impl<T: Element, I: Lanes<T>> Lanes<T> for Few<I> {
    type Wide = Remainder<I::Vector, I>;
    type Vector = Remainder<I::Vector, I>;
    type Body = Remainder<I::Vector, I>;
    type Large = Remainder<I::Vector, I>;
    type Scalar = Remainder<I::Vector, I>;
    type Few = Few<I>;
    type Remainder = Remainder<I::Vector, I>;
    type Part = Remainder<I::Vector, I>;
    #[cfg_attr(not(unoptimized), inline(always))]
    fn few(self, count: usize) -> Few<I> {
        Few::new(self.isa, count)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn transposed(self, block: &[[T; 8]; 8]) -> [[T; 8]; 8] {
        self.isa.transposed(block)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn whole(rest: Remainder<I::Vector, I>, other: T) -> Remainder<I::Vector, I> {
        Remainder(filled(rest, other), rest.1)
    }
}

/// A vector of which the first lanes alone are read from memory and written to it, and are among its sums. The others hold anything. And a
/// mask of such a vector.
#[derive(Clone, Copy, Debug)]
pub struct Remainder<V, I>(V, Few<I>);

impl<V: Sealed, I> Sealed for Remainder<V, I> {}

macro_rules! operators {
    ($($Op:ident $op:ident)*) => { $(
        impl<V: $Op<Output = V>, I> $Op for Remainder<V, I> {
            type Output = Remainder<V, I>;
            #[cfg_attr(not(unoptimized), inline(always))]
            fn $op(self, b: Remainder<V, I>) -> Remainder<V, I> {
                Remainder(self.0.$op(b.0), self.1)
            }
        }
    )* };
}
operators! { Add add Sub sub Mul mul Div div BitAnd bitand BitOr bitor }

impl<V: Neg<Output = V>, I> Neg for Remainder<V, I> {
    type Output = Remainder<V, I>;
    #[cfg_attr(not(unoptimized), inline(always))]
    fn neg(self) -> Remainder<V, I> {
        Remainder(-self.0, self.1)
    }
}

impl<V: Not<Output = V>, I> Not for Remainder<V, I> {
    type Output = Remainder<V, I>;
    #[cfg_attr(not(unoptimized), inline(always))]
    fn not(self) -> Remainder<V, I> {
        Remainder(!self.0, self.1)
    }
}

impl<I: Copy> Few<I> {
    /// The lanes that there are.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn there<T: Real, V: Lane<T, Isa = I>>(self) -> V::Mask {
        V::firsts(self.isa, self.count)
    }
}

/// The first lanes, and `x` in the others.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn filled<T: Real, V: Lane<T>>(r: Remainder<V, V::Isa>, x: T) -> V {
    V::select(r.1.there::<T, V>(), r.0, V::splat(r.1.isa, x))
}

/// The first lanes, and zeros, as one part.
#[cfg_attr(not(unoptimized), inline(always))]
fn there<T: Real, V: Lane<T>>(r: Remainder<V, V::Isa>) -> V::Part {
    filled(r, T::ZERO).folded()
}

/// As many numbers as the widest vector has lanes.
const MOST: usize = 16;

/// Functions of each lane.
macro_rules! lanewise {
    ($($name:ident ( $($arg:ident),* );)*) => { $(
        #[cfg_attr(not(unoptimized), inline(always))]
        fn $name(self $(, $arg: Self)*) -> Self {
            Remainder(self.0.$name($($arg.0),*), self.1)
        }
    )* };
}

/// The functions of the table.
macro_rules! of_rests {
    (; $($(#[$doc:meta])* $name:ident ( $($arg:ident),* ): $value:ident $of:tt, $lanes:ident, $exact:tt;)*) => {
        $(of_rests! { @ $lanes $name $($arg)* })*
    };
    // Only those that are there.
    (@ each $name:ident $($arg:ident)*) => {};
    (@ few $name:ident $($arg:ident)*) => { lanewise! { $name($($arg),*); } };
    (@ double $name:ident $($arg:ident)*) => { lanewise! { $name($($arg),*); } };
    (@ both $name:ident $($arg:ident)*) => { lanewise! { $name($($arg),*); } };
    // What is not there would be a power of zero, which takes all lanes one by one.
    (@ positive $name:ident $arg:ident) => {
        #[cfg_attr(not(unoptimized), inline(always))]
        fn $name(self, $arg: Self) -> Self {
            Remainder(filled(self, T::ONE).$name(filled($arg, T::ONE)), self.1)
        }
    };
}

/// Comparisons.
macro_rules! comparisons {
    ($($name:ident)*) => { $(
        #[cfg_attr(not(unoptimized), inline(always))]
        fn $name(self, b: Self) -> Self::Mask {
            Remainder(self.0.$name(b.0), self.1)
        }
    )* };
}

impl<T: Real, V: Lane<T>> Lane<T> for Remainder<V, V::Isa> {
    type Isa = Few<V::Isa>;
    type Mask = Remainder<V::Mask, V::Isa>;
    type Cell = V::Cell;
    type Part = Self;
    const WIDTH: usize = V::WIDTH;
    const CHAINS: usize = V::CHAINS;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn lanes(few: Few<V::Isa>) -> usize {
        few.count.min(V::WIDTH)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn token(self) -> Few<V::Isa> {
        self.1
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn splat(few: Few<V::Isa>, x: T) -> Self {
        Remainder(V::splat(few.isa, x), few)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn iota(few: Few<V::Isa>, first: isize, step: isize) -> Self {
        Remainder(V::iota(few.isa, first, step), few)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn load(few: Few<V::Isa>, from: &[T], at: usize) -> Self {
        Remainder(V::load_part(few.isa, from, at, few.count), few)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn load_part(few: Few<V::Isa>, from: &[T], at: usize, count: usize) -> Self {
        Remainder(V::load_part(few.isa, from, at, count.min(few.count)), few)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn load_back(few: Few<V::Isa>, from: &[T], at: usize) -> Self {
        Self::gather(few, from, at, -1)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn gather(few: Few<V::Isa>, from: &[T], at: usize, stride: isize) -> Self {
        let count = Self::lanes(few);
        let mut all = [T::ZERO; MOST];
        if count > 0 {
            check_stride(from.len(), at, count, stride);
        }
        for (l, x) in all.iter_mut().enumerate().take(count) {
            *x = from[at.wrapping_add_signed(stride.wrapping_mul(l as isize))];
        }
        Remainder(V::load(few.isa, &all, 0), few)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn gather_by<const STRIDE: usize>(few: Few<V::Isa>, from: &[T], at: usize) -> Self {
        Self::gather(few, from, at, isize::try_from(STRIDE).unwrap_or(isize::MAX))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn gather_eight(few: Few<V::Isa>, from: &[T], at: usize, stride: usize, count: usize) -> [Self; 8] {
        let all = V::gather_eight(few.isa, from, at, stride, count.min(few.count));
        every_row!(K Remainder(all[K], few))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn store(self, to: &mut [T], at: usize) {
        self.0.store_part(to, at, self.1.count);
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn store_part(self, to: &mut [T], at: usize, count: usize) {
        self.0.store_part(to, at, count.min(self.1.count));
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn store_back(self, to: &mut [T], at: usize) {
        self.scatter(to, at, -1);
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn scatter(self, to: &mut [T], at: usize, stride: isize) {
        let count = Self::lanes(self.1);
        let mut all = [T::ZERO; MOST];
        self.0.store(&mut all, 0);
        if count > 0 {
            check_stride(to.len(), at, count, stride);
        }
        for (l, x) in all.into_iter().enumerate().take(count) {
            to[at.wrapping_add_signed(stride.wrapping_mul(l as isize))] = x;
        }
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn scatter_by<const STRIDE: usize>(self, to: &mut [T], at: usize) {
        self.scatter(to, at, isize::try_from(STRIDE).unwrap_or(isize::MAX));
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn store_eight(all: [Self; 8], to: &mut [T], at: usize, stride: usize) {
        check_rows(to.len(), at, all.len(), stride, Self::lanes(all[0].1));
        every_row!(K all[K].store(to, at + K * stride));
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn scatter_eight(all: [Self; 8], to: &mut [T], at: usize, stride: usize, count: usize) {
        let few = all[0].1.count;
        V::scatter_eight(every_row!(K all[K].0), to, at, stride, count.min(few));
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn cells(work: &mut [T]) -> &mut [V::Cell] {
        V::cells(work)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn get(few: Few<V::Isa>, cell: &V::Cell) -> Self {
        Remainder(V::get(few.isa, cell), few)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn set(self, cell: &mut V::Cell) {
        self.0.set(cell);
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Remainder(self.0.mul_add(b.0, c.0), self.1)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn first(self) -> Self {
        self
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn shifted(self, next: Self) -> Self {
        next
    }
    const SUMS: bool = V::SUMS;
    #[cfg_attr(not(unoptimized), inline(always))]
    fn by_parts(self, b: Self, f: impl Fn(Self, Self) -> Self + Copy) -> Self {
        f(self, b)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn folded_by(self, _: impl Fn(Self, Self) -> Self + Copy) -> Self {
        self
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn folded_mul_add(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn sums(all: [Self; 8]) -> [T; 8] {
        // One by one: what is not inlined has none of the instructions.
        let [a, b, c, d, e, f, g, h] = all;
        let (a, b, c, d) = (there(a), there(b), there(c), there(d));
        V::sums([a, b, c, d, there(e), there(f), there(g), there(h)])
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn sum(self) -> T {
        filled(self, T::ZERO).sum()
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn greatest(self) -> T {
        filled(self, T::NAN).greatest()
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn least(self) -> T {
        filled(self, T::NAN).least()
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn mask(few: Few<V::Isa>, x: bool) -> Self::Mask {
        Remainder(V::mask(few.isa, x), few)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn firsts(few: Few<V::Isa>, count: usize) -> Self::Mask {
        Remainder(V::firsts(few.isa, count), few)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn any(mask: Self::Mask) -> bool {
        V::any(mask.0 & mask.1.there::<T, V>())
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn all(mask: Self::Mask) -> bool {
        V::all(mask.0 | !mask.1.there::<T, V>())
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        Remainder(V::select(mask.0, a.0, b.0), a.1)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn map(self, f: impl Fn(T) -> T) -> Self {
        self.map2(self, |x, _| f(x))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn map2(self, b: Self, f: impl Fn(T, T) -> T) -> Self {
        let (mut all, mut other) = ([T::ZERO; MOST], [T::ZERO; MOST]);
        self.0.store(&mut all, 0);
        b.0.store(&mut other, 0);
        for (x, y) in all.iter_mut().zip(other).take(Self::lanes(self.1)) {
            *x = f(*x, y);
        }
        Remainder(V::load(self.1.isa, &all, 0), self.1)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn powi(self, exponent: i64) -> Self {
        Remainder(self.0.powi(exponent), self.1)
    }
    comparisons! { lt le gt ge eq ne }
    lanewise! { clamp(low, high); finite_or_zero(); }
    crate::scalar_functions! { of_rests }
}
