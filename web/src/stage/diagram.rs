//! The space-time diagram under the stage: click a step to go there, click a node's name to see its
//! threads, drag an arrowhead to deliver a message earlier or later.

use crate::browser::canvas::SamePicture;
use crate::browser::keys;
use crate::hooks::{PageAct, use_act, use_canvas, use_drag, use_size};
use crate::panels::icons;
use crate::panels::trace::TraceTableProps;
use crate::parts::Library;
use crate::stage::long_run::LongRunProps;
use lockstep_kernel::{Frame, NodeId};
use lockstep_scene::CausalChain;
use lockstep_scene::diagram::{self, DeliveryDrag, DiagramAxis, DiagramInput, NamedStep};
use lockstep_session::{Action, StepView};
use std::rc::Rc;
use yew::prelude::*;

/// What the diagram needs.
#[derive(Properties, PartialEq)]
pub struct DiagramProps {
    /// The step.
    pub shown: Rc<StepView>,
    /// The causes of this step, if they are shown.
    pub because: Option<Rc<CausalChain>>,
    /// The node that the inspector shows.
    pub selected: NodeId,
    /// Whether it is unfolded.
    pub open: bool,
    /// What draws the trace table, once it is downloaded.
    pub library: Option<Library>,
}

/// What the reader has chosen in the diagram.
#[derive(Clone, PartialEq, Default)]
struct DiagramChoices {
    axis: DiagramAxis,
    opened: Vec<NodeId>,
    drag: Option<DeliveryDrag>,
    /// Whether the trace table is shown under the diagram.
    table: bool,
    /// Whether the whole run is shown instead of its last steps.
    whole: bool,
}

impl DiagramChoices {
    fn input<'a>(&'a self, shown: &'a StepView, stops: &'a [NamedStep<'a>], width: f64) -> DiagramInput<'a, Rc<Frame>> {
        let plain = DiagramInput::new(&shown.frames, shown.cursor, &shown.origin.setup, width);
        DiagramInput { stops, axis: self.axis, opened: &self.opened, dragging: self.drag, ..plain }
    }

    /// The same with the threads of a node shown, or hidden again.
    fn turned(&self, node: NodeId) -> DiagramChoices {
        let mut choices = self.clone();
        match choices.opened.iter().position(|n| *n == node) {
            Some(at) => drop(choices.opened.remove(at)),
            None => choices.opened.push(node),
        }
        choices
    }

    /// Where the dragged delivery would go, if it may.
    fn target(&self, shown: &StepView, width: f64) -> Option<(u32, usize)> {
        let (drag, input) = (self.drag?, self.input(shown, &[], width));
        let range = input.delivery_range(drag.message)?;
        let to = input.position_at(drag.x).clamp(range.earliest.min(range.latest), range.latest);
        (range.allows(to) && range.ended != Some(to)).then_some((drag.message, to))
    }
}

/// Shows something else, and fetches what draws it.
fn show(
    choices: &UseStateHandle<DiagramChoices>,
    act: &PageAct,
    change: fn(&mut DiagramChoices),
) -> Callback<MouseEvent> {
    let choices = choices.clone();
    act.reform(move |_| {
        let mut changed = (*choices).clone();
        change(&mut changed);
        choices.set(changed);
        Action::Library
    })
}

/// What a click does: a name shows the threads of its node, a column leads to its step.
fn clicking(
    choices: UseStateHandle<DiagramChoices>,
    act: PageAct,
    swallows: impl Fn() -> bool + 'static,
) -> Callback<MouseEvent> {
    Callback::from(move |event: MouseEvent| {
        if swallows() {
            return;
        }
        if let Some(node) = keys::clicked_number(&event, "data-lane").map(NodeId) {
            choices.set(choices.turned(node));
        } else if let Some(index) = keys::clicked_number(&event, "data-index") {
            act.emit(Action::Seek(index as usize));
        }
    })
}

/// The diagram.
#[component]
pub fn Diagram(props: &DiagramProps) -> Html {
    let act = use_act();
    let svg = use_node_ref();
    let (around, (width, _)) = use_size((700.0, 0.0), (41.0, 0.0));
    let choices = use_state(DiagramChoices::default);
    let shown = &props.shown;
    let input = (shown.clone(), (*choices).clone(), width, props.because.clone(), props.open);
    let scene = use_memo(input, |(shown, choices, width, because, open)| {
        let stops: Vec<NamedStep<'_>> = (shown.stops.iter().enumerate())
            .filter_map(|(i, index)| {
                let name = shown.origin.scenario.as_ref()?.stops.get(i)?.name.as_str();
                Some(NamedStep { index: (*index)?, name })
            })
            .collect();
        open.then(|| {
            diagram::draw(&DiagramInput { causes: because.as_deref(), ..choices.input(shown, &stops, *width) })
        })
    });
    let canvas = use_canvas();
    {
        let canvas = canvas.clone();
        use_effect_with(SamePicture(scene.clone()), move |SamePicture(scene)| {
            if let Some(scene) = &**scene {
                canvas.with(|c| c.show(&scene.layers));
            }
        });
    }
    let (about, wide, high) =
        (*scene).as_ref().map_or((String::new(), 0.0, 0.0), |s| (s.about.clone(), s.width, s.height));
    let on_drag = {
        let (choices, shown, act) = (choices.clone(), shown.clone(), act.clone());
        Callback::from(move |drag| match drag {
            Ok((message, x)) => {
                choices.set(DiagramChoices { drag: Some(DeliveryDrag { message, x }), ..(*choices).clone() })
            }
            Err(dropped) => {
                let target = choices.target(&shown, width).filter(|_| dropped);
                choices.set(DiagramChoices { drag: None, ..(*choices).clone() });
                target.into_iter().for_each(|(message, to)| act.emit(Action::Move(message, to)));
            }
        })
    };
    let drag = use_drag(svg.clone(), |event| keys::clicked_number(event, "data-sent"), on_drag);
    let on_click = clicking(choices.clone(), act.clone(), drag.swallows_click());
    let toggle = act.reform(|_: MouseEvent| Action::Diagram);
    let by_time = choices.axis == DiagramAxis::Time;
    let turn = {
        let choices = choices.clone();
        move |_: MouseEvent| {
            let axis = if choices.axis == DiagramAxis::Time { DiagramAxis::Events } else { DiagramAxis::Time };
            choices.set(DiagramChoices { axis, ..(*choices).clone() });
        }
    };
    let tabled = show(&choices, &act, |choices| choices.table = !choices.table);
    let wholly = show(&choices, &act, |choices| choices.whole = !choices.whole);
    let long = shown.timeline.len() > diagram::MOST;
    let whole = props.open && choices.whole && long && props.library.is_some();
    let short = props.open && !whole;
    let node = props.selected;
    let name = shown.origin.setup.name(node).to_owned();
    let threads = {
        let choices = choices.clone();
        move |_: MouseEvent| choices.set(choices.turned(node))
    };
    html! {
        <section class={classes!("strip", (!props.open).then_some("folded"), choices.drag.is_some().then_some("dragging"))} aria-label="Space-time diagram">
            <button type="button" class="fold" aria-expanded={props.open.to_string()} onclick={toggle}
                title={if props.open { "Fold the space-time diagram" } else { "Unfold the space-time diagram" }}>
                { icons::icon(icons::CHEVRON) }<span>{ "Space-time diagram" }</span>
            </button>
            <button type="button" class="axis lanes" hidden={!short} aria-pressed={choices.opened.contains(&node).to_string()} onclick={threads}
                title={format!("Show one line for each thread of {name}")} aria-label={format!("Threads of {name}")}>{ icons::icon(icons::LANES) }</button>
            <button type="button" class="axis" hidden={!short} aria-pressed={by_time.to_string()} onclick={turn}
                title={if by_time { "Show one column for each event" } else { "Show virtual time from left to right" }}>{ "time" }</button>
            <button type="button" class="axis trace" hidden={!short} aria-pressed={choices.table.to_string()} onclick={tabled}
                title="Show the trace table: the clock of each node and the action, step by step">{ "table" }</button>
            <button type="button" class="axis whole" hidden={!(props.open && long)} aria-pressed={whole.to_string()} onclick={wholly}
                title="Show the whole run: zoom, move about, search">{ "whole run" }</button>
            <div class="lanes-around" ref={around}>
                <svg ref={svg} class="scene" hidden={!short} role="img" aria-label={about} width={wide.to_string()}
                    height={high.to_string()} viewBox={format!("0 0 {wide} {high}")} onclick={on_click}
                    onpointerdown={drag.down} onpointermove={drag.motion} onpointerup={drag.up} onpointercancel={drag.cancel}>
                    <g key="layers" ref={canvas.layers}></g>
                </svg>
            </div>
            if whole {
                { props.library.map_or_else(Html::default, |library| (library.long)(LongRunProps { shown: shown.clone() })) }
            }
            if short && choices.table {
                { props.library.map_or_else(Html::default, |library| (library.trace)(TraceTableProps { shown: shown.clone() })) }
            }
        </section>
    }
}
