//! Numbers by a stride of 2 to 4, in vectors of so many lanes: where each is found, and where it goes.

/// The first number of load `k`: each begins where the one before ends, and the last ends with the last number.
pub(super) const fn first(stride: usize, width: usize, k: usize) -> usize {
    let last = stride * (width - 1) + 1 - width;
    if k * width < last { k * width } else { last }
}

/// A stride that there are such vectors for; greater ones are not looked at.
const fn near(stride: usize) -> usize {
    if stride < 4 { stride } else { 4 }
}

/// What selects lanes.
macro_rules! lanes {
    ($sources:ident $targets:ident $width:literal $int:ident $mask:ident) => {
        /// For each load but the first, the lanes of two vectors: the numbers that the loads before it have, and from lane `width` on the load.
        pub(super) const fn $sources(stride: usize) -> [[$int; $width]; 3] {
            let stride = near(stride);
            let mut all = [[0; $width]; 3];
            let mut k = 1;
            while k < stride && k < 4 {
                let mut lane = 0;
                while lane < $width {
                    let at = stride * lane;
                    let source = match at / $width {
                        load if load == k => $width + at - first(stride, $width, k),
                        // Those of the first load are where they were.
                        0 if k == 1 => at,
                        _ => lane,
                    };
                    all[k - 1][lane] = source as $int;
                    lane += 1;
                }
                k += 1;
            }
            all
        }

        /// For each vector of what is written to: the lanes, and those of them that are written.
        pub(super) const fn $targets(stride: usize) -> [([$int; $width], $mask); 4] {
            let stride = near(stride);
            let mut all = [([0; $width], 0); 4];
            let mut k = 0;
            while k < stride && k < 4 {
                let mut lane = 0;
                while lane < $width {
                    let at = k * $width + lane;
                    all[k].0[lane] = (at / stride) as $int;
                    if at % stride == 0 {
                        all[k].1 |= 1 << lane;
                    }
                    lane += 1;
                }
                k += 1;
            }
            all
        }
    };
}
lanes! { sources8 targets8 8 i64 u8 }
lanes! { sources16 targets16 16 i32 u16 }
