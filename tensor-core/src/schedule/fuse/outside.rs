//! Why a group is the one that comes next: what it gains over the best that has another loop of one of its nodes outside.

use super::{Fuser, Group, Grown, Open};
use crate::loops::outside::Outside;
use crate::sorted::Set;

/// The first of those with the greatest score.
pub(super) fn best<'a>(tried: &[&'a Grown]) -> Option<&'a Grown> {
    tried.iter().copied().reduce(|best, g| if g.score > best.score { g } else { best })
}

impl Fuser<'_> {
    /// See [`Outside`]; nothing where no node has another loop.
    pub(super) fn outside(&self, best: &Grown, tried: &[&Grown], open: &Open) -> Option<Outside> {
        let Grown { score, group, .. } = best;
        if group.keys().all(|n| open[n].len() < 2) {
            return None;
        }
        let differs = |g: &Group| group.iter().any(|(n, i)| g.get(n).is_some_and(|j| j != i));
        let others = tried.iter().filter(|g| differs(&g.group));
        let Some(Grown { score: other, group: runner_up, .. }) = others.max_by_key(|g| g.score) else {
            return Some(Outside::Only);
        };
        if score.0 > other.0 {
            let there = self.stored(runner_up);
            let less: Vec<u32> = self.stored(group).into_iter().filter(|x| !there.contains(x)).collect();
            return Some(if less.is_empty() {
                let read = self.footprints(group, open).into_iter().filter(|(_, all)| all.len() > 1);
                Outside::Reads(read.map(|(x, _)| x).collect())
            } else {
                Outside::Stores(less)
            });
        }
        Some(match (score.1 > other.1, score.2 > other.2) {
            (true, _) => Outside::Rows,
            (false, true) => Outside::Shares(group.len()),
            (false, false) => Outside::First,
        })
    }

    /// The arrays of which a group stores less.
    fn stored(&self, g: &Group) -> Set<u32> {
        self.read_inside(g).into_iter().map(|(x, ..)| x).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::ad::tests::text::function;
    use crate::schedule::schedule;
    use crate::simplify::simplify;

    fn loops(text: &str) -> String {
        schedule(&simplify(function(text))).to_string()
    }

    fn says(text: &str, why: &str) {
        let loops = loops(text);
        assert!(loops.contains(&format!("outside: {why}\n")), "{why}\n{loops}");
    }

    #[test]
    fn loops_say_why_they_are_outside() {
        let row = "size n m\n param a[n, m] x[m]\n y[i<n] = sum j<m. a[i, j] x[j]\n result y";
        says(row, "what is inside walks along rows");
        let rows = "size n m\n param a[n, m] x[m] z[m]\n y[i<n] = sum j<m. a[i, j] x[j]\n v[i<n] = sum j<m. a[i, j] z[j]\n result y v";
        says(rows, "`a` is read once");
        let sum =
            "size n m\n param x[n, m]\n e[i<n, j<m] = exp(x[i, j])\n s[i<n] = sum j<m. e[i, j]\n result s";
        says(sum, "less of `e` is stored");
    }

    #[test]
    fn loops_without_a_choice_say_nothing() {
        let dot = "size n\n param a[n] b[n]\n s[] = sum i<n. a[i] b[i]\n result s";
        assert!(!loops(dot).contains("outside"), "{}", loops(dot));
    }
}
