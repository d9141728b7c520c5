//! The page: the only crate that knows a browser. It draws what `lockstep-session` knows and
//! carries out its commands; it decides and simulates nothing itself.
//!
//! * [`app`] is the component around all others, written as a tutorial: begin there.
//! * [`stage`] is the picture and the space-time diagram, [`panels`] what stands around it,
//!   [`dialogs`] what opens over it.
//! * [`places`] are the other places of the page: figures, compare, lab, check, editor.
//! * [`parts`] draws them once [`split`] has downloaded them; [`hooks`] are shared by components.
//! * [`worker`] is what the page's workers do, and the pool of them.
//! * [`browser`] holds every call into the browser's own interfaces.

mod app;
mod browser;
mod dialogs;
mod hooks;
mod panels;
mod parts;
mod places;
mod split;
mod stage;
mod worker;

use lockstep_session::{Session, StageRun};

/// The figure that the page opens with, as `build.rs` has played it.
const FIRST: &str = include_str!(concat!(env!("OUT_DIR"), "/first.json"));

fn main() {
    if !browser::page::has_window() {
        return; // a worker waits for its first task
    }
    match browser::json::read(FIRST) {
        Some(first) => app::start(Session::new(StageRun::first(first))),
        None => {
            browser::page::say_instead_of_the_page("Lockstep cannot start: this browser cannot read its first figure.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_opens_with_the_first_figure() {
        let first = StageRun::first(serde_json::from_str(FIRST).unwrap());
        let figure = StageRun::of_library(lockstep_session::FIRST, 0).unwrap();
        assert_eq!((first.fingerprint(), first.link()), (figure.fingerprint(), figure.link()));
        assert_eq!(first.stops, figure.stops);
    }
}
