//! Functions of one name under different `#[cfg]`s: the block as it is under each of them.
//!
//! ```text
//! #[cfg(a)] fn f …  #[cfg(not(a))] fn f …  fn g … f …  fn h …
//!   is   #[cfg(a)] fn f …  #[cfg(a)] fn g … f …  fn h …   and   #[cfg(not(a))] fn f …  #[cfg(not(a))] fn g … f …
//! ```
//!
//! A macro does not see which of them holds. So all are compiled, what depends on them once for each, and rustc takes its choice.

use crate::ast::{Block, Function, Item};
use crate::names::plain;
use crate::names::visit::{Event, visit_function};
use crate::sorted::{Map, Set};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A block under one condition.
#[derive(Clone, Debug, Default)]
pub struct Variant {
    /// What there is then.
    pub block: Block,
    /// Functions that are emitted elsewhere.
    pub silent: Set<String>,
}

/// The block under each condition that tells functions of one name apart; the whole block if there are none.
#[must_use]
pub fn variants(block: Block) -> Vec<Variant> {
    let conditions = conditions(&block);
    if conditions.is_empty() {
        return vec![Variant { block, silent: Set::new() }];
    }
    let one = |(k, condition): (usize, &String)| variant(block.clone(), condition, &conditions, k == 0);
    conditions.iter().enumerate().map(one).collect()
}

/// The conditions of the first name that there is several times, each time under another. Other names either have the same, or are an error.
fn conditions(block: &Block) -> Vec<String> {
    let mut all: Map<String, Vec<Option<String>>> = Map::new();
    for item in &block.items {
        all.entry(plain(item.name())).or_default().push(condition(item).map(|c| c.to_string()));
    }
    let of = |item: &Item| -> Option<Vec<String>> { all.get(&plain(item.name()))?.iter().cloned().collect() };
    let differ = |c: &Vec<String>| c.len() > 1 && c.iter().collect::<Set<_>>().len() == c.len();
    block.items.iter().filter_map(of).find(differ).unwrap_or_default()
}

/// The `#[cfg(…)]`s of an item with a body; `None` if it has none.
fn condition(item: &Item) -> Option<TokenStream> {
    let attrs = match item {
        Item::Function(Function { outer: Some(_), .. }) => return None,
        Item::Function(f) => &f.attrs,
        Item::Transform(t) => &t.attrs,
    };
    Some(cfgs(attrs)).filter(|all| !all.is_empty())
}

/// The `#[cfg(…)]`s of attributes.
pub(crate) fn cfgs(attrs: &TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = attrs.clone().into_iter().collect();
    let is_cfg = |t: &TokenTree| match t {
        TokenTree::Group(g) if g.delimiter() == Delimiter::Bracket => {
            matches!(g.stream().into_iter().next(), Some(TokenTree::Ident(i)) if i == "cfg")
        }
        TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    };
    tokens.windows(2).filter(|w| is_cfg(&w[1])).flatten().cloned().collect()
}

/// Whether there are any.
pub(crate) fn is_configured(attrs: &TokenStream) -> bool {
    !cfgs(attrs).is_empty()
}

fn variant(mut block: Block, own: &str, conditions: &[String], is_first: bool) -> Variant {
    let of = |item: &Item| condition(item).map(|c| c.to_string());
    block.items.retain(|i| of(i).is_none_or(|c| c == own || !conditions.contains(&c)));
    let names: Set<String> = block.items.iter().map(|i| plain(i.name())).collect();
    block.rules.retain(|r| names.contains(&plain(&r.of)) && names.contains(&plain(&r.by)));
    let attrs = block.items.iter().find(|i| of(i).as_deref() == Some(own)).and_then(condition);
    let depends = dependents(&mut block, &|i| of(i).as_deref() == Some(own));
    let mut silent = Set::new();
    for item in &mut block.items {
        let name = plain(item.name());
        if of(item).as_deref() == Some(own) {
            continue;
        }
        if !depends.contains(&name) {
            if !is_first {
                silent.insert(name);
            }
            continue;
        }
        match item {
            Item::Function(f) => f.attrs.extend(attrs.clone()),
            Item::Transform(t) => t.attrs.extend(attrs.clone()),
        }
    }
    Variant { block, silent }
}

/// The names of the functions that use one of these, or one that does.
fn dependents(block: &mut Block, is_one: &dyn Fn(&Item) -> bool) -> Set<String> {
    let mut out: Set<String> = block.items.iter().filter(|i| is_one(i)).map(|i| plain(i.name())).collect();
    let mut uses: Vec<(String, Vec<String>)> = vec![];
    for item in &mut block.items {
        let name = plain(item.name());
        let used = match item {
            Item::Function(f) => called(f),
            Item::Transform(t) => vec![plain(&t.of)],
        };
        uses.push((name, used));
    }
    uses.extend(block.rules.iter().map(|r| (plain(&r.of), vec![plain(&r.by)])));
    loop {
        let more =
            uses.iter().filter(|(name, used)| !out.contains(name) && used.iter().any(|u| out.contains(u)));
        let more: Vec<String> = more.map(|u| u.0.clone()).collect();
        if more.is_empty() {
            return out;
        }
        out.extend(more);
    }
}

/// The functions that a body calls.
fn called(f: &mut Function) -> Vec<String> {
    let mut out = vec![];
    visit_function(f, &mut |e| {
        if let Event::Function(n) = e {
            out.push(plain(n));
        }
    });
    out
}
