//! Families of programs: a text for each size k.

mod bodies;
mod calls;
mod depth;
mod guards;
mod items;
mod recurrences;
mod scalars;
mod tensors;
mod text;

/// How what is asked for grows with k: laws are asked at sizes at which it doubles.
#[derive(Clone, Copy)]
enum Growth {
    /// As k.
    Linear,
    /// As k²: Hessians by k names have a block for each two of them.
    Square,
    /// As k² too: each of k reads has k indices, each of k alternatives the conditions of those before it.
    Rank,
    /// As k³: questions about k unknowns, as far as their budget goes.
    Question,
    /// As 2 to the k: each derivative is of the one before it.
    Power,
    /// As the partitions of k + 1 things: along k directions, what is composed has a derivative of a term for each partition of each subset of these.
    Partitions,
}

/// Programs of one shape that grow with k.
pub struct Family {
    /// As `guard/if_lets/real/vjp`: what it is about, and the transform that is asked for.
    pub name: String,
    /// The least size at which laws are asked.
    pub from: usize,
    /// How far the driver goes on.
    pub most: usize,
    growth: Growth,
    /// Whether it is about how a mistake is found.
    pub is_mistaken: bool,
    text: Box<dyn Fn(usize) -> String + Send + Sync>,
}

impl Family {
    fn new(
        name: impl Into<String>,
        from: usize,
        most: usize,
        text: impl Fn(usize) -> String + Send + Sync + 'static,
    ) -> Family {
        Family {
            name: name.into(),
            from,
            most,
            growth: Growth::Linear,
            is_mistaken: false,
            text: Box::new(text),
        }
    }

    /// Likewise, where what is asked for grows otherwise.
    fn growing(self, growth: Growth) -> Family {
        Family { growth, ..self }
    }

    /// The program of a size: the content of a `tensor!`.
    #[must_use]
    pub fn program(&self, k: usize) -> String {
        (self.text)(k)
    }

    /// The sizes at which laws are asked, from a size on.
    #[must_use]
    pub fn sizes(&self, k: usize) -> [usize; 3] {
        match self.growth {
            Growth::Linear | Growth::Rank | Growth::Question => [k, 2 * k, 4 * k],
            // Twice the square of 12 is that of 17 but for one.
            Growth::Square => [k, k * 17 / 12, 2 * k],
            Growth::Power | Growth::Partitions => [k, k + 1, k + 2],
        }
    }

    /// How many times as much the last of these asks for beyond the second as that beyond the first.
    #[must_use]
    pub fn step(&self) -> f64 {
        match self.growth {
            Growth::Linear | Growth::Square | Growth::Power => 2.0,
            Growth::Rank => 4.0,
            Growth::Question => 8.0,
            Growth::Partitions => {
                let [a, b, c] = self.sizes(self.from).map(|k| partitions(k + 1));
                (c - b) / (b - a)
            }
        }
    }
}

/// The partitions of a set of so many (numbers of Bell), by the triangle whose rows begin with the last of the row before.
fn partitions(things: usize) -> f64 {
    let mut row = vec![1.0];
    for _ in 1..things {
        let mut next = vec![row[row.len() - 1]];
        for above in &row {
            next.push(next[next.len() - 1] + above);
        }
        row = next;
    }
    row[row.len() - 1]
}

/// All of them, in order.
#[must_use]
pub fn all() -> Vec<Family> {
    [
        scalars::all(),
        calls::all(),
        tensors::all(),
        bodies::all(),
        guards::all(),
        items::all(),
        recurrences::all(),
        depth::all(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
