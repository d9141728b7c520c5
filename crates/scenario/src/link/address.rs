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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_the_page_is_taken_out() {
        let all = Address::of("http://127.0.0.1/#v=1&a=alien&layout=ring&c=0.1&puzzle=down-the-chain");
        assert_eq!(all.run, "v=1&a=alien&c=0.1");
        assert_eq!((all.layout.as_deref(), all.puzzle.as_deref()), (Some("ring"), Some("down-the-chain")));
        assert_eq!(Address::of("puzzle=short-cut").run, "puzzle=short-cut");
        assert_eq!(Address::of(""), Address::default());
    }
}
