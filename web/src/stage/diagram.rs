//! The space-time diagram under the stage: click to go to a step, click a name to see its threads, drag an arrowhead to let a message arrive
//! earlier or later.

use crate::browser::canvas::{Canvas, Same};
use crate::browser::{keys, size};
use crate::panels::icons;
use crate::run::Shown;
use crate::state::Action;
use lockstep_kernel::{Frame, NodeId};
use lockstep_scene::CausalChain;
use lockstep_scene::diagram::{self, DeliveryDrag, DiagramAxis, DiagramInput, NamedStep};
use std::rc::Rc;
use yew::prelude::*;

/// Pixels after which a press is a drag.
const DRAG: f64 = 6.0;

/// What the diagram needs.
#[derive(Properties, PartialEq)]
pub struct StripProps {
    /// The moment.
    pub shown: Rc<Shown>,
    /// What led to the last step, if that is to be seen.
    pub because: Option<Rc<CausalChain>>,
    /// The node that is looked at.
    pub selected: NodeId,
    /// Whether it is unfolded.
    pub open: bool,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// How the reader looks at the diagram.
#[derive(Clone, PartialEq, Default)]
struct Look {
    axis: DiagramAxis,
    opened: Vec<NodeId>,
    drag: Option<DeliveryDrag>,
}

impl Look {
    fn input<'a>(&'a self, shown: &'a Shown, stops: &'a [NamedStep<'a>], width: f64) -> DiagramInput<'a, Rc<Frame>> {
        let plain = DiagramInput::new(&shown.frames, shown.cursor, &shown.origin.setup, width);
        DiagramInput { stops, axis: self.axis, opened: &self.opened, dragging: self.drag, ..plain }
    }

    /// The same with the threads of a node opened, or closed.
    fn turned(&self, node: NodeId) -> Look {
        let mut look = self.clone();
        match look.opened.iter().position(|n| *n == node) {
            Some(at) => drop(look.opened.remove(at)),
            None => look.opened.push(node),
        }
        look
    }

    /// Where the dragged delivery would go, if it may.
    fn target(&self, shown: &Shown, width: f64) -> Option<(u32, usize)> {
        let (drag, input) = (self.drag?, self.input(shown, &[], width));
        let range = input.delivery_range(drag.message)?;
        let to = input.position_at(drag.x).clamp(range.earliest.min(range.latest), range.latest);
        (range.allows(to) && range.ended != Some(to)).then_some((drag.message, to))
    }
}

/// The diagram.
#[component]
pub fn Strip(props: &StripProps) -> Html {
    let around = use_node_ref();
    let svg = use_node_ref();
    let width = use_state(|| 700.0_f64);
    {
        let (around, width) = (around.clone(), width.setter());
        use_effect_with((), move |()| {
            let watch = around.cast().map(|element| {
                size::watch(element, move |(w, _)| {
                    if w > 40.0 {
                        width.set(w);
                    }
                })
            });
            move || drop(watch)
        });
    }
    let look = use_state(Look::default);
    // the message that is pressed and where; then whether the click that ends a drag is still to come
    let pressed = use_mut_ref(|| None::<(u32, f64)>);
    let dragged = use_mut_ref(|| false);
    let shown = &props.shown;
    let input = (shown.clone(), (*look).clone(), *width, props.because.clone(), props.open);
    let scene = use_memo(input, |(shown, look, width, because, open)| {
        let stops: Vec<NamedStep<'_>> = (shown.stops.iter().enumerate())
            .filter_map(|(i, index)| {
                let name = shown.origin.scenario.as_ref()?.stops.get(i)?.name.as_str();
                Some(NamedStep { index: (*index)?, name })
            })
            .collect();
        open.then(|| diagram::draw(&DiagramInput { causes: because.as_deref(), ..look.input(shown, &stops, *width) }))
    });
    let layers = use_node_ref();
    let canvas = use_mut_ref(|| None::<Canvas>);
    {
        let layers = layers.clone();
        use_effect_with(Same(scene.clone()), move |Same(scene)| {
            let mut canvas = canvas.borrow_mut();
            if canvas.is_none() {
                *canvas = layers.cast().map(Canvas::new);
            }
            canvas.iter_mut().zip(&**scene).for_each(|(c, scene)| c.show(&scene.layers));
        });
    }
    let (about, wide, high) =
        (*scene).as_ref().map_or((String::new(), 0.0, 0.0), |s| (s.about.clone(), s.width, s.height));
    let on_click = {
        let (act, look, dragged) = (props.act.clone(), look.clone(), dragged.clone());
        Callback::from(move |event: MouseEvent| {
            if dragged.replace(false) {
                return;
            }
            if let Some(node) = keys::clicked(&event, "data-lane").and_then(|i| i.parse().ok()).map(NodeId) {
                look.set(look.turned(node));
            } else if let Some(index) = keys::clicked(&event, "data-index").and_then(|i| i.parse().ok()) {
                act.emit(Action::Seek(index));
            }
        })
    };
    let on_down = {
        let (pressed, dragged) = (pressed.clone(), dragged.clone());
        Callback::from(move |event: PointerEvent| {
            let message = keys::clicked(&event, "data-sent").and_then(|i| i.parse().ok());
            *pressed.borrow_mut() = message.map(|m| (m, f64::from(event.client_x())));
            *dragged.borrow_mut() = false;
        })
    };
    let on_move = {
        let (pressed, look, svg) = (pressed.clone(), look.clone(), svg.clone());
        Callback::from(move |event: PointerEvent| {
            let Some((message, start)) = *pressed.borrow() else { return };
            if look.drag.is_none() && (f64::from(event.client_x()) - start).abs() < DRAG {
                return;
            }
            let Some(element) = svg.cast::<web_sys::Element>() else { return };
            if look.drag.is_none() {
                let _ = element.set_pointer_capture(event.pointer_id());
            }
            let x = f64::from(event.client_x()) - element.get_bounding_client_rect().left();
            look.set(Look { drag: Some(DeliveryDrag { message, x }), ..(*look).clone() });
        })
    };
    let on_up = {
        let (pressed, look, shown, act, width) =
            (pressed.clone(), look.clone(), shown.clone(), props.act.clone(), *width);
        Callback::from(move |_: PointerEvent| {
            *pressed.borrow_mut() = None;
            if look.drag.is_some() {
                *dragged.borrow_mut() = true;
                let target = look.target(&shown, width);
                look.set(Look { drag: None, ..(*look).clone() });
                target.into_iter().for_each(|(message, to)| act.emit(Action::Move(message, to)));
            }
        })
    };
    let on_cancel = {
        let (pressed, look) = (pressed.clone(), look.clone());
        Callback::from(move |_: PointerEvent| {
            *pressed.borrow_mut() = None;
            look.set(Look { drag: None, ..(*look).clone() });
        })
    };
    let toggle = {
        let act = props.act.clone();
        move |_: MouseEvent| act.emit(Action::Strip)
    };
    let by_time = look.axis == DiagramAxis::Time;
    let turn = {
        let look = look.clone();
        move |_: MouseEvent| {
            let axis = if look.axis == DiagramAxis::Time { DiagramAxis::Events } else { DiagramAxis::Time };
            look.set(Look { axis, ..(*look).clone() });
        }
    };
    let node = props.selected;
    let name = shown.origin.setup.name(node).to_owned();
    let threads = {
        let look = look.clone();
        move |_: MouseEvent| look.set(look.turned(node))
    };
    html! {
        <section class={classes!("strip", (!props.open).then_some("folded"), look.drag.is_some().then_some("dragging"))} aria-label="Space-time diagram">
            <button type="button" class="fold" aria-expanded={props.open.to_string()} onclick={toggle}
                title={if props.open { "Fold the space-time diagram" } else { "Unfold the space-time diagram" }}>
                { icons::icon(icons::CHEVRON) }<span>{ "Space-time diagram" }</span>
            </button>
            <button type="button" class="axis lanes" hidden={!props.open} aria-pressed={look.opened.contains(&node).to_string()} onclick={threads}
                title={format!("A lane for each thread of {name}")} aria-label={format!("Threads of {name}")}>{ icons::icon(icons::LANES) }</button>
            <button type="button" class="axis" hidden={!props.open} aria-pressed={by_time.to_string()} onclick={turn}
                title={if by_time { "A column for each event" } else { "Virtual time from left to right" }}>{ "time" }</button>
            <div class="lanes-around" ref={around}>
                <svg ref={svg} class="scene" hidden={!props.open} role="img" aria-label={about} width={wide.to_string()}
                    height={high.to_string()} viewBox={format!("0 0 {wide} {high}")} onclick={on_click}
                    onpointerdown={on_down} onpointermove={on_move} onpointerup={on_up} onpointercancel={on_cancel}>
                    <g key="layers" ref={layers}></g>
                </svg>
            </div>
        </section>
    }
}
