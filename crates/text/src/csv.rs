//! Comma-separated values (RFC 4180) that a spreadsheet shows and never runs.

/// Rows as CSV, each with this line end.
pub fn csv(rows: &[Vec<String>], line_end: &str) -> String {
    rows.iter().map(|row| csv_line(row) + line_end).collect()
}

/// One row, without its line end.
pub fn csv_line<T: AsRef<str>>(cells: &[T]) -> String {
    cells.iter().map(|text| cell(text.as_ref())).collect::<Vec<_>>().join(",")
}

/// One cell: quoted where it has to be. A spreadsheet runs text that begins like a formula, so an
/// apostrophe goes before it, which makes it text; a number such as -3.5 stays a number.
fn cell(text: &str) -> String {
    let begins = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let safe = if begins && !is_number(text) { format!("'{text}") } else { text.to_owned() };
    if safe.contains([',', '"', '\n', '\r']) { format!("\"{}\"", safe.replace('"', "\"\"")) } else { safe }
}

/// Whether this is a number in digits: `-inf` is a number to us and a formula to a spreadsheet.
fn is_number(text: &str) -> bool {
    text.ends_with(|c: char| c.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_look_like_formulas_become_text() {
        for text in ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "-", "-inf", "＝1", "=\"a\""] {
            let written = cell(text);
            let first = written.trim_start_matches('"').chars().next();
            assert_eq!(first, Some('\''), "{text}: {written}");
        }
        assert_eq!(cell("\r=1"), "\"'\r=1\"");
        assert_eq!(cell("=HYPERLINK(\"a\",\"b\")"), "\"'=HYPERLINK(\"\"a\"\",\"\"b\"\")\"");
        for text in ["-3.5", "+7", "-1e-9", "-0", "0.5", "a=b", "p1 → p2", "", "inf"] {
            assert_eq!(cell(text), text);
        }
    }

    #[test]
    fn rows_have_commas_and_line_ends() {
        let rows = [vec!["a".to_owned(), "b, c".to_owned()], vec!["-3".to_owned(), "say \"x\"".to_owned()]];
        assert_eq!(csv(&rows, "\r\n"), "a,\"b, c\"\r\n-3,\"say \"\"x\"\"\"\r\n");
        assert_eq!(csv_line(&["1", "2"]), "1,2");
    }
}
