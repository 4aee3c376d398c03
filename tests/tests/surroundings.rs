//! What stands around a block changes nothing: statics named like the variables of expansions, which hygiene does not hide; traits for all types
//! with the methods that expansions call; types, macros and modules with the names of what they mention.
#![deny(warnings)]

/// The same functions in each module.
macro_rules! functions {
    () => {
        tensor_rt::tensor! {
            fn model<n, m>(a: [f64; n, m], x: [f64; m], k: usize) -> ([f64; n], f64) where m >= 1 {
                let z = max j in 0..m { x[j] };
                let l = argmax j in 0..m { x[j] };
                let y = for i { sum j { a[i, j] * (x[j] - z).exp() } };
                (y, (k as f64) * x[l] * E + sum j if j % 2 == 1 { softplus(x[j]) })
            }
            fn model_vjp = vjp(model);
            fn model_linear = linearize(model, x);
            fn image<h, w>(x: [f32; h, w], k: [f32; 3, 3]) -> [f32; h, w] {
                for i in 0..h, j in 0..w {
                    let s = sum a in 0..3, b in 0..3 if 0 <= i + a - 1 < h && 0 <= j + b - 1 < w {
                        k[a, b] * x[i + a - 1, j + b - 1]
                    };
                    if s > 0.0 { s } else { 0.1 * s }
                }
            }
            fn image_vjp = vjp(image);
            fn product<n, m, k>(a: [f32; n, k], b: [f32; k, m]) -> [f32; n, m] {
                for i, j { sum l { a[i, l] * b[l, j] } }
            }
            fn product_vjp = vjp(product);
            fn fixed(x: [f64; 2]) -> [f64; 2] { for i in 0..2 { x[1 - i].exp() + 2.5 * x[i] } }
        }

        #[test]
        fn works() {
            core::assert_eq!(model(&[[2.0, 1.0]], &[1.0, 1.0], 0).unwrap().0.to_vec(), [3.0]);
            core::assert!(model_vjp(&[[1.0]], &[2.0], 1, (&[1.0], 1.0)).is_ok());
            let map = model_linear(&[[1.0]], &[2.0], 1).unwrap().1;
            core::assert!(map.apply(&[1.0]).is_ok() && map.apply_transpose((&[1.0], 1.0)).is_ok());
            core::assert_eq!(image(&[[1.0]], &[[1.0; 3]; 3]).unwrap(), tensor_rt::ndarray::arr2(&[[1.0]]));
            core::assert!(image_vjp(&[[1.0]], &[[1.0; 3]; 3], &[[1.0]]).is_ok());
            core::assert_eq!(product(&[[2.0]], &[[3.0]]).unwrap(), tensor_rt::ndarray::arr2(&[[6.0]]));
            core::assert!(product_vjp(&[[2.0]], &[[3.0]], &[[1.0]]).is_ok());
            core::assert_eq!(fixed(&[0.0, 0.0]), Ok([1.0, 1.0]));
            let xs = [1.0, 2.0];
            core::assert_eq!(tensor_rt::tensor!(sum i { xs[i] }), Ok(3.0));
        }
    };
}

/// What locals of an expansion may be called.
macro_rules! with_names {
    ($each:ident) => {
        $each! {
            first end len isa row0 row1 a0 a1 value candidate found old cell whole rest mask next count tasks parts left right strip
            start chain sums0 size0 size1 dim0 input0 shape0 slice0 buffer0 work0 length0 is_apart0 scalar0 limit dims by_value extents
            all_reals all_indices reals indices sizes residuals captured slice length d index row column residual0 kept0 run entry body
            point Body Wide Vector Part Remainder Scalar name shape array Array Workspace
        }
    };
}

/// In lower case, as those of C are.
#[allow(non_upper_case_globals, dead_code)]
mod statics {
    macro_rules! statics {
        ($($name:ident)*) => { $(static $name: u8 = 0;)* }
    }
    with_names!(statics);
    functions!();
}

/// Likewise: where a pattern binds one of these, it would compare with it.
#[allow(non_upper_case_globals, dead_code)]
mod constants {
    macro_rules! constants {
        ($($name:ident)*) => { $(const $name: u8 = 0;)* }
    }
    with_names!(constants);
    functions!();
}

/// By value, which is looked for first.
#[allow(dead_code, clippy::all)]
mod methods {
    macro_rules! methods {
        ($($name:ident)*) => {
            trait Everything {
                const WIDTH: usize = 0;
                const REGISTERS: usize = 0;
                const NAN: f64 = 0.0;
                const INFINITY: f64 = 0.0;
                const NEG_INFINITY: f64 = 0.0;
                $(fn $name(self) where Self: Sized {})*
            }
            impl<T: ?Sized> Everything for T {}
        }
    }
    methods! {
        all any by_parts cells clamp few first firsts folded folded_by folded_greatest folded_least folded_mul_add gather gather_by
        gather_eight ge get greatest gt iota lanes le least load load_back load_part lt map2 mask mul_add new one powi scatter
        scatter_by scatter_eight select set shifted splat store store_back store_eight store_part sum sums token transposed whole fill
        len iter_mut is_nan rem_euclid div_euclid is_none is_some max min partial_cmp add sub mul div neg exp ln sqrt sin cos zeros
        value shape row_major copy_from copy_into rank elements as_slice buffers fmt from next into_iter index index_mut
    }
    functions!();
}

#[allow(non_camel_case_types, dead_code, unused_macros)]
mod types {
    type f64 = ();
    type f32 = u8;
    type isize = u8;
    type usize = u8;
    type bool = u8;
    struct Default;
    struct Clone;
    struct Debug;
    struct String;
    struct Kernel;
    enum Choice {
        Some,
        None,
        Ok,
    }
    mod simd {}
    mod __private {}
    macro_rules! vec {
        () => {};
    }
    macro_rules! assert {
        () => {};
    }
    macro_rules! unreachable {
        () => {};
    }
    fn drop() {}
    fn min() {}
    functions!();
}
