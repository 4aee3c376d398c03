//! Two vectors as one.

use super::Lane;
use super::arrays::{back, check_rows, check_stride, reach, span, span_mut};
use super::raw::Sealed;
use super::square::every_row;
use crate::math::Real;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Two vectors as one of twice the lanes; and two masks as one.
#[derive(Clone, Copy, Debug)]
pub struct Pair<V>(pub(super) V, pub(super) V);

impl<V: Sealed> Sealed for Pair<V> {}

macro_rules! operators {
    ($($Op:ident $op:ident)*) => { $(
        impl<V: $Op<Output = V>> $Op for Pair<V> {
            type Output = Pair<V>;
            #[cfg_attr(not(unoptimized), inline(always))]
            fn $op(self, b: Pair<V>) -> Pair<V> {
                Pair(self.0.$op(b.0), self.1.$op(b.1))
            }
        }
    )* };
}
operators! { Add add Sub sub Mul mul Div div BitAnd bitand BitOr bitor }

impl<V: Neg<Output = V>> Neg for Pair<V> {
    type Output = Pair<V>;
    #[cfg_attr(not(unoptimized), inline(always))]
    fn neg(self) -> Pair<V> {
        Pair(-self.0, -self.1)
    }
}

impl<V: Not<Output = V>> Not for Pair<V> {
    type Output = Pair<V>;
    #[cfg_attr(not(unoptimized), inline(always))]
    fn not(self) -> Pair<V> {
        Pair(!self.0, !self.1)
    }
}

/// Methods that are those of the halves.
macro_rules! halves {
    ($($name:ident ( $($arg:ident),* ) -> $result:ty;)*) => { $(
        #[cfg_attr(not(unoptimized), inline(always))]
        fn $name(self $(, $arg: Self)*) -> $result {
            Pair(self.0.$name($($arg.0),*), self.1.$name($($arg.1),*))
        }
    )* };
}

/// The functions of the table.
macro_rules! of_halves {
    (; $($(#[$doc:meta])* $name:ident ( $($arg:ident),* ): $value:ident $of:tt, $lanes:ident, $exact:tt;)*) => {
        halves! { $($name($($arg),*) -> Self;)* }
    };
}

impl<T: Real, V: Lane<T>> Lane<T> for Pair<V> {
    type Isa = V::Isa;
    type Mask = Pair<V::Mask>;
    type Cell = [V::Cell; 2];
    type Part = V::Part;
    const WIDTH: usize = 2 * V::WIDTH;
    const CHAINS: usize = if V::CHAINS > 1 { V::CHAINS / 2 } else { 1 };

    #[cfg_attr(not(unoptimized), inline(always))]
    fn token(self) -> V::Isa {
        self.0.token()
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn splat(isa: V::Isa, x: T) -> Self {
        let v = V::splat(isa, x);
        Pair(v, v)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn iota(isa: V::Isa, first: isize, step: isize) -> Self {
        let second = first.wrapping_add(step.wrapping_mul(V::WIDTH as isize));
        Pair(V::iota(isa, first, step), V::iota(isa, second, step))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn load(isa: V::Isa, from: &[T], at: usize) -> Self {
        let from = span(from, at, Self::WIDTH);
        Pair(V::load(isa, from, 0), V::load(isa, from, V::WIDTH))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn load_part(isa: V::Isa, from: &[T], at: usize, count: usize) -> Self {
        let from = span(from, at, count.min(Self::WIDTH));
        let (low, high) = from.split_at(from.len().min(V::WIDTH));
        Pair(V::load_part(isa, low, 0, low.len()), V::load_part(isa, high, 0, high.len()))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn load_back(isa: V::Isa, from: &[T], at: usize) -> Self {
        let from = span(from, back(from.len(), at, Self::WIDTH), Self::WIDTH);
        Pair(V::load_back(isa, from, Self::WIDTH - 1), V::load_back(isa, from, V::WIDTH - 1))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn gather(isa: V::Isa, from: &[T], at: usize, stride: isize) -> Self {
        check_stride(from.len(), at, Self::WIDTH, stride);
        let second = at.wrapping_add_signed(stride.wrapping_mul(V::WIDTH as isize));
        Pair(V::gather(isa, from, at, stride), V::gather(isa, from, second, stride))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn gather_by<const STRIDE: usize>(isa: V::Isa, from: &[T], at: usize) -> Self {
        let from = span(from, at, reach(STRIDE, Self::WIDTH));
        Pair(V::gather_by::<STRIDE>(isa, from, 0), V::gather_by::<STRIDE>(isa, from, STRIDE * V::WIDTH))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn gather_four(isa: V::Isa, from: &[T], at: usize, stride: usize) -> [Self; 4] {
        let (a, b) = (
            V::gather_four(isa, from, at, stride),
            V::gather_four(isa, from, at + V::WIDTH * stride, stride),
        );
        [Pair(a[0], b[0]), Pair(a[1], b[1]), Pair(a[2], b[2]), Pair(a[3], b[3])]
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn scatter_four(all: [Self; 4], to: &mut [T], at: usize, stride: usize) {
        check_rows(to.len(), at, Self::WIDTH, stride, 4);
        V::scatter_four([all[0].0, all[1].0, all[2].0, all[3].0], to, at, stride);
        V::scatter_four([all[0].1, all[1].1, all[2].1, all[3].1], to, at + V::WIDTH * stride, stride);
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn gather_eight(isa: V::Isa, from: &[T], at: usize, stride: usize, count: usize) -> [Self; 8] {
        let rest = count.saturating_sub(V::WIDTH);
        let low = V::gather_eight(isa, from, at, stride, count);
        // Of no lanes, the place is nowhere.
        let second = if rest > 0 { at.saturating_add(stride.saturating_mul(V::WIDTH)) } else { at };
        let high = V::gather_eight(isa, from, second, stride, rest);
        every_row!(K Pair(low[K], high[K]))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn store(self, to: &mut [T], at: usize) {
        let to = span_mut(to, at, Self::WIDTH);
        self.0.store(to, 0);
        self.1.store(to, V::WIDTH);
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn store_part(self, to: &mut [T], at: usize, count: usize) {
        let to = span_mut(to, at, count.min(Self::WIDTH));
        let (low, high) = to.split_at_mut(to.len().min(V::WIDTH));
        self.0.store_part(low, 0, low.len());
        self.1.store_part(high, 0, high.len());
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn store_back(self, to: &mut [T], at: usize) {
        let first = back(to.len(), at, Self::WIDTH);
        let to = span_mut(to, first, Self::WIDTH);
        self.0.store_back(to, Self::WIDTH - 1);
        self.1.store_back(to, V::WIDTH - 1);
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn scatter(self, to: &mut [T], at: usize, stride: isize) {
        check_stride(to.len(), at, Self::WIDTH, stride);
        let second = at.wrapping_add_signed(stride.wrapping_mul(V::WIDTH as isize));
        self.0.scatter(to, at, stride);
        self.1.scatter(to, second, stride);
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn scatter_by<const STRIDE: usize>(self, to: &mut [T], at: usize) {
        let to = span_mut(to, at, reach(STRIDE, Self::WIDTH));
        self.0.scatter_by::<STRIDE>(to, 0);
        self.1.scatter_by::<STRIDE>(to, STRIDE * V::WIDTH);
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn store_eight(all: [Self; 8], to: &mut [T], at: usize, stride: usize) {
        check_rows(to.len(), at, all.len(), stride, Self::WIDTH);
        V::store_eight(every_row!(K all[K].0), to, at, stride);
        V::store_eight(every_row!(K all[K].1), to, at + V::WIDTH, stride);
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn scatter_eight(all: [Self; 8], to: &mut [T], at: usize, stride: usize, count: usize) {
        check_rows(to.len(), at, count.min(Self::WIDTH), stride, all.len());
        V::scatter_eight(every_row!(K all[K].0), to, at, stride, count);
        if count > V::WIDTH {
            V::scatter_eight(every_row!(K all[K].1), to, at + stride * V::WIDTH, stride, count - V::WIDTH);
        }
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn cells(work: &mut [T]) -> &mut [[V::Cell; 2]] {
        V::cells(work).as_chunks_mut().0
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn get(isa: V::Isa, cell: &[V::Cell; 2]) -> Self {
        Pair(V::get(isa, &cell[0]), V::get(isa, &cell[1]))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn set(self, cell: &mut [V::Cell; 2]) {
        self.0.set(&mut cell[0]);
        self.1.set(&mut cell[1]);
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn first(self) -> V::Part {
        self.0.first()
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn shifted(self, next: V::Part) -> Self {
        Pair(self.0.shifted(self.1.first()), self.1.shifted(next))
    }
    const SUMS: bool = V::SUMS;
    #[cfg_attr(not(unoptimized), inline(always))]
    fn by_parts(self, b: Self, f: impl Fn(V::Part, V::Part) -> V::Part + Copy) -> Self {
        Pair(self.0.by_parts(b.0, f), self.1.by_parts(b.1, f))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn folded_by(self, f: impl Fn(V::Part, V::Part) -> V::Part + Copy) -> V::Part {
        self.0.by_parts(self.1, f).folded_by(f)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn folded_mul_add(self, b: Self, c: V::Part) -> V::Part {
        self.1.folded_mul_add(b.1, self.0.folded_mul_add(b.0, c))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn sums(all: [V::Part; 8]) -> [T; 8] {
        V::sums(all)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn sum(self) -> T {
        (self.0 + self.1).sum()
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn greatest(self) -> T {
        self.0.max(self.1).greatest()
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn least(self) -> T {
        self.0.min(self.1).least()
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn mask(isa: V::Isa, x: bool) -> Self::Mask {
        let m = V::mask(isa, x);
        Pair(m, m)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn firsts(isa: V::Isa, count: usize) -> Self::Mask {
        Pair(V::firsts(isa, count), V::firsts(isa, count.saturating_sub(V::WIDTH)))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn any(mask: Self::Mask) -> bool {
        V::any(mask.0 | mask.1)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn all(mask: Self::Mask) -> bool {
        V::all(mask.0 & mask.1)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        Pair(V::select(mask.0, a.0, b.0), V::select(mask.1, a.1, b.1))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn map(self, f: impl Fn(T) -> T) -> Self {
        Pair(self.0.map(&f), self.1.map(&f))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn map2(self, b: Self, f: impl Fn(T, T) -> T) -> Self {
        Pair(self.0.map2(b.0, &f), self.1.map2(b.1, &f))
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn powi(self, exponent: i64) -> Self {
        Pair(self.0.powi(exponent), self.1.powi(exponent))
    }

    halves! {
        lt(b) -> Self::Mask; le(b) -> Self::Mask; gt(b) -> Self::Mask; ge(b) -> Self::Mask; eq(b) -> Self::Mask; ne(b) -> Self::Mask;
        mul_add(b, c) -> Self; clamp(low, high) -> Self;
        finite_or_zero() -> Self;
    }
    crate::scalar_functions! { of_halves }
}
