//! Numbers, taken apart.

/// A number as it was written, without underscores.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Number {
    /// In base ten.
    pub digits: String,
    pub suffix: String,
    /// It has neither a point nor an exponent.
    pub is_integer: bool,
}

impl Number {
    /// The number that a literal is; `None` if it is a string or a character.
    pub(super) fn of(literal: &str) -> Option<Number> {
        // Macros can make negative literals.
        let (sign, text) = literal.strip_prefix('-').map_or(("", literal), |text| ("-", text));
        if !text.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let radix = match text.get(..2) {
            Some("0x") => 16,
            Some("0o") => 8,
            Some("0b") => 2,
            _ => return Some(decimal(sign, text)),
        };
        let (digits, suffix) = text[2..].split_at(run(&text[2..], radix));
        Some(Number {
            digits: sign.to_string() + &whole(digits, radix),
            suffix: suffix.into(),
            is_integer: true,
        })
    }
}

/// A number in base ten: `1_000`, `2.5e-3f64`.
fn decimal(sign: &str, text: &str) -> Number {
    let mut end = run(text, 10);
    let mut is_integer = true;
    if let Some(fraction) = text[end..].strip_prefix('.') {
        is_integer = false;
        end += 1 + run(fraction, 10);
    }
    if let Some(after) = text[end..].strip_prefix(['e', 'E']) {
        let exponent = after.strip_prefix(['+', '-']).unwrap_or(after);
        let length = run(exponent, 10);
        // Otherwise it is a suffix.
        if exponent[..length].contains(|c: char| c.is_ascii_digit()) {
            is_integer = false;
            end += 1 + (after.len() - exponent.len()) + length;
        }
    }
    let (digits, suffix) = text.split_at(end);
    let digits =
        if is_integer { whole(digits, 10) } else { digits.replace(['_', '+'], "").replace('E', "e") };
    Number { digits: sign.to_string() + &digits, suffix: suffix.into(), is_integer }
}

/// How many bytes of digits and underscores a text begins with.
fn run(text: &str, radix: u32) -> usize {
    text.find(|c: char| c != '_' && !c.is_digit(radix)).unwrap_or(text.len())
}

/// A whole number of any size in base ten, without zeros before it.
fn whole(text: &str, radix: u32) -> String {
    let mut places = vec![0];
    for digit in text.chars().filter_map(|c| c.to_digit(radix)) {
        let mut carry = digit;
        for place in &mut places {
            carry += *place * radix;
            (*place, carry) = (carry % 10, carry / 10);
        }
        while carry > 0 {
            places.push(carry % 10);
            carry /= 10;
        }
    }
    places.iter().rev().filter_map(|p| char::from_digit(*p, 10)).collect()
}
