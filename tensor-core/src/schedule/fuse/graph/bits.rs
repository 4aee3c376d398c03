//! Sets of places.

/// See the module documentation.
#[derive(Clone, Debug)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// None of so many.
    pub fn new(count: usize) -> Bits {
        Bits(vec![0; count.div_ceil(64)])
    }

    /// Whether it is new.
    pub fn insert(&mut self, k: usize) -> bool {
        let (word, bit) = (&mut self.0[k / 64], 1 << (k % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    pub fn contains(&self, k: usize) -> bool {
        self.0[k / 64] & 1 << (k % 64) != 0
    }

    pub fn remove(&mut self, k: usize) {
        self.0[k / 64] &= !(1 << (k % 64));
    }

    /// Takes all of another in, which has none any more.
    pub fn take(&mut self, other: &mut Bits) {
        for (a, b) in self.0.iter_mut().zip(&mut other.0) {
            *a |= std::mem::take(b);
        }
    }

    /// The first from here on.
    pub fn next(&self, from: usize) -> Option<usize> {
        let word = |w: usize| if w == from / 64 { self.0[w] & !0 << (from % 64) } else { self.0[w] };
        let at = (from / 64..self.0.len()).find(|w| word(*w) != 0)?;
        Some(64 * at + word(at).trailing_zeros() as usize)
    }

    /// The last before this one.
    pub fn last(&self, before: usize) -> Option<usize> {
        let word = |w: usize| if w == before / 64 { self.0[w] & !(!0 << (before % 64)) } else { self.0[w] };
        let at = (0..self.0.len().min(before / 64 + 1)).rfind(|w| word(*w) != 0)?;
        Some(64 * at + 63 - word(at).leading_zeros() as usize)
    }
}
