//! The painter of a stage: draws states one after another and caches what is expensive.

use crate::layout::{self, LayoutKey};
use crate::route::Router;
use crate::stage::{self, StageInput, StagePicture};

/// Draws states of one stage.
///
/// Layouts and routes are recomputed only when their inputs change; most steps change neither. A
/// picture depends on its input alone, never on the pictures before: the cache saves only time. The
/// space-time diagram computes neither and needs no painter: see [`crate::diagram::draw`].
#[derive(Default)]
pub struct Painter {
    cache: Option<(LayoutKey, Router)>,
}

impl Painter {
    /// A painter that has drawn nothing yet.
    pub fn new() -> Painter {
        Painter::default()
    }

    /// Draws a state.
    pub fn draw_stage(&mut self, input: &StageInput<'_>) -> StagePicture {
        let place = input.layout_input();
        let key = LayoutKey::of(&place);
        let mut router = match self.cache.take() {
            Some((last, router)) if last == key => router,
            last => {
                let layout = layout::place(&place, &key);
                // other inputs may give the same layout: its routes are still valid
                let same = last.map(|(_, router)| router).filter(|router| *router.layout() == layout);
                same.unwrap_or_else(|| Router::new(layout))
            }
        };
        let picture = stage::draw(input, &mut router);
        self.cache = Some((key, router));
        picture
    }
}
