//! The sheet of files: saves pictures, the trace and the scenario of a run, and opens saved runs.

use crate::browser::{field, files};
use crate::dialogs::sheet::Sheet;
use crate::hooks::use_act;
use lockstep_scenario::given::MOST_GIVEN;
use lockstep_scene::Arrangement;
use lockstep_session::export::{ExportContent, ExportFile, FILES};
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

fn save(file: ExportFile, shown: &StepView, link: &str, arrange: Arrangement) {
    let name = file.name_of(shown);
    match file.content(shown, link, arrange) {
        ExportContent::Text(media, text) => files::save(&name, media, &text),
        ExportContent::Pixels(svg, width, height) => files::save_png(name, &svg, width, height),
    }
}

/// The sheet of files.
#[component]
pub fn Export(props: &ExportProps) -> Html {
    let act = use_act();
    let shut = act.reform(|()| Action::Export(false));
    let row = |file: ExportFile| {
        let (shown, link, arrange) = (props.shown.clone(), props.link.clone(), props.arrange);
        let save = move |_: MouseEvent| save(file, &shown, &link, arrange);
        html! { <li key={file.name}><button type="button" onclick={save}><span>{ file.what }</span><small>{ file.kind }</small></button></li> }
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
            <ul class="files">{ for FILES.into_iter().map(row) }
                <li key="scenario"><button type="button" onclick={write}><span>{ "This run as a scenario, to edit" }</span><small>{ "TOML" }</small></button></li>
            </ul>
            <p>{ "The address of this page, which Copy link copies, opens exactly this state." }</p>
            <h3>{ "Open" }</h3>
            <label class="button">{ "Open a scenario or a saved run" }<input type="file" accept=".toml,.json,.txt" class="hidden" onchange={chosen} /></label>
            <p>{ "You can also drop a file on this page, or paste its text or a link. Undo restores the current run." }</p>
        </Sheet>
    }
}
