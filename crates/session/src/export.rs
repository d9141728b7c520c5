//! The files that a run can be saved as.

use crate::StepView;
use lockstep_scenario::trace;
use lockstep_scene::{Arrangement, Painter, Room, Scene, StageInput, diagram, to_svg};

/// The size of a picture on a slide.
const SLIDE: Room = Room { width: 960.0, height: 600.0 };

/// The width of a step in the saved diagram of a long run.
const COLUMN: f64 = 18.0;

/// A file that a run can be saved as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExportFile {
    /// The end of its name, which also says what it is.
    pub name: &'static str,
    /// What is in it.
    pub what: &'static str,
    /// Its kind, for people.
    pub kind: &'static str,
}

const fn file(name: &'static str, what: &'static str, kind: &'static str) -> ExportFile {
    ExportFile { name, what, kind }
}

/// What can be saved.
pub const FILES: [ExportFile; 8] = [
    file("stage.svg", "The stage", "SVG"),
    file("stage.png", "The stage", "PNG"),
    file("diagram.svg", "The space-time diagram", "SVG"),
    file("diagram.png", "The space-time diagram", "PNG"),
    file("trace.json", "Every step with all variables", "JSON"),
    file("trace.csv", "The trace table: the clock of each node, and the action", "CSV"),
    file("shiviz.log", "Every event with its vector clock", "ShiViz log"),
    file("log.jsonl", "Every event as a line that Judge reads", "JSON lines"),
];

/// The contents of a file.
#[derive(Clone, PartialEq, Debug)]
pub enum ExportContent {
    /// Text of this media type.
    Text(&'static str, String),
    /// An SVG picture to be saved in pixels, with its width and height.
    Pixels(String, f64, f64),
}

impl ExportFile {
    /// The name of the file for a run.
    pub fn name_of(&self, shown: &StepView) -> String {
        format!("lockstep-{}-{}", shown.origin.entry.id, self.name)
    }

    /// Its contents: of the step that is shown, or of the whole run.
    pub fn content(&self, shown: &StepView, link: &str, arrange: Arrangement) -> ExportContent {
        let (id, setup, frames) = (shown.origin.entry.id, &shown.origin.setup, &shown.frames);
        let pixels = |scene: &Scene| ExportContent::Pixels(to_svg(scene), scene.width, scene.height);
        let (media, text) = match self.name {
            "stage.png" => return pixels(&stage(shown, arrange)),
            "diagram.png" => return pixels(&whole_diagram(shown)),
            "stage.svg" => ("image/svg+xml", to_svg(&stage(shown, arrange))),
            "diagram.svg" => ("image/svg+xml", to_svg(&whole_diagram(shown))),
            "trace.json" => ("application/json", trace::json(id, link, frames)),
            "trace.csv" => ("text/csv", trace::csv(frames)),
            "shiviz.log" => ("text/plain", trace::shiviz(frames)),
            _ => ("application/jsonl", trace::native(id, link, setup, frames)),
        };
        ExportContent::Text(media, text)
    }
}

fn stage(shown: &StepView, arrange: Arrangement) -> Scene {
    let input = StageInput::new(&shown.frame, &shown.origin.setup, shown.origin.entry.tree_link, SLIDE);
    Painter::new().draw_stage(&StageInput { arrange, before: shown.before.as_deref(), ..input }).scene
}

fn whole_diagram(shown: &StepView) -> Scene {
    // however long the run is: the cursor is only a place in it
    let (last, steps) = (shown.frames.len().saturating_sub(1), shown.frames.len() as f64);
    let width = SLIDE.width.max(88.0 + COLUMN * steps);
    let input = diagram::DiagramInput::new(&shown.frames, last, &shown.origin.setup, width);
    diagram::draw(&diagram::DiagramInput { whole: true, ..input })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StageRun;

    #[test]
    fn every_file_has_its_contents() {
        let mut run = StageRun::of_library("alien-figure-1", 0).unwrap();
        let shown = run.view();
        for file in FILES {
            assert_eq!(file.name_of(&shown), format!("lockstep-alien-{}", file.name));
            let begins = match file.content(&shown, "v=1&a=alien", Arrangement::Auto) {
                ExportContent::Pixels(svg, width, height) => {
                    assert!(file.name.ends_with("png") && width >= 960.0 && height > 0.0, "{}", file.name);
                    svg
                }
                ExportContent::Text(media, text) => {
                    let end = file.name.rsplit('.').next().unwrap().replace("log", "plain");
                    assert!(media.contains(&end), "{}: {media}", file.name);
                    text
                }
            };
            let expected = match file.name.rsplit('.').next().unwrap() {
                "svg" | "png" => "<svg",
                "json" | "jsonl" => "{",
                _ => "",
            };
            assert!(begins.len() > 500 && begins.starts_with(expected), "{}: {begins:.60}", file.name);
        }
    }
}
