//! The large diagram of the whole timeline on the stage.

use crate::run::StepView;
use lockstep_scene::long::{LongDiagram, run};

/// The diagram of a timeline; its events are numbered as the positions of [`crate::Action::Seek`].
pub fn diagram(shown: &StepView) -> LongDiagram {
    run::diagram(&shown.origin.setup, shown.frames.iter().map(|frame| (&**frame).into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::StageRun;
    use lockstep_kernel::Event;

    #[test]
    fn every_step_of_a_timeline_is_an_event_and_every_grant_a_section() {
        let link = "v=1&a=alien&n=7&t=2&top=binary-tree&load=rate:0.5&delay=uniform:0.1:0.5&section=const:0.3&seed=1";
        let mut run = StageRun::of_link(link, 0).unwrap();
        while run.steps() < 200 && run.step() {}
        let shown = run.view();
        let long = diagram(&shown);
        assert_eq!(long.len(), shown.timeline.len());
        assert_eq!(long.len(), 201);
        let lasts = || shown.frames.iter().enumerate().filter_map(|(at, frame)| Some((at, frame.last.as_ref()?)));
        for (at, last) in lasts() {
            assert_eq!((long.node(at as u32), long.title(at as u32)), (Some(last.node.0), last.title.clone()));
        }
        let entered = lasts().flat_map(|(at, last)| last.granted.iter().map(move |_| at));
        for (section, at) in entered.enumerate() {
            assert_eq!(long.entry_of(section), Some(at as u32), "section {section}");
        }
        let (left, _) = lasts().find(|(_, last)| matches!(last.event, Event::Release(_))).unwrap();
        assert!(long.section_of(left as u32).is_some(), "a release ends a section");
        assert!(long.find(&shown.timeline[100].title).contains(&100));
    }
}
