//! State that evolves: `fold`, `scan`, `prod`, `reduce` and `rec`.
//!
//! Each step is damped, so that values stay moderate however many there are.

use super::scope::{Extent, Scope, Tensor as Array};
use super::table::Sort::{Condition, Number, Tensor};
use super::table::{Feature, Generator, Out, Sort};

/// What a damped state is at most, about.
const STATE: f64 = 2.75;

/// Operations that are associative, with their units.
const OPERATIONS: &[(&str, &str)] =
    &[("p + q", "0.0"), ("max(p, q)", "-9.0"), ("p + q + 0.125 * p * q", "0.0")];

const IN_STEPS: &[Sort] = &[Condition, Number];

pub(super) const TABLE: &[Feature] = &[
    row("a fold", Number, 6, IN_STEPS, of_any, |g, s, _| {
        let (state, first, l) = (g.fresh("s"), g.number(s), g.steps(s));
        let inner = with_state(&l.inner, &state);
        let (guard, next) = (g.guard_of_steps(&inner), g.next(&inner, &state));
        let text = format!("(fold {} from {state} = {}{guard} {{ {next} }})", l.binder, first.text);
        Out::number(text, first.bound.max(STATE))
    }),
    row("a fold of two", Number, 4, IN_STEPS, of_any, |g, s, _| {
        let (a, b, l) = (g.fresh("s"), g.fresh("s"), g.steps(s));
        let (first, second, k) = (g.number(s), g.number(s), g.rng.usize(..2));
        let inner = with_state(&with_state(&l.inner, &a), &b);
        let (guard, x, y) = (g.guard_of_steps(&inner), g.next(&inner, &a), g.next(&inner, &b));
        let from = format!("({a}, {b}) = ({}, {})", first.text, second.text);
        let text = format!("(fold {} from {from}{guard} {{ ({x}, {y}) }}).{k}", l.binder);
        Out::number(text, first.bound.max(second.bound).max(STATE))
    }),
    row("a product of all", Number, 4, IN_STEPS, of_any, |g, s, _| {
        let (t, range, inner) = g.time_of_sizes(s);
        let (guard, e) = (g.guard_of_steps(&inner), g.factor(&inner));
        Out::number(format!("(prod {t} in {range}{guard} {{ 0.75 + 0.5 * {}.sin() }})", e.text), 6.0)
    }),
    row("a reduction", Number, 3, IN_STEPS, of_any, |g, s, _| {
        let l = g.steps(s);
        let (guard, e, (op, unit)) = (g.guard_of_steps(&l.inner), g.factor(&l.inner), g.pick(OPERATIONS));
        let of = format!("reduce {} with |p, q| {{ {op} }} from {unit}", l.binder);
        Out::number(format!("({of}{guard} {{ 0.5 * {}.tanh() }})", e.text), 9.0)
    }),
    row("a fold of a tensor", Tensor, 5, &[Condition, Number, Tensor], of_any, |g, s, e| {
        let (state, first, l) = (g.fresh("v"), g.write(Tensor, s, e), g.steps(s));
        let mut inner = l.inner;
        inner.tensors.push(Array::new(&state, e, STATE));
        let guard = g.guard_of_steps(&inner);
        let (binders, inner, names) = g.elements(&inner, e);
        let next = g.next(&inner, &format!("{state}[{}]", names.join(", ")));
        let from = format!("{state} = {}{guard}", first.text);
        let text = format!("(fold {} from {from} {{ for {binders} {{ {next} }} }})", l.binder);
        Out::number(text, first.bound.max(STATE))
    }),
    row("a scan", Tensor, 5, IN_STEPS, of_vector, |g, s, e| {
        let (state, first, (binder, inner)) = (g.fresh("s"), g.number(s), g.time_of_scan(s, e[0]));
        let inner = with_state(&inner, &state);
        let (guard, next) = (g.guard_of_steps(&inner), g.next(&inner, &state));
        let text = format!("(scan {binder} from {state} = {}{guard} {{ {next} }})", first.text);
        Out::number(text, first.bound.max(STATE))
    }),
    row("a scan with an operation", Tensor, 2, IN_STEPS, of_vector, |g, s, e| {
        let (binder, inner) = g.time_of_scan(s, e[0]);
        let (guard, x, (op, unit)) = (g.guard_of_steps(&inner), g.factor(&inner), g.pick(OPERATIONS));
        let of = format!("scan {binder} with |p, q| {{ {op} }} from {unit}");
        Out::number(format!("({of}{guard} {{ 0.5 * {}.tanh() }})", x.text), 9.0)
    }),
    row("a recurrence", Tensor, 8, IN_STEPS, of_array, |g, s, e| {
        let (y, is_back) = (g.fresh("y"), g.one_in(3));
        let (t, range, inner) = g.time(s, e[0], is_back);
        let (binders, inner, names) = g.elements(&inner, &e[1..]);
        let (inner, before) = g.with_earlier(&inner, &y, &t, is_back, e[0], &names);
        let next = g.next(&inner, &before);
        let guard = if names.is_empty() { g.guard_of_steps(&inner) } else { String::new() };
        let body = if names.is_empty() { next } else { format!("for {binders} {{ {next} }}") };
        Out::number(format!("{{ let {y} = rec {t} in {range}{guard} {{ {body} }}; {y} }}"), STATE)
    }),
    row("a recurrence of two", Tensor, 5, IN_STEPS, of_array, |g, s, e| {
        let (y, z, is_back) = (g.fresh("y"), g.fresh("z"), g.one_in(3));
        let (t, range, inner) = g.time(s, e[0], is_back);
        let (binders, inner, names) = g.elements(&inner, &e[1..]);
        let (inner, first) = g.with_earlier(&inner, &y, &t, is_back, e[0], &names);
        let (inner, second) = g.with_earlier(&inner, &z, &t, is_back, e[0], &names);
        let (a, b) = (g.next(&inner, &first), g.next(&inner, &second));
        let of = |next: &str| {
            if names.is_empty() { next.to_string() } else { format!("for {binders} {{ {next} }}") }
        };
        let value = g.pick(&[&y, &z]).clone();
        let body = format!("({}, {})", of(&a), of(&b));
        Out::number(format!("{{ let ({y}, {z}) = rec {t} in {range} {{ {body} }}; {value} }}"), STATE)
    }),
    row("a recurrence along two", Tensor, 5, IN_STEPS, of_matrix, |g, s, e| {
        let y = g.fresh("y");
        let (i, first, inner) = g.time(s, e[0], false);
        let (j, second, mut inner) = g.time(&inner, e[1], false);
        let reads = [
            format!("(0.5 * [{i} >= 1] * {y}[{i} - 1, {j}])"),
            format!("(0.5 * [{j} >= 1] * {y}[{i}, {j} - 1])"),
            format!("(0.5 * [{i} >= 1 && {j} + 1 < {}] * {y}[{i} - 1, {j} + 1])", e[1].text()),
            format!("(0.25 * sum l in 0..{j} {{ {y}[{i}, l] }})"),
            format!("(if {i} == 0 || {j} == 0 {{ 1.0 }} else {{ 0.5 * {y}[{i} - 1, {j} - 1] }})"),
        ];
        for _ in 0..g.rng.usize(1..4) {
            let read = g.pick(&reads);
            inner.tensors.push(Array::new(&read, &[], STATE));
        }
        let before = g.latest(&inner.tensors[s.tensors.len()..]).name;
        let next = g.next(&inner, &before);
        let guard = g.guard_of_steps(&inner);
        let binders = format!("{i} in {first}, {j} in {second}");
        Out::number(format!("{{ let {y} = rec {binders}{guard} {{ {next} }}; {y} }}"), STATE)
    }),
];

const fn row(
    name: &'static str,
    sort: Sort,
    weight: u32,
    holds: &'static [Sort],
    fits: fn(&Scope, &[Extent]) -> bool,
    write: fn(&mut Generator, &Scope, &[Extent]) -> Out,
) -> Feature {
    Feature { name, sort, weight, is_small: false, holds, fits, write }
}

fn of_any(s: &Scope, e: &[Extent]) -> bool {
    s.has_room(5.0 * e.iter().map(|e| e.rough()).product::<f64>())
}

fn of_array(s: &Scope, e: &[Extent]) -> bool {
    !e.is_empty() && of_any(s, e)
}

fn of_vector(s: &Scope, e: &[Extent]) -> bool {
    e.len() == 1 && of_any(s, e)
}

fn of_matrix(s: &Scope, e: &[Extent]) -> bool {
    e.len() == 2 && of_any(s, e)
}

/// What a step may speak of.
fn in_step(s: &Scope) -> Scope {
    Scope { in_step: true, ..s.clone() }
}

fn with_state(s: &Scope, state: &str) -> Scope {
    let mut out = s.clone();
    out.tensors.push(Array::new(state, &[], STATE));
    out
}

/// Steps that are open.
struct Steps {
    /// `t in (0..n).rev()`
    binder: String,
    inner: Scope,
}

impl Generator {
    /// Opens the steps of a fold.
    fn steps(&mut self, s: &Scope) -> Steps {
        let (t, range, inner) = self.time_of_sizes(s);
        let range = if self.one_in(3) { format!("({range}).rev()") } else { range };
        Steps { binder: format!("{t} in {range}"), inner }
    }

    /// A time whose range is of sizes, as it must be: perhaps an empty one.
    fn time_of_sizes(&mut self, s: &Scope) -> (String, String, Scope) {
        let (t, e) = (self.fresh("t"), self.extent_for_loop(s));
        let (lower, upper) = match self.rng.u8(..6) {
            0 => ("1".to_string(), e.text()),
            1 => ("2".to_string(), e.text()),
            2 if s.has_m => ("m".to_string(), e.text()),
            3 => ("0".to_string(), format!("={}", Extent { c: e.c - 1, ..e }.text())),
            _ => ("0".to_string(), e.text()),
        };
        let inner = in_step(s).with_index(&t, Some((0, e)), true).with_work(e.rough());
        (t, format!("{lower}..{upper}"), inner)
    }

    /// Opens the steps along a dimension; some ranges of a scan begin at 1 or 2.
    fn time_of_scan(&mut self, s: &Scope, e: Extent) -> (String, Scope) {
        let (t, first) = (self.fresh("t"), if self.one_in(4) { self.rng.i64(1..3) } else { 0 });
        let range = format!("{first}..{}", Extent { c: e.c + first, ..e }.text());
        let inner = in_step(s).with_index(&t, Some((first, e)), true).with_work(e.rough());
        let range = if self.one_in(3) { format!("({range}).rev()") } else { range };
        (format!("{t} in {range}"), inner)
    }

    /// Opens the steps of a recurrence: the time, its range, and what is inside.
    fn time(&mut self, s: &Scope, e: Extent, is_back: bool) -> (String, String, Scope) {
        let t = self.fresh("t");
        let range = if is_back { format!("(0..{}).rev()", e.text()) } else { format!("0..{}", e.text()) };
        let inner = in_step(s).with_index(&t, Some((0, e)), true).with_work(e.rough());
        (t, range, inner)
    }

    /// Opens the elements of a step: their binders and names.
    fn elements(&mut self, s: &Scope, e: &[Extent]) -> (String, Scope, Vec<String>) {
        let (mut inner, mut names, mut binders) = (s.clone(), vec![], vec![]);
        for e in e {
            let i = self.fresh("i");
            inner = inner.with_index(&i, Some((0, *e)), true).with_work(e.rough());
            binders.push(format!("{i} in 0..{}", e.text()));
            names.push(i);
        }
        (binders.join(", "), inner, names)
    }

    /// Reads of elements at earlier times; one of them.
    fn with_earlier(
        &mut self,
        s: &Scope,
        y: &str,
        t: &str,
        is_back: bool,
        e: Extent,
        names: &[String],
    ) -> (Scope, String) {
        let (mut out, n) = (s.clone(), e.text());
        let rest = names.iter().map(|i| format!(", {i}")).collect::<String>();
        let sum = match names {
            [i] => format!("(0.25 * sum l in 0..={i} {{ [{t} >= 1] * {y}[{t} - 1, l] }})"),
            _ => format!("(0.25 * sum l in 0..{t} {{ {y}[l{rest}] }})"),
        };
        let forward = [
            format!("(0.5 * [{t} >= 1] * {y}[{t} - 1{rest}])"),
            format!("(0.5 * [{t} >= 2] * {y}[{t} - 2{rest}])"),
            format!("(if {t} >= 3 {{ 0.5 * {y}[{t} - 3{rest}] }} else {{ 0.25 }})"),
            format!("(if {t} == 0 {{ 1.0 }} else {{ 0.5 * {y}[{t} / 2{rest}] }})"),
            sum,
        ];
        let backward = [
            format!("(0.5 * [{t} + 1 < {n}] * {y}[{t} + 1{rest}])"),
            format!("(if {t} + 2 < {n} {{ 0.5 * {y}[{t} + 2{rest}] }} else {{ 0.25 }})"),
            format!("(0.25 * sum l in {t} + 1..{n} {{ {y}[l{rest}] }})"),
        ];
        for _ in 0..self.rng.usize(1..3) {
            let read = if is_back { self.pick(&backward) } else { self.pick(&forward) };
            out.tensors.push(Array::new(&read, &[], STATE));
        }
        let before = self.latest(&out.tensors[s.tensors.len()..]).name;
        (out, before)
    }

    /// The next state, of the one before.
    fn next(&mut self, s: &Scope, before: &str) -> String {
        let s = in_step(s);
        match self.rng.u8(..6) {
            0 => format!("0.5 * {before} + 0.5 * {}.tanh()", self.factor(&s).text),
            1 => format!("(0.5 * {before} + {}).tanh()", self.factor(&s).text),
            2 => format!("0.5 * {before} * {}.sin() + 0.5", self.factor(&s).text),
            3 => {
                let (p, e) = (self.condition(&s), self.factor(&s));
                format!("if {p} {{ 0.5 * {before} }} else {{ {}.tanh() }}", e.text)
            }
            4 => format!("0.5 * {before} + {}.sin() * 0.25 * {before}", self.factor(&s).text),
            _ => format!("{}.tanh()", self.factor(&s).text),
        }
    }

    /// Perhaps a condition on which a step is taken, or an element is not zero.
    fn guard_of_steps(&mut self, s: &Scope) -> String {
        if self.one_in(4) { format!(" if {}", self.condition(&in_step(s))) } else { String::new() }
    }
}
