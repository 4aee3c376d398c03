//! The C references and OpenBLAS: kernels found by name in each build of the C code (`build.rs`), all of one signature.

use std::ffi::{CStr, c_char};

type Run = unsafe extern "C" fn(*const isize, *const *const f64, *mut f64, *mut f64) -> f64;
type Find = unsafe extern "C" fn(*const c_char) -> Option<Run>;

macro_rules! builds {
    ($(#[cfg($cfg:ident)] $find:ident $name:literal;)*) => {
        unsafe extern "C" {
            $(#[cfg($cfg)] fn $find(name: *const c_char) -> Option<Run>;)*
        }
        /// What each build is called, and how its kernels are found.
        const BUILDS: &[(&str, Find)] = &[$(#[cfg($cfg)] ($name, $find)),*];
    };
}

builds! {
    #[cfg(gcc)] gcc_find "gcc";
    #[cfg(gcc512)] gcc512_find "gcc 512";
    #[cfg(clang)] clang_find "clang";
    #[cfg(clang512)] clang512_find "clang 512";
    #[cfg(blas)] blas_find "OpenBLAS";
}

/// What OpenBLAS says of itself, and the kernel that it chose for this processor.
#[cfg(blas)]
pub fn blas() -> Option<String> {
    unsafe extern "C" {
        fn blas_config() -> *const c_char;
        fn blas_core() -> *const c_char;
    }
    // SAFETY: both return strings that end with zero and stay as they are.
    let text = |of: unsafe extern "C" fn() -> *const c_char| {
        unsafe { CStr::from_ptr(of()) }.to_string_lossy().into_owned()
    };
    Some(format!("{}; kernel {}", text(blas_config).trim(), text(blas_core)))
}

/// OpenBLAS was not linked.
#[cfg(not(blas))]
pub fn blas() -> Option<String> {
    None
}

/// A kernel of one build, and the scratch memory that it works in.
pub struct Kernel {
    /// The build's name.
    pub build: &'static str,
    run: Run,
    work: Vec<f64>,
}

/// The kernel in each build that has it.
pub fn find(name: &CStr, work: usize) -> Vec<Kernel> {
    // SAFETY: each is defined in C with this signature, and reads the string up to its end.
    let one = |&(build, find): &(&'static str, Find)| {
        let run = unsafe { find(name.as_ptr()) }?;
        Some(Kernel { build, run, work: vec![0.0; work] })
    };
    BUILDS.iter().filter_map(one).collect()
}

impl Kernel {
    /// One call. The lengths of inputs, outputs and scratch memory must be what the kernel's C code reads and writes at these sizes.
    pub fn call(&mut self, sizes: &[isize], inputs: &[&[f64]], out: &mut [f64]) -> f64 {
        let mut pointers = [std::ptr::null(); 8];
        for (p, x) in pointers.iter_mut().zip(inputs) {
            *p = x.as_ptr();
        }
        // SAFETY: the rows pass what their kernels expect; a result that differs from the emitted code's fails the run.
        unsafe { (self.run)(sizes.as_ptr(), pointers.as_ptr(), out.as_mut_ptr(), self.work.as_mut_ptr()) }
    }
}
