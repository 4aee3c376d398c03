//! Linearizations: a function that returns a value and a linear map, and the type of the map.
//!
//! ```text
//! fn f_lin       sizes → point: value and residuals → (value, FLin)
//! FLin::apply    residuals, sizes, tangents → tangents; apply_transpose likewise
//! ```

use super::entry::{Entry, affine, size};
use super::leaves::{hidden, local};
use super::signature::{Signature, literals};
use super::{Docs, body, call, docs, items, many_arguments};
use crate::emit::runtime::RT;
use crate::index::project::Sizes;
use crate::index::{Affine, Atom};
use crate::loops::Program;
use crate::names::plain;
use crate::typed::{Function, Linearization, Param, Size, SizeOrigin, Type};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// What runs behind a linearization.
#[derive(Clone, Debug)]
pub struct LinearMap {
    /// The value with what is stored, the map, its transpose.
    pub programs: [Program; 3],
    /// Of these.
    pub docs: [Docs; 3],
    /// The extents of what is stored.
    pub residuals: Vec<Vec<Affine>>,
}

/// The items of a linearization. Without programs (the function had errors) all of them return `Error::NotCompiled`.
#[must_use]
pub fn linearization(f: &Function, l: &Linearization, map: Option<&LinearMap>) -> TokenStream {
    let name = type_name(&f.name);
    let fields = match map {
        Some(map) => {
            let residuals = Signature::new(&returning(f, residual_type(map))).result();
            let count = Literal::usize_unsuffixed(stored_sizes(f).len());
            quote!({ sizes: [::core::primitive::usize; #count], residuals: #residuals })
        }
        None => quote!({}),
    };
    let function = function(f, &name, map);
    let apply = method(f, &l.apply, map.map(|m| (m, &m.programs[1], &m.docs[1])), APPLY);
    let transpose = method(f, &l.apply_transpose, map.map(|m| (m, &m.programs[2], &m.docs[2])), TRANSPOSE);
    let (vis, debug) = (&f.vis, debug(f, &name, map.is_some()));
    let cfg = crate::variants::cfgs(&f.attrs);
    let doc =
        format!("The derivative of a function at a point: a linear map, made by {}.", docs::link(&f.name));
    quote! {
        #function
        #cfg
        #[doc = #doc]
        #[derive(::core::clone::Clone)]
        #vis struct #name #fields
        #cfg
        #debug
        #cfg
        impl #name {
            #apply
            #transpose
        }
    }
}

/// `NetLinear { n: 5, .. }`: the sizes. What is stored may be much, and has no names that users know.
fn debug(f: &Function, name: &Ident, is_compiled: bool) -> TokenStream {
    let text = name.to_string();
    let stored = stored_sizes(f);
    let sizes = stored.iter().enumerate().filter(|_| is_compiled).map(|(at, k)| {
        let (name, at) = (&f.sizes[*k].name, Literal::usize_unsuffixed(at));
        hygienic!(.field(#name, &self.sizes[#at]))
    });
    hygienic! {
        impl ::core::fmt::Debug for #name {
            fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                formatter.debug_struct(#text) #(#sizes)* .finish_non_exhaustive()
            }
        }
    }
}

const APPLY: &str = "The derivative in a direction.";
const TRANSPOSE: &str = "The transpose: cotangents of the arguments for one of the result.";

/// `MisfitLinear` for `misfit_linear`.
fn type_name(name: &Ident) -> Ident {
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        first + letters.as_str()
    };
    let text: String = plain(name).split('_').map(capital).collect();
    // What is left may be nothing, a number, or `Self`.
    let is_name = text.starts_with(|c: char| !c.is_numeric()) && text != "Self";
    Ident::new(&if is_name { text } else { format!("Linear{text}") }, name.span())
}

/// The sizes that the map keeps, all but constants: their numbers.
fn stored_sizes(f: &Function) -> Vec<usize> {
    let is_stored = |s: &Size| !matches!(s.origin, SizeOrigin::Constant(_));
    (0..f.sizes.len()).filter(|k| is_stored(&f.sizes[*k])).collect()
}

fn tensor(extents: &[Affine]) -> Type {
    if extents.is_empty() { Type::Real } else { Type::Array(extents.to_vec(), Box::new(Type::Real)) }
}

fn residual_type(map: &LinearMap) -> Type {
    Type::Tuple(map.residuals.iter().map(|r| tensor(r)).collect())
}

/// A private function with the parameters of `f`.
fn returning(f: &Function, result: Type) -> Function {
    let (attrs, vis) = (TokenStream::new(), TokenStream::new());
    Function { attrs, vis, result, body: None, ..f.clone() }
}

/// `fn f_lin(…) -> Result<(value, FLin), Error>`
fn function(f: &Function, name: &Ident, map: Option<&LinearMap>) -> TokenStream {
    let s = Signature::new(f);
    let (attrs, vis, own, params, value) = (&f.attrs, &f.vis, &f.name, s.params(), s.result());
    let body = match map {
        Some(map) => at_point(f, name, map),
        None => call::not_compiled(&s, false),
    };
    let doc = docs::of_function(f, &s, &map.map(|m| m.docs[0].clone()).unwrap_or_default());
    let allowed = many_arguments(params.len());
    quote! {
        #attrs
        #doc
        #allowed
        #vis fn #own(#(#params),*) -> ::core::result::Result<(#value, #name), #RT::Error> {
            #body
        }
    }
}

/// The value, the residuals and the sizes.
fn at_point(f: &Function, name: &Ident, map: &LinearMap) -> TokenStream {
    let program = &map.programs[0];
    let mut point = returning(f, Type::Tuple(vec![f.result.clone(), residual_type(map)]));
    point.name = free("point", f);
    let s = Signature::new(&point);
    let body = body::function(program, s.body());
    let items = items(&point, &s, Some((program, &body)), &Docs::default());
    let sizes = sizes(f, program);
    let (point, args) = (&point.name, f.params.iter().map(|p| &p.name));
    hygienic! {
        #items
        let __sizes = #sizes;
        let (__value, __residuals) = #point(#(#args),*)?;
        ::core::result::Result::Ok((__value, #name { sizes: __sizes, residuals: __residuals }))
    }
}

/// A name that no parameter has.
fn free(name: &str, f: &Function) -> Ident {
    let mut name = name.to_string();
    while f.params.iter().any(|p| plain(&p.name) == name) {
        name.push('_');
    }
    hidden(&name)
}

/// The sizes, as the extents of vectors of these lengths.
fn sizes(f: &Function, program: &Program) -> TokenStream {
    let stored = stored_sizes(f);
    let vector = |k: &usize| tensor(&[Atom::Size(u32::try_from(*k).unwrap_or(u32::MAX)).into()]);
    let witness = returning(f, Type::Tuple(stored.iter().map(vector).collect()));
    let s = Signature::new(&witness);
    let entry = Entry::new(&witness, &s, program);
    let (items, bind) = (entry.extents(), s.bind_inputs());
    let (shapes, dims) = call::shapes(&s, &s.inputs.iter().collect::<Vec<_>>());
    let (by_value, entry) = (entry.by_value(), s.entry());
    hygienic! {
        {
            #items
            #bind
            #shapes
            #entry([#(#dims),*], [#(#by_value),*])?
        }
    }
}

/// `apply` and `apply_into`, or their transposes.
fn method(
    f: &Function,
    m: &Function,
    map: Option<(&LinearMap, &Program, &Docs)>,
    about: &str,
) -> TokenStream {
    let s = Signature::new(m);
    let (name, into) = (local(&plain(&m.name)), local(&format!("{}_into", m.name)));
    let (vis, elem, params, outputs) = (&f.vis, s.elem(), s.params(), s.outputs());
    let (result, scalars, work) = (s.result(), s.scalars(), s.work());
    let (body, body_into) = match map {
        Some((map, program, _)) => (allocating(f, m, &s, &into), runs(f, m, &s, map, program)),
        None => (call::not_compiled(&s, false), call::not_compiled(&s, true)),
    };
    let cost = map.map_or(String::new(), |(_, _, d)| format!(", in at most `{}` operations", d.cost));
    let text = about.trim_end_matches('.');
    let doc = format!("{text}{cost}.\n\n# Errors\n\nIf the shape of the argument is not that of the point.");
    let doc_into = format!(
        "Like [`Self::{}`], but writes to outputs and works in `{work}`: nothing is allocated once that has grown to size.\n\n\
         # Errors\n\nIf a shape is not that of the point. Everything is checked before anything is written.",
        m.name
    );
    let allowed = many_arguments(params.len() + outputs.len() + 2);
    hygienic! {
        #[doc = #doc]
        #vis fn #name(&self, #(#params),*) -> ::core::result::Result<#result, #RT::Error> {
            #body
        }
        #[doc = #doc_into]
        #allowed
        #vis fn #into(&self, #(#params,)* #(#outputs,)* #work: &mut #RT::Workspace<#elem>)
            -> ::core::result::Result<#scalars, #RT::Error>
        {
            #body_into
        }
    }
}

/// Allocates the outputs and calls the method that writes to them.
fn allocating(f: &Function, m: &Function, s: &Signature, into: &Ident) -> TokenStream {
    let dynamic: Vec<&Affine> =
        s.tensors().filter(|l| literals(&l.extents).is_none()).flat_map(|l| &l.extents).collect();
    let bind = if dynamic.is_empty() { TokenStream::new() } else { bind_sizes(f, &dynamic) };
    let extents = s.tensors().flat_map(|l| &l.extents).map(affine);
    let extents = (!dynamic.is_empty())
        .then(|| hygienic!(let __extents = [#((#extents) as ::core::primitive::usize),*];));
    let mut first = 0;
    let outputs = s.tensors().map(|l| {
        let (var, zeros) = (&l.var, call::zeros(l, first));
        first += l.extents.len();
        hygienic!(let mut #var = #zeros;)
    });
    let vars = s.tensors().map(|l| &l.var);
    let args = m.params.iter().map(|p| &p.name);
    let (scalars, elem, result) = (s.scalar_vars(), s.elem(), s.result_value());
    hygienic! {
        #bind
        #extents
        #(#outputs)*
        let #scalars = self.#into(#(#args,)* #(&mut #vars,)* &mut #RT::Workspace::<#elem>::new())?;
        ::core::result::Result::Ok(#result)
    }
}

/// `let size0 = …;` for the sizes in some forms.
fn bind_sizes(f: &Function, forms: &[&Affine]) -> TokenStream {
    let stored = stored_sizes(f);
    let mut out = TokenStream::new();
    for (k, s) in f.sizes.iter().enumerate() {
        let atom = Atom::Size(u32::try_from(k).unwrap_or(u32::MAX));
        if !forms.iter().any(|a| a.mentions(&atom)) {
            continue;
        }
        let (var, at) = (size(k), stored.iter().position(|i| *i == k).map(Literal::usize_unsuffixed));
        let value = match (&s.origin, at) {
            (SizeOrigin::Constant(path), _) => quote!(#path),
            (SizeOrigin::Shape(_) | SizeOrigin::Parameter(_), at) => hygienic!(self.sizes[#at]),
        };
        out.extend(hygienic!(let #var = #value as ::core::primitive::isize;));
    }
    out
}

/// Calls a function of the residuals, the arguments and the sizes.
fn runs(f: &Function, m: &Function, s: &Signature, map: &LinearMap, program: &Program) -> TokenStream {
    let inner = inner(f, m, map);
    let t = Signature::new(&inner);
    let (run, elem, params, outputs) = (hidden("run"), t.elem(), t.params(), t.outputs());
    let (work, scalars) = (t.work(), t.scalars());
    let body = body::function(program, t.body());
    let body = call::into(&inner, &t, program, &body);
    let residuals = map.residuals.iter().enumerate().map(|(k, extents)| {
        let k = Literal::usize_unsuffixed(k);
        if extents.is_empty() { hygienic!(self.residuals.#k) } else { hygienic!(&self.residuals.#k) }
    });
    let args = m.params.iter().map(|p| &p.name);
    let sizes = (0..stored_sizes(f).len()).map(Literal::usize_unsuffixed);
    let outs = s.tensors().map(|l| &l.var);
    let own_work = s.work();
    let allowed = many_arguments(params.len() + outputs.len() + 1);
    hygienic! {
        #allowed
        fn #run(#(#params,)* #(#outputs,)* #work: &mut #RT::Workspace<#elem>)
            -> ::core::result::Result<#scalars, #RT::Error>
        {
            #body
        }
        #run(#(#residuals,)* #(#args,)* #(self.sizes[#sizes],)* #(#outs,)* #own_work)
    }
}

/// The function that a method runs: residuals, arguments, sizes.
fn inner(f: &Function, m: &Function, map: &LinearMap) -> Function {
    let param = |name: String, ty: Type| Param { name: hidden(&name), ty, var: None };
    let residuals = map.residuals.iter().enumerate();
    let mut params: Vec<Param> = residuals.map(|(k, r)| param(format!("residual{k}"), tensor(r))).collect();
    params.extend(m.params.iter().cloned());
    let mut sizes = f.sizes.clone();
    for k in stored_sizes(f) {
        sizes[k].origin = SizeOrigin::Parameter(params.len());
        params.push(param(format!("kept{k}"), Type::Size));
    }
    Function { params, sizes, solution: Sizes::default(), checks: vec![], body: None, ..m.clone() }
}
