//! Range proofs, and what to tell the user when one fails.

use super::affine::{Affine, Atom, Names};
use super::omega::Work;
use super::pred::{Cond, Pred, complement};
use super::project::{bounds, exists};
use super::query::{Facts, Found, Model, entails_cond, is_empty, model};

#[derive(Debug)]
pub struct Failure {
    /// Whether a point was found, or the proof only did not succeed.
    pub is_certain: bool,
    pub text: String,
}

fn minus_one(mut a: Affine) -> Affine {
    a.constant -= 1;
    a
}

/// The products of a model are products: otherwise it is an artefact of taking them for atoms.
fn is_real(m: &Model) -> bool {
    m.atoms.iter().zip(&m.values).all(|(a, v)| match a {
        Atom::Product(_) => a.eval(&|t| m.get(t).unwrap_or(0)) == *v,
        _ => true,
    })
}

/// The point of `preds` with the least sum of sizes, found by doubling and halving a bound on it. The second
/// result is `true` if there may be one that was not found.
pub fn small_model(
    preds: &[&[Cond]],
    sizes: &[Atom],
    facts: &Facts,
    work: &mut Work,
) -> (Option<Model>, bool) {
    let sum = |budget: i64| {
        let a = sizes.iter().fold(Affine::from(budget), |a, s| a.plus_scaled(-1, &s.clone().into()).unwrap());
        [Cond::NonNeg(a)]
    };
    let mut unknown = false;
    let mut at = |budget: i64, work: &mut Work| {
        let s = sum(budget);
        let mut all = preds.to_vec();
        all.push(&s);
        match model(&all, facts, work) {
            Found::Some(m) => Some(m),
            Found::None => None,
            Found::Unknown => {
                unknown = true;
                None
            }
        }
    };
    let (mut low, mut high) = (-1, 1);
    let mut best = None;
    while best.is_none() && high <= 1 << 20 {
        best = at(high, work);
        if best.is_none() {
            low = high;
            high *= 4;
        }
    }
    while best.is_some() && high - low > 1 {
        let mid = low + (high - low) / 2;
        match at(mid, work) {
            Some(m) => {
                best = Some(m);
                high = mid;
            }
            None => low = mid,
        }
    }
    (best, unknown)
}

/// Proves `0 <= a < extent` under `p`, or says why not. `array` and `access` are how the user wrote them.
pub fn check_access(
    p: &Pred,
    a: &Affine,
    extent: &Affine,
    (array, access): (&str, &str),
    names: &Names,
    facts: &Facts,
    work: &mut Work,
) -> Result<(), Failure> {
    let fail = |certain: bool, text: String| Err(Failure { is_certain: certain, text });
    for (is_upper, cond) in [
        (false, Cond::NonNeg(a.clone())),
        (true, Cond::NonNeg(minus_one(extent.plus_scaled(-1, a).unwrap()))),
    ] {
        if entails_cond(&[p], &cond, facts, work) {
            continue;
        }
        // Each question below has its own allowance: the proof may have used up the one before.
        let mut fresh = Work::default();
        let work = &mut fresh;
        let violation = cond.negate().pop().unwrap();
        let cols = super::query::Columns::of(&[p, &violation, &[Cond::NonNeg(extent.clone())]], facts);
        let sizes: Vec<Atom> = cols.atoms.iter().filter(|a| matches!(a, Atom::Size(_))).cloned().collect();
        let indices: Vec<Atom> = cols.atoms.iter().filter(|a| matches!(a, Atom::Index(_))).cloned().collect();
        // Sizes of at least one convince more; zero only where nothing else fails.
        let positive: Pred = sizes.iter().map(|s| Cond::NonNeg(minus_one(s.clone().into()))).collect();
        let (mut point, _) = small_model(&[p, &violation, &positive], &sizes, facts, work);
        if point.is_none() {
            point = small_model(&[p, &violation], &sizes, facts, work).0;
        }
        let point = point.filter(is_real);

        // Symbolically: the extreme value of `a` by the sizes, and where it is taken.
        let t = Atom::Index(u32::MAX);
        let mut reach = p.clone();
        reach.push(Cond::Zero(a.plus_scaled(-1, &t.clone().into()).unwrap()));
        let extreme = bounds(&reach, &t, &[], &[], facts, work).ok().and_then(|b| {
            let list = if is_upper { &b.upper } else { &b.lower };
            match list.as_slice() {
                [one] if one.den == 1 => Some(one.num.clone()),
                _ => None,
            }
        });
        let mut text = String::new();
        match &extreme {
            Some(e) => {
                let mut at_extreme = p.clone();
                at_extreme.push(Cond::Zero(a.plus_scaled(-1, e).unwrap()));
                let mut wheres = vec![];
                for i in indices.iter().filter(|i| a.mentions(i)) {
                    if let Ok(b) = bounds(&at_extreme, i, &[], &[], facts, work)
                        && let Some(l) = b.exactly
                        && l.den == 1
                    {
                        wheres.push(format!("{} = {}", names.atom(i), names.affine(&l.num)));
                    }
                }
                text += &format!("`{access}` reaches `{}`", names.affine(e));
                if !wheres.is_empty() && *e != *a {
                    text += &format!(" at `{}`", wheres.join(", "));
                }
                if is_upper {
                    text += &format!(", past the end of `{array}` (length `{}`)", names.affine(extent));
                }
            }
            None if is_upper => {
                text +=
                    &format!("`{access}` may pass the end of `{array}` (length `{}`)", names.affine(extent))
            }
            None => text += &format!("`{access}` may be negative"),
        }
        match &point {
            Some(m) => {
                let env = |t: &Atom| m.get(t).unwrap_or(0);
                let mut values: Vec<String> = vec![];
                for x in
                    m.atoms.iter().filter(|x| matches!(x, Atom::Size(_) | Atom::Index(_) | Atom::Element(..)))
                {
                    values.push(format!("{} = {}", names.atom(x), m.get(x).unwrap()));
                }
                text += &format!("; with {} the index is {}", values.join(", "), a.eval(&env));
                if is_upper {
                    text += &format!(" and the length {}", extent.eval(&env));
                }
            }
            None => text += "; no example was found: the proof did not succeed",
        }

        // What would help: a range, a condition on sizes, a guard.
        let mut ok = p.clone();
        ok.push(cond.clone());
        let used: Vec<&Atom> = indices.iter().filter(|i| a.mentions(i)).collect();
        let mut helps = vec![];
        if let Some(bad) = exists(&[p.as_slice(), &violation].concat(), &indices, true, &[], facts, work) {
            let mut good: Vec<Pred> = vec![vec![]];
            for b in &bad {
                good = good
                    .iter()
                    .flat_map(|g| complement(b).into_iter().map(move |c| [g.as_slice(), &c].concat()))
                    .filter(|g| !is_empty(&[p, g], facts, work))
                    .collect();
            }
            if let [g] = good.as_slice() {
                // Said of any sizes for which the loops run at all.
                let runs = exists(p, &indices, true, &[], facts, work)
                    .filter(|r| r.len() == 1)
                    .map(|mut r| r.remove(0))
                    .unwrap_or_default();
                // Not where it would pin a size.
                let all =
                    super::query::gist(&[runs.as_slice(), g].concat(), &[], facts, work).unwrap_or_default();
                if let Some(g) = super::query::gist(g, &runs, facts, work)
                    && !g.is_empty()
                    && !all.iter().any(|c| matches!(c, Cond::Zero(_)))
                {
                    helps.push(format!("require `where {}`", names.pred(&g)));
                }
            }
        }
        if let [i] = used.as_slice() {
            let fixed: Vec<Atom> = indices.iter().filter(|j| j != i).cloned().collect();
            if let (Ok(was), Ok(b)) =
                (bounds(p, i, &fixed, &[], facts, work), bounds(&ok, i, &fixed, &[], facts, work))
            {
                let one = |v: &[super::project::Bound], d: i64| match v {
                    [b] if b.den == 1 => b.num.plus_scaled(1, &d.into()).map(|a| names.affine(&a)),
                    _ => None,
                };
                if was.upper != b.upper
                    && let Some(e) = one(&b.upper, 1)
                {
                    helps.push(format!("end the range of `{}` at `{e}`", names.atom(i)));
                }
                if was.lower != b.lower
                    && let Some(e) = one(&b.lower, 0)
                {
                    helps.push(format!("start the range of `{}` at `{e}`", names.atom(i)));
                }
            }
        }
        helps.push(format!("guard it with `[{}] *`", names.cond(&cond)));
        text += &format!("\n  help: {}", helps.join(", or "));
        return fail(point.is_some(), text);
    }
    Ok(())
}
