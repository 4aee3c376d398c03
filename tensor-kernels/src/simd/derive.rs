//! `Lane` and the operators of a vector, from what its instruction set gives.

/// Implements them for a type that is `Raw`: `lane! { type, its element, its instruction set, its lanes, its mask; generics }`.
macro_rules! lane {
    ($V:ty, $T:ident, $I:ty, $width:literal, $M:ty $(; $G:ident: $bound:path)?) => {
        impl $(<$G: $bound>)? $crate::simd::raw::Sealed for $V {}
        impl $(<$G: $bound>)? core::ops::Add for $V {
            type Output = Self;
            #[cfg_attr(not(unoptimized), inline(always))]
            fn add(self, b: Self) -> Self {
                self.plus(b)
            }
        }
        impl $(<$G: $bound>)? core::ops::Sub for $V {
            type Output = Self;
            #[cfg_attr(not(unoptimized), inline(always))]
            fn sub(self, b: Self) -> Self {
                self.minus(b)
            }
        }
        impl $(<$G: $bound>)? core::ops::Mul for $V {
            type Output = Self;
            #[cfg_attr(not(unoptimized), inline(always))]
            fn mul(self, b: Self) -> Self {
                self.times(b)
            }
        }
        impl $(<$G: $bound>)? core::ops::Div for $V {
            type Output = Self;
            #[cfg_attr(not(unoptimized), inline(always))]
            fn div(self, b: Self) -> Self {
                self.over(b)
            }
        }
        impl $(<$G: $bound>)? core::ops::Neg for $V {
            type Output = Self;
            #[cfg_attr(not(unoptimized), inline(always))]
            fn neg(self) -> Self {
                self.xor(<Self as Raw<$T>>::all_of(self.isa(), -0.0))
            }
        }

        impl $(<$G: $bound>)? $crate::simd::Lane<$T> for $V {
            type Isa = $I;
            type Mask = $M;
            type Cell = [$T; $width];
            type Part = Self;
            const WIDTH: usize = $width;
            const CHAINS: usize = 4;
            $crate::simd::derive::memory! { $T, $I, $width }
            $crate::simd::derive::lanewise! { $T, $I, $M }
            $crate::simd::derive::cheap_functions! { $T }
            $crate::simd::math::functions! { $T }
        }
    };
}

/// Loads, stores and conversions to arrays.
macro_rules! memory {
    ($T:ident, $I:ty, $width:literal) => {
        #[cfg_attr(not(unoptimized), inline(always))]
        fn token(self) -> $I {
            <Self as Raw<$T>>::isa(self)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn splat(isa: $I, x: $T) -> Self {
            <Self as Raw<$T>>::all_of(isa, x)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn iota(isa: $I, first: isize, step: isize) -> Self {
            // Integers up to here are numbers, and so are all sums below: no rounding.
            const EXACT: isize = (1 << ($T::MANTISSA_DIGITS - 1)) / ($width + 1);
            if !<Self as Raw<$T>>::CONVERTS
                && first.unsigned_abs() <= EXACT as usize
                && step.unsigned_abs() <= EXACT as usize
            {
                let start = Self::splat(isa, first as $T);
                <Self as Raw<$T>>::steps(isa).fused(Self::splat(isa, step as $T), start)
            } else {
                let mut all = [0.0; $width];
                for (l, x) in all.iter_mut().enumerate() {
                    *x = first.wrapping_add(step.wrapping_mul(l as isize)) as $T;
                }
                Self::from_array(isa, &all)
            }
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn load(isa: $I, from: &[$T], at: usize) -> Self {
            Self::from_array(isa, $crate::simd::arrays::window(from, at))
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn load_part(isa: $I, from: &[$T], at: usize, count: usize) -> Self {
            Self::from_part(isa, $crate::simd::arrays::span(from, at, count.min($width)))
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn load_back(isa: $I, from: &[$T], at: usize) -> Self {
            let first = $crate::simd::arrays::back(from.len(), at, $width);
            Self::load(isa, from, first).reversed()
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn gather(isa: $I, from: &[$T], at: usize, stride: isize) -> Self {
            Self::from_array(isa, &$crate::simd::arrays::gather(from, at, stride))
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn gather_by<const STRIDE: usize>(isa: $I, from: &[$T], at: usize) -> Self {
            Self::from_apart::<STRIDE>(isa, $crate::simd::arrays::span(from, at, $crate::simd::arrays::reach(STRIDE, $width)))
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn gather_four(isa: $I, from: &[$T], at: usize, stride: usize) -> [Self; 4] {
            $crate::simd::arrays::check_rows(from.len(), at, $width, stride, 4);
            <Self as Raw<$T>>::get_four(isa, &from[at..], stride)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn scatter_four(all: [Self; 4], to: &mut [$T], at: usize, stride: usize) {
            $crate::simd::arrays::check_rows(to.len(), at, $width, stride, 4);
            <Self as Raw<$T>>::put_four(all, &mut to[at..], stride)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn gather_eight(isa: $I, from: &[$T], at: usize, stride: usize, count: usize) -> [Self; 8] {
            <Self as Raw<$T>>::get_eight(isa, from, at, stride, count)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn store(self, to: &mut [$T], at: usize) {
            self.put($crate::simd::arrays::window_mut(to, at));
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn store_part(self, to: &mut [$T], at: usize, count: usize) {
            self.put_part($crate::simd::arrays::span_mut(to, at, count.min($width)));
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn store_back(self, to: &mut [$T], at: usize) {
            let first = $crate::simd::arrays::back(to.len(), at, $width);
            self.reversed().store(to, first);
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn scatter(self, to: &mut [$T], at: usize, stride: isize) {
            $crate::simd::arrays::scatter(self.to_array(), to, at, stride);
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn scatter_by<const STRIDE: usize>(self, to: &mut [$T], at: usize) {
            self.put_apart::<STRIDE>($crate::simd::arrays::span_mut(to, at, $crate::simd::arrays::reach(STRIDE, $width)));
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn store_eight(all: [Self; 8], to: &mut [$T], at: usize, stride: usize) {
            let all = $crate::simd::every_row!(K all[K].to_array());
            $crate::simd::square::store(&all, to, at, stride);
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn scatter_eight(all: [Self; 8], to: &mut [$T], at: usize, stride: usize, count: usize) {
            <Self as Raw<$T>>::put_eight(all, to, at, stride, count);
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn cells(work: &mut [$T]) -> &mut [[$T; $width]] {
            work.as_chunks_mut().0
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn get(isa: $I, cell: &[$T; $width]) -> Self {
            Self::from_array(isa, cell)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn set(self, cell: &mut [$T; $width]) {
            self.put(cell);
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn map(self, f: impl Fn($T) -> $T) -> Self {
            let mut all = self.to_array();
            for x in &mut all {
                *x = f(*x);
            }
            Self::from_array(self.isa(), &all)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn map2(self, b: Self, f: impl Fn($T, $T) -> $T) -> Self {
            let mut all = self.to_array();
            for (x, y) in all.iter_mut().zip(b.to_array()) {
                *x = f(*x, y);
            }
            Self::from_array(self.isa(), &all)
        }
    };
}

/// Comparisons and what reduces the lanes.
macro_rules! lanewise {
    ($T:ident, $I:ty, $M:ty) => {
        #[cfg_attr(not(unoptimized), inline(always))]
        fn mul_add(self, b: Self, c: Self) -> Self {
            self.fused(b, c)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn first(self) -> Self {
            self
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn shifted(self, next: Self) -> Self {
            next
        }
        const SUMS: bool = <Self as Raw<$T>>::TOTALS;
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
            self.fused(b, c)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn sums(all: [Self; 8]) -> [$T; 8] {
            <Self as Raw<$T>>::totals(all)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn sum(self) -> $T {
            self.total()
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn greatest(self) -> $T {
            $crate::simd::derive::in_halves(self.to_array(), <$T>::max)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn least(self) -> $T {
            $crate::simd::derive::in_halves(self.to_array(), <$T>::min)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn lt(self, b: Self) -> $M {
            self.is_lt(b)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn le(self, b: Self) -> $M {
            self.is_le(b)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn gt(self, b: Self) -> $M {
            b.is_lt(self)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn ge(self, b: Self) -> $M {
            b.is_le(self)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn eq(self, b: Self) -> $M {
            self.is_eq(b)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn ne(self, b: Self) -> $M {
            self.is_ne(b)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn mask(isa: $I, x: bool) -> $M {
            <Self as Raw<$T>>::truth(isa, x)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn firsts(isa: $I, count: usize) -> $M {
            <Self as Raw<$T>>::firsts(isa, count)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn any(mask: $M) -> bool {
            <Self as Raw<$T>>::some(mask)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn all(mask: $M) -> bool {
            <Self as Raw<$T>>::every(mask)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn select(mask: $M, a: Self, b: Self) -> Self {
            <Self as Raw<$T>>::choose(mask, a, b)
        }
    };
}

/// Functions of a few instructions.
macro_rules! cheap_functions {
    ($T:ident) => {
        #[cfg_attr(not(unoptimized), inline(always))]
        fn sqrt(self) -> Self {
            self.root()
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn floor(self) -> Self {
            self.down()
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn ceil(self) -> Self {
            self.up()
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn recip(self) -> Self {
            <Self as Raw<$T>>::all_of(self.isa(), 1.0) / self
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn abs(self) -> Self {
            let sign = <Self as Raw<$T>>::all_of(self.isa(), -0.0);
            self.xor(self.and(sign))
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn max(self, b: Self) -> Self {
            Self::select(b.is_ne(b), self, self.greater(b))
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn min(self, b: Self) -> Self {
            Self::select(b.is_ne(b), self, self.lesser(b))
        }
    };
}

/// All as one by `f`: the second half with the first, and so on. There is one at least, and a power of two.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn in_halves<T: Copy, const N: usize>(mut all: [T; N], f: impl Fn(T, T) -> T) -> T {
    let mut half = N / 2;
    while half > 0 {
        for k in 0..half {
            all[k] = f(all[k], all[k + half]);
        }
        half /= 2;
    }
    all[0]
}

pub(crate) use {cheap_functions, lane, lanewise, memory};
