//! Alignment to cache lines: a vector across two of them takes as long to load as two vectors.

/// The bytes of a cache line: no more elements than these lie before the next one begins.
pub const LINE: usize = 64;

/// `len` elements from the beginning of a cache line on, and the rest.
///
/// # Panics
/// If there are fewer behind it. Of a slice of `len + LINE` there are enough.
#[inline]
pub fn lines<T>(slice: &mut [T], len: usize) -> (&mut [T], &mut [T]) {
    let skip = if len > 0 { slice.as_ptr().align_offset(LINE).min(LINE) } else { 0 };
    slice[skip..].split_at_mut(len)
}
