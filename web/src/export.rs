//! The sheet of files: the run for other programs, the pictures for slides, the scenario for others.

use crate::browser::{files, keys};
use crate::icons;
use crate::run::Shown;
use crate::state::{Action, Place};
use lockstep_scenario::trace;
use lockstep_scene::{Arrange, Input, Room, Scene, draw, lanes, to_svg};
use std::rc::Rc;
use yew::prelude::*;

/// What the sheet needs.
#[derive(Properties, PartialEq)]
pub struct ExportProps {
    /// Whether it is open.
    pub open: bool,
    /// The moment.
    pub shown: Rc<Shown>,
    /// The link of the run.
    pub link: String,
    /// How the nodes are arranged.
    pub arrange: Arrange,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// The size of a picture on a slide.
const SLIDE: Room = Room { width: 960.0, height: 600.0 };

/// What can be saved.
const FILES: [(&str, &str, &str); 6] = [
    ("stage.svg", "The stage", "SVG"),
    ("stage.png", "The stage", "PNG"),
    ("diagram.svg", "The space-time diagram", "SVG"),
    ("diagram.png", "The space-time diagram", "PNG"),
    ("trace.json", "Every step", "JSON"),
    ("shiviz.log", "Every event with its vector clock", "ShiViz log"),
];

fn stage(shown: &Shown, arrange: Arrange) -> Scene {
    let input = Input::new(&shown.frame, &shown.origin.setup, shown.origin.entry.tree_link, SLIDE);
    draw(&Input { arrange, before: shown.before.as_deref(), ..input }).scene
}

fn diagram(shown: &Shown) -> Scene {
    lanes::draw(&lanes::Input::new(&shown.frames, shown.cursor, &shown.origin.setup, SLIDE.width))
}

fn save(file: &str, props: &ExportProps) {
    let shown = &props.shown;
    let name = format!("lockstep-{}-{file}", shown.origin.entry.id);
    let picture = |scene: Scene| {
        let svg = to_svg(&scene);
        if file.ends_with("svg") {
            files::save(&name, "image/svg+xml", &svg);
        } else {
            files::save_png(name.clone(), &svg, scene.width, scene.height);
        }
    };
    match file {
        "stage.svg" | "stage.png" => picture(stage(shown, props.arrange)),
        "diagram.svg" | "diagram.png" => picture(diagram(shown)),
        "trace.json" => {
            let text = trace::json(shown.origin.entry.id, &props.link, &shown.frames[..=shown.cursor]);
            files::save(&name, "application/json", &text);
        }
        _ => files::save(&name, "text/plain", &trace::shiviz(&shown.frames[..=shown.cursor])),
    }
}

/// The sheet of files.
#[component]
pub fn Export(props: &ExportProps) -> Html {
    let close = use_node_ref();
    {
        let close = close.clone();
        use_effect_with(props.open, move |open| {
            if *open {
                keys::focus(&close);
            }
        });
    }
    let shut = {
        let act = props.act.clone();
        move |_: MouseEvent| act.emit(Action::Export(false))
    };
    let row = |(file, what, kind): &(&'static str, &'static str, &'static str)| {
        let (file, shown, link, arrange, act) =
            (*file, props.shown.clone(), props.link.clone(), props.arrange, props.act.clone());
        let save = move |_: MouseEvent| {
            save(
                file,
                &ExportProps { open: true, shown: shown.clone(), link: link.clone(), arrange, act: act.clone() },
            );
        };
        html! { <li key={file}><button type="button" onclick={save}><span>{ *what }</span><small>{ *kind }</small></button></li> }
    };
    let write = {
        let act = props.act.clone();
        move |_: MouseEvent| act.emit(Action::Visit(Place::Write, "this-run".into()))
    };
    html! {
        <div class="sheet-around" hidden={!props.open} onclick={shut.clone()}>
            <section class="sheet" role="dialog" aria-modal="true" aria-labelledby="export-title" onclick={|e: MouseEvent| e.stop_propagation()}>
                <div class="sheet-head">
                    <h2 id="export-title">{ "Save" }</h2>
                    <button type="button" class="tool" aria-label="Close" ref={close} onclick={shut}>{ icons::icon(icons::CROSS) }</button>
                </div>
                <ul class="files">{ for FILES.iter().map(row) }
                    <li key="scenario"><button type="button" onclick={write}><span>{ "This run as a scenario, to edit" }</span><small>{ "TOML" }</small></button></li>
                </ul>
                <p>{ "The address of this page reopens exactly this state; so does Copy link." }</p>
            </section>
        </div>
    }
}
