//! Functions of flat tensors that call what is compiled, each in one of its forms.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use tensor_core::typed::{Block, Function, Param, Type};

/// What of a program is called.
#[derive(Clone, Copy)]
pub struct Forms {
    /// The forms that allocate their results.
    returned: bool,
    /// Linear maps, which write to outputs, and nothing else.
    only_maps: bool,
    /// `f` and what is named after it, and nothing else.
    only_f: bool,
}

impl Forms {
    /// All functions, both forms.
    pub const ALL: Forms = Forms { returned: true, only_maps: false, only_f: false };
    /// The linear maps.
    pub const MAPS: Forms = Forms { returned: false, only_maps: true, only_f: false };
    /// What writes to outputs, of a random program.
    pub const OF_F: Forms = Forms { returned: false, only_maps: false, only_f: true };
    /// Both forms, of a random program.
    pub const OF_F_BOTH: Forms = Forms { returned: true, only_maps: false, only_f: true };
}

/// A module `calls`; and for each of its functions, which one of the block has its results.
pub fn calls(block: &Block, elem: &Ident, forms: Forms) -> (TokenStream, Vec<(String, Ident)>) {
    let (mut items, mut names) = (TokenStream::new(), vec![]);
    let mut add = |of: String, form: &str, item: &dyn Fn(&Ident) -> TokenStream| {
        let name = format_ident!("{of}_{form}");
        items.extend(item(&name));
        names.push((of, name));
    };
    let is_called = |name: &str| !forms.only_f || name == "f" || name == "f_t";
    // A transform inside another is no item.
    for f in block.functions.iter().filter(|f| !f.is_inner && is_called(&f.name.to_string())) {
        match &f.linearization {
            None if forms.only_maps => {}
            None => {
                if forms.returned {
                    add(f.name.to_string(), "returned", &|name| returned(f, name, elem));
                }
                add(f.name.to_string(), "written", &|name| written(f, name, elem));
            }
            Some(l) => {
                for (mode, method) in [("jvp", &l.apply), ("vjp", &l.apply_transpose)] {
                    let of = format!("{}_{mode}", f.name);
                    if forms.returned {
                        add(of.clone(), "returned", &|name| applied(f, method, true, name, elem));
                    }
                    add(of, "written", &|name| applied(f, method, false, name, elem));
                }
            }
        }
    }
    (quote!(pub mod calls { #items }), names)
}

/// The body of a function as an inline block, over captures of these types.
pub fn inline(f: &Function, captured: &[(&str, &str)], body: &str, elem: &Ident) -> (TokenStream, Ident) {
    let (lets, args) = arguments(&f.params, &mut 0, elem);
    let tokens = |text: &str| text.parse::<TokenStream>().expect("tokens");
    let captures = captured.iter().zip(&args).map(|((name, ty), value)| {
        let (name, ty) = (tokens(name), tokens(ty));
        quote!(#name: #ty = #value)
    });
    let (body, name) = (tokens(body), format_ident!("{}_inline", f.name));
    let value = quote!(tensor_rt::tensor!(|#(#captures),*| #body)?);
    (call(&name, &quote!(#lets let result = #value; Ok(tensor_tests::Flatten::flatten(&result)))), name)
}

/// `pub fn f(sizes, args, shapes) -> results`, of flat tensors.
fn call(name: &Ident, body: &TokenStream) -> TokenStream {
    quote! {
        #[allow(unused_variables)]
        pub fn #name(
            sizes: &[usize],
            args: &[tensor_tests::Tensor],
            shapes: &[Vec<usize>],
        ) -> Result<Vec<tensor_tests::Tensor>, tensor_rt::Error> {
            #body
        }
    }
}

/// The form that allocates its results.
fn returned(f: &Function, name: &Ident, elem: &Ident) -> TokenStream {
    let own = &f.name;
    let (lets, args) = arguments(&f.params, &mut 0, elem);
    call(
        name,
        &quote!(#lets let result = super::#own(#(#args),*)?; Ok(tensor_tests::Flatten::flatten(&result))),
    )
}

/// The form that writes to outputs.
fn written(f: &Function, name: &Ident, elem: &Ident) -> TokenStream {
    let own = format_ident!("{}_into", f.name);
    let (lets, args) = arguments(&f.params, &mut 0, elem);
    let results = into(&quote!(super::#own), &args, &f.result, 0, elem);
    call(name, &quote!(#lets Ok(#results)))
}

/// The value and a linear map at that point, in the form that allocates its results or in the other.
fn applied(f: &Function, method: &Function, is_returned: bool, name: &Ident, elem: &Ident) -> TokenStream {
    let (own, plain, into_name) = (&f.name, &method.name, format_ident!("{}_into", method.name));
    let mut leaf = 0;
    let (lets, args) = arguments(&f.params, &mut leaf, elem);
    let (more, directions) = arguments(&method.params, &mut leaf, elem);
    let mut before = vec![];
    leaves(&f.result, 0, &mut before);
    let results = if is_returned {
        quote!(tensor_tests::Flatten::flatten(&map.#plain(#(#directions),*)?))
    } else {
        into(&quote!(map.#into_name), &directions, &method.result, before.len(), elem)
    };
    let body = quote! {
        #lets
        #more
        let (value, map) = super::#own(#(#args),*)?;
        let mut all = tensor_tests::Flatten::flatten(&value);
        all.extend(#results);
        Ok(all)
    };
    call(name, &body)
}

/// A call with outputs full of NaN, and a workspace full of what others left in it. The shapes of the leaves are those from the `first` on.
fn into(path: &TokenStream, args: &[TokenStream], result: &Type, first: usize, elem: &Ident) -> TokenStream {
    let mut ranks = vec![];
    leaves(result, 0, &mut ranks);
    let names: Vec<Ident> = (0..ranks.len()).map(|k| format_ident!("out{k}")).collect();
    let outs = || names.iter().zip(&ranks).filter(|(_, rank)| **rank > 0).map(|(name, _)| name);
    let scalars: Vec<&Ident> = names.iter().zip(&ranks).filter(|(_, r)| **r == 0).map(|(n, _)| n).collect();
    let pattern = if let [one] = scalars.as_slice() { quote!(#one) } else { quote!((#(#scalars),*)) };
    let lets =
        names.iter().zip(&ranks).enumerate().filter(|(_, (_, rank))| **rank > 0).map(|(k, (name, rank))| {
            let k = first + k;
            let shape = (0..*rank).map(|d| quote!(shapes[#k][#d]));
            quote!(let mut #name = (vec![#elem::NAN; shapes[#k].iter().product()], [#(#shape),*]);)
        });
    let outputs = outs().map(|name| quote!(&mut #name,));
    let tensors = names.iter().zip(&ranks).map(|(name, rank)| match rank {
        0 => quote!(tensor_tests::Tensor::of(&[], &[#name])),
        _ => quote!(tensor_tests::Tensor::of(&#name.1, &#name.0)),
    });
    quote!({
        #(#lets)*
        let #pattern = tensor_tests::in_used(|work| #path(#(#args,)* #(#outputs)* work))?;
        vec![#(#tensors),*]
    })
}

/// The ranks of the leaves of a type, in order.
fn leaves(ty: &Type, rank: usize, out: &mut Vec<usize>) {
    match ty {
        Type::Real => out.push(rank),
        Type::Array(extents, element) => leaves(element, rank + extents.len(), out),
        Type::Tuple(parts) => parts.iter().for_each(|p| leaves(p, rank, out)),
        Type::Size => {}
    }
}

/// What is bound before a call, and its arguments: of the leaves from a number on.
fn arguments(params: &[Param], leaf: &mut usize, elem: &Ident) -> (TokenStream, Vec<TokenStream>) {
    let (mut lets, mut size) = (TokenStream::new(), 0_usize);
    let mut args = vec![];
    for p in params {
        args.push(match &p.ty {
            Type::Size => {
                size += 1;
                let k = size - 1;
                quote!(sizes[#k])
            }
            ty => argument(ty, 0, leaf, &mut lets, elem),
        });
    }
    (lets, args)
}

/// An argument of a type, of `rank` more dimensions around it.
fn argument(
    ty: &Type,
    rank: usize,
    leaf: &mut usize,
    lets: &mut TokenStream,
    elem: &proc_macro2::Ident,
) -> TokenStream {
    match ty {
        Type::Real => {
            let k = *leaf;
            *leaf += 1;
            let name = format_ident!("leaf{k}");
            lets.extend(quote!(let #name = args[#k].elements::<#elem>();));
            if rank == 0 {
                return quote!(#name[0]);
            }
            let shape = (0..rank).map(|d| quote!(args[#k].shape[#d]));
            lets.extend(quote!(let #name = (&#name[..], [#(#shape),*]);));
            quote!(&#name)
        }
        Type::Array(extents, element) => argument(element, rank + extents.len(), leaf, lets, elem),
        Type::Tuple(parts) => {
            let parts: Vec<_> = parts.iter().map(|p| argument(p, rank, leaf, lets, elem)).collect();
            quote!((#(#parts),*,))
        }
        Type::Size => quote!(0),
    }
}
