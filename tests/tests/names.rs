//! Names are told apart as Rust tells them apart: by their letters, and by who wrote them.
#![deny(warnings)]

use tensor_rt::tensor;

/// Two variables of one name, one of them a macro's, in blocks that are expressions.
mod captured {
    use super::tensor;

    macro_rules! mixed {
        ($v:ident) => {{
            let v = [10.0, 20.0];
            tensor!(sum i { $v[i] * v[i] })
        }};
    }

    macro_rules! dot {
        ($a:ident, $b:ident) => {
            tensor!(sum i { $a[i] * $b[i] })
        };
    }

    /// The index `k` of the macro is not the variable `k` of its caller, and its `let` neither.
    macro_rules! shifted {
        ($e:expr) => {
            tensor!({ let k = 100.0; k + sum i in 0..3 { $e } })
        };
    }

    /// With types, which the macro writes or its caller.
    macro_rules! typed {
        ($x:ident, $n:ident) => {{
            let n = 1000.0;
            tensor!(|$x: [f64; n] = &$x, m: f64 = $n| sum i in 0..n { $x[i] * m })
                .map(|value| (value, n))
        }};
        ($x:ident) => {
            tensor!(|$x: [f64; n], x: f64 = 2.0| sum i in 0..n { $x[i] * x })
        };
    }

    /// A macro that passes its own names to another.
    macro_rules! nested {
        ($v:ident) => {{
            let w = [1.0, 1.0];
            (mixed!(w), mixed!($v), dot!(w, $v))
        }};
    }

    #[test]
    fn run() {
        let (v, w) = (vec![3.0, 4.0], [5.0, 6.0]);
        assert_eq!(mixed!(v), Ok(110.0));
        assert_eq!(mixed!(w), Ok(170.0));
        assert_eq!(nested!(v), (Ok(30.0), Ok(110.0), Ok(7.0)));
        assert_eq!(nested!(w), (Ok(30.0), Ok(170.0), Ok(11.0)));
        let (i, b) = ([1.0, 2.0], [3.0, 4.0]);
        assert_eq!(dot!(i, b), Ok(11.0));
        assert_eq!(dot!(b, b), Ok(25.0));
        let k = 1.5;
        assert_eq!(shifted!(k * k), Ok(106.75));
        let m = 2.0;
        assert_eq!(typed!(v, m), Ok((14.0, 1000.0)));
        let x = [1.0, 2.0];
        assert_eq!(typed!(x), Ok(6.0));
    }
}

/// In functions: parameters, `let`s, indices, sizes, what transforms are by.
mod functions {
    use super::tensor;

    macro_rules! with {
        ($f:ident, $grad:ident, $x:ident, $e:expr) => {
            tensor! {
                fn $f($x: f64) -> f64 { let t = 100.0; t + $e }
                fn $grad = grad($f, $x);
            }
        };
    }
    with!(f, f_grad, t, t * 2.0);

    macro_rules! beside {
        ($f:ident, $jvp:ident, $x:ident, $e:expr) => {
            tensor! {
                fn $f<n>($x: [f64; n], x: f64, i: f64) -> f64 { x * i * sum k in 0..n { let i = 2.0; i * $e * $x[k] } }
                fn $jvp = jvp($f, $x, x);
            }
        };
    }
    beside!(g, g_jvp, x, x[0]);
    beside!(h, h_jvp, i, i[0]);

    /// A size is shared, as a constant of Rust is; what shadows it is not.
    macro_rules! sized {
        ($f:ident, $n:ident, $e:expr) => {
            tensor! {
                fn $f<n>(x: [f64; n], y: [f64; $n]) -> f64 {
                    sum i in 0..n { let n = 2.0; n * x[i] * y[i] * $e }
                }
            }
        };
    }
    sized!(both, n, n as f64);

    /// Functions are items: a macro and its caller share them.
    macro_rules! calls {
        ($e:expr) => {
            tensor! {
                fn twice(x: f64) -> f64 { 2.0 * x }
                fn of_twice() -> f64 { let x = 3.0; $e + x }
            }
        };
    }
    calls!(twice(2.0));

    #[test]
    fn run() {
        assert_eq!((f(3.0), f_grad(3.0)), (Ok(106.0), Ok(2.0)));
        // x · i · Σ 2 · x[0] · x[k]
        assert_eq!(g(&[1.0, 2.0], 3.0, 5.0), Ok(90.0));
        assert_eq!(h(&[1.0, 2.0], 3.0, 5.0), Ok(90.0));
        assert_eq!(g_jvp(&[1.0, 2.0], 3.0, 5.0, &[0.0, 1.0], 1.0), Ok((90.0, 60.0)));
        assert_eq!(h_jvp(&[1.0, 2.0], 3.0, 5.0, &[0.0, 1.0], 1.0), Ok((90.0, 60.0)));
        assert_eq!(both(&[1.0, 2.0], &[1.0, 1.0]), Ok(12.0));
        assert_eq!(of_twice(), Ok(7.0));
    }
}

/// Raw identifiers, everywhere; `r#x` is `x`.
mod raw {
    use super::tensor;

    const SCALE: f64 = 3.0;

    tensor! {
        fn f(r#if: f64, x: f64) -> f64 { r#if * r#x * SCALE }
        fn f_grad = grad(f);
        fn f_value = value_and_grad(r#f, r#if);
        fn f_jvp = jvp(f);
        fn f_vjp = vjp(f);
        fn f_hvp = hvp(f, r#if, x);
        fn f_jacobian = jacobian(f, r#if);
        fn f_hessian = hessian(f);
        fn r#loop = linearize(f, r#if);
        fn _1 = linearize(f);
        fn self_ = linearize(f, x);
        fn r#let = jvp(grad(f, r#if), r#if, x);
        fn r#match<r#fn, r#const>(r#for: [f64; r#fn], r#move: ([f64; r#fn], f64), k: [f64; r#const]) -> [f64; r#fn] where r#const >= 1 {
            let (r#type, scale) = r#move;
            let r#ref = 2;
            for r#in in 0..r#fn { r#for[r#in] + (r#ref as f64) * r#type[r#in] * r#scale * k[0] }
        }
        fn match_vjp = vjp(r#match, r#for, r#move.0);
        fn r#break<r#fn>(r#for: [f64; r#fn], r#while: f64) -> f64 { r#while * sum r#in { r#for[r#in] } }
        fn break_t = transpose(r#break, r#for);
        fn r#dyn(r#if: f64) -> f64 { r#break_of(r#if) }
        fn break_of(x: f64) -> f64 { x.powi(3) }
        fn r#use(r#if: f64, r#if_dot: f64) -> f64 { 3.0 * r#if.powi(2) * r#if_dot }
        fn use_of(r#if: f64) -> f64 { r#if.powi(3) }
        impl jvp(use_of, r#if) = r#use;
        fn use_grad = grad(use_of);
        extern fn r#static(r#if: f64) -> f64 = crate::raw::r#impl { r#if: 2.0 * r#if }
        fn of_static(x: f64) -> f64 { r#static(x) }
        fn static_grad = grad(of_static);
    }

    fn r#impl(x: f64) -> f64 {
        x * x
    }

    #[test]
    fn run() {
        assert_eq!((f(2.0, 5.0), f_grad(2.0, 5.0)), (Ok(30.0), Ok((15.0, 6.0))));
        assert_eq!(f_value(2.0, 5.0), Ok((30.0, 15.0)));
        assert_eq!(f_jvp(2.0, 5.0, 1.0, 1.0), Ok((30.0, 21.0)));
        assert_eq!(f_vjp(2.0, 5.0, 1.0), Ok((30.0, (15.0, 6.0))));
        assert_eq!(f_hvp(2.0, 5.0, 1.0, 0.0), Ok(((15.0, 6.0), (0.0, 3.0))));
        assert_eq!(f_jacobian(2.0, 5.0), Ok(15.0));
        assert_eq!(f_hessian(2.0, 5.0), Ok(((0.0, 3.0), (3.0, 0.0))));
        let (value, map): (f64, Loop) = r#loop(2.0, 5.0).unwrap();
        assert_eq!((value, map.apply(1.0), map.apply_transpose(1.0)), (30.0, Ok(15.0), Ok(15.0)));
        let map: Linear1 = _1(2.0, 5.0).unwrap().1;
        assert_eq!(map.apply(1.0, 1.0), Ok(21.0));
        let map: LinearSelf = self_(2.0, 5.0).unwrap().1;
        assert_eq!(map.apply(1.0), Ok(6.0));
        assert_eq!(r#let(2.0, 5.0, 0.0, 1.0), Ok((15.0, 3.0)));
        let (x, y) = ([1.0, 2.0], [3.0, 4.0]);
        assert_eq!(r#match(&x, (&y, 0.5), &[2.0]).unwrap().to_vec(), [7.0, 10.0]);
        assert!(match_vjp(&x, (&y, 0.5), &[2.0], &x).is_ok());
        assert_eq!(r#break(&x, 2.0), Ok(6.0));
        assert_eq!(break_t(2.0, 1.0, 2).unwrap().to_vec(), [2.0, 2.0]);
        assert_eq!(r#dyn(2.0), Ok(8.0));
        assert_eq!((use_of(2.0), use_grad(2.0)), (Ok(8.0), Ok(12.0)));
        assert_eq!((of_static(3.0), static_grad(3.0)), (Ok(9.0), Ok(6.0)));
        let (r#if, r#in) = ([1.0, 2.0], 3.0);
        assert_eq!(tensor!(sum i { r#if[i] * r#in }), Ok(9.0));
        assert_eq!(tensor!(|r#if: [f64; r#fn]| sum i in 0..r#fn { r#if[i] }), Ok(3.0));
        assert_eq!(
            tensor!(|x: [f64; r#fn] = r#if, y: f64 = r#in| sum r#for in 0..r#fn { r#x[r#for] * y }),
            Ok(9.0)
        );
    }
}

/// Functions of one name under different conditions, and what depends on them.
mod conditions {
    use super::tensor;

    tensor! {
        #[cfg(debug_assertions)]
        fn f(x: f64) -> f64 { 2.0 * x }
        #[cfg(not(debug_assertions))]
        fn f(x: f64) -> f64 { 3.0 * x }
        #[cfg(debug_assertions)]
        fn f_grad = grad(f);
        #[cfg(not(debug_assertions))]
        fn f_grad = grad(f);
        fn g(x: f64) -> f64 { f(x) + h(x) }
        fn g_grad = value_and_grad(g);
        fn h(x: f64) -> f64 { 1.0 }
        #[cfg(not(test))]
        fn absent(x: f64) -> f64 { x }
    }

    #[test]
    fn run() {
        let by = if cfg!(debug_assertions) { 2.0 } else { 3.0 };
        assert_eq!((f(1.0), f_grad(1.0), h(1.0)), (Ok(by), Ok(by), Ok(1.0)));
        assert_eq!((g(2.0), g_grad(2.0)), (Ok(2.0 * by + 1.0), Ok((2.0 * by + 1.0, by))));
    }
}

/// Rust constants that only the body of a function takes as sizes: callers and derivatives have other sizes beside.
mod constants_of_bodies {
    use super::tensor;
    use tensor_rt::ndarray::arr1;

    const DEPTH: usize = 3;

    tensor! {
        /// `3 Σ x²`
        fn inner<n>(x: [f64; n]) -> f64 { sum i in 0..n, j in 0..DEPTH { x[i] * x[i] * (j as f64) } }
        fn inner_grad = value_and_grad(inner);
        fn inner_linear = linearize(inner);
        fn along = jvp(grad(inner));

        /// Also in what a comparison asks.
        fn outer<m, n>(y: [f64; m], x: [f64; n]) -> f64 { if inner(x) > 4.0 { inner(x) * sum i { y[i] } } else { inner(y) } }
        fn outer_grad = grad(outer, x);
        fn again<k, m, n>(z: [f64; k], y: [f64; m], x: [f64; n]) -> f64 { outer(y, x) + sum i { z[i] } + sum d in 0..DEPTH { 1.0 } }
        fn again_grad = grad(again, x);

        fn fixed<n>(x: [f64; n]) -> [f64; DEPTH] { for d in 0..DEPTH { inner(x) + d as f64 } }
        fn fixed_back = vjp(fixed);
    }

    #[test]
    fn are_sizes_of_callers() -> Result<(), tensor_rt::Error> {
        let (x, y, z) = ([1.0, -2.0], [0.5, 0.25, 1.0, 1.0], [1.0; 5]);
        assert_eq!(inner(&x)?, 15.0);
        assert_eq!(inner_grad(&x)?, (15.0, arr1(&[6.0, -12.0])));
        let (value, map) = inner_linear(&x)?;
        assert_eq!(
            (value, map.apply(&[1.0, 0.0])?, map.apply_transpose(0.5)?),
            (15.0, 6.0, arr1(&[3.0, -6.0]))
        );
        assert_eq!(along(&x, &[1.0, 0.0])?, (arr1(&[6.0, -12.0]), arr1(&[6.0, 0.0])));
        assert_eq!((outer(&y, &x)?, outer(&y, &[0.5])?), (15.0 * 2.75, 3.0 * 2.3125));
        assert_eq!(outer_grad(&y, &x)?, arr1(&[6.0 * 2.75, -12.0 * 2.75]));
        assert_eq!(again(&z, &y, &x)?, 15.0 * 2.75 + 5.0 + 3.0);
        assert_eq!(again_grad(&z, &y, &x)?, arr1(&[6.0 * 2.75, -12.0 * 2.75]));
        assert_eq!(fixed_back(&x, &[1.0, 0.0, 1.0])?, (arr1(&[15.0, 16.0, 17.0]), arr1(&[12.0, -24.0])));
        Ok(())
    }
}

/// A constant is a size of a function wherever it is one in it: also in what stands before.
mod constants_before_they_are_sizes {
    use super::tensor;

    const D: usize = 3;

    tensor! {
        fn last<n>(x: [f64; n]) -> f64 where D >= 1, n >= D { x[D - 1] }
        fn if_there<n>(x: [f64; n]) -> f64 { if D >= 1 && D <= n { x[D - 1] } else { 0.0 } }
        fn before<n>(x: [f64; n]) -> f64 { let k = D - 1; let t = sum i in 0..D { 1.0 }; t * sum i in 0..n if i < k { x[i] } }
        fn half() -> f64 { let t = if D / 2 == 1 { 1.0 } else { -1.0 }; t * sum i in 0..D { 1.0 } }
    }

    #[test]
    fn are_sizes_from_the_first_line_on() {
        let x = [1.0, 2.0, 3.0, 4.0];
        assert_eq!((last(&x), if_there(&x), before(&x), half()), (Ok(3.0), Ok(3.0), Ok(9.0), Ok(3.0)));
        assert!(last(&x[..2]).is_err());
    }
}

/// What a capture borrows is what its value names, whoever has a variable of those letters.
mod captured_by_macros {
    use super::tensor;

    macro_rules! sum_beside {
        ($e:expr) => {{
            let v = [1.0, 1.0];
            let r = tensor!(|v: [f64; n] = $e| sum i { v[i] });
            (r, v.len())
        }};
    }
    macro_rules! sum_of {
        ($e:expr) => {
            tensor!(|v: [f64; n] = $e| sum i { v[i] })
        };
    }

    #[test]
    fn run() {
        let v = vec![3.0, 4.0];
        assert_eq!((sum_beside!(v), sum_of!(v)), ((Ok(7.0), 2), Ok(7.0)));
    }
}

/// Words of the language that are names of functions where no index follows.
mod words {
    use super::tensor;

    tensor! {
        fn prod(x: f64, y: f64) -> f64 { x * y }
        fn scan(x: f64) -> f64 { prod(x, x) + rec(x) }
        fn rec(x: f64) -> f64 { -x }
    }

    #[test]
    fn run() {
        assert_eq!(scan(3.0), Ok(6.0));
    }
}

/// A linear map under a condition, and the function that it is of.
mod configured_maps {
    use super::tensor;

    #[allow(dead_code)]
    struct Absent;

    tensor! {
        #[cfg(debug_assertions)]
        fn f(x: f64) -> f64 { 2.0 * x }
        #[cfg(not(debug_assertions))]
        fn f(x: f64) -> f64 { 3.0 * x }
        fn line = linearize(f);
        #[cfg(not(test))]
        fn absent = linearize(f);
    }

    #[test]
    fn run() -> Result<(), tensor_rt::Error> {
        let by = if cfg!(debug_assertions) { 2.0 } else { 3.0 };
        let (value, map): (f64, Line) = line(1.0)?;
        assert_eq!((value, map.apply(5.0)?), (by, 5.0 * by));
        Ok(())
    }
}

/// Outputs of more dimensions than arrays of Rust are taken of.
mod many_dimensions {
    use super::tensor;

    tensor! {
        fn f(x: [f64; 2, 2, 2]) -> f64 { sum i, j, k { x[i, j, k].powi(2) } }
        fn f_hessian = hessian(f);
        fn wide(x: f64) -> [f64; 2, 1, 1, 1, 2] { for i in 0..2, j in 0..1, k in 0..1, l in 0..1, m in 0..2 { x } }
    }

    #[test]
    fn are_those_of_ndarray() -> Result<(), tensor_rt::Error> {
        let h = f_hessian(&[[[1.0; 2]; 2]; 2])?;
        assert_eq!((h.shape(), h[[1, 0, 1, 1, 0, 1]], h[[1, 0, 1, 1, 0, 0]]), (&[2; 6][..], 2.0, 0.0));
        assert_eq!(wide(1.5)?.shape(), &[2, 1, 1, 1, 2]);
        assert_eq!(tensor!(for i in 0..1, j in 0..1, k in 0..1, l in 0..1, m in 0..2 { 1.0 })?.len(), 2);
        Ok(())
    }
}
