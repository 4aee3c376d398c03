//! The report as one self-contained page.

use crate::graph::svg;
use crate::report::{Block, File, Function, Place, Version};
use crate::text;
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

/// The text of an element or an attribute.
#[must_use]
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Text in which `` `a` `` is code.
fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(k, p)| if k % 2 == 1 { format!("<code>{}</code>", escape(p)) } else { escape(p) }).collect()
}

/// The page of some files.
#[must_use]
pub fn page(files: &[File]) -> String {
    let title = files.iter().map(|f| escape(&f.name)).collect::<Vec<_>>().join(", ");
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}: tensor! explained</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n\
         <svg width=\"0\" height=\"0\" class=\"defs\" aria-hidden=\"true\"><defs><marker id=\"arrow\" markerWidth=\"9\" markerHeight=\"8\" \
         refX=\"8\" refY=\"4\" orient=\"auto\"><path d=\"M0 0 L9 4 L0 8 z\"/></marker></defs></svg>\n<main>\n"
    );
    for (k, file) in files.iter().enumerate() {
        let _ = writeln!(out, "<h1>{}</h1>", escape(&file.name));
        contents(&mut out, k, file);
        for (b, block) in file.blocks.iter().enumerate() {
            section(&mut out, file, &format!("b{k}-{b}"), block);
        }
    }
    out + "</main>\n</body>\n</html>\n"
}

/// The functions of a file, each a link.
fn contents(out: &mut String, number: usize, file: &File) {
    out.push_str("<nav aria-label=\"functions\"><ul>\n");
    for (b, block) in file.blocks.iter().enumerate() {
        let id = format!("b{number}-{b}");
        let _ = write!(out, "<li><a href=\"#{id}\">line {}</a>: {}", block.line, escape(&text::about(block)));
        let functions = block.outcome.as_deref().unwrap_or_default();
        for (k, f) in functions.iter().enumerate() {
            let comma = if k == 0 { ": " } else { ", " };
            let _ = write!(
                out,
                "{comma}<a href=\"#{id}-{}\"><code>{}</code></a>",
                escape(&f.name),
                escape(&f.name)
            );
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ul></nav>\n");
}

fn section(out: &mut String, file: &File, id: &str, block: &Block) {
    let around =
        if block.around.is_empty() { String::new() } else { format!(", in {}", block.around.join(", ")) };
    let _ = writeln!(out, "<section id=\"{id}\">\n<h2>Block at line {}{}</h2>", block.line, escape(&around));
    match &block.outcome {
        Err(problems) => {
            for p in problems {
                let _ = writeln!(out, "<pre class=\"error\">{}</pre>", escape(&text::problem(file, p)));
            }
        }
        Ok(functions) => functions.iter().for_each(|f| function(out, id, f)),
    }
    out.push_str("</section>\n");
}

fn pre(out: &mut String, text: &str) {
    let _ = writeln!(out, "<pre><code>{}</code></pre>", escape(text.trim_end()));
}

fn function(out: &mut String, block: &str, f: &Function) {
    let _ = writeln!(
        out,
        "<article id=\"{block}-{}\">\n<h3><code>{}</code></h3>",
        escape(&f.name),
        escape(&f.name)
    );
    let what = f.transform.as_ref().map(|t| format!(" It is {}.", prose(t))).unwrap_or_default();
    let _ = writeln!(out, "<p class=\"about\">Line {}.{what}</p>\n<h4>Source</h4>", f.line);
    pre(out, &f.source);
    out.push_str("<h4>Cost and memory</h4>\n");
    costs(out, f);
    for (k, v) in f.versions.iter().enumerate() {
        version(out, v, k < 2);
    }
    if let Some(why) = &f.underived {
        let _ = writeln!(out, "<p class=\"about\">No derivative is shown: {}.</p>", prose(why));
    }
    let _ = writeln!(out, "<details><summary>Generated Rust of <code>{}</code></summary>", escape(&f.name));
    pre(out, &f.rust);
    out.push_str("</details>\n</article>\n");
}

fn costs(out: &mut String, f: &Function) {
    out.push_str(
        "<div class=\"wide\"><table>\n<thead><tr><th>function</th><th>what</th><th>at most</th><th>ratio to the primal</th></tr></thead>\n<tbody>\n",
    );
    for v in &f.versions {
        for (k, (what, m)) in text::measures(v).into_iter().enumerate() {
            let name = if k == 0 {
                format!("<th rowspan=\"3\"><code>{}</code></th>", escape(&v.name))
            } else {
                String::new()
            };
            let first = if k == 0 { " class=\"first\"" } else { "" };
            let _ = writeln!(
                out,
                "<tr{first}>{name}<td>{what}</td><td class=\"number\">{}</td><td class=\"ratio\">{}</td></tr>",
                escape(&m.polynomial),
                m.ratio.as_deref().map(escape).unwrap_or_default()
            );
        }
    }
    out.push_str(
        "</tbody>\n</table></div>\n<p class=\"note\">Operations: additions, multiplications, calls of scalar functions. \
         Workspace and results: numbers that are stored.</p>\n",
    );
}

fn version(out: &mut String, v: &Version, open: bool) {
    let open = if open { " open" } else { "" };
    let mut title = v.title.clone();
    title[..1].make_ascii_uppercase();
    let _ = writeln!(
        out,
        "<details{open}><summary>{}: <code>{}</code></summary>",
        escape(&title),
        escape(&v.name)
    );
    pre(out, &v.program);
    let _ =
        writeln!(out, "<h5>Data flow</h5>\n{}<div class=\"wide graph\">{}</div>", legend(), svg(&v.graph));
    out.push_str("<h5>What is stored, and why</h5>\n");
    if v.storage.is_empty() {
        out.push_str("<p class=\"about\">Nothing.</p>\n");
    } else {
        out.push_str("<div class=\"wide\"><table>\n<thead><tr><th>array</th><th>where</th><th>why</th></tr></thead>\n<tbody>\n");
        for s in &v.storage {
            let (array, place) = (escape(&s.array), s.place.name());
            let _ = writeln!(
                out,
                "<tr><td><code>{array}</code></td><td><span class=\"key {place}\">{place}</span></td><td>{}</td></tr>",
                prose(&s.why)
            );
        }
        out.push_str("</tbody>\n</table></div>\n");
    }
    out.push_str("<h5>Loops</h5>\n");
    pre(out, &v.loops);
    out.push_str("</details>\n");
}

fn legend() -> String {
    let all = [Place::Argument, Place::Local, Place::Shared, Place::Stored, Place::Result];
    let keys: Vec<String> =
        all.iter().map(|p| format!("<span class=\"key {0}\">{0}</span>", p.name())).collect();
    format!("<p class=\"legend\">{} Dashed: the name of what stands further above.</p>\n", keys.join(" "))
}
