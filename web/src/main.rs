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
mod stage;
mod state;
mod strip;
mod table;
mod top;
mod transport;
mod undo;
mod write;

fn main() {
    match state::State::new() {
        Ok(state) => app::start(state),
        Err(why) => browser::page::say_instead_of_the_page(&format!("Lockstep cannot start: {why}")),
    }
}
