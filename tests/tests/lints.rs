//! What a block expands to passes the strictest lints of the crate that it stands in, and does not collide with what is written around it.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]
#![deny(clippy::all, clippy::pedantic)]

/// All that is `pub` is documented, by its author or by the macro.
pub mod documented {
    use tensor_rt::tensor;

    tensor! {
        /// Energy of a chain of springs.
        pub fn energy<n>(x: [f64; n], stiffness: f64) -> f64 {
            sum i in 0..n if i + 1 < n { 0.5 * stiffness * (x[i + 1] - x[i] - 1.0).powi(2) }
        }
        pub fn energy_grad = value_and_grad(energy, x);
        pub fn energy_jvp = jvp(energy);
        pub(crate) fn energy_vjp = vjp(energy_grad);

        /// No parameter counts.
        pub fn nothing<n, m>(x: [f64; n], y: [f64; m], s: f64, k: usize) -> f64 { 1.0 }
        pub fn nothing_grad = grad(nothing);

        /// Nine of them.
        #[must_use = "it is all that it does"]
        pub fn many(
            a: f64, b: f64, c: f64, d: f64, e: f64, f: f64, g: f64, h: usize, i: f64
        ) -> (f64, [f64; 3], ([f64; h], f64)) {
            (a * b, [c, d, e], (for j in 0..h { f + g * (j as f64) }, i))
        }
        pub fn many_vjp = vjp(many);
    }

    tensor! {
        /// A second block beside the first.
        pub fn softmax<n>(s: [f64; n]) -> [f64; n] { let z = logsumexp c { s[c] }; for c { (s[c] - z).exp() } }
        pub fn softmax_jvp = jvp(softmax);
    }
}

/// Constants of the language are used without an import, with one, and beside others of the module.
pub mod constants {
    use std::f64::consts::PI;
    use tensor_rt::tensor;

    /// A number of the module, also where `f64` has one of that name.
    const EPSILON: f64 = 0.25;

    tensor! {
        /// All of them.
        pub fn all(x: f64) -> f64 { PI + TAU + E + EPSILON + min(INFINITY, max(x, NEG_INFINITY)) + 0.0 * x }
    }
    tensor! {
        /// Some again.
        pub fn again(x: f64) -> f64 { E * x }
    }

    /// What they are.
    #[test]
    fn values() {
        assert_eq!(all(1.0), Ok(PI + std::f64::consts::TAU + std::f64::consts::E + 0.25 + 1.0));
        assert_eq!(again(2.0), Ok(2.0 * std::f64::consts::E));
    }
}

/// Every kind of statement, private.
mod kinds {
    use tensor_rt::ndarray::{ArrayView1, ArrayViewMut1};
    use tensor_rt::tensor;

    /// A Rust constant.
    const GRAVITY: f64 = 9.81;
    /// A constant extent.
    const D: usize = 2;

    /// A Rust function over tensors.
    #[allow(clippy::needless_pass_by_value)]
    fn halved(x: ArrayView1<'_, f64>, s: f64, mut y: ArrayViewMut1<'_, f64>, half: &mut f64) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = 0.5 * x);
        *half = s / 2.0;
    }

    /// Its transpose.
    #[allow(clippy::needless_pass_by_value)]
    fn halved_back(y: ArrayView1<'_, f64>, half: f64, mut x: ArrayViewMut1<'_, f64>, s: &mut f64) {
        x.iter_mut().zip(y).for_each(|(x, y)| *x = 0.5 * y);
        *s = half / 2.0;
    }

    tensor! {
        extern fn halved<n>(x: [f64; n], s: f64) -> ([f64; n], f64) { transpose = halved_back }
        fn of_rows<n, k>(x: [f64; k, n], s: [f64; k]) -> f64 {
            sum t { let (y, half) = halved(x[t], s[t]); half * sum i { y[i] } }
        }
        fn of_rows_vjp = vjp(of_rows);
        fn of_rows_hvp = hvp(of_rows);

        fn extremes<n, m>(x: [f64; n, m]) -> ([f64; n], [f64; n]) where m >= 1 {
            (for i { max j { x[i, j] } }, for i { let k = argmin j { x[i, j] }; x[i, k] + (k as f64) })
        }
        fn extremes_vjp = vjp(extremes);

        fn banded<n>(a: [f64; n, n], x: [f64; n]) -> [f64; n] {
            for i in 0..n { sum j in 0..n if i - 1 <= j <= i + 1 { a[i, j] * x[j].powi(3) } }
        }
        fn banded_vjp = vjp(banded, a, x);

        fn choices<n>(x: [f64; n]) -> f64 {
            sum i { if x[i] > 0.0 { x[i].ln() } else if i % 2 == 0 { x[i].exp() } else { GRAVITY * PI * x[i] } }
        }
        fn choices_grad = value_and_grad(choices);
        fn choices_twice = jvp(choices_grad);

        fn packed<d>(l: [f32; d * (d - 1) / 2], x: [f32; d]) -> [f32; d] {
            for a in 0..d { x[a] + sum b in 0..a { l[a * (a - 1) / 2 + b] * x[b] } }
        }
        fn packed_vjp = vjp(packed);

        fn constants(x: [(f64, f64); D], t: (f64, (f64, f64))) -> [f64; D] { for i { x[i].0 * t.0 + x[i].1 * t.1.1 } }
        fn constants_jvp = jvp(constants, x, t.1);
        fn strided<n, m>(x: [f64; 2 * n + 1], y: [f64; m, n]) -> [f64; n / 2 + m] {
            for k in 0..n / 2 + m { if k < m { sum j in 0..n { x[2 * j + 1] * y[k, j] } } else { x[0] } }
        }
        fn strided_grad = vjp(strided);
    }

    #[test]
    fn run() {
        assert_eq!(extremes(&[[1.0, 3.0, 2.0]]).unwrap().0.to_vec(), [3.0]);
        assert!(extremes_vjp(&[[1.0, 3.0, 2.0]], (&[1.0], &[1.0])).is_ok());
        assert!(banded(&[[1.0]], &[1.0]).is_ok() && banded_vjp(&[[1.0]], &[1.0], &[1.0]).is_ok());
        assert!(
            choices(&[1.0]).is_ok() && choices_grad(&[1.0]).is_ok() && choices_twice(&[1.0], &[1.0]).is_ok()
        );
        assert!(packed(&[1.0], &[1.0, 2.0]).is_ok() && packed_vjp(&[1.0], &[1.0, 2.0], &[1.0, 2.0]).is_ok());
        assert!(constants((&[1.0; D], &[1.0; D]), (1.0, (1.0, 1.0))).is_ok());
        assert!(
            constants_jvp((&[1.0; D], &[1.0; D]), (1.0, (1.0, 1.0)), (&[1.0; D], &[1.0; D]), (1.0, 1.0))
                .is_ok()
        );
        assert!(strided(&[1.0; 5], &[[1.0; 2]; 3]).is_ok());
        assert!(strided_grad(&[1.0; 5], &[[1.0; 2]; 3], &[1.0; 4]).is_ok());
    }
}

/// Where lints are forbidden even an `#[allow]` would be an error. (Only a function of more than seven parameters has one.)
#[forbid(unused, nonstandard_style, clippy::all, clippy::pedantic)]
mod forbidden {
    use tensor_rt::tensor;

    tensor! {
        fn model<n, m>(a: [f64; n, m], x: [f64; m]) -> [f64; n] where m >= 1 {
            let scale = max j in 0..m { x[j] };
            for i { if scale == 1.0 { erf(scale) } else { sum j { a[i, j] * exp2(x[j] / scale) } } }
        }
        fn total<N>(x: [f64; N]) -> f64 { sum i in 0..N if i % 2 == 0 { x[i] } }
        fn total_jvp = jvp(total);
    }

    #[test]
    fn run() {
        assert_eq!(model(&[[2.0, 0.5]], &[0.0, 2.0]).unwrap().to_vec(), [3.0]);
        assert!(total(&[1.0]).is_ok() && total_jvp(&[1.0], &[1.0]).is_ok());
    }
}

/// Names of parameters that generated code might use itself.
mod names {
    use tensor_rt::tensor;

    tensor! {
        fn main2<n>(n2: usize, out: [f64; n], work: [f64; n], body: f64, i0: f64, x_bar: [f64; n]) -> [f64; n] {
            for k in 0..n { out[k] * work[k] + body * i0 + x_bar[k] * (n2 as f64) }
        }
        fn body = vjp(main2);
        fn entry<body>(entry: [f64; body], captured: f64, limit: [f64; body], dims: f64) -> f64 {
            sum size0 in 0..body { entry[size0] * captured + limit[size0] * dims }
        }
        fn items = value_and_grad(entry);
        fn shape<SIZE_N, m>(slice0: [f64; SIZE_N, m], length0: [f64; m]) -> [f64; SIZE_N] {
            for k { sum first in 0..m { let row0 = slice0[k, first]; let all_reals = length0[first]; row0 * all_reals } }
        }
        fn reals = vjp(shape);
        fn r#type<r>(r#move: [f64; r], r#fn: usize) -> f64 { (r#fn as f64) * sum i { r#move[i] } }
        fn isize(f64: f64, usize: usize) -> f64 { f64 * (usize as f64) }
    }

    #[test]
    fn run() {
        let x = [1.0, 2.0];
        assert_eq!(main2(1, &x, &x, 1.0, 1.0, &x).unwrap().to_vec(), [3.0, 7.0]);
        assert!(body(1, &x, &x, 1.0, 1.0, &x, &x).is_ok());
        assert_eq!(entry(&x, 2.0, &x, 1.0), Ok(9.0));
        assert!(items(&x, 2.0, &x, 1.0).is_ok());
        assert_eq!(shape(&[x], &x).unwrap().to_vec(), [5.0]);
        assert!(reals(&[x], &x, &[1.0]).is_ok());
        assert_eq!(r#type(&x, 2), Ok(6.0));
        assert_eq!(isize(1.5, 2), Ok(3.0));
    }
}

/// The names of the prelude, and of crates, mean something else here.
mod shadowed {
    use ::tensor_rt::tensor;

    /// Not what the macro means by any of these names.
    #[allow(dead_code)]
    mod others {
        pub struct Error;
        pub struct Option;
        pub struct Result;
        pub struct Vec;
        pub struct Workspace;
        pub struct Box;
        pub struct Some;
        pub struct None;
        pub struct Ok;
        pub struct Err;
        pub trait AsTensor {}
        pub trait AsTensorMut {}
        pub trait Sized {}
        pub trait Into {}
        pub trait Iterator {}
    }
    #[allow(unused_imports)]
    use others::*;

    mod core {}
    mod std {}
    mod alloc {}
    mod ndarray {}
    mod tensor_rt {}

    tensor! {
        fn f<n, m>(a: [f64; n, m], x: [f64; m], k: usize, s: f64) -> ([f64; n], [f64; 2], f64) where n >= 1 {
            let y = for i { sum j { a[i, j].exp() * x[j] } };
            (y, [s, 1.0], if y[0] > 0.0 { (k as f64) * max i in 0..n { y[i] } } else { 0.0 })
        }
        fn f_vjp = vjp(f);
    }

    #[test]
    fn run() {
        assert_eq!(f(&[[0.0]], &[2.0], 3, 4.0).unwrap().1.to_vec(), [4.0, 1.0]);
        assert!(f_vjp(&[[0.0]], &[2.0], 3, 4.0, (&[1.0], &[1.0, 1.0], 1.0)).is_ok());
        let x = [1.0, 2.0];
        assert!(tensor!(sum i { x[i] }).is_ok());
    }
}

/// Lints that Clippy does not have by default, about arithmetic and choices.
#[deny(clippy::nursery)]
mod nursery {
    use tensor_rt::tensor;

    tensor! {
        fn energy<n>(x: [f64; n], k: f64) -> f64 {
            sum i in 0..n if i + 1 < n { 0.5 * k * (x[i + 1] - x[i] - 1.0).powi(2) }
        }
        fn energy_grad = value_and_grad(energy, x);
        fn energy_jvp = jvp(energy);
        fn energy_hessian = hessian(energy, x);
        fn energy_linear = linearize(energy, x);
        fn sums(a: f64, b: f64, c: f64) -> f64 { a * b + c - a * c + (a * 180.0 / PI + b * PI / 180.0) }
        fn functions(a: f64, b: f64) -> f64 {
            a.sigmoid() * b + (1.0 + a * a).sqrt() + (a * a + b * b).sqrt() + a.exp() - 1.0 + (1.0 + a).ln() + a.powf(2.0) + a.ln() / b.ln()
        }
        fn functions_hessian = hessian(functions);
    }

    #[test]
    fn run() {
        assert_eq!(energy(&[1.0, 3.0], 2.0), Ok(1.0));
        assert!(energy_grad(&[1.0], 1.0).is_ok() && energy_jvp(&[1.0], 1.0, &[1.0], 1.0).is_ok());
        assert!(energy_hessian(&[1.0], 1.0).is_ok() && energy_linear(&[1.0], 1.0).is_ok());
        assert!(sums(1.0, 2.0, 3.0).is_ok() && functions(1.0, 2.0).is_ok());
        assert!(functions_hessian(1.0, 2.0).is_ok());
    }
}

/// What is deprecated warns those who call it, not itself.
pub mod deprecated {
    use tensor_rt::tensor;

    tensor! {
        /// Old.
        #[deprecated = "old"]
        pub fn total<n>(x: [f64; n]) -> f64 { sum i { x[i] } }
        /// Old too.
        #[cfg_attr(all(), deprecated(note = "old", since = "1.0.0"))]
        pub fn total_grad = vjp(total);
        /// Old as well.
        #[deprecated]
        pub fn total_linear = linearize(total);
    }

    #[test]
    #[allow(deprecated)]
    fn run() {
        assert_eq!(total(&[1.0, 2.0]), Ok(3.0));
        assert!(total_grad(&[1.0], 1.0).is_ok() && total_linear(&[1.0]).is_ok());
    }
}

/// Blocks that are expressions.
mod inline {
    use tensor_rt::tensor;

    struct Model {
        weights: Vec<f32>,
        scale: f32,
    }

    impl Model {
        fn differences(&self, y: &[f32]) -> Result<Vec<f32>, tensor_rt::Error> {
            let d = tensor!(|w: [f32; n] = &self.weights, y: [f32; n + 1] = y, s: f32 = self.scale|
                for i in 0..n { s * (y[i + 1] - y[i] - w[i]) })?;
            Ok(d.to_vec())
        }
    }

    #[test]
    fn run() {
        let (captured, out) = ([[1.0, 2.0], [3.0, 4.0]], vec![1.0, -1.0]);
        let scale = 2.0;
        let y = tensor!(for i { scale * sum j { captured[i, j] * out[j] } }).unwrap();
        assert_eq!(y.to_vec(), [-2.0, -2.0]);
        let work = &y;
        assert_eq!(tensor!(sum i { work[i] }), Ok(-4.0));
        assert_eq!(Model { weights: vec![1.0], scale: 2.0 }.differences(&[1.0, 3.0]), Ok(vec![2.0]));
    }
}
