//! The data-flow graph: from the scheduled function, and as a drawing.

use crate::html::escape;
use crate::report::{Graph, Node, Place};
use crate::stored::place;
use layout::core::base::Orientation;
use layout::core::format::{ClipHandle, RenderBackend};
use layout::core::geometry::{Point, Position};
use layout::core::style::StyleAttr;
use layout::std_shapes::shapes::{Arrow, Element, ShapeKind};
use layout::topo::layout::VisualGraph;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tensor_core::index::{Affine, Names};
use tensor_core::loops::Program;
use tensor_core::ssa::{self, ArrayId, display};

/// `r[n, m + 1]`
pub(crate) fn shaped(name: &str, extents: &[Affine], sizes: &[String]) -> String {
    let names = Names { sizes: sizes.to_vec(), ..Names::default() };
    let extents: Vec<String> = extents.iter().map(|e| names.affine(e)).collect();
    if extents.is_empty() { name.to_string() } else { format!("{name}[{}]", extents.join(", ")) }
}

/// The graph of a scheduled function. What is printed at its uses (numbers, indices) is no node, what it reads is read by them.
pub(crate) fn of(program: &Program) -> Graph {
    let f = &program.function;
    let values: BTreeMap<ArrayId, String> = display::statements(f).into_iter().collect();
    let mut graph = Graph::default();
    let mut numbers: BTreeMap<ArrayId, usize> = BTreeMap::new();
    let stmts = f.stmts.iter().map(|s| s.array).filter(|id| values.contains_key(id));
    for id in f.params.iter().copied().chain(stmts) {
        numbers.insert(id, graph.nodes.len());
        let array = f.array(id);
        graph.nodes.push(Node {
            array: shaped(&array.name, &array.extents, &f.sizes),
            value: values.get(&id).cloned().unwrap_or_default(),
            place: place(program, id).0,
        });
    }
    for (id, to) in &numbers {
        let mut from = BTreeSet::new();
        reads(f, *id, &numbers, &mut from);
        graph.edges.extend(from.into_iter().map(|from| (from, *to)));
    }
    graph
}

/// The nodes that the definition of an array reads.
fn reads(f: &ssa::Function, id: ArrayId, numbers: &BTreeMap<ArrayId, usize>, out: &mut BTreeSet<usize>) {
    let Some(s) = f.definition(id) else { return };
    let mut read = BTreeSet::new();
    s.rhs.reads(f, &mut |_, array| {
        read.insert(array);
    });
    for array in read {
        match numbers.get(&array) {
            Some(n) => drop(out.insert(*n)),
            None => reads(f, array, numbers, out),
        }
    }
}

/// Of text, in the drawing: the width of a character, the height of a line.
const CHARACTER: f64 = 7.25;
const LINE: f64 = 17.0;
/// Definitions are cut to lines of this many characters, and to this many lines.
const WIDTH: usize = 34;
const LINES: usize = 3;

/// What is drawn as a box.
#[derive(Clone, Copy)]
enum Shape {
    /// A node.
    Node(usize),
    /// The name of a node that is far away, beside what reads it.
    Name(usize),
}

/// An edge over more layers is drawn to the name of what is read: derivatives read what was computed long before, and such lines cross everything. So is
/// one back to what an earlier step has computed.
const FAR: usize = 2;

/// The drawing, as SVG without colours of its own: the page styles it by class.
#[must_use]
pub fn svg(graph: &Graph) -> String {
    let mut drawing = VisualGraph::new(Orientation::TopToBottom);
    let layers = layers(graph);
    let is_near = |(from, to): (usize, usize)| from < to && layers[to] <= layers[from] + FAR;
    // An argument that nothing near reads is there by name only.
    let near: BTreeSet<usize> = graph.edges.iter().filter(|e| is_near(**e)).map(|e| e.0).collect();
    let is_shown = |k: &usize| near.contains(k) || graph.nodes[*k].place != Place::Argument;
    let (mut handles, mut shapes) = (BTreeMap::new(), vec![]);
    let mut add = |drawing: &mut VisualGraph, shape: Shape| {
        shapes.push(shape);
        drawing.add_node(element(graph, shape, shapes.len() - 1))
    };
    for k in (0..graph.nodes.len()).filter(is_shown) {
        handles.insert(k, add(&mut drawing, Shape::Node(k)));
    }
    for (from, to) in &graph.edges {
        let start = if is_near((*from, *to)) { handles[from] } else { add(&mut drawing, Shape::Name(*from)) };
        drawing.add_edge(Arrow::simple(""), start, handles[to]);
    }
    let mut canvas = Canvas { graph, shapes, out: String::new(), end: Point::zero() };
    if !handles.is_empty() {
        drawing.do_it(false, false, false, &mut canvas);
    }
    let (width, height) = (canvas.end.x + 10.0, canvas.end.y + 10.0);
    // Wide drawings shrink a little, then they are scrolled.
    let least = width * 0.8;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" style=\"min-width: {least:.0}px\" role=\"img\" aria-label=\"data-flow graph\" \
         width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n{}</svg>\n",
        canvas.out
    )
}

/// How many nodes stand above each at least. Arguments stand right above the first that reads them.
fn layers(graph: &Graph) -> Vec<usize> {
    let mut out = vec![0_usize; graph.nodes.len()];
    // Nodes are in order of evaluation, but for what earlier steps have computed, and so a pass is enough.
    for to in 0..out.len() {
        let before = graph.edges.iter().filter(|e| e.1 == to && e.0 < to).map(|e| out[e.0] + 1);
        out[to] = before.max().unwrap_or(0);
    }
    for from in (0..out.len()).filter(|k| graph.nodes[*k].place == Place::Argument) {
        let first = graph.edges.iter().filter(|e| e.0 == from).map(|e| out[e.1]).min();
        out[from] = first.unwrap_or(1).saturating_sub(1);
    }
    out
}

/// The lines of a node: its array, then its definition, cut.
fn lines(node: &Node) -> Vec<String> {
    let mut out = vec![node.array.clone()];
    let mut line = String::new();
    for word in node.value.split(' ') {
        if !line.is_empty() && line.chars().count() + word.chars().count() + 1 > WIDTH {
            out.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    out.push(line);
    out.retain(|l| !l.is_empty());
    if out.len() > LINES + 1 {
        out.truncate(LINES + 1);
        out[LINES].push_str(" …");
    }
    out
}

fn element(graph: &Graph, shape: Shape, number: usize) -> Element {
    let lines = match shape {
        Shape::Node(k) => lines(&graph.nodes[k]),
        Shape::Name(k) => vec![name(&graph.nodes[k]).to_string()],
    };
    let longest = lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    let size = Point::new(longest as f64 * CHARACTER + 20.0, lines.len() as f64 * LINE + 14.0);
    let mut e = Element::create(ShapeKind::new_box(""), StyleAttr::simple(), Orientation::TopToBottom, size);
    e.pos = Position::new(Point::zero(), size, Point::zero(), Point::new(24.0, 44.0));
    // The canvas draws the shape of this number.
    e.properties = Some(number.to_string());
    e
}

/// Without the extents.
fn name(node: &Node) -> &str {
    node.array.split('[').next().unwrap_or_default()
}

/// Writes what the layout places.
struct Canvas<'a> {
    graph: &'a Graph,
    shapes: Vec<Shape>,
    out: String,
    end: Point,
}

impl Canvas<'_> {
    fn grow(&mut self, to: Point) {
        self.end = Point::new(self.end.x.max(to.x), self.end.y.max(to.y));
    }

    fn draw(&mut self, xy: Point, size: Point, shape: Shape) {
        let (node, lines, far) = match shape {
            Shape::Node(k) => (&self.graph.nodes[k], lines(&self.graph.nodes[k]), ""),
            Shape::Name(k) => (&self.graph.nodes[k], vec![name(&self.graph.nodes[k]).to_string()], " far"),
        };
        let mut text = String::new();
        for (k, line) in lines.iter().enumerate() {
            let y = xy.y + 7.0 + LINE * (k as f64 + 0.72);
            let class = if k == 0 { " class=\"array\"" } else { "" };
            let _ =
                writeln!(text, "<text{class} x=\"{:.1}\" y=\"{y:.1}\">{}</text>", xy.x + 10.0, escape(line));
        }
        let title = if node.value.is_empty() {
            node.array.clone()
        } else {
            format!("{} = {}", node.array, node.value)
        };
        let _ = writeln!(
            self.out,
            "<g class=\"node {}{far}\"><title>{}</title><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\"/>\n{text}</g>",
            node.place.name(),
            escape(&title),
            xy.x,
            xy.y,
            size.x,
            size.y
        );
    }
}

impl RenderBackend for Canvas<'_> {
    fn draw_rect(
        &mut self,
        xy: Point,
        size: Point,
        _: &StyleAttr,
        properties: Option<String>,
        _: Option<ClipHandle>,
    ) {
        let number = properties.and_then(|p| p.parse::<usize>().ok());
        if let Some(shape) = number.and_then(|k| self.shapes.get(k)).copied() {
            self.grow(xy.add(size));
            self.draw(xy, size, shape);
        }
    }

    fn draw_arrow(
        &mut self,
        path: &[(Point, Point)],
        _: bool,
        _: (bool, bool),
        _: &StyleAttr,
        _: Option<String>,
        _: &str,
    ) {
        let mut d = String::new();
        for (k, (a, b)) in path.iter().enumerate() {
            self.grow(*a);
            self.grow(*b);
            // The first pair leaves a point, the others arrive at one.
            let _ = match k {
                0 => write!(d, "M{:.1} {:.1} C{:.1} {:.1}", a.x, a.y, b.x, b.y),
                1 => write!(d, " {:.1} {:.1} {:.1} {:.1}", a.x, a.y, b.x, b.y),
                _ => write!(d, " S{:.1} {:.1} {:.1} {:.1}", a.x, a.y, b.x, b.y),
            };
        }
        let _ = writeln!(self.out, "<path class=\"edge\" d=\"{d}\" marker-end=\"url(#arrow)\"/>");
    }

    // The shapes and labels of which these are parts do not occur.
    fn draw_line(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}
    fn draw_circle(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}
    fn draw_text(&mut self, _: Point, _: &str, _: &StyleAttr) {}
    fn create_clip(&mut self, _: Point, _: Point, _: usize) -> ClipHandle {
        0
    }
}
