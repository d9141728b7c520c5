//! What stands in the page's address beside a run: how it is laid out, and the puzzle that it
//! solves. They change no state.

/// An address of the page, taken apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Address {
    /// What stands after the `#`, without the rest: a link, `s=` and a scenario, or another place
    /// of the page.
    pub run: String,
    /// The name of a layout.
    pub layout: Option<String>,
    /// The id of a puzzle, where a run goes with it.
    pub puzzle: Option<String>,
}

impl Address {
    /// Takes a whole address or only what stands after its `#`.
    pub fn of(text: &str) -> Address {
        let mut address = Address::default();
        let mut run = Vec::new();
        for (i, part) in text.trim().rsplit('#').next().unwrap_or_default().split('&').enumerate() {
            match part.split_once('=') {
                Some(("layout", name)) => address.layout = Some(name.into()),
                Some(("puzzle", id)) if i > 0 => address.puzzle = Some(id.into()),
                _ => run.push(part),
            }
        }
        address.run = run.join("&");
        address
    }
}
