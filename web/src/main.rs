//! The page: the only crate that knows a browser. It shows what the core computes and never simulates anything itself.
//!
//! * [`state`] is everything the page knows and can do, without any HTML; [`run`] is the run on the stage.
//! * [`app`] is the component around all others, written as a tutorial: begin there.
//! * [`stage`] is the picture and the diagram below it, [`panels`] what stands around it, [`dialogs`] what opens over it.
//! * [`places`] are the other places of the page: figures, compare, lab, check, editor. [`parts`] fetches them.
//! * [`worker`] is what the page's workers do, and the pool of them.
//! * [`browser`] holds every call into the browser's own interfaces.

mod app;
mod browser;
mod dialogs;
mod panels;
mod parts;
mod places;
mod run;
mod split;
mod stage;
mod state;
mod undo;
mod worker;

/// The figure that the page opens with, as `build.rs` has played it.
const FIRST: &str = include_str!(concat!(env!("OUT_DIR"), "/first.json"));

fn main() {
    if web_sys::window().is_none() {
        return; // a worker waits to be asked
    }
    match browser::json::read(FIRST) {
        Some(first) => app::start(state::State::new(run::Run::first(first))),
        None => browser::page::say_instead_of_the_page(
            "Lockstep cannot start: this browser cannot read what it opens with.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_opens_with_the_first_figure() {
        let first = run::Run::first(serde_json::from_str(FIRST).unwrap());
        let figure = run::Run::of_library(state::FIRST, 0).unwrap();
        assert_eq!((first.fingerprint(), first.link()), (figure.fingerprint(), figure.link()));
        assert_eq!(first.stops, figure.stops);
    }
}
