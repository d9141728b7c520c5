//! Logs to try: small ones, each with another verdict.

/// A log to try.
pub struct ExampleLog {
    /// Its name in addresses.
    pub id: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Names and contents of its files.
    pub files: &'static [(&'static str, &'static str)],
}

macro_rules! log {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../tests/logs/", $name)))
    };
}

/// The examples.
pub const EXAMPLE_LOGS: [ExampleLog; 5] = [
    ExampleLog {
        id: "replies-too-early",
        title: "Ricart–Agrawala that replies too early: only luck kept the two sections apart",
        files: &[log!("27-ricart-agrawala-replies-too-early.jsonl")],
    },
    ExampleLog {
        id: "violated",
        title: "Two nodes inside at once, in every order that agrees with the log",
        files: &[log!("03-violated-by-causality.jsonl")],
    },
    ExampleLog {
        id: "ricart-agrawala",
        title: "A correct run of Ricart–Agrawala",
        files: &[log!("01-ricart-agrawala.jsonl")],
    },
    ExampleLog {
        id: "free-text",
        title: "Free text of two nodes, one file each: teach the program to read it",
        files: &[log!("34-node1.log"), log!("34-node2.log")],
    },
    ExampleLog {
        id: "clocks",
        title: "Only wall clocks: the verdict depends on how exact they are",
        files: &[log!("14-wall-clocks-apart.jsonl")],
    },
];

/// The example of that name.
pub fn example(id: &str) -> Option<&'static ExampleLog> {
    EXAMPLE_LOGS.iter().find(|example| example.id == id)
}
