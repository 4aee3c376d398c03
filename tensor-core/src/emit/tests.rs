use super::*;
use crate::ast::Elem;
use crate::index::project::solve_sizes;
use crate::index::{Affine, Atom, Cond};
use crate::ssa;
use crate::typed::{EntryCheck, Param, Size, SizeOrigin, Type};

fn size(k: u32) -> Affine {
    Affine::from(Atom::Size(k))
}

fn tensor(extents: Vec<Affine>) -> Type {
    Type::Array(extents, Box::new(Type::Real))
}

/// A function of sizes `n, m, …` from shapes; parameters of type `Size` are sizes after them.
fn signature(name: &str, sizes: &[&str], params: Vec<(&str, Type)>, result: Type) -> typed::Function {
    let mut all: Vec<Size> = sizes
        .iter()
        .map(|n| Size { name: (*n).to_string(), origin: SizeOrigin::Shape(Span::call_site().into()) })
        .collect();
    for (k, (n, t)) in params.iter().enumerate() {
        if *t == Type::Size {
            all.push(Size { name: (*n).to_string(), origin: SizeOrigin::Parameter(k) });
        }
    }
    let leaves = params.iter().flat_map(|(n, t)| leaves::Tree::new(t).leaves(n));
    let dims: Vec<Affine> = leaves.flat_map(|l| l.1).collect();
    let solution = solve_sizes(&dims, u32::try_from(sizes.len()).unwrap()).unwrap();
    let ident = |n: &str| Ident::new(n, Span::call_site());
    let params = params.into_iter().map(|(n, ty)| Param { name: ident(n), ty, var: None }).collect();
    typed::Function {
        attrs: TokenStream::new(),
        vis: quote!(pub),
        name: ident(name),
        sizes: all,
        params,
        result,
        elem: Elem::F64,
        solution,
        checks: vec![],
        body: None,
        indices: vec![],
        variables: vec![],
        comparisons: vec![],
        elements: vec![],
    }
}

fn program(work: Vec<loops::Buffer>) -> loops::Program {
    let function = ssa::Function {
        name: String::new(),
        elem: Elem::F64,
        sizes: vec![],
        assumptions: vec![],
        arrays: vec![],
        params: vec![],
        stmts: vec![],
        results: vec![],
        indices: vec![],
        comparisons: vec![],
    };
    loops::Program { function, work, vars: vec![], indices: vec![], body: vec![], scalars: vec![] }
}

/// `fn convolve<n, m>(x: [f64; n + m - 1], w: [f64; m]) -> [f64; n] where m <= n`
fn convolve() -> typed::Function {
    let (n, m) = (size(0), size(1));
    let mut x = n.plus_scaled(1, &m).unwrap();
    x.constant = -1;
    let mut f = signature("convolve", &["n", "m"], vec![("x", tensor(vec![x])), ("w", tensor(vec![m.clone()]))], tensor(vec![n.clone()]));
    f.checks.push(EntryCheck {
        condition: Cond::NonNeg(n.plus_scaled(-1, &m).unwrap()),
        text: "where m <= n".to_string(),
    });
    f
}

/// `fn tuples<n>(t: ([f64; n, 2*n + 1], f64), k: usize, out: f64) -> (f64, [([f64; 2], f64); n], [f64; 3], f64)`
fn tuples() -> typed::Function {
    let n = size(0);
    let mut odd = n.scale(2).unwrap();
    odd.constant = 1;
    let t = Type::Tuple(vec![tensor(vec![n.clone(), odd]), Type::Real]);
    let pair = Type::Tuple(vec![tensor(vec![2.into()]), Type::Real]);
    let result = Type::Tuple(vec![
        Type::Real,
        Type::Array(vec![n], Box::new(pair)),
        tensor(vec![3.into()]),
        Type::Real,
    ]);
    signature("tuples", &["n"], vec![("t", t), ("k", Type::Size), ("out_0", Type::Real)], result)
}

/// The text up to and without `{` of the function of this name, without spaces.
fn head(items: &TokenStream, name: &str) -> String {
    let text = items.to_string();
    let start = text.find(&format!("fn {name} (")).unwrap();
    let end = start + text[start..].find('{').unwrap();
    text[start..end].replace(' ', "").replace("::core::primitive::", "").replace("::tensor_rt::", "").replace("::core::", "")
}

#[test]
fn signatures() {
    let items = super::items(&convolve(), None, &Docs::default());
    assert_eq!(
        head(&items, "convolve"),
        "fnconvolve(x:&(implAsTensor<f64,1>+?marker::Sized),w:&(implAsTensor<f64,1>+?marker::Sized))\
         ->result::Result<ndarray::Array1<f64>,Error>"
    );
    assert_eq!(
        head(&items, "convolve_into"),
        "fnconvolve_into(x:&(implAsTensor<f64,1>+?marker::Sized),w:&(implAsTensor<f64,1>+?marker::Sized),\
         out:&mut(implAsTensorMut<f64,1>+?marker::Sized),work:&mutWorkspace<f64>)->result::Result<(),Error>"
    );
    let items = super::items(&tuples(), None, &Docs::default());
    assert_eq!(
        head(&items, "tuples"),
        "fntuples(t:(&(implAsTensor<f64,2>+?marker::Sized),f64,),k:usize,out_0:f64)\
         ->result::Result<(f64,(ndarray::Array2<f64>,ndarray::Array1<f64>,),[f64;3],f64,),Error>"
    );
    assert_eq!(
        head(&items, "tuples_into"),
        "fntuples_into(t:(&(implAsTensor<f64,2>+?marker::Sized),f64,),k:usize,out_0:f64,\
         out_02:&mut(implAsTensorMut<f64,2>+?marker::Sized),out_1:&mut(implAsTensorMut<f64,1>+?marker::Sized),\
         out_2:&mut(implAsTensorMut<f64,1>+?marker::Sized),work:&mutWorkspace<f64>)->result::Result<(f64,f64),Error>"
    );
}
