//! The sheet of files: saves pictures, the trace and the scenario of a run, and opens saved runs.

use crate::browser::{field, files};
use crate::dialogs::sheet::Sheet;
use crate::hooks::use_act;
use lockstep_scenario::given::MOST_GIVEN;
use lockstep_scenario::trace;
use lockstep_scene::{Arrangement, Painter, Room, Scene, StageInput, diagram, to_svg};
use lockstep_session::{Action, PagePlace, StepView};
use std::rc::Rc;
use yew::prelude::*;

/// What the sheet needs.
#[derive(Properties, PartialEq)]
pub struct ExportProps {
    /// Whether it is open.
    pub open: bool,
    /// The step.
    pub shown: Rc<StepView>,
    /// The link of the run.
    pub link: String,
    /// The layout of the nodes.
    pub arrange: Arrangement,
    /// Opens what the reader hands over.
    pub given: Callback<Result<String, String>>,
}

/// The size of a picture on a slide.
const SLIDE: Room = Room { width: 960.0, height: 600.0 };

/// The width of a step in the saved diagram of a long run.
const COLUMN: f64 = 18.0;

/// What can be saved.
const FILES: [(&str, &str, &str); 8] = [
    ("stage.svg", "The stage", "SVG"),
    ("stage.png", "The stage", "PNG"),
    ("diagram.svg", "The space-time diagram", "SVG"),
    ("diagram.png", "The space-time diagram", "PNG"),
    ("trace.json", "Every step with all variables", "JSON"),
    ("trace.csv", "The trace table: the clock of each node, and the action", "CSV"),
    ("shiviz.log", "Every event with its vector clock", "ShiViz log"),
    ("log.jsonl", "Every event as a line that Judge reads", "JSON lines"),
];

fn stage(shown: &StepView, arrange: Arrangement) -> Scene {
    let input = StageInput::new(&shown.frame, &shown.origin.setup, shown.origin.entry.tree_link, SLIDE);
    Painter::new().draw_stage(&StageInput { arrange, before: shown.before.as_deref(), ..input }).scene
}

fn diagram(shown: &StepView) -> Scene {
    // the whole run, however long: the cursor is only a place in it
    let (last, steps) = (shown.frames.len().saturating_sub(1), shown.frames.len() as f64);
    let width = SLIDE.width.max(88.0 + COLUMN * steps);
    let input = diagram::DiagramInput::new(&shown.frames, last, &shown.origin.setup, width);
    diagram::draw(&diagram::DiagramInput { whole: true, ..input })
}

fn save(file: &str, shown: &StepView, link: &str, arrange: Arrangement) {
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
            let text = trace::json(shown.origin.entry.id, link, &shown.frames);
            files::save(&name, "application/json", &text);
        }
        "trace.csv" => files::save(&name, "text/csv", &trace::csv(&shown.frames)),
        "shiviz.log" => files::save(&name, "text/plain", &trace::shiviz(&shown.frames)),
        _ => {
            let text = trace::native(shown.origin.entry.id, link, &shown.origin.setup, &shown.frames);
            files::save(&name, "application/jsonl", &text);
        }
    }
}

/// The sheet of files.
#[component]
pub fn Export(props: &ExportProps) -> Html {
    let act = use_act();
    let shut = act.reform(|()| Action::Export(false));
    let row = |(file, what, kind): &(&'static str, &'static str, &'static str)| {
        let (file, shown, link, arrange) = (*file, props.shown.clone(), props.link.clone(), props.arrange);
        let save = move |_: MouseEvent| save(file, &shown, &link, arrange);
        html! { <li key={file}><button type="button" onclick={save}><span>{ *what }</span><small>{ *kind }</small></button></li> }
    };
    let chosen = {
        let (given, shut) = (props.given.clone(), shut.clone());
        Callback::from(move |event: Event| {
            let Some(file) = field::file(&event) else { return };
            shut.emit(());
            files::read(&file, MOST_GIVEN, given.clone());
        })
    };
    let write = act.reform(|_: MouseEvent| Action::Visit(PagePlace::Write, "this-run".into()));
    html! {
        <Sheet open={props.open} title="Files" {shut}>
            <h3>{ "Save" }</h3>
            <ul class="files">{ for FILES.iter().map(row) }
                <li key="scenario"><button type="button" onclick={write}><span>{ "This run as a scenario, to edit" }</span><small>{ "TOML" }</small></button></li>
            </ul>
            <p>{ "The address of this page, which Copy link copies, opens exactly this state." }</p>
            <h3>{ "Open" }</h3>
            <label class="button">{ "Open a scenario or a saved run" }<input type="file" accept=".toml,.json,.txt" class="hidden" onchange={chosen} /></label>
            <p>{ "You can also drop a file on this page, or paste its text or a link. Undo brings the present run back." }</p>
        </Sheet>
    }
}
