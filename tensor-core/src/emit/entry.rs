//! What is checked on entry: sizes from shapes, and that all of them fit together.
//!
//! All of it is one function of numbers: the dimensions of the tensors, and the sizes that are given by value.

use super::leaves::hidden;
use super::limit;
use super::signature::{Leaf, Signature};
use crate::emit::runtime::RT;
use crate::index::project::Value;
use crate::index::{Affine, Atom, Cond, Names};
use crate::loops::{Derived, Program};
use crate::sorted::Map;
use crate::typed::{Function, SizeOrigin};
use crate::weights;
use proc_macro2::{Ident, Literal, TokenStream};

/// What the entry function is made of.
pub(super) struct Entry<'a> {
    f: &'a Function,
    s: &'a Signature<'a>,
    names: Names,
    limit: TokenStream,
}

/// The variable of a size.
pub(super) fn size(k: usize) -> Ident {
    hidden(&format!("size{k}"))
}

/// The variable of a dimension of the parameters.
fn dim(d: usize) -> Ident {
    hidden(&format!("dim{d}"))
}

impl<'a> Entry<'a> {
    /// For this function.
    pub fn new(f: &'a Function, s: &'a Signature<'a>, program: &Program) -> Entry<'a> {
        Entry { f, s, names: s.names(), limit: limit::limit(f, s, program) }
    }

    /// `fn entry(dims, by_value) -> Result<[usize; outputs' dimensions], Error>`: the extents of the outputs.
    pub fn extents(&self) -> TokenStream {
        let inputs: Vec<&Leaf> = self.s.inputs.iter().collect();
        let checks = self.checks(&inputs);
        let (dims, by_value) = (self.dims(&inputs), self.by_value_len());
        let outputs: Vec<&Leaf> = self.s.tensors().collect();
        // Of the arguments too: nothing is allocated before they are seen to be sound.
        let tensors = inputs.iter().filter(|l| l.is_tensor()).chain(&outputs);
        let (lengths, _) = self.lengths(tensors.map(|l| (l.name.as_str(), l.extents.as_slice())));
        let extents = outputs.iter().flat_map(|l| &l.extents).map(affine);
        let (count, name) = (self.dims(&outputs), self.s.entry());
        hygienic! {
            fn #name(
                __dims: [::core::primitive::usize; #dims],
                __by_value: [::core::primitive::usize; #by_value],
            ) -> ::core::result::Result<[::core::primitive::usize; #count], #RT::Error> {
                #checks
                #lengths
                ::core::result::Result::Ok([#((#extents) as ::core::primitive::usize),*])
            }
        }
    }

    /// `fn entry(dims, by_value) -> Result<([isize; sizes], [usize; lengths]), Error>`, where `dims` are those of the parameters, then those of the outputs,
    /// and the lengths are those of the tensors among the parameters, of the outputs, and of the buffers.
    pub fn complete(&self, program: &Program) -> TokenStream {
        let leaves: Vec<&Leaf> = self.s.inputs.iter().chain(self.s.tensors()).collect();
        let checks = self.checks(&leaves);
        let (dims, by_value) = (self.dims(&leaves), self.by_value_len());
        let outputs = self.output_checks();
        let tensors =
            leaves.iter().filter(|l| l.is_tensor()).map(|l| (l.name.as_str(), l.extents.as_slice()));
        let buffers = program.workspace().map(|b| (b.name.as_str(), b.extents.as_slice()));
        let (found, lengths) = self.lengths(tensors.chain(buffers));
        let derived: TokenStream =
            program.derived.iter().enumerate().map(|(k, d)| self.derived(k, d)).collect();
        let sizes = (0..program.function.sizes.len()).map(size);
        let (size_count, length_count) = (count(program.function.sizes.len()), count(lengths.len()));
        let name = self.s.entry();
        hygienic! {
            fn #name(
                __dims: [::core::primitive::usize; #dims],
                __by_value: [::core::primitive::usize; #by_value],
            ) -> ::core::result::Result<
                ([::core::primitive::isize; #size_count], [::core::primitive::usize; #length_count]),
                #RT::Error,
            > {
                #checks
                #outputs
                #derived
                #found
                ::core::result::Result::Ok(([#(#sizes),*], [#(#lengths),*]))
            }
        }
    }

    /// A size that others say.
    fn derived(&self, k: usize, derived: &Derived) -> TokenStream {
        let (var, of) = (size(self.f.sizes.len() + k), affine(derived.of()));
        match derived {
            Derived::Root(_) => hygienic!(let #var = #RT::__private::root(#of);),
            Derived::Lanes(_) => hygienic!(let #var = #RT::__private::lanes(#of);),
        }
    }

    /// The arguments of `entry` that are sizes given by value.
    pub fn by_value(&self) -> Vec<&Ident> {
        let one = |s: &crate::typed::Size| match s.origin {
            SizeOrigin::Parameter(k) => self.f.params.get(k).map(|p| &p.name),
            SizeOrigin::Shape(_) | SizeOrigin::Constant(_) => None,
        };
        self.f.sizes.iter().filter_map(one).collect()
    }

    fn by_value_len(&self) -> Literal {
        count(self.by_value().len())
    }

    fn dims(&self, leaves: &[&Leaf]) -> Literal {
        count(leaves.iter().map(|l| l.extents.len()).sum())
    }

    /// Dimensions within the limit, sizes, dimensions that are their extents, conditions.
    fn checks(&self, leaves: &[&Leaf]) -> TokenStream {
        let arguments = leaves.iter().filter(|l| l.is_tensor()).map(|l| {
            let (name, rank) = (&l.name, count(l.extents.len()));
            hygienic!((#name, #rank))
        });
        let dims: Vec<Ident> = (0..leaves.iter().map(|l| l.extents.len()).sum()).map(dim).collect();
        let limit = &self.limit;
        let known = self.known_sizes();
        let found = self.f.solution.found.iter().map(|v| self.found(v));
        let equal = self.input_dims().enumerate().map(|(d, (leaf, k))| self.dimension(d, leaf, k));
        let conditions = self.f.checks.iter().map(|c| self.condition(&c.condition, &c.text));
        hygienic! {
            let __limit = #limit;
            #RT::__private::within(__limit, &__dims, &[#(#arguments),*])?;
            let [#(#dims),*] = __dims;
            #(let #dims = #dims as ::core::primitive::isize;)*
            #known
            #(#found)*
            #(#equal)*
            #(#conditions)*
        }
    }

    /// The dimensions of the parameters: the leaf, and which of its dimensions it is.
    fn input_dims(&self) -> impl Iterator<Item = (&Leaf, usize)> {
        self.s.inputs.iter().flat_map(|l| (0..l.extents.len()).map(move |k| (l, k)))
    }

    /// Sizes that are parameters or constants.
    fn known_sizes(&self) -> TokenStream {
        let mut out = TokenStream::new();
        let mut given = 0_usize;
        for (k, s) in self.f.sizes.iter().enumerate() {
            let (var, name) = (size(k), &s.name);
            let value = match &s.origin {
                SizeOrigin::Shape(_) => continue,
                SizeOrigin::Parameter(_) => {
                    given += 1;
                    let at = count(given - 1);
                    hygienic!(__by_value[#at])
                }
                SizeOrigin::Constant(path) => hygienic!(#path),
            };
            out.extend(hygienic!(let #var = #RT::__private::size(__limit, #name, #value)?;));
        }
        out
    }

    /// `size = num / den`
    fn found(&self, v: &Value) -> TokenStream {
        let Atom::Size(k) = v.atom else { return TokenStream::new() };
        let var = size(k as usize);
        let num = affine(&v.num);
        if is_dimension(v).is_some() {
            return hygienic!(let #var = #num;);
        }
        let Some((d, leaf, dimension)) = self.place_of(v) else {
            // No dimension at all: only a constant.
            return hygienic!(let #var: ::core::primitive::isize = #num;);
        };
        let name = self.f.sizes.get(k as usize).map_or("", |s| &s.name);
        let place = self.place(leaf, dimension);
        let (has, den) = (dim(d), Literal::i64_unsuffixed(v.den));
        hygienic!(let #var = #RT::__private::solve(__limit, #place, #has, #name, #num, #den)?;)
    }

    /// The dimension whose extent gave the size: the last one that is in its value and speaks of it.
    fn place_of(&self, v: &Value) -> Option<(usize, &Leaf, usize)> {
        let dims = self.input_dims().enumerate().map(|(d, (leaf, k))| (d, leaf, k));
        let mut of_value: Vec<_> = dims
            .filter(|(d, ..)| v.num.mentions(&Atom::Index(u32::try_from(*d).unwrap_or(u32::MAX))))
            .collect();
        of_value.sort_by_key(|(d, leaf, k)| {
            (leaf.extents[*k].mentions(&v.atom), !self.f.solution.checks.contains(d), std::cmp::Reverse(*d))
        });
        of_value.pop()
    }

    /// `&Place { argument, dimension, extent }`
    fn place(&self, leaf: &Leaf, k: usize) -> TokenStream {
        let (argument, k, extent) = (&leaf.name, count(k), self.names.affine(&leaf.extents[k]));
        hygienic!(&#RT::__private::Place { argument: #argument, dimension: #k, extent: #extent })
    }

    /// Dimension `d` is its extent; that is clear if the extent is a size that was found to be this dimension.
    fn dimension(&self, d: usize, leaf: &Leaf, k: usize) -> TokenStream {
        let extent = &leaf.extents[k];
        let clear = self.f.solution.found.iter().any(|v| {
            is_dimension(v).is_some_and(|i| i as usize == d) && *extent == Affine::from(v.atom.clone())
        });
        if clear { TokenStream::new() } else { self.equal(&dim(d), leaf, k) }
    }

    fn equal(&self, has: &Ident, leaf: &Leaf, k: usize) -> TokenStream {
        let extent = &leaf.extents[k];
        let (needs, place) = (affine(extent), self.place(leaf, k));
        let (names, values) = self.values(&[extent]);
        hygienic! {
            if #has != #needs {
                return ::core::result::Result::Err(#RT::__private::dimension(#place, #has, #needs, #names, #values));
            }
        }
    }

    /// The outputs have the shapes that they must have.
    fn output_checks(&self) -> TokenStream {
        let first = self.input_dims().count();
        let dims = self.s.tensors().flat_map(|l| (0..l.extents.len()).map(move |k| (l, k)));
        dims.enumerate().map(|(d, (leaf, k))| self.equal(&dim(first + d), leaf, k)).collect()
    }

    fn condition(&self, c: &Cond, text: &str) -> TokenStream {
        let holds = holds(c);
        let (names, values) = self.values(&c.affines());
        hygienic! {
            if !(#holds) {
                return ::core::result::Result::Err(#RT::__private::condition(#text, #names, #values));
            }
        }
    }

    /// The numbers of elements, each found once, or an error of the first tensor that has so many; and by tensor.
    fn lengths<'t>(
        &self,
        tensors: impl Iterator<Item = (&'t str, &'t [Affine])>,
    ) -> (TokenStream, Vec<Ident>) {
        let (mut out, mut found) = (TokenStream::new(), Map::new());
        let one = |(name, extents): (&str, &'t [Affine])| {
            let k = found.len();
            let var = found.entry(extents).or_insert_with(|| {
                let (var, length) = (length_var(k), self.length(name, extents));
                out.extend(hygienic!(let #var: ::core::primitive::usize = #length;));
                var
            });
            var.clone()
        };
        let lengths = tensors.map(one).collect();
        (out, lengths)
    }

    /// The number of elements, or an error.
    fn length(&self, name: &str, extents: &[Affine]) -> TokenStream {
        if let Some(length) = super::signature::literals(extents)
            .and_then(|extents| extents.iter().try_fold(1_usize, |product, e| product.checked_mul(*e)))
            .filter(|length| *length <= weights::emit::CLEAR)
        {
            let length = count(length);
            return hygienic!(#length);
        }
        // In parentheses, a sum is not taken for two elements that miss a comma.
        let values = extents.iter().map(|e| {
            let value = affine(e);
            if e.terms.len() + usize::from(e.constant != 0) > 1 { hygienic!((#value)) } else { value }
        });
        let (names, sizes) = self.values(&extents.iter().collect::<Vec<_>>());
        hygienic! {
            match #RT::__private::length(&[#(#values),*]) {
                ::core::option::Option::Some(__length) => __length,
                ::core::option::Option::None => {
                    return ::core::result::Result::Err(#RT::__private::memory(#name, #names, #sizes));
                }
            }
        }
    }

    /// Names and values of the sizes in some forms, each once.
    fn values(&self, all: &[&Affine]) -> (TokenStream, TokenStream) {
        // Roots say nothing that the sizes do not that they are of.
        let sizes = (0..self.f.sizes.len())
            .filter(|k| all.iter().any(|a| a.mentions(&Atom::Size(u32::try_from(*k).unwrap_or(u32::MAX)))));
        let (names, values): (Vec<_>, Vec<_>) = sizes.map(|k| (&self.f.sizes[k].name, size(k))).unzip();
        (hygienic!(&[#(#names),*]), hygienic!(&[#(#values),*]))
    }
}

/// The dimension that a size is.
fn is_dimension(v: &Value) -> Option<u32> {
    match v.num.terms.as_slice() {
        [(Atom::Index(d), 1)] if v.den == 1 && v.num.constant == 0 => Some(*d),
        _ => None,
    }
}

fn count(n: usize) -> Literal {
    Literal::usize_unsuffixed(n)
}

/// The value of a form over sizes and dimensions. Sizes within the limit keep it from overflowing.
pub(super) fn affine(a: &Affine) -> TokenStream {
    let mut out = TokenStream::new();
    let constant = Literal::u64_unsuffixed(a.constant.unsigned_abs());
    let positive = a.terms.iter().filter(|t| t.1 > 0);
    let negative = a.terms.iter().filter(|t| t.1 < 0);
    if a.constant > 0 || !a.terms.iter().any(|t| t.1 > 0) {
        out.extend(if a.constant > 0 { hygienic!(#constant) } else { hygienic!(0) });
    }
    for (atom, c) in positive.chain(negative) {
        let (value, c, minus) = (self::atom(atom), c.unsigned_abs(), *c < 0);
        let sign = match (out.is_empty(), minus) {
            (true, _) => TokenStream::new(),
            (false, true) => hygienic!(-),
            (false, false) => hygienic!(+),
        };
        let factor = Literal::u64_unsuffixed(c);
        out.extend(if c == 1 { hygienic!(#sign #value) } else { hygienic!(#sign #factor * #value) });
    }
    if a.constant < 0 {
        out.extend(hygienic!(- #constant));
    }
    out
}

fn atom(a: &Atom) -> TokenStream {
    match a {
        Atom::Size(k) => {
            let var = size(*k as usize);
            hygienic!(#var)
        }
        Atom::Index(d) => {
            let var = dim(*d as usize);
            hygienic!(#var)
        }
        Atom::Floor(a, k) => {
            let (a, k) = (affine(a), Literal::i64_unsuffixed(*k));
            hygienic!(::core::primitive::isize::div_euclid(#a, #k))
        }
        // No index array is in scope where there are only sizes.
        Atom::Element(..) => hygienic!(0),
        Atom::Product(factors) => {
            let product = factors.iter().map(atom).reduce(|a, b| hygienic!(#a * #b));
            hygienic!((#product))
        }
    }
}

/// A condition on sizes as a Boolean.
fn holds(c: &Cond) -> TokenStream {
    let residue = |a: &Affine, k: i64| {
        let (a, k) = (affine(a), Literal::i64_unsuffixed(k));
        hygienic!(::core::primitive::isize::rem_euclid(#a, #k))
    };
    match c {
        Cond::Zero(a) => {
            let a = affine(a);
            hygienic!((#a) == 0)
        }
        Cond::NonZero(a) => {
            let a = affine(a);
            hygienic!((#a) != 0)
        }
        Cond::NonNeg(a) => {
            let a = affine(a);
            hygienic!((#a) >= 0)
        }
        Cond::Residue(a, k) => {
            let r = residue(a, *k);
            hygienic!(#r == 0)
        }
        Cond::NonResidue(a, k) => {
            let r = residue(a, *k);
            hygienic!(#r != 0)
        }
        // No relation and no comparison of reals speaks of sizes alone.
        Cond::Opaque { holds, .. } => hygienic!(#holds),
        Cond::Any(alternatives) => {
            let all = alternatives.iter().map(|p| {
                let all = p.iter().map(self::holds);
                hygienic!((true #(&& (#all))*))
            });
            hygienic!(false #(|| #all)*)
        }
    }
}

/// A local array of the lengths, taken apart: `length0`, …
pub(super) fn length_var(k: usize) -> Ident {
    hidden(&format!("length{k}"))
}
