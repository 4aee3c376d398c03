//! What is said about mistakes, and where.

use super::show;

const MISTAKES: &[(&str, &str)] = &[];

#[test]
fn messages() {
    for (source, said) in MISTAKES {
        assert_eq!(show(source), *said, "{source}");
    }
}
