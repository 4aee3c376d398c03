//! Families of programs: a text for each size k.

mod bodies;
mod calls;
mod depth;
mod guards;
mod items;
mod scalars;
mod tensors;
mod text;

/// Programs of one shape that grow with k.
pub struct Family {
    /// As `guard/if_lets/real/vjp`: what it is about, and the transform that is asked for.
    pub name: String,
    /// The least size at which laws are asked; what grows by one each time is asked at sizes one after the other, else at this one, twice and four
    /// times it.
    pub from: usize,
    /// How far the driver goes on.
    pub most: usize,
    text: Box<dyn Fn(usize) -> String + Send + Sync>,
}

impl Family {
    fn new(
        name: impl Into<String>,
        from: usize,
        most: usize,
        text: impl Fn(usize) -> String + Send + Sync + 'static,
    ) -> Family {
        Family { name: name.into(), from, most, text: Box::new(text) }
    }

    /// The program of a size: the content of a `tensor!`.
    #[must_use]
    pub fn program(&self, k: usize) -> String {
        (self.text)(k)
    }

    /// The sizes at which laws are asked.
    #[must_use]
    pub fn sizes(&self) -> [usize; 3] {
        [self.from, 2 * self.from, 4 * self.from]
    }
}

/// All of them, in order.
#[must_use]
pub fn all() -> Vec<Family> {
    [scalars::all(), calls::all(), tensors::all(), bodies::all(), guards::all(), items::all(), depth::all()]
        .into_iter()
        .flatten()
        .collect()
}
