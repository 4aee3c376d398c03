use super::*;
use crate::ast::Elem;
use crate::index::project::solve_sizes;
use crate::index::{Affine, Atom, Cond};

use crate::typed::{EntryCheck, Param, Size, SizeOrigin, Type};
use proc_macro2::TokenTree;

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
        threads: false,
        vis: quote!(pub),
        name: ident(name),
        sizes: all,
        params,
        result,
        is_inner: false,
        linearization: None,
        elem: Elem::F64,
        solution,
        checks: vec![],
        body: None,
        indices: vec![],
        variables: vec![],
        recomputed: Default::default(),
        comparisons: vec![],
        elements: vec![],
        written: vec![],
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
        callees: vec![],
        recs: vec![],
        comparisons: vec![],
    };
    loops::Program {
        function,
        work,
        vars: vec![],
        indices: vec![],
        body: vec![],
        scalars: vec![],
        unbounded: vec![],
        outside: Default::default(),
        shares: vec![],
        checkpoints: vec![],
        derived: vec![],
        blocks: vec![],
        padded: vec![],
        threads: false,
    }
}

/// `fn convolve<n, m>(x: [f64; n + m - 1], w: [f64; m]) -> [f64; n] where m <= n`
fn convolve() -> typed::Function {
    let (n, m) = (size(0), size(1));
    let mut x = n.plus_scaled(1, &m).unwrap();
    x.constant = -1;
    let mut f = signature(
        "convolve",
        &["n", "m"],
        vec![("x", tensor(vec![x])), ("w", tensor(vec![m.clone()]))],
        tensor(vec![n.clone()]),
    );
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
    text[start..end]
        .replace(' ', "")
        .replace("::core::primitive::", "")
        .replace("::tensor_rt::", "")
        .replace("::core::", "")
}

#[test]
fn signatures() {
    let items = super::function(&convolve(), None, &Docs::default());
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
    let items = super::function(&tuples(), None, &Docs::default());
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

/// The string literals of some tokens, in order.
fn literals(tokens: TokenStream, out: &mut Vec<String>) {
    for t in tokens {
        match t {
            TokenTree::Group(g) => literals(g.stream(), out),
            TokenTree::Literal(l) if l.to_string().starts_with('"') => {
                out.push(l.to_string().replace('"', ""))
            }
            TokenTree::Literal(_) | TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

/// What the entry function of `f_into` speaks of, in the order of its checks.
fn spoken(f: &typed::Function, program: &loops::Program) -> String {
    let s = Signature::new(f);
    let mut out = vec![];
    literals(entry::Entry::new(f, &s, program).complete(program), &mut out);
    out.join(" | ")
}

#[test]
fn checks_on_entry() {
    let buffer = loops::Buffer { name: "t".into(), extents: vec![size(0), size(1)], holds_indices: false };
    assert_eq!(
        spoken(&convolve(), &program(vec![buffer])),
        // the limit; n from x; the condition; the output; the lengths of x, w, out and t
        "x | w | out | x | n + m - 1 | n | x | n + m - 1 | n | m | where m <= n | n | m \
         | out | n | n | x | n | m | w | m | out | n | t | n | m"
    );
    assert_eq!(
        spoken(&tuples(), &program(vec![])),
        "t.0 | out_02 | out_1 | out_2 | k | t.0 | 2*n + 1 | n | out_02 | n | n | out_02 | 2 | out_1 | n | n \
         | out_2 | 3 | t.0 | n | out_02 | n | out_1 | n"
    );
}

#[test]
fn limits() {
    let of = |f: &typed::Function| {
        limit::limit(f, &Signature::new(f), &program(vec![])).to_string().replace(' ', "")
    };
    // n + m - 1: coefficients add up to 2, over indices to 4; constants 1, 2 · 1 + 1.
    assert_eq!(of(&convolve()), "const{::tensor_rt::__private::limit(4u64,3u64,1u32)}");
    let n = size(0);
    let triangle = Affine::from(Atom::Product(vec![Atom::Size(0), Atom::Size(0)]));
    let f = signature("f", &["n"], vec![("x", tensor(vec![n]))], tensor(vec![triangle]));
    assert_eq!(of(&f), "const{::tensor_rt::__private::limit(1u64,0u64,2u32)}");
}

#[test]
fn inline_blocks_evaluate_their_captures_outside() {
    let function = signature(
        "f",
        &["n"],
        vec![
            ("x", tensor(vec![size(0)])),
            ("s", Type::Real),
            ("t", Type::Tuple(vec![Type::Real, tensor(vec![size(0)])])),
        ],
        Type::Real,
    );
    let source = crate::ast::Inline {
        written: vec![],
        captures: vec![],
        body: crate::ast::Body {
            lets: vec![],
            value: Box::new(crate::ast::Expr {
                kind: crate::ast::ExprKind::Tuple(vec![]),
                span: Span::call_site().into(),
            }),
            span: Span::call_site().into(),
        },
    };
    let arguments = vec![quote!(self.x), quote!(s), quote!(&t)];
    let text =
        super::inline(&typed::Inline { function, arguments, source }, None).to_string().replace(' ', "");
    assert!(text.starts_with("match(&(self.x),&(s),&(&t),){__captured=>{"), "{text}");
    let call = "__tensor(__captured.0,::tensor_rt::__private::AsScalar::value(__captured.1),\
                (::tensor_rt::__private::AsScalar::value((&__captured.2.0)),(&__captured.2.1),))}}";
    assert!(text.ends_with(call), "{text}");
}

#[test]
fn rust_checks_the_functions_of_an_extern() {
    let source = quote!(extern fn f<n>(x: [f32; n, n], s: f32) -> ([f32; n], f32) { jvp = a::g, vjp = h });
    let text = crate::compile(source).to_string().replace(' ', "");
    let view = |name: &str| format!("::tensor_rt::ndarray::{name}<'_,::core::primitive::f32>");
    let f32 = "::core::primitive::f32";
    let (x, x_mut) = (view("ArrayView2"), view("ArrayViewMut2"));
    let (y, y_mut) = (view("ArrayView1"), view("ArrayViewMut1"));
    assert_eq!(
        text,
        [
            format!("const_:fn({x},{f32},{y_mut},&mut{f32})=f;"),
            format!("const_:fn({x},{f32},{x},{f32},{y_mut},&mut{f32})=a::g;"),
            format!("const_:fn({x},{f32},{y},{f32},{x_mut},&mut{f32})=h;"),
        ]
        .concat()
    );
}
