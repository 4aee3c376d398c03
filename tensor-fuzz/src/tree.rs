//! Tokens as a tree that can be edited.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Tokens, and groups of them. Nodes have numbers: in order, a group before what is in it.
#[derive(Clone, Debug, Default)]
pub struct Tree(pub Vec<Node>);

/// One of them.
#[derive(Clone, Debug)]
pub enum Node {
    /// A token that is no group.
    Token(TokenTree),
    /// A group.
    Group(Delimiter, Tree),
}

impl Tree {
    /// The tree of a text, if it is made of tokens.
    #[must_use]
    pub fn parse(text: &str) -> Option<Tree> {
        text.parse().ok().map(|tokens| Tree::new(&tokens))
    }

    /// The tree of a stream.
    #[must_use]
    pub fn new(tokens: &TokenStream) -> Tree {
        let node = |t: TokenTree| match t {
            TokenTree::Group(g) => Node::Group(g.delimiter(), Tree::new(&g.stream())),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => Node::Token(t),
        };
        Tree(tokens.clone().into_iter().map(node).collect())
    }

    /// The stream of a tree.
    #[must_use]
    pub fn tokens(&self) -> TokenStream {
        let token = |n: &Node| match n {
            Node::Token(t) => t.clone(),
            Node::Group(d, inside) => Group::new(*d, inside.tokens()).into(),
        };
        self.0.iter().map(token).collect()
    }

    /// How many nodes there are, at every depth.
    #[must_use]
    pub fn places(&self) -> usize {
        let one = |n: &Node| match n {
            Node::Token(_) => 1,
            Node::Group(_, inside) => 1 + inside.places(),
        };
        self.0.iter().map(one).sum()
    }

    /// Where the node of this number is: at a place of this list, or, as that number, inside the group there.
    fn descend(&self, place: usize) -> Option<(usize, Option<usize>)> {
        let mut rest = place;
        for (k, n) in self.0.iter().enumerate() {
            let inside = match n {
                Node::Token(_) => 0,
                Node::Group(_, inside) => inside.places(),
            };
            if rest <= inside {
                return Some((k, rest.checked_sub(1)));
            }
            rest -= 1 + inside;
        }
        None
    }

    /// The list with the node of this number in it, and where it stands there.
    pub fn list(&mut self, place: usize) -> Option<(&mut Vec<Node>, usize)> {
        match self.descend(place)? {
            (k, None) => Some((&mut self.0, k)),
            (k, Some(rest)) => match &mut self.0[k] {
                Node::Group(_, inside) => inside.list(rest),
                Node::Token(_) => None,
            },
        }
    }

    /// The node of this number.
    #[must_use]
    pub fn node(&self, place: usize) -> Option<&Node> {
        match self.descend(place)? {
            (k, None) => self.0.get(k),
            (k, Some(rest)) => match &self.0[k] {
                Node::Group(_, inside) => inside.node(rest),
                Node::Token(_) => None,
            },
        }
    }

    /// All tokens that are no groups, in order.
    pub fn leaves(&self, out: &mut Vec<TokenTree>) {
        for n in &self.0 {
            match n {
                Node::Token(t) => out.push(t.clone()),
                Node::Group(_, inside) => inside.leaves(out),
            }
        }
    }
}
