//! Names as Rust tells them apart: surface syntax to surface syntax.
//!
//! Afterwards two names are one if they are written alike. What a user writes may be alike and yet two names, where a macro is the author of one of
//! them: `x` of the macro is not `x` of its caller. The second then gets a number. And `r#x` is `x`.
//!
//! Variables and indices are told apart as variables of Rust are; functions, sizes in `<…>` and constants are items, which macros share with their
//! callers; a parameter that a transform names is a label, found by its author first, then by its letters alone.
//!
//! Invariant: where all names have one author, and none is raw, nothing changes.
//! Invariant: whatever is taken for one name, or for two, rustc confirms (see `Authors::witnesses`).

mod authors;
pub(crate) mod visit;

use crate::ast::{Block, Function, Inline, Item, Wrt};
use crate::check::is_constant_name;
use crate::error::Errors;
use crate::parse::is_keyword;
use crate::sorted::{Map, Set};
use authors::Authors;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use visit::{Event, visit_function, visit_inline};

/// What became of the names, for what is emitted.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Items by which rustc confirms which names are one.
    pub witnesses: TokenStream,
    /// Paths of constants and of functions of Rust, as text and as written.
    pub paths: Vec<(String, TokenStream)>,
}

/// A text without spaces, by which paths are known.
fn squeezed(path: &TokenStream) -> String {
    path.to_string().replace(' ', "")
}

/// An identifier without `r#`.
#[must_use]
pub fn plain(name: &Ident) -> String {
    let text = name.to_string();
    text.strip_prefix("r#").map(str::to_string).unwrap_or(text)
}

/// The identifier that is written so; keywords need `r#`.
#[must_use]
pub fn spelled(text: &str, span: Span) -> Ident {
    if is_keyword(text) { Ident::new_raw(text, span) } else { Ident::new(text, span) }
}

/// Names of a block.
pub fn of_block(block: &mut Block, errors: &mut Errors) -> Names {
    let mut all = Occurrences::default();
    for item in &mut block.items {
        if let Item::Function(f) = item {
            visit_function(f, &mut |e| all.see(&e));
        }
    }
    for w in wrts(block) {
        all.add(&w.name);
    }
    let authors = Authors::of(&all.names);
    let mut walk = Walk::new(&authors, all, errors);
    let mut params = Map::new();
    for item in &mut block.items {
        if let Item::Function(f) = item {
            let of_function = walk.function(f);
            params.insert(plain(&f.name), of_function);
        }
    }
    let bases = bases(block);
    for item in &mut block.items {
        match item {
            Item::Function(f) => f.name = respelled(&f.name),
            Item::Transform(t) => {
                let base = bases.get(&plain(&t.of)).and_then(|f| params.get(f));
                t.wrt.iter_mut().for_each(|w| walk.label(&mut w.name, base));
                (t.name, t.of) = (respelled(&t.name), respelled(&t.of));
            }
        }
    }
    for rule in &mut block.rules {
        let base = bases.get(&plain(&rule.of)).and_then(|f| params.get(f));
        rule.wrt.iter_mut().for_each(|w| walk.label(&mut w.name, base));
        (rule.of, rule.by) = (respelled(&rule.of), respelled(&rule.by));
    }
    block.broken.iter_mut().for_each(|n| *n = respelled(n));
    Names { paths: walk.paths, witnesses: authors.witnesses() }
}

/// Names of an inline block.
pub fn of_inline(inline: &mut Inline, errors: &mut Errors) -> Names {
    let mut all = Occurrences::default();
    visit_inline(inline, &mut |e| all.see(&e));
    let authors = Authors::of(&all.names);
    let mut walk = Walk::new(&authors, all, errors);
    walk.captured = Some(vec![]);
    visit_inline(inline, &mut |e| walk.see(e));
    inline.written = walk.captured.take().unwrap_or_default();
    Names { paths: walk.paths, witnesses: authors.witnesses() }
}

fn respelled(name: &Ident) -> Ident {
    if *name == "_" { name.clone() } else { spelled(&plain(name), name.span()) }
}

fn wrts(block: &Block) -> impl Iterator<Item = &Wrt> {
    let of_items = block.items.iter().flat_map(|i| match i {
        Item::Transform(t) => t.wrt.as_slice(),
        Item::Function(_) => &[],
    });
    of_items.chain(block.rules.iter().flat_map(|r| &r.wrt))
}

/// Of every function and transform, the function whose parameters it has.
fn bases(block: &Block) -> Map<String, String> {
    let mut out: Map<String, String> = Map::new();
    for item in &block.items {
        let name = plain(item.name());
        let of = match item {
            Item::Function(_) => name.clone(),
            Item::Transform(t) => plain(&t.of),
        };
        out.insert(name, of);
    }
    // A transform may be of a transform, before or after it.
    for _ in 0..block.items.len() {
        let next: Map<String, String> =
            out.iter().map(|(f, of)| (f.clone(), out.get(of).unwrap_or(of).clone())).collect();
        if next == out {
            break;
        }
        out = next;
    }
    out
}

/// The names of variables, as they stand in the program.
#[derive(Default)]
struct Occurrences {
    names: Vec<Ident>,
    /// Those of sizes in `<…>`.
    sizes: Set<String>,
}

impl Occurrences {
    fn see(&mut self, e: &Event<'_>) {
        match e {
            Event::Bind(n) | Event::Use(n) | Event::Extent(n) | Event::Label(n) => self.add(n),
            Event::Size(n) => {
                self.sizes.insert(plain(n));
                self.add(n);
            }
            Event::Function(_) | Event::Path(_) | Event::Open | Event::Close => {}
        }
    }

    fn add(&mut self, n: &Ident) {
        if *n != "_" {
            self.names.push(n.clone());
        }
    }
}

/// A parameter: its letters, its author, what it is called now.
type Known = (String, usize, Ident);

/// What is known while names are told apart.
struct Walk<'a> {
    authors: &'a Authors,
    /// Texts that no new name may have.
    taken: Set<String>,
    /// Sizes of any function: they keep their names.
    sizes: Set<String>,
    /// What names are called now, by text and author.
    chosen: Map<(String, usize), String>,
    /// The first author of each text.
    first: Map<String, usize>,
    /// The variables in scope; `None` opens one.
    scope: Vec<Option<Known>>,
    /// Sizes of this function.
    own: Set<String>,
    /// In inline blocks: what free names are called now, and as they were written.
    captured: Option<Vec<(Ident, Ident)>>,
    paths: Vec<(String, TokenStream)>,
    errors: &'a mut Errors,
}

impl<'a> Walk<'a> {
    fn new(authors: &'a Authors, all: Occurrences, errors: &'a mut Errors) -> Walk<'a> {
        let taken = all.names.iter().map(plain).collect();
        Walk {
            authors,
            taken,
            sizes: all.sizes,
            chosen: Map::new(),
            first: Map::new(),
            scope: vec![],
            own: Set::new(),
            captured: None,
            paths: vec![],
            errors,
        }
    }

    /// Tells the names of a function apart; gives its parameters.
    fn function(&mut self, f: &mut Function) -> Vec<Known> {
        self.own = Set::new();
        let before: Vec<Ident> = f.params.iter().map(|p| p.name.clone()).collect();
        visit_function(f, &mut |e| self.see(e));
        let known =
            |(was, p): (&Ident, &crate::ast::Param)| (plain(was), self.authors.of_name(was), p.name.clone());
        let params: Vec<Known> = before.iter().zip(&f.params).map(known).collect();
        if let Some(outer) = &mut f.outer {
            outer.partials.iter_mut().for_each(|(n, _)| self.label(n, Some(&params)));
            outer
                .derivatives
                .iter_mut()
                .flat_map(|d| &mut d.names)
                .for_each(|n| self.label(n, Some(&params)));
        }
        params
    }

    fn see(&mut self, e: Event<'_>) {
        match e {
            Event::Open => self.scope.push(None),
            Event::Close => while let Some(Some(_)) = self.scope.pop() {},
            Event::Size(n) => {
                self.own.insert(plain(n));
                *n = respelled(n);
            }
            Event::Bind(n) => self.bind(n),
            Event::Use(n) => self.used(n),
            Event::Extent(n)
                if self.captured.is_some() && !is_constant_name(&respelled(n)) && self.bound(n).is_none() =>
            {
                self.bind(n)
            }
            Event::Extent(n) => self.used(n),
            Event::Function(n) => *n = respelled(n),
            Event::Path(p) => self.path(p),
            Event::Label(_) => {}
        }
    }

    /// What a name of this author is called now.
    fn called(&mut self, n: &Ident) -> Ident {
        let (text, author) = (plain(n), self.authors.of_name(n));
        if let Some(name) = self.chosen.get(&(text.clone(), author)) {
            return spelled(name, n.span());
        }
        // A size that macros share keeps its name; variables of several authors make way.
        let shares = self.sizes.contains(&text) && self.authors.several(&text);
        let name = if !shares && *self.first.entry(text.clone()).or_insert(author) == author {
            text.clone()
        } else {
            let fresh = (2..).map(|k| format!("{text}{k}")).find(|name| !self.taken.contains(name));
            fresh.unwrap_or_else(|| text.clone())
        };
        self.taken.insert(name.clone());
        self.chosen.insert((text, author), name.clone());
        spelled(&name, n.span())
    }

    fn bind(&mut self, n: &mut Ident) {
        if *n == "_" {
            return;
        }
        let known = (plain(n), self.authors.of_name(n), self.called(n));
        *n = known.2.clone();
        self.scope.push(Some(known));
    }

    /// What a variable in scope is called now.
    fn bound(&self, n: &Ident) -> Option<Ident> {
        let (text, author) = (plain(n), self.authors.of_name(n));
        let found = self.scope.iter().rev().flatten().find(|b| b.0 == text && b.1 == author)?;
        Some(spelled(&plain(&found.2), n.span()))
    }

    fn used(&mut self, n: &mut Ident) {
        let text = plain(n);
        if let Some(name) = self.bound(n) {
            *n = name;
        } else if self.own.contains(&text) || text == "_" {
            *n = respelled(n);
        } else if is_constant_name(&respelled(n)) {
            self.path(&TokenTree::Ident(n.clone()).into());
        } else if self.captured.is_some() {
            let was = n.clone();
            *n = self.called(n);
            if let Some(all) = &mut self.captured {
                all.push((n.clone(), was));
            }
        } else if self.scope.iter().flatten().any(|b| b.0 == text) {
            let message = format!(
                "`{text}` is not known: the `{text}` of this function is not its own, one of the two is a macro's, and as in Rust those are two names"
            );
            self.errors.push(n.span(), message);
        } else {
            *n = respelled(n);
        }
    }

    /// A parameter that is named from outside its function: that of the same author, or the only one with these letters.
    fn label(&mut self, n: &mut Ident, params: Option<&Vec<Known>>) {
        let (text, author) = (plain(n), self.authors.of_name(n));
        let alike: Vec<&Known> = params.into_iter().flatten().filter(|p| p.0 == text).collect();
        match (alike.iter().find(|p| p.1 == author), alike.as_slice()) {
            (Some(p), _) | (None, [p]) => *n = spelled(&plain(&p.2), n.span()),
            (None, []) => *n = respelled(n),
            (None, [_, _, ..]) => {
                let message = format!(
                    "there are several parameters `{text}`, of several macros, and none is of this one"
                );
                self.errors.push(n.span(), message);
            }
        }
    }

    fn path(&mut self, path: &TokenStream) {
        let text = squeezed(path);
        let Some((_, before)) = self.paths.iter().find(|p| p.0 == text) else {
            self.paths.push((text, path.clone()));
            return;
        };
        // `$crate` is the crate of the macro that says it.
        let start = |p: &TokenStream| p.clone().into_iter().next();
        if let (Some(TokenTree::Ident(a)), Some(TokenTree::Ident(b))) = (start(before), start(path))
            && a == "$crate"
            && !authors::is_same(&a, &b)
        {
            self.errors
                .push(b.span(), format!("`{text}` is of two macros here, whose `$crate` may be two crates"));
        }
    }
}
