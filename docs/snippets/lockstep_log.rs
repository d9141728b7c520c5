//! Writes native Lockstep log lines: see docs/logs.md.

use std::io::Write;

fn quote(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => quoted += &format!("\\u{:04x}", c as u32),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// `log("1", "send", &[("to", "2"), ("kind", "reply")])`
fn log(node: &str, event: &str, fields: &[(&str, &str)]) {
    let mut line = format!("{{\"node\":{},\"event\":{}", quote(node), quote(event));
    for (key, value) in fields {
        line += &format!(",{}:{}", quote(key), quote(value));
    }
    // one call writes one whole line, also from several threads
    let _ = std::io::stdout().lock().write_all((line + "}\n").as_bytes());
}

fn main() {
    log("1", "request", &[]);
    log("1", "enter", &[]);
    log("1", "exit", &[]);
    log("1", "send", &[("to", "2"), ("kind", "token"), ("id", "1")]);
    log("2", "recv", &[("from", "1"), ("kind", "token"), ("id", "1")]);
    log("2", "enter", &[]);
    log("2", "exit", &[]);
}
