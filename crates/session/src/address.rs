//! What stands after the `#` of an address: a scenario, a run, a puzzle, or a place of the page.

use crate::choices::PagePlace;
use crate::session::Session;
use lockstep_scenario::link::Address;
use lockstep_scene::Arrangement;

/// What an address asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AddressTarget {
    /// A scenario of the library.
    Scenario(String),
    /// The run that a link describes.
    Link(String),
    /// A puzzle, at its beginning or where a link left it.
    Puzzle(String, Option<String>),
    /// A place of the page, with what it shows.
    Place(PagePlace, String),
}

impl AddressTarget {
    /// Whether it takes the library to open it. Places fetch it themselves.
    pub fn needs_library(&self) -> bool {
        !matches!(self, AddressTarget::Place(..))
    }
}

/// Reads what stands after the `#`, with or without it.
pub fn read(hash: &str) -> Option<AddressTarget> {
    let Address { run: text, puzzle, .. } = Address::of(hash);
    if let Some(id) = puzzle {
        return Some(AddressTarget::Puzzle(id, Some(text)));
    }
    let text = text.as_str();
    let (name, rest) = text.split_once('=').unwrap_or((text, ""));
    match PagePlace::named(name) {
        _ if text.is_empty() => None,
        Some(place) => Some(AddressTarget::Place(place, rest.into())),
        None if name == "puzzle" => Some(AddressTarget::Puzzle(rest.into(), None)),
        None if name == "s" => Some(AddressTarget::Scenario(rest.into())),
        None => Some(AddressTarget::Link(text.into())),
    }
}

/// The layout that an address asks for.
pub fn layout(hash: &str) -> Arrangement {
    Address::of(hash).layout.and_then(|name| Arrangement::named(&name)).unwrap_or(Arrangement::Auto)
}

/// The layout as an address names it; nothing for the automatic one.
pub(crate) fn layout_field(arrange: Arrangement) -> String {
    let name = Arrangement::ALL.iter().find(|(_, a)| *a == arrange && *a != Arrangement::Auto);
    name.map_or(String::new(), |(name, _)| format!("&layout={name}"))
}

/// The address of a place that shows something.
pub(crate) fn of_place(place: PagePlace, what: &str) -> String {
    let name = place.name();
    if what.is_empty() { name.into() } else { format!("{name}={what}") }
}

impl Session {
    /// The address of the run on the stage: system, choices, puzzle, layout.
    pub fn run_address(&self) -> String {
        let puzzle = self.puzzle.as_ref().map_or(String::new(), |(puzzle, _)| format!("&puzzle={}", puzzle.id));
        format!("{}{puzzle}{}", self.run.link(), layout_field(self.arrange))
    }

    /// The address of what is on the screen.
    pub fn address(&self) -> String {
        match self.place {
            PagePlace::Stage => self.run_address(),
            place => of_place(place, &self.wanted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_scenario_a_run_a_puzzle_a_place_or_nothing() {
        let place = |place, what: &str| Some(AddressTarget::Place(place, what.into()));
        assert_eq!(read(""), None);
        assert_eq!(read("#"), None);
        assert_eq!(read("#s=alien-figure-2"), Some(AddressTarget::Scenario("alien-figure-2".into())));
        assert_eq!(read("#v=1&a=alien"), Some(AddressTarget::Link("v=1&a=alien".into())));
        assert_eq!(read("#v=1&a=alien&layout=ring"), read("#v=1&a=alien"));
        assert_eq!(layout("#v=1&a=alien&layout=ring"), Arrangement::Ring);
        assert_eq!(read("#puzzle=x"), Some(AddressTarget::Puzzle("x".into(), None)));
        assert_eq!(read("#figures"), place(PagePlace::Figures, ""));
        assert_eq!(read("#lab=alien"), place(PagePlace::Lab, "alien"));
        assert_eq!(of_place(PagePlace::Lab, "alien"), "lab=alien");
    }
}
