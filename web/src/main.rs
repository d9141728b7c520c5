//! The page: the only crate that knows a browser. It shows what the core computes and never simulates anything itself.
//!
//! * [`state`] is everything the page knows and can do, without any HTML; [`run`] is the run on the stage.
//! * [`app`] is the component around all others, written as a tutorial: begin there.
//! * [`top`], [`rail`], [`stage`], [`strip`], [`inspector`], [`transport`] are its parts; [`drawing`] renders shapes of `lockstep-scene`.
//! * [`browser`] holds every call into the browser's own interfaces.

mod app;
mod branches;
mod browser;
mod check;
mod chooser;
mod compare;
mod drawing;
mod events;
mod export;
mod figures;
mod glide;
mod help;
mod icons;
mod inspector;
mod lab;
mod legend;
mod menu;
mod own;
mod parts;
mod question;
mod rail;
mod run;
mod sheet;
mod stage;
mod state;
mod strip;
mod table;
mod top;
mod transport;
mod undo;
mod work;
mod write;

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
