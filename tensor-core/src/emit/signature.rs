//! Names and Rust types of what goes into a function and what comes out.

use super::leaves::{Tree, hidden, local};
use crate::ast::Elem;
use crate::emit::runtime::RT;
use crate::index::{Affine, Names};
use crate::names::plain;
use crate::typed::{Definition, Function, Param, Transform};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

/// A leaf of the parameters or of the result.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// As errors call it: `t.0`.
    pub name: String,
    /// None for a scalar.
    pub extents: Vec<Affine>,
    /// The variable that holds it.
    pub var: Ident,
}

impl Leaf {
    /// Whether it is passed by reference.
    pub fn is_tensor(&self) -> bool {
        !self.extents.is_empty()
    }
}

/// See the module documentation.
pub(super) struct Signature<'a> {
    f: &'a Function,
    trees: Vec<Tree>,
    result: Tree,
    /// The leaves of the parameters, in order.
    pub inputs: Vec<Leaf>,
    /// The leaves of the result, in order. The variable of a tensor is the name of the output.
    pub results: Vec<Leaf>,
    work: Ident,
    entry: Ident,
    body: Ident,
}

impl<'a> Signature<'a> {
    /// Chooses the names.
    pub fn new(f: &'a Function) -> Signature<'a> {
        let trees: Vec<Tree> = f.params.iter().map(|p| Tree::new(&p.ty)).collect();
        let result = Tree::new(&f.result);
        let inputs = f.params.iter().zip(&trees).flat_map(|(p, t)| t.leaves(&plain(&p.name)));
        let inputs: Vec<Leaf> = inputs
            .enumerate()
            .map(|(k, (name, extents))| Leaf { name, extents, var: hidden(&format!("input{k}")) })
            .collect();
        let mut taken: Vec<String> = f.params.iter().map(|p| plain(&p.name)).collect();
        let results = result.leaves("").into_iter().map(|l| l.1).collect();
        let results = name_results(f, &inputs, results, &mut taken);
        let work = local(&free("work", &mut taken));
        // An item hides any parameter of its name.
        let (entry, body) = (hidden(&free("entry", &mut taken)), hidden(&free("body", &mut taken)));
        Signature { f, trees, result, inputs, results, work, entry, body }
    }

    /// `f64`
    pub fn elem(&self) -> TokenStream {
        match self.f.elem {
            Elem::F64 => quote!(::core::primitive::f64),
            Elem::F32 => quote!(::core::primitive::f32),
        }
    }

    /// The parameters as declared.
    pub fn all_params(&self) -> &[Param] {
        &self.f.params
    }

    /// `a: &(impl AsTensor<f64, 2> + ?Sized)`
    pub fn params(&self) -> Vec<TokenStream> {
        let elem = self.elem();
        let ty = |extents: &[Affine]| {
            let rank = Literal::usize_unsuffixed(extents.len());
            match extents {
                [] => elem.clone(),
                _ => quote!(&(impl #RT::AsTensor<#elem, #rank> + ?::core::marker::Sized)),
            }
        };
        let one = |(p, t): (&Param, &Tree)| {
            let (name, ty) = (&p.name, t.map(&mut |e| ty(e)));
            quote!(#name: #ty)
        };
        self.f.params.iter().zip(&self.trees).map(one).collect()
    }

    /// `let (input0, input1) = t;`: a variable for each leaf.
    pub fn bind_inputs(&self) -> TokenStream {
        let mut vars = self.inputs.iter().map(|l| &l.var);
        let one = |(p, t): (&Param, &Tree)| {
            let name = &p.name;
            match t {
                Tree::Size => TokenStream::new(),
                Tree::Leaf(_) | Tree::Tuple(_) => {
                    let pattern = t.map(&mut |_| vars.next().map_or_else(|| quote!(_), |v| quote!(#v)));
                    quote!(let #pattern = #name;)
                }
            }
        };
        self.f.params.iter().zip(&self.trees).map(one).collect()
    }

    /// The type of the result: arrays of `ndarray`, or Rust arrays where every extent is a literal.
    pub fn result(&self) -> TokenStream {
        let elem = self.elem();
        self.result.map(&mut |extents| array(&elem, extents))
    }

    /// The value of the result, of its leaves.
    pub fn result_value(&self) -> TokenStream {
        let mut vars = self.results.iter().map(|l| &l.var);
        self.result.map(&mut |_| vars.next().map_or_else(|| quote!(()), |v| quote!(#v)))
    }

    /// `out: &mut (impl AsTensorMut<f64, 1> + ?Sized)`
    pub fn outputs(&self) -> Vec<TokenStream> {
        let elem = self.elem();
        let one = |l: &Leaf| {
            let (var, rank) = (&l.var, Literal::usize_unsuffixed(l.extents.len()));
            quote!(#var: &mut (impl #RT::AsTensorMut<#elem, #rank> + ?::core::marker::Sized))
        };
        self.tensors().map(one).collect()
    }

    /// The leaves of the result that are tensors.
    pub fn tensors(&self) -> impl Iterator<Item = &Leaf> {
        self.results.iter().filter(|l| l.is_tensor())
    }

    /// What `f_into` returns: `()`, a scalar, or a flat tuple.
    pub fn scalars(&self) -> TokenStream {
        let elem = self.elem();
        flat(self.results.iter().filter(|l| !l.is_tensor()).map(|_| elem.clone()).collect())
    }

    /// The variables of the scalars, as `f_into` returns them.
    pub fn scalar_vars(&self) -> TokenStream {
        flat(self.results.iter().filter(|l| !l.is_tensor()).map(|l| &l.var).map(|v| quote!(#v)).collect())
    }

    /// The name of the workspace.
    pub fn work(&self) -> &Ident {
        &self.work
    }

    /// The name of the function that checks the shapes.
    pub fn entry(&self) -> &Ident {
        &self.entry
    }

    /// The name of the function that runs the program.
    pub fn body(&self) -> &Ident {
        &self.body
    }

    /// Names for printing.
    pub fn names(&self) -> Names {
        self.f.names()
    }
}

/// Nothing, one, or a tuple.
fn flat(parts: Vec<TokenStream>) -> TokenStream {
    match parts.as_slice() {
        [one] => one.clone(),
        all => quote!((#(#all),*)),
    }
}

/// `name`, or `name2`, … if that is taken; now it is.
fn free(name: &str, taken: &mut Vec<String>) -> String {
    let mut chosen = name.to_string();
    let mut k = 2;
    while taken.contains(&chosen) {
        chosen = format!("{name}{k}");
        k += 1;
    }
    taken.push(chosen.clone());
    chosen
}

/// Names of the outputs: `x_bar` for derivatives by `x`, `out` for a single one, else `out_0`, `out_1`, …
fn name_results(
    f: &Function,
    inputs: &[Leaf],
    results: Vec<Vec<Affine>>,
    taken: &mut Vec<String>,
) -> Vec<Leaf> {
    let derivatives = derivative_names(f, inputs);
    let primal = results.len().saturating_sub(derivatives.len());
    let tensors = results[..primal].iter().filter(|e| !e.is_empty()).count();
    let mut leaves = vec![];
    let mut number = 0;
    for (k, extents) in results.into_iter().enumerate() {
        let var = if extents.is_empty() {
            hidden(&format!("scalar{k}"))
        } else {
            let name = if k >= primal {
                derivatives[k - primal].clone()
            } else if tensors == 1 {
                "out".to_string()
            } else {
                number += 1;
                format!("out_{}", number - 1)
            };
            local(&free(&name, taken))
        };
        leaves.push(Leaf { name: var.to_string(), extents, var });
    }
    leaves
}

/// Names of the last results of a derivative: `x_bar` for that by `x`, and `x_bar_dot` for its own.
fn derivative_names(f: &Function, inputs: &[Leaf]) -> Vec<String> {
    let Some(Definition::Transform { transform, wrt, .. }) = &f.body else { return vec![] };
    let of = |k: &usize| inputs.get(*k).map_or_else(|| "x".to_string(), |l| l.name.replace('.', "_"));
    let bars = || wrt.iter().flatten().map(|k| format!("{}_bar", of(k)));
    match transform {
        Transform::Grad | Transform::ValueAndGrad | Transform::Vjp => bars().collect(),
        Transform::Hvp => bars().chain(bars().map(|b| format!("{b}_dot"))).collect(),
        Transform::Jvp | Transform::Jacobian | Transform::Hessian => vec![],
        Transform::Transpose | Transform::Linearize => vec![],
    }
}

/// How many dimensions an array of Rust has at most that is an output: see `AsTensorMut`.
const DIMENSIONS: usize = 4;

/// The extents, if all are literals: then it is an array of Rust.
pub(super) fn literals(extents: &[Affine]) -> Option<Vec<usize>> {
    if extents.len() > DIMENSIONS {
        return None;
    }
    extents.iter().map(|e| usize::try_from(e.constant).ok().filter(|_| e.is_constant())).collect()
}

/// `f64`, `[[f64; 3]; 2]`, `Array<f64, Ix2>`
fn array(elem: &TokenStream, extents: &[Affine]) -> TokenStream {
    if let Some(lengths) = literals(extents) {
        return lengths.iter().rev().fold(elem.clone(), |row, len| {
            let len = Literal::usize_unsuffixed(*len);
            quote!([#row; #len])
        });
    }
    let name = match extents.len() {
        rank @ 1..=6 => format_ident!("Array{rank}", span = Span::mixed_site()),
        _ => local("ArrayD"),
    };
    quote!(#RT::ndarray::#name<#elem>)
}
