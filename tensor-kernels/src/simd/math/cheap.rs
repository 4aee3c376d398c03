//! Functions of a few instructions, in either precision.

use crate::math::{Real, exponents};
use crate::simd::Lane;
use crate::simd::raw::Raw;

/// A constant in all lanes of a vector like `like`.
#[cfg_attr(not(unoptimized), inline(always))]
fn c<T: Real, V: Raw<T>>(like: V, x: T) -> V {
    V::all_of(like.isa(), x)
}

/// A zero with the sign of x.
#[cfg_attr(not(unoptimized), inline(always))]
fn sign<T: Real, V: Raw<T>>(x: V) -> V {
    x.and(-c(x, T::ZERO))
}

#[cfg_attr(not(unoptimized), inline(always))]
pub fn signum<T: Real, V: Raw<T>>(x: V) -> V {
    V::choose(x.is_ne(x), x, sign(x).or(c(x, T::ONE)))
}

#[cfg_attr(not(unoptimized), inline(always))]
pub fn round<T: Real, V: Raw<T>>(x: V) -> V {
    let down = x.toward_zero();
    // Exact. NaN for infinities, which stay.
    let rest = (x - down).xor(sign(x));
    let half = c(x, T::ONE) / c(x, T::from_index(2));
    V::choose(half.is_le(rest), down + sign(x).or(c(x, T::ONE)), down)
}

#[cfg_attr(not(unoptimized), inline(always))]
pub fn finite_or_zero<T: Real, V: Raw<T>>(x: V) -> V {
    let size = x.xor(sign(x));
    V::choose(size.is_lt(c(x, T::INFINITY)), x, c(x, T::ZERO))
}

/// By repeated squaring, in the order of the multiplications of the compiler's own. Beyond its exponents |x|^k, with the sign of x if k is odd.
#[cfg_attr(not(unoptimized), inline(always))]
pub fn powi<T: Real, V: Raw<T> + Lane<T>>(x: V, exponent: i64) -> V {
    if i32::try_from(exponent).is_err() {
        let (most, rest) = exponents(exponent);
        let size = x.xor(sign(x));
        let power = |k: i64| size.powf(c(x, T::from_index(k as isize)));
        let power = power(most) * power(rest);
        return if exponent % 2 == 0 { power } else { power.or(sign(x)) };
    }
    let mut product = c(x, T::ONE);
    let mut square = x;
    let mut k = exponent.unsigned_abs();
    loop {
        if k % 2 == 1 {
            product = product * square;
        }
        k /= 2;
        if k == 0 {
            break;
        }
        square = square * square;
    }
    if exponent < 0 { c(x, T::ONE) / product } else { product }
}
