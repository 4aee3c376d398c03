//! Kernels, and the functions that run them compiled for the instruction set of the processor.
//!
//! A kernel is a type that stands for a generic function. Its arguments pass through the dispatcher one by one: slices in a struct or a
//! closure would lose the knowledge that they do not overlap, and loops over them would stay scalar.
#![allow(unsafe_code)]
#![allow(clippy::too_many_arguments)]

#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512, Level};
use super::{Baseline, Element, Lanes, level};

macro_rules! kernels {
    ($($doc:literal $kernel:ident $dispatch:ident $outlined:ident ($($a:ident: $A:ident),*);)*) => {
        $(
            #[doc = concat!("A function of ", $doc, " that is compiled for every instruction set.")]
            ///
            /// Whatever it calls should be `#[inline(always)]`: a function that is not inlined is compiled for the baseline.
            pub trait $kernel<T: Element $(, $A)*> {
                /// What the function returns.
                type Out;
                /// The function.
                fn run<I: Lanes<T>>(isa: I $(, $a: $A)*) -> Self::Out;
            }

            #[doc = concat!("Runs a kernel of ", $doc, " as a function of its own, compiled for the instruction set of the token.")]
            #[cfg_attr(not(unoptimized), inline(always))]
            pub fn $outlined<K: $kernel<T $(, $A)*>, T: Element, I: Lanes<T> $(, $A)*>(_: I $(, $a: $A)*) -> K::Out {
                // Constants decide: for the other instruction sets nothing is compiled.
                #[cfg(target_arch = "x86_64")]
                if const { matches!(I::LEVEL, Level::Avx512) } {
                    // SAFETY: the token exists only where the features do.
                    return unsafe { avx512::$dispatch::<K, T $(, $A)*>($($a),*) };
                }
                #[cfg(target_arch = "x86_64")]
                if const { matches!(I::LEVEL, Level::Avx2) } {
                    // SAFETY: as above.
                    return unsafe { avx2::$dispatch::<K, T $(, $A)*>($($a),*) };
                }
                baseline::$dispatch::<K, T $(, $A)*>($($a),*)
            }

            #[doc = concat!("Runs a kernel of ", $doc, " with the instruction set [`level()`].")]
            #[cfg_attr(not(unoptimized), inline(always))]
            pub fn $dispatch<K: $kernel<T $(, $A)*>, T: Element $(, $A)*>($($a: $A),*) -> K::Out {
                match level() {
                    // SAFETY: `level()` is this only on a processor that has the features.
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx512 => unsafe { avx512::$dispatch::<K, T $(, $A)*>($($a),*) },
                    // SAFETY: as above.
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx2 => unsafe { avx2::$dispatch::<K, T $(, $A)*>($($a),*) },
                    _ => baseline::$dispatch::<K, T $(, $A)*>($($a),*),
                }
            }
        )*

        // Modules of their own: rustc compiles what is in different modules in parallel.
        #[cfg(target_arch = "x86_64")]
        mod avx512 {
            use super::*;
            $(
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512cd,fma,avx2,bmi1,bmi2,lzcnt,popcnt")]
                #[inline(never)]
                pub fn $dispatch<K: $kernel<T $(, $A)*>, T: Element $(, $A)*>($($a: $A),*) -> K::Out {
                    K::run(Avx512::new() $(, $a)*)
                }
            )*
        }

        #[cfg(target_arch = "x86_64")]
        mod avx2 {
            use super::*;
            $(
                #[target_feature(enable = "fma,avx2,bmi1,bmi2,lzcnt,popcnt")]
                #[inline(never)]
                pub fn $dispatch<K: $kernel<T $(, $A)*>, T: Element $(, $A)*>($($a: $A),*) -> K::Out {
                    K::run(Avx2::new() $(, $a)*)
                }
            )*
        }

        mod baseline {
            use super::*;
            $(
                #[inline(never)]
                pub fn $dispatch<K: $kernel<T $(, $A)*>, T: Element $(, $A)*>($($a: $A),*) -> K::Out {
                    K::run(Baseline::new() $(, $a)*)
                }
            )*
        }
    };
}

kernels! {
    "no argument" Kernel0 dispatch0 outlined0 ();
    "one argument" Kernel1 dispatch1 outlined1 (a0: A0);
    "2 arguments" Kernel2 dispatch2 outlined2 (a0: A0, a1: A1);
    "3 arguments" Kernel3 dispatch3 outlined3 (a0: A0, a1: A1, a2: A2);
    "4 arguments" Kernel4 dispatch4 outlined4 (a0: A0, a1: A1, a2: A2, a3: A3);
    "5 arguments" Kernel5 dispatch5 outlined5 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4);
    "6 arguments" Kernel6 dispatch6 outlined6 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5);
    "7 arguments" Kernel7 dispatch7 outlined7 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6);
    "8 arguments" Kernel8 dispatch8 outlined8 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7);
    "9 arguments" Kernel9 dispatch9 outlined9 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8);
    "10 arguments" Kernel10 dispatch10 outlined10 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9);
    "11 arguments" Kernel11 dispatch11 outlined11 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10);
    "12 arguments" Kernel12 dispatch12 outlined12 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11);
    "13 arguments" Kernel13 dispatch13 outlined13 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11, a12: A12);
    "14 arguments" Kernel14 dispatch14 outlined14 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11, a12: A12, a13: A13);
    "15 arguments" Kernel15 dispatch15 outlined15 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11, a12: A12, a13: A13, a14: A14);
    "16 arguments" Kernel16 dispatch16 outlined16 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11, a12: A12, a13: A13, a14: A14, a15: A15);
    "17 arguments" Kernel17 dispatch17 outlined17 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11, a12: A12, a13: A13, a14: A14, a15: A15, a16: A16);
    "18 arguments" Kernel18 dispatch18 outlined18 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11, a12: A12, a13: A13, a14: A14, a15: A15, a16: A16, a17: A17);
    "19 arguments" Kernel19 dispatch19 outlined19 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11, a12: A12, a13: A13, a14: A14, a15: A15, a16: A16, a17: A17, a18: A18);
    "20 arguments" Kernel20 dispatch20 outlined20 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11, a12: A12, a13: A13, a14: A14, a15: A15, a16: A16, a17: A17, a18: A18, a19: A19);
    "21 arguments" Kernel21 dispatch21 outlined21 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11, a12: A12, a13: A13, a14: A14, a15: A15, a16: A16, a17: A17, a18: A18, a19: A19, a20: A20);
    "22 arguments" Kernel22 dispatch22 outlined22 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11, a12: A12, a13: A13, a14: A14, a15: A15, a16: A16, a17: A17, a18: A18, a19: A19, a20: A20, a21: A21);
    "23 arguments" Kernel23 dispatch23 outlined23 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11, a12: A12, a13: A13, a14: A14, a15: A15, a16: A16, a17: A17, a18: A18, a19: A19, a20: A20, a21: A21, a22: A22);
    "24 arguments" Kernel24 dispatch24 outlined24 (a0: A0, a1: A1, a2: A2, a3: A3, a4: A4, a5: A5, a6: A6, a7: A7, a8: A8, a9: A9, a10: A10, a11: A11, a12: A12, a13: A13, a14: A14, a15: A15, a16: A16, a17: A17, a18: A18, a19: A19, a20: A20, a21: A21, a22: A22, a23: A23);
}
