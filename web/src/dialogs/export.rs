//! The sheet of files: the run for other programs, the pictures for slides, the scenario for others; and opening what was saved.

use crate::browser::files;
use crate::dialogs::sheet::Sheet;
use crate::run::Shown;
use crate::state::{Action, Place};
use lockstep_scenario::given::MOST_GIVEN;
use lockstep_scenario::trace;
use lockstep_scene::{Arrangement, Painter, Room, Scene, StageInput, diagram, to_svg};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
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
    pub arrange: Arrangement,
    /// Opens what the reader hands over.
    pub given: Callback<Result<String, String>>,
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

fn stage(shown: &Shown, arrange: Arrangement) -> Scene {
    let input = StageInput::new(&shown.frame, &shown.origin.setup, shown.origin.entry.tree_link, SLIDE);
    Painter::new().draw_stage(&StageInput { arrange, before: shown.before.as_deref(), ..input }).scene
}

fn diagram(shown: &Shown) -> Scene {
    diagram::draw(&diagram::DiagramInput::new(&shown.frames, shown.cursor, &shown.origin.setup, SLIDE.width))
}

fn save(file: &str, shown: &Shown, link: &str, arrange: Arrangement) {
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
        "stage.svg" | "stage.png" => picture(stage(shown, arrange)),
        "diagram.svg" | "diagram.png" => picture(diagram(shown)),
        "trace.json" => {
            let text = trace::json(shown.origin.entry.id, link, &shown.frames[..=shown.cursor]);
            files::save(&name, "application/json", &text);
        }
        _ => files::save(&name, "text/plain", &trace::shiviz(&shown.frames[..=shown.cursor])),
    }
}

/// The sheet of files.
#[component]
pub fn Export(props: &ExportProps) -> Html {
    let shut = props.act.reform(|()| Action::Export(false));
    let row = |(file, what, kind): &(&'static str, &'static str, &'static str)| {
        let (file, shown, link, arrange) = (*file, props.shown.clone(), props.link.clone(), props.arrange);
        let save = move |_: MouseEvent| save(file, &shown, &link, arrange);
        html! { <li key={file}><button type="button" onclick={save}><span>{ *what }</span><small>{ *kind }</small></button></li> }
    };
    let chosen = {
        let (given, shut) = (props.given.clone(), shut.clone());
        Callback::from(move |event: yew::Event| {
            let Some(input) = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok()) else { return };
            let Some(file) = input.files().and_then(|f| f.get(0)) else { return };
            input.set_value(""); // the same file may be chosen again
            shut.emit(());
            files::read(&file, MOST_GIVEN, given.clone());
        })
    };
    let write = {
        let act = props.act.clone();
        move |_: MouseEvent| act.emit(Action::Visit(Place::Write, "this-run".into()))
    };
    html! {
        <Sheet open={props.open} title="Files" {shut}>
            <h3>{ "Save" }</h3>
            <ul class="files">{ for FILES.iter().map(row) }
                <li key="scenario"><button type="button" onclick={write}><span>{ "This run as a scenario, to edit" }</span><small>{ "TOML" }</small></button></li>
            </ul>
            <p>{ "The address of this page reopens exactly this state; so does Copy link." }</p>
            <h3>{ "Open" }</h3>
            <label class="button">{ "A scenario or a saved run" }<input type="file" accept=".toml,.json,.txt" class="hidden" onchange={chosen} /></label>
            <p>{ "Or drop it anywhere on this page, or paste it, or a link: what is on the stage stays behind Undo." }</p>
        </Sheet>
    }
}
