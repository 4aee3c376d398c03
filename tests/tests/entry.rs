//! How compiled functions are called: what may hold an argument, where results go, and what each mistake is answered with.

use std::boxed::Box;
use std::rc::Rc;
use tensor_rt::ndarray::{Array, Array1, Array2, Array3, ArrayD, Axis, IxDyn, arr1, arr2, s};
use tensor_rt::{AsTensor, AsTensorMut, Error, Workspace, tensor};

tensor! {
    fn matvec<n, m>(a: [f64; n, m], x: [f64; m]) -> [f64; n] { for i { sum j { a[i, j] * x[j] } } }

    /// Each element by its position, so that an order mixed up shows.
    fn digits<n, m, k>(t: [f64; n, m, k]) -> f64 {
        sum i, j, c { t[i, j, c] * (100 * (i as f64) + 10 * (j as f64) + (c as f64)) }
    }

    fn quadruple<n, m, k, l>(t: [f64; n, m, k, l]) -> [f64; l, k, m, n] { for a, b, c, d { t[d, c, b, a] } }

    fn single<n>(x: [f32; n], s: f32) -> ([f32; n], f32) { (s * x, s * sum i { x[i] }) }

    fn window<k>(n: usize, x: [f64; n + k]) -> [f64; n] { for i in 0..n { x[i] + (k as f64) } }

    fn nested<n>(t: ([f64; n], ([f64; n], f64)), k: usize) -> ([f64; n], (f64, [f64; n])) {
        let (x, (y, s)) = t;
        (for i { x[i] + y[i] }, (s + (k as f64), for i { x[i] - y[i] }))
    }

    fn swap<n>(p: [(f64, f64); n]) -> [(f64, f64); n] { for i { (p[i].1, p[i].0) } }

    fn fixed(x: [f64; 3]) -> ([f64; 3, 2], [f64; 2]) { (for i, j in 0..2 { x[i] + (j as f64) }, [x[0], x[2]]) }

    fn scalars(x: f64, n: usize) -> (f64, f64) { (x * (n as f64), x) }

    fn total<n>(x: [f64; n]) -> f64 { sum i { x[i] } }

    fn misfit<n, m>(x: [f64; n + m - 1], w: [f64; m], z: [f64; n]) -> f64 {
        sum i in 0..n { (sum j in 0..m { x[i + j] * w[j] } - z[i]).powi(2) }
    }
    fn misfit_grad = value_and_grad(misfit, x, w);

    fn even<n>(x: [f64; 2 * n]) -> [f64; n] { for i in 0..n { x[2*i] } }

    fn deconvolved<n, m>(x: [f64; n], w: [f64; m]) -> [f64; n - m + 1] where 2 * m <= n {
        for i in 0..n - m + 1 { sum j in 0..m { x[i + j] * w[j] } }
    }

    fn valid<n, m>(x: [f64; n + m], w: [f64; m]) -> [f64; n] { for i in 0..n { x[i] + sum j in 0..m { w[j] } } }

    fn square<n>(a: [f64; n, n]) -> f64 { sum i { a[i, i] } }

    fn table(n: usize, m: usize) -> [f64; n, m] { for i in 0..n, j in 0..m { (i as f64) - (j as f64) } }
}

const A: [[f64; 3]; 2] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
const X: [f64; 3] = [1.0, 10.0, 100.0];
const Y: [f64; 2] = [321.0, 654.0];

fn by(a: &(impl AsTensor<f64, 2> + ?Sized), x: &(impl AsTensor<f64, 1> + ?Sized)) {
    assert_eq!(matvec(a, x), Ok(arr1(&Y)));
}

#[test]
fn whatever_holds_the_numbers() {
    let flat = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    by(&A, &X);
    by(&A[..], &X[..]);
    by(&A.to_vec(), &X.to_vec());
    by(&&A, &&X);
    by(&Box::new(A), &Rc::new(X));
    by(&(&flat[..], [2, 3]), &(X, [3]));
    by(&(flat.to_vec(), [2, 3]), &(&X, [3]));
    by(&arr2(&A), &arr1(&X));
    by(&arr2(&A).view(), &arr1(&X).into_shared());
    by(&arr2(&A).into_dyn(), &arr1(&X).into_dyn().view());
}

#[test]
fn views_of_any_strides() {
    let x = arr1(&[100.0, 0.0, 10.0, 0.0, 1.0]);
    let backwards = x.slice(s![..;-2]);
    assert_eq!(backwards.strides(), [-2]);
    by(&A, &backwards);
    let columns = arr2(&[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]);
    by(&columns.t(), &backwards);
    by(&columns.t().into_dyn(), &backwards.into_dyn());
    let mirrored = arr2(&[[6.0, 5.0, 4.0], [3.0, 2.0, 1.0]]);
    by(&mirrored.slice(s![..;-1, ..;-1]), &X);
    let column_of_rows = arr2(&[[1.0, 7.0], [10.0, 7.0], [100.0, 7.0]]);
    by(&A, &column_of_rows.column(0));
    // Stride 0: one row, seen twice.
    let row = arr1(&A[0]);
    assert_eq!(matvec(&row.broadcast((2, 3)).unwrap(), &X), Ok(arr1(&[321.0, 321.0])));
}

#[test]
fn higher_ranks() {
    let t = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (12 * i + 4 * j + k) as f64);
    let expected: f64 =
        t.indexed_iter().map(|((i, j, k), x)| x * (100.0 * i as f64 + 10.0 * j as f64 + k as f64)).sum();
    assert_eq!(digits(&t), Ok(expected));
    let rows: Vec<[[f64; 4]; 3]> =
        (0..2).map(|i| std::array::from_fn(|j| std::array::from_fn(|k| t[[i, j, k]]))).collect();
    assert_eq!(digits(&rows), Ok(expected));
    assert_eq!(digits(&rows[..]), Ok(expected));
    let mut turned = t.permuted_axes([2, 0, 1]).as_standard_layout().into_owned().permuted_axes([1, 2, 0]);
    assert!(!turned.is_standard_layout());
    assert_eq!(digits(&turned), Ok(expected));
    turned.invert_axis(Axis(1));
    assert_eq!(digits(&turned.slice(s![.., ..;-1, ..])), Ok(expected));

    let t = Array::from_shape_fn((1, 2, 3, 2), |(i, j, k, l)| (i + 10 * j + 100 * k + 1000 * l) as f64);
    assert_eq!(quadruple(&t), Ok(t.t().to_owned()));
    let nested = [[
        [[0.0, 1000.0], [100.0, 1100.0], [200.0, 1200.0]],
        [[10.0, 1010.0], [110.0, 1110.0], [210.0, 1210.0]],
    ]];
    assert_eq!(quadruple(&nested), Ok(t.t().to_owned()));
}

#[test]
fn nothing_at_all() {
    assert_eq!(total(&[]), Ok(0.0));
    assert_eq!(total(&Vec::<f64>::new()), Ok(0.0));
    assert_eq!(matvec(&(&[][..], [0, 3]), &X).unwrap().len(), 0);
    assert_eq!(matvec(&[[0.0; 0]; 2], &[]), Ok(arr1(&[0.0, 0.0])));
    assert_eq!(matvec(&Array2::zeros((2, 0)), &[]), Ok(arr1(&[0.0, 0.0])));
    assert_eq!(digits(&Array3::zeros((2, 0, 3)).permuted_axes([2, 0, 1])), Ok(0.0));
    assert_eq!(table(0, 3).unwrap().dim(), (0, 3));
    assert_eq!(window(0, &[1.0]).unwrap().len(), 0);
    assert_eq!(swap((&[], &[])).map(|(a, b)| (a.len(), b.len())), Ok((0, 0)));
    let mut out = [7.0; 0];
    assert_eq!(table_into(0, 3, &mut (&mut out[..], [0, 3]), &mut Workspace::new()), Ok(()));
}

#[test]
fn other_types() {
    let x: [f32; 2] = [1.0, 2.0];
    assert_eq!(single(&x, 2.0), Ok((arr1(&[2.0, 4.0]), 6.0)));
    assert_eq!(window(2, &[1.0, 2.0, 3.0]), Ok(arr1(&[2.0, 3.0])));
    let (x, y) = (vec![1.0, 2.0], [5.0, 7.0]);
    assert_eq!(nested((&x, (&y, 0.5)), 3), Ok((arr1(&[6.0, 9.0]), (3.5, arr1(&[-4.0, -5.0])))));
    assert_eq!(swap((&x, &arr1(&y))), Ok((arr1(&y), arr1(&x))));
    assert_eq!(scalars(1.5, 4), Ok((6.0, 1.5)));
}

#[test]
fn literal_extents_give_rust_arrays() {
    let (a, b): ([[f64; 2]; 3], [f64; 2]) = fixed(&[1.0, 2.0, 3.0]).unwrap();
    assert_eq!(a, [[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]]);
    assert_eq!(b, [1.0, 3.0]);
    assert_eq!(fixed(&vec![1.0, 2.0, 3.0]).unwrap().0, a);
}

#[test]
fn outputs_of_into() {
    let mut work = Workspace::new();
    // Whatever holds the numbers …
    let mut out = vec![f64::NAN; 2];
    matvec_into(&A, &X, &mut out, &mut work).unwrap();
    matvec_into(&A, &X, &mut out[..], &mut work).unwrap();
    matvec_into(&A, &X, &mut [f64::NAN; 2], &mut work).unwrap();
    matvec_into(&A, &X, &mut (&mut out[..], [2]), &mut work).unwrap();
    assert_eq!(out, Y);
    let mut dynamic = ArrayD::from_elem(IxDyn(&[2]), f64::NAN);
    matvec_into(&A, &X, &mut dynamic, &mut work).unwrap();
    assert_eq!(dynamic, arr1(&Y).into_dyn());
    // … with any strides: what lies between is not touched.
    let mut strided = Array1::from_elem(4, 7.0);
    matvec_into(&A, &X, &mut strided.slice_mut(s![..;-2]), &mut work).unwrap();
    assert_eq!(strided, arr1(&[7.0, Y[1], 7.0, Y[0]]));
    let mut turned = Array2::from_elem((3, 4), 7.0);
    table_into(2, 3, &mut turned.slice_mut(s![.., ..;2]).reversed_axes(), &mut work).unwrap();
    assert_eq!(turned, arr2(&[[0.0, 7.0, 1.0, 7.0], [-1.0, 7.0, 0.0, 7.0], [-2.0, 7.0, -1.0, 7.0]]));
    let mut rows = [[7.0; 2]; 3];
    let mut two = [7.0; 2];
    fixed_into(&[1.0, 2.0, 3.0], &mut rows, &mut two, &mut work).unwrap();
    assert_eq!((rows, two), ([[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]], [1.0, 3.0]));
    // Scalars come back in the result; tuples of outputs are flat.
    let (mut sum, mut difference) = ([0.0; 2], [0.0; 2]);
    let scalar = nested_into((&[1.0, 2.0], (&[5.0, 7.0], 0.5)), 3, &mut sum, &mut difference, &mut work);
    assert_eq!((scalar, sum, difference), (Ok(3.5), [6.0, 9.0], [-4.0, -5.0]));
    assert_eq!(scalars_into(1.5, 4, &mut work), Ok((6.0, 1.5)));
    let mut swapped = (vec![0.0], arr1(&[0.0]));
    swap_into((&[1.0], &[2.0]), &mut swapped.0, &mut swapped.1, &mut work).unwrap();
    assert_eq!(swapped, (vec![2.0], arr1(&[1.0])));
    let (mut x_bar, mut w_bar) = ([7.0; 2], [7.0; 1]);
    assert_eq!(
        misfit_grad_into(&[1.0, 2.0], &[2.0], &[0.0, 0.0], &mut x_bar, &mut w_bar, &mut work),
        Ok(20.0)
    );
    assert_eq!((x_bar, w_bar), ([8.0, 16.0], [20.0]));
}

/// The message of a call that must fail.
fn message<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().to_string()
}

/// The message of `run`, which must leave its outputs alone, whatever holds them.
fn refused<const R: usize>(
    shape: [usize; R],
    run: impl Fn(&mut dyn Output<R>, &mut Workspace<f64>) -> Result<(), Error>,
) -> String {
    let mut whole = ArrayD::from_elem(&shape[..], 7.0);
    let error = run(&mut whole, &mut Workspace::new()).unwrap_err();
    assert!(whole.iter().all(|x| *x == 7.0));
    let mut wide = shape;
    wide.iter_mut().for_each(|d| *d *= 2);
    let mut wide = ArrayD::from_elem(&wide[..], 7.0);
    let mut strided = wide.slice_each_axis_mut(|_| tensor_rt::ndarray::Slice::new(0, None, -2));
    assert_eq!(run(&mut strided, &mut Workspace::new()), Err(error));
    assert!(wide.iter().all(|x| *x == 7.0));
    error.to_string()
}

/// An output of any type.
trait Output<const R: usize>: AsTensorMut<f64, R> {}
impl<const R: usize, A: AsTensorMut<f64, R>> Output<R> for A {}

#[test]
fn shapes_that_do_not_fit() {
    assert_eq!(message(matvec(&A, &[1.0; 2])), "argument `x`: dimension 0 is 2, but must be `m` = 3");
    assert_eq!(
        message(misfit(&[0.0; 9], &[0.0; 5], &[0.0; 6])),
        "argument `x`: dimension 0 is 9, but must be `n + m - 1` = 10 (n = 6, m = 5)"
    );
    assert_eq!(message(fixed(&[0.0; 4][..])), "argument `x`: dimension 0 is 4, but must be 3");
    assert_eq!(message(square(&A)), "argument `a`: dimension 1 is 3, but must be `n` = 2");
    assert_eq!(
        message(nested((&[1.0], (&[1.0, 2.0], 0.0)), 0)),
        "argument `t.1.0`: dimension 0 is 2, but must be `n` = 1"
    );
    assert_eq!(
        refused([2], |out, work| matvec_into(&A, &[1.0; 2], out, work)),
        "argument `x`: dimension 0 is 2, but must be `m` = 3"
    );
}

#[test]
fn sizes_that_do_not_follow() {
    assert_eq!(
        message(even(&[0.0; 3])),
        "argument `x`: dimension 0 is 3, but must be `2*n`, and `n` = 3 / 2 is not a whole number"
    );
    assert_eq!(
        refused([1], |out, work| even_into(&[0.0; 3], out, work)),
        "argument `x`: dimension 0 is 3, but must be `2*n`, and `n` = 3 / 2 is not a whole number"
    );
    assert_eq!(
        message(valid(&[0.0; 2], &[0.0; 3])),
        "argument `x`: dimension 0 is 2, but must be `n + m`, and `n` = -1 is negative"
    );
    assert_eq!(
        message(window(3, &[0.0; 2])),
        "argument `x`: dimension 0 is 2, but must be `n + k`, and `k` = -1 is negative"
    );
}

#[test]
fn conditions_that_do_not_hold() {
    assert_eq!(message(deconvolved(&[0.0; 5], &[0.0; 3])), "`2*m <= n` does not hold: n = 5, m = 3");
    assert_eq!(
        refused([3], |out, work| deconvolved_into(&[0.0; 5], &[0.0; 3], out, work)),
        "`2*m <= n` does not hold: n = 5, m = 3"
    );
}

#[test]
fn arguments_that_contradict_themselves() {
    assert_eq!(
        message(total(&(&[1.0, 2.0][..], [3]))),
        "argument `x`: the slice has 2 elements, but its shape has 3"
    );
    assert_eq!(
        message(total(&arr2(&A).into_dyn())),
        "argument `x`: the array has 2 dimensions, but must have 1"
    );
    assert_eq!(
        message(matvec(&arr1(&X).into_dyn(), &X)),
        "argument `a`: the array has 1 dimension, but must have 2"
    );
    assert_eq!(
        refused([2], |out, work| matvec_into(&(&X[..], [2, 3]), &X, out, work)),
        "argument `a`: the slice has 3 elements, but its shape has 6"
    );
}

#[test]
fn outputs_of_the_wrong_shape() {
    assert_eq!(
        refused([3], |out, work| matvec_into(&A, &X, out, work)),
        "argument `out`: dimension 0 is 3, but must be `n` = 2"
    );
    assert_eq!(
        refused([2, 2], |out, work| table_into(2, 3, out, work)),
        "argument `out`: dimension 1 is 2, but must be `m` = 3"
    );
    let mut work = Workspace::new();
    let (mut x_bar, mut w_bar) = ([7.0; 2], [7.0; 2]);
    let error = misfit_grad_into(&[1.0, 2.0], &[2.0], &[0.0, 0.0], &mut x_bar, &mut w_bar, &mut work);
    assert_eq!(message(error), "argument `w_bar`: dimension 0 is 2, but must be `m` = 1");
    assert_eq!((x_bar, w_bar), ([7.0; 2], [7.0; 2]));
    let mut flat = [7.0; 3];
    let error = matvec_into(&A, &X, &mut (&mut flat[..], [2]), &mut work);
    assert_eq!(message(error), "argument `out`: the slice has 3 elements, but its shape has 2");
    assert_eq!(flat, [7.0; 3]);
    let mut plane = ArrayD::from_elem(IxDyn(&[2, 1]), 7.0);
    let error = matvec_into(&A, &X, &mut plane, &mut work);
    assert_eq!(message(error), "argument `out`: the array has 2 dimensions, but must have 1");
}

#[test]
fn more_than_memory() {
    assert_eq!(
        message(table(1 << 40, 1 << 40)),
        "`out` would have more elements than can be addressed: n = 1099511627776, m = 1099511627776"
    );
    assert_eq!(
        refused([1, 1], |out, work| table_into(1 << 40, 1 << 40, out, work)),
        "argument `out`: dimension 0 is 1, but must be `n` = 1099511627776"
    );
    let error = table(usize::MAX, 1).unwrap_err();
    assert!(
        matches!(error, Error::TooLarge { argument: "n", dimension: None, has: usize::MAX, .. }),
        "{error:?}"
    );
    let Error::TooLarge { limit, .. } = error else { return };
    assert_eq!(error.to_string(), format!("`n` is {}, but may be at most {limit}", usize::MAX));
    let error = total(&(&[][..], [usize::MAX])).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("argument `x`: the slice has 0 elements, but its shape has {}", usize::MAX)
    );
}

#[test]
fn errors_are_errors() {
    fn is_error<E: std::error::Error + Send + Sync + 'static>(
        e: E,
    ) -> Box<dyn std::error::Error + Send + Sync> {
        Box::new(e)
    }
    let error = square(&A).unwrap_err();
    assert_eq!(error.argument(), Some("a"));
    assert_eq!(is_error(error).to_string(), error.to_string());
}

tensor! {
    fn columns<n, m>(x: [f64; n, m]) -> [f64; m] { for j in 0..m { sum i in 0..n { x[i, j] } } }
    fn columns_vjp = vjp(columns);
    fn columns_linear = linearize(columns);
    fn column_squares<n, m>(x: [f64; n, m]) -> [f64; m, m] { for i, j { sum k { x[k, i] * x[k, j] } } }
    fn all_exp<n, m>(x: [f64; n, m]) -> f64 { sum i in 0..n, j in 0..m if i % 2 == 0 || j < 3 { x[i, j].exp() } }
    fn all_exp_grad = value_and_grad(all_exp);
}

/// Nothing is allocated for an argument that cannot be.
#[test]
fn products_of_dimensions_that_overflow() {
    let x = (&[][..], [1_usize << 32, 1 << 32]);
    let is_memory = |e: &Error| matches!(e, Error::Memory { name: "x", .. });
    assert!(columns(&x).is_err_and(|e| is_memory(&e)));
    assert!(columns_vjp(&x, &[1.0]).is_err());
    assert!(columns_linear(&x).is_err_and(|e| is_memory(&e)));
    assert!(column_squares(&x).is_err_and(|e| is_memory(&e)));
    assert!(all_exp(&x).is_err_and(|e| is_memory(&e)));
    assert!(all_exp_grad(&x).is_err_and(|e| is_memory(&e)));
}

/// As long as it takes to look at their shape.
#[test]
fn arrays_without_elements_take_no_time() {
    let x: Vec<[f64; 0]> = vec![[]; 1 << 45];
    assert_eq!(columns(&x).unwrap().len(), 0);
    assert!(columns_vjp(&x, &[0.0; 0]).is_ok());
    assert!(columns_linear(&x).unwrap().1.apply(&x).is_ok());
    assert_eq!(column_squares(&x).unwrap().shape(), [0, 0]);
    assert_eq!(all_exp(&x), Ok(0.0));
    assert!(all_exp_grad(&x).is_ok());
    for rows in [1 << 32, 1 << 45] {
        let x = Array2::zeros((rows, 0));
        assert_eq!(columns(&x).unwrap().len(), 0);
        assert!(columns_vjp(&x.view(), &[0.0; 0]).is_ok_and(|(_, x_bar)| x_bar.shape() == [rows, 0]));
        assert!(columns_linear(&x).unwrap().1.apply(&x).is_ok());
        assert_eq!(column_squares(&x).unwrap().shape(), [0, 0]);
        assert_eq!(all_exp(&x), Ok(0.0));
        assert!(all_exp_grad(&x).is_ok());
    }
}

tensor! {
    fn power(x: f64, k: usize) -> f64 { x.powi(k) }
    fn powers<n>(x: [f64; n], k: usize) -> [f64; n] { for i { x[i].powi(k) } }
}

/// No float says that these are odd.
#[test]
fn exponents_beyond_the_integers_of_floats() {
    let odd = (1 << 53) + 1;
    assert_eq!([power(-1.0, odd - 1), power(-1.0, odd)], [Ok(1.0), Ok(-1.0)]);
    assert_eq!(power(-2.0, odd), Ok(f64::NEG_INFINITY));
    let x: Vec<f64> = (0..19).map(|i| if i % 3 == 0 { -1.0 } else { 1.0 }).collect();
    assert_eq!(powers(&x, odd).unwrap().to_vec(), x);
    assert_eq!(powers(&x, odd - 1).unwrap().to_vec(), [1.0; 19]);
}
