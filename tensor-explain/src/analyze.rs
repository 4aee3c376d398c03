//! A block through the compiler, and what is to be said of each of its functions.

use crate::find::Found;
use crate::graph;
use crate::report::{Block, Function, Measure, Problem, Version};
use crate::stored;
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use tensor_core::cost::{self, Polynomial};
use tensor_core::error::{Error, Errors};
use tensor_core::loops::Program;
use tensor_core::loops::verify::{self, Prover};
use tensor_core::parse::{Input, parse};
use tensor_core::schedule::Options;
use tensor_core::sorted::Set;
use tensor_core::typed::{self, Definition, Transform};
use tensor_core::{ad, bounds, check, emit, index, middle, missing, schedule, simplify, ssa};

/// Explains one block of a file.
pub(crate) fn block(found: &Found, source: &str) -> Block {
    let mut errors = Errors::default();
    let input = parse(found.tokens.clone(), &mut errors);
    let inline = matches!(input, Some(Input::Inline(_)));
    let functions = match input {
        None => vec![],
        Some(Input::Block(parsed)) => {
            let mut checked = check::check(&parsed, &mut errors);
            bounds::prove(&mut checked, &mut errors);
            middle::not_yet(&mut checked, &mut errors);
            of_block(&checked, &items(&found.tokens, source), &mut errors)
        }
        Some(Input::Inline(parsed)) => {
            let checked = check::check_inline(&parsed, &mut errors);
            checked.and_then(|inline| of_inline(inline, found, source, &mut errors)).into_iter().collect()
        }
    };
    let at = found.span.start();
    let mut problems: Vec<Problem> = errors.0.iter().map(|e| problem(e, found)).collect();
    problems.sort_by_key(|p| (p.line, p.column));
    let outcome = if errors.is_empty() { Ok(functions) } else { Err(problems) };
    Block { line: at.line, column: at.column + 1, around: found.around.clone(), inline, outcome }
}

fn problem(e: &Error, found: &Found) -> Problem {
    // Where the input ends there is no token.
    let known = |s: Span| !s.byte_range().is_empty();
    let start = if known(e.span.start) { e.span.start.start() } else { found.span.start() };
    let end = if known(e.span.end) { e.span.end.end() } else { start };
    let length = if end.line == start.line { end.column.saturating_sub(start.column) } else { 1 };
    Problem { line: start.line, column: start.column + 1, length: length.max(1), message: e.message.clone() }
}

/// An item of a block, as written.
struct Item {
    name: String,
    line: usize,
    text: String,
}

/// The items of a block without mistakes: each ends with braces or a `;`.
fn items(tokens: &TokenStream, source: &str) -> Vec<Item> {
    let mut out = vec![];
    let mut item: Vec<TokenTree> = vec![];
    for t in tokens.clone() {
        let ends = match &t {
            TokenTree::Group(g) => g.delimiter() == Delimiter::Brace,
            TokenTree::Punct(p) => p.as_char() == ';',
            TokenTree::Ident(_) | TokenTree::Literal(_) => false,
        };
        item.push(t);
        if ends {
            let is_fn = |t: &TokenTree| matches!(t, TokenTree::Ident(i) if i == "fn");
            let name = item.iter().skip_while(|t| !is_fn(t)).nth(1).map(ToString::to_string);
            let (first, last) = (item[0].span(), item[item.len() - 1].span());
            let line = item.iter().find(|t| is_fn(t)).map_or(first.start().line, |t| t.span().start().line);
            out.push(Item { name: name.unwrap_or_default(), line, text: text(source, first, last) });
            item.clear();
        }
    }
    out
}

/// The text from one token to another, moved to the left as far as its first line.
fn text(source: &str, first: Span, last: Span) -> String {
    let text = source.get(first.byte_range().start..last.byte_range().end).unwrap_or_default();
    let indent = first.start().column;
    let shifted = text.lines().enumerate().map(|(k, line)| {
        let blank = line.len() - line.trim_start_matches(' ').len();
        if k == 0 { line } else { &line[blank.min(indent)..] }
    });
    shifted.collect::<Vec<_>>().join("\n")
}

fn of_block(block: &typed::Block, items: &[Item], errors: &mut Errors) -> Vec<Function> {
    let lowered = middle::lower(block, &Set::new(), errors);
    let sizes = |(f, l): (&typed::Function, &Option<middle::Item>)| {
        l.as_ref().map(|l| Sizes::of(&l.whole.normal, &Options::new(f.threads)))
    };
    let costs: Vec<Option<Sizes>> = block.functions.iter().zip(&lowered).map(sizes).collect();
    let one = |(f, lowered): (&typed::Function, &Option<middle::Item>)| {
        let lowered = lowered.as_ref()?;
        let (transform, primal) = match &f.body {
            Some(Definition::Transform { transform, of, .. }) => {
                let name = &block.functions[*of].name;
                (Some(format!("`{}` of `{name}`", transform_name(*transform))), costs[*of].as_ref())
            }
            Some(Definition::Expr(_) | Definition::Foreign(_)) | None => (None, None),
        };
        let tokens = tensor_core::items(f, Some(lowered.clone()), errors);
        Some(function(f, &lowered.whole.normal, items, transform, primal, rust(&tokens)))
    };
    block.functions.iter().zip(&lowered).filter(|(f, _)| !f.is_inner).filter_map(one).collect()
}

fn of_inline(inline: typed::Inline, found: &Found, source: &str, errors: &mut Errors) -> Option<Function> {
    let mut block =
        typed::Block { functions: vec![inline.function.clone()], order: vec![0], ..typed::Block::default() };
    bounds::prove(&mut block, errors);
    middle::not_yet(&mut block, errors);
    let lowered = middle::lower(&block, &Set::new(), errors).remove(0)?;
    let inline = typed::Inline { function: block.functions.remove(0), ..inline };
    let program = schedule::schedule(lowered.whole.program());
    let expression = emit::inline(&inline, Some(&program));
    let rust = rust(&quote::quote!(fn inline() { #expression }));
    let mut normal = lowered.whole.normal;
    normal.name = "inline".to_string();
    let all: Vec<TokenTree> = found.tokens.clone().into_iter().collect();
    let (first, last) = (all.first()?.span(), all.last()?.span());
    let line = found.open.start().line;
    let item = Item { name: normal.name.clone(), line, text: text(source, first, last) };
    let mut f = inline.function;
    f.name = proc_macro2::Ident::new("inline", Span::call_site());
    Some(function(&f, &normal, &[item], None, None, rust))
}

fn transform_name(t: Transform) -> &'static str {
    match t {
        Transform::Grad => "grad",
        Transform::ValueAndGrad => "value_and_grad",
        Transform::Jvp => "jvp",
        Transform::Vjp => "vjp",
        Transform::Hvp => "hvp",
        Transform::Jacobian => "jacobian",
        Transform::Hessian => "hessian",
        Transform::Transpose => "transpose",
        Transform::Linearize => "linearize",
    }
}

fn function(
    f: &typed::Function,
    normal: &ssa::Function,
    items: &[Item],
    transform: Option<String>,
    primal: Option<&Sizes>,
    rust: String,
) -> Function {
    let name = f.name.to_string();
    let item = items.iter().find(|i| i.name == name);
    let title = if transform.is_some() { "normal form of this derivative" } else { "normal form" };
    let options = Options::new(f.threads);
    let mut versions = vec![version(title, normal, primal, &options)];
    let mut underived = match (&transform, normal.params.is_empty()) {
        (Some(t), _) => Some(format!("this function is a derivative: {t}")),
        (None, true) => Some("there is no real parameter to differentiate by".to_string()),
        (None, false) => None,
    };
    if underived.is_none() {
        let own = Sizes::of(normal, &options);
        for (title, d) in derivatives(normal) {
            match underivable(&d) {
                Some(words) => underived = Some(words),
                None => versions.push(version(title, &d, Some(&own), &options)),
            }
        }
    }
    Function {
        name,
        line: item.map_or(1, |i| i.line),
        source: item.map(|i| i.text.clone()).unwrap_or_default(),
        transform,
        versions,
        underived,
        rust,
    }
}

/// Why a derivative cannot be computed: one of a function of Rust is not declared.
fn underivable(f: &ssa::Function) -> Option<String> {
    missing::of(&simplify::erase_stops(f.clone())).into_iter().map(|(words, _)| words).next()
}

/// The derivatives by all real parameters: of a number, its gradient; of anything else, the transposed derivative; and the one forward.
fn derivatives(f: &ssa::Function) -> Vec<(&'static str, ssa::Function)> {
    let all: Vec<usize> = (0..f.params.len()).collect();
    let is_number = matches!(f.results.as_slice(), [r] if f.array(*r).extents.is_empty());
    let (title, suffix, reverse) = if is_number {
        ("derivative in reverse mode: gradient", "grad", ad::grad(f, &all))
    } else {
        ("derivative in reverse mode: vjp", "vjp", ad::vjp(f, &all))
    };
    let named = |suffix: &str, mut d: ssa::Function| {
        d.name = format!("{}_{suffix}", f.name);
        simplify::simplify(d)
    };
    vec![(title, named(suffix, reverse)), ("derivative in forward mode: jvp", named("jvp", ad::jvp(f, &all)))]
}

/// Small sizes, at which lower terms of a ratio show.
const SMALL: i64 = 10;

/// What a function takes.
struct Sizes {
    /// All of them at sizes that are all so small.
    small: Vec<i64>,
    operations: Polynomial,
    workspace: Polynomial,
    results: Polynomial,
}

impl Sizes {
    fn of(f: &ssa::Function, options: &Options) -> Sizes {
        Sizes::with(f, &schedule::scheduled(&simplify::erase_stops(f.clone()), options))
    }

    fn with(f: &ssa::Function, program: &Program) -> Sizes {
        let volume = |extents: &[index::Affine]| {
            let one = Polynomial::from_constant(1);
            extents.iter().fold(one, |p, e| p.times(&Polynomial::from_affine(e)))
        };
        let zero = Polynomial::new(&program.function.sizes);
        let workspace = program.workspace().fold(zero.clone(), |sum, b| sum.plus(1, &volume(&b.extents)));
        let results = f.results.iter().fold(zero, |sum, r| sum.plus(1, &volume(&f.array(*r).extents)));
        let small = program.sizes(&vec![SMALL; f.sizes.len()]);
        Sizes { small, operations: cost::polynomial(f), workspace, results }
    }
}

fn version(title: &str, f: &ssa::Function, primal: Option<&Sizes>, options: &Options) -> Version {
    let named = ssa::display::named(f);
    let mut passes = vec![];
    let mut prover = Prover::default();
    let mut note = |pass: &str, p: &Program| {
        passes.push((pass.to_string(), format!("{p:#}{}", verified(p, &mut prover))));
    };
    let erased = simplify::erase_stops(named.clone());
    let program = schedule::observed(&erased, options, &mut note);
    let own = Sizes::with(f, &program);
    let measure = |of: fn(&Sizes) -> &Polynomial| Measure {
        polynomial: of(&own).to_string(),
        ratio: primal.and_then(|p| ratio((of(&own), &own.small), (of(p), &p.small))),
    };
    let results = Measure { polynomial: own.results.to_string(), ratio: None };
    Version {
        title: title.to_string(),
        name: f.name.clone(),
        program: ssa::display::display(&named),
        operations: measure(|s| &s.operations),
        workspace: measure(|s| &s.workspace),
        results,
        storage: stored::all(&program),
        loops: program.to_string(),
        passes,
        graph: graph::of(&program),
    }
}

/// What the verifier says of loops, as comments.
fn verified(p: &Program, prover: &mut Prover) -> String {
    match verify::judge(p, prover) {
        Ok(found) => {
            let open = found.undecided.len() + found.hard;
            let open = if open == 0 { String::new() } else { format!(", {open} undecided") };
            format!("// verified: {} ends of ranges{open}\n", found.proved)
        }
        Err(mistakes) => mistakes.lines().map(|e| format!("// wrong: {e}\n")).collect(),
    }
}

/// `a / b` where sizes are great, and where all are 10 if that is another.
fn ratio((a, small_a): (&Polynomial, &[i64]), (b, small_b): (&Polynomial, &[i64])) -> Option<String> {
    let (a_small, b_small) = (a.eval(small_a), b.eval(small_b));
    if b_small <= 0 {
        return None;
    }
    let small = a_small as f64 / b_small as f64;
    let great = a.over(b)?;
    let same = great.parse().is_ok_and(|g: f64| (g - small).abs() < 0.005);
    Some(if same { great } else { format!("{great} for great sizes, {small:.2} if all are {SMALL}") })
}

/// Tokens as rustfmt would write them, or nearly; without the documentation, which says what the page says.
fn rust(tokens: &TokenStream) -> String {
    match syn::parse2::<syn::File>(tokens.clone()) {
        Ok(mut file) => {
            for item in &mut file.items {
                if let syn::Item::Fn(f) = item {
                    f.attrs.retain(|a| !a.path().is_ident("doc"));
                }
            }
            prettyplease::unparse(&file)
        }
        // What cannot be laid out is shown as it is.
        Err(_) => tokens.to_string(),
    }
}
