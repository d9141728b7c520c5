//! The stage: the picture of one moment, and the flight of messages to the next.

pub mod diagram;
pub mod drawing;
mod glide;
mod legend;
pub mod table;

use crate::browser::canvas::{Canvas, Same};
use crate::browser::{keys, motion, size};
use crate::dialogs::menu::{Open, Thing};
use crate::run::{Shown, Whereabouts};
use crate::state::Action;
use glide::Glide;
use gloo_timers::callback::Timeout;
use legend::Legend;
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{NodeId, ThreadId};
use lockstep_scene::explain::words;
use lockstep_scene::{Arrangement, CausalChain, Layout, Painter, Point, Room, StageInput, StagePicture};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use yew::prelude::*;

/// The way from the moment that is shown to the next one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Journey {
    /// Which one.
    pub serial: u32,
    /// Virtual time at its end.
    pub until: u64,
    /// How long it takes the reader.
    pub ms: f64,
}

/// What the stage needs.
#[derive(Properties, PartialEq)]
pub struct StageProps {
    /// The moment.
    pub shown: Rc<Shown>,
    /// The node that is looked at.
    pub selected: NodeId,
    /// Faded layers.
    pub hidden: BTreeSet<String>,
    /// How the nodes are arranged.
    pub arrange: Arrangement,
    /// What led to the last step, if that is to be seen.
    pub because: Option<Rc<CausalChain>>,
    /// The way to the next moment, while it lasts.
    pub journey: Option<Journey>,
    /// Whether changes of the arrangement are to be seen, not only their result.
    pub smooth: bool,
    /// Whether it is shown to a room full of people.
    pub presenting: bool,
    /// Called when the way is done.
    pub landed: Callback<u32>,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// How much larger everything is drawn where there is more room than on a small laptop: for a room full of people as large as it can be.
fn zoom(room: Room, presenting: bool) -> f64 {
    let spare = (room.width / 758.0).min(room.height / 440.0);
    if presenting { spare } else { spare.max(1.0).sqrt() }.clamp(1.0, 1.6)
}

/// Where there is room beside the cards.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Spare {
    /// For the facts, which else stand above.
    facts: bool,
    /// For the legend, which else stands below.
    legend: bool,
}

impl Spare {
    /// What a layout leaves free; where cards move there may be nothing in a moment.
    fn beside(layout: &Layout, room: Room, zoom: f64) -> Spare {
        let stays = layout.arrange != Arrangement::Living;
        Spare {
            facts: stays
                && layout.cards.iter().all(|c| c.x * zoom > 170.0 || c.y * zoom > 96.0)
                && layout.hulls.iter().all(|h| h.bounds.x * zoom > 150.0),
            legend: stays
                && layout.bar.is_none()
                && room.height > 330.0
                && layout.cards.iter().all(|c| c.x * zoom > 220.0),
        }
    }

    /// Facts and legend that stand above and below take room from the picture, and then its layout may be another one that would leave them room beside it:
    /// whatever once did not fit stays where it is, or the two would change places for ever.
    fn and(self, found: Spare) -> Spare {
        Spare { facts: self.facts && found.facts, legend: self.legend && found.legend }
    }
}

/// The stage.
#[component]
pub fn StageView(props: &StageProps) -> Html {
    let around = use_node_ref();
    let layers = use_node_ref();
    let canvas = use_mut_ref(|| None::<Canvas>);
    // until it is measured; a width that was measured has no fraction
    let room = use_state(|| Room { width: 757.5, height: 440.0 });
    {
        let (around, room) = (around.clone(), room.setter());
        use_effect_with((), move |()| {
            let watch = around.cast().map(|element| {
                size::watch(element, move |(width, height)| {
                    if width > 40.0 && height > 40.0 {
                        room.set(Room { width, height });
                    }
                })
            });
            move || drop(watch)
        });
    }
    let spare = use_mut_ref(|| None);
    let zoom = zoom(*room, props.presenting);
    let painter = use_mut_ref(Painter::new);
    let stage = {
        let (shown, room) = (props.shown.clone(), room.times(1.0 / zoom));
        let size = (room.width as i32, room.height as i32);
        let look = (props.arrange, props.hidden.clone(), props.because.clone());
        let input = (props.shown.run, props.shown.moment, props.selected, size, look);
        use_memo(input, move |(_, _, selected, _, (arrange, hidden, because))| {
            painter.borrow_mut().draw_stage(&StageInput {
                before: shown.before.as_deref(),
                selected: Some(*selected),
                arrange: *arrange,
                hidden,
                causes: because.as_deref(),
                can: Some(shown.origin.can()),
                ..StageInput::new(&shown.frame, &shown.origin.setup, shown.origin.entry.tree_link, room)
            })
        })
    };
    // the picture before, with its run, and what is still on its way from it
    let before = use_mut_ref(|| None::<(u32, Rc<StagePicture>)>);
    let gliding = use_mut_ref(|| None::<Glide>);
    {
        let (layers, canvas, run) = (layers.clone(), canvas.clone(), props.shown.run);
        let smooth = props.smooth && !motion::reduced();
        // the memo keeps the same picture as long as nothing in it can have changed
        use_effect_with(Same(stage.clone()), move |Same(stage)| {
            let (mut canvas, mut before) = (canvas.borrow_mut(), before.borrow_mut());
            if canvas.is_none() {
                *canvas = layers.cast().map(Canvas::new);
            }
            gliding.borrow_mut().take();
            let from = before.as_ref().filter(|(r, _)| smooth && *r == run).map(|(_, stage)| &**stage);
            *gliding.borrow_mut() = canvas.as_mut().and_then(|c| glide::show(c, from, stage));
            *before = Some((run, stage.clone()));
        });
    }
    let flying = use_mut_ref(|| None::<motion::Motion>);
    {
        let (stage, shown, landed) = (stage.clone(), props.shown.clone(), props.landed.clone());
        use_effect_with(props.journey, move |journey| {
            let mut canvas = canvas.borrow_mut();
            let fly = |journey| Some(fly(canvas.as_mut()?, &stage, shown.frame.now, journey, landed));
            *flying.borrow_mut() = journey.and_then(fly);
        });
    }

    // a finger that stays: its timer, where it began, and whether the menu is open already
    let press = use_mut_ref(|| None::<(Timeout, f64, f64)>);
    let pressed = use_mut_ref(|| false);
    let on_click = {
        let (act, pressed) = (props.act.clone(), pressed.clone());
        Callback::from(move |event: MouseEvent| {
            if pressed.replace(false) {
                return; // the finger of a long press was lifted
            }
            if let Some(id) = keys::clicked(&event, "data-flight-id").and_then(|id| id.parse().ok()) {
                act.emit(Action::Deliver(id));
            } else if let Some(id) = keys::clicked(&event, "data-thread").and_then(|id| id.parse().ok()) {
                act.emit(Action::Prod(ThreadId(id)));
            } else if let Some(id) = keys::clicked(&event, "data-id").and_then(|id| id.parse().ok()) {
                act.emit(Action::Select(Some(NodeId(id))));
            }
        })
    };
    let on_menu = {
        let (act, press) = (props.act.clone(), press.clone());
        Callback::from(move |event: MouseEvent| {
            press.borrow_mut().take();
            if let Some(thing) = thing(&event) {
                event.prevent_default();
                let (x, y) = keys::place(&event);
                act.emit(Action::Menu(Some(Open { thing, x, y })));
            }
        })
    };
    let on_down = {
        let (act, press, pressed) = (props.act.clone(), press.clone(), pressed.clone());
        Callback::from(move |event: PointerEvent| {
            *pressed.borrow_mut() = false;
            if event.pointer_type() != "touch" {
                return;
            }
            let Some(thing) = thing(&event) else { return };
            let (x, y) = keys::place(&event);
            let (act, pressed) = (act.clone(), pressed.clone());
            let open = move || {
                *pressed.borrow_mut() = true;
                act.emit(Action::Menu(Some(Open { thing, x, y })));
            };
            *press.borrow_mut() = Some((Timeout::new(LONG_PRESS, open), x, y));
        })
    };
    let on_move = {
        let press = press.clone();
        Callback::from(move |event: PointerEvent| {
            let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
            press.borrow_mut().take_if(|(_, x0, y0)| (x - *x0).abs() + (y - *y0).abs() > 12.0);
        })
    };
    let on_up = Callback::from(move |_: PointerEvent| {
        press.borrow_mut().take();
    });
    let on_key = {
        let act = props.act.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() != "Enter" {
                return;
            }
            if let Some(id) = keys::clicked(&event, "data-flight-id").and_then(|id| id.parse().ok()) {
                act.emit(Action::Deliver(id));
            } else if let Some(id) = keys::clicked(&event, "data-id").and_then(|id| id.parse().ok()) {
                act.emit(Action::Select(Some(NodeId(id))));
            }
        })
    };
    let scene = &stage.scene;
    let frame = &props.shown.frame;
    let spare = {
        let found = Spare::beside(&stage.layout, *room, zoom);
        let circumstances = (props.shown.run, props.arrange, room.width);
        let mut kept = spare.borrow_mut();
        let kept = kept.get_or_insert((circumstances, found));
        let found = if kept.0 == circumstances { kept.1.and(found) } else { found };
        *kept = (circumstances, found);
        found
    };
    html! {
        <section class={classes!("stage", spare.legend.then_some("few"), (!spare.facts).then_some("crowded"), (!props.smooth).then_some("quick"))} aria-label="Stage">
            { facts(&props.shown) }
            { branch_note(&props.shown, &props.act) }
            <div class="picture" ref={around}>
                <svg class="scene" role="group" aria-labelledby="picture-title picture-about"
                    viewBox={format!("0 0 {} {}", scene.width, scene.height)}
                    data-step={frame.step.to_string()} data-moving={props.journey.is_some().to_string()} onclick={on_click} oncontextmenu={on_menu} onkeydown={on_key}
                    onpointerdown={on_down} onpointermove={on_move} onpointerup={on_up.clone()} onpointercancel={on_up}>
                    <title key="title" id="picture-title">{ scene.title.clone() }</title>
                    <desc key="about" id="picture-about">{ scene.about.clone() }</desc>
                    <g key="layers" ref={layers}></g>
                </svg>
            </div>
            <Legend layers={stage.legend.clone()} hidden={props.hidden.clone()} arrange={props.arrange} act={props.act.clone()} />
        </section>
    }
}

/// Milliseconds after which a finger that stays asks for the menu.
const LONG_PRESS: u32 = 500;

/// What a pointer is on: a message before the node behind it.
fn thing(event: &web_sys::Event) -> Option<Thing> {
    let message = keys::clicked(event, "data-flight-id").and_then(|id| id.parse().ok()).map(Thing::Message);
    message.or_else(|| Some(Thing::Node(NodeId(keys::clicked(event, "data-id")?.parse().ok()?))))
}

/// Moves the marks along their ways without touching the virtual elements, then says so.
fn fly(
    canvas: &mut Canvas,
    stage: &Rc<StagePicture>,
    from: u64,
    journey: Journey,
    landed: Callback<u32>,
) -> motion::Motion {
    let marks: HashMap<String, web_sys::Element> = canvas.lift("flights").into_iter().collect();
    let found = |i: usize| Some((i, marks.get(&format!("flight-{}", stage.tracks[i].id))?.clone(), Point::default()));
    let mut marks: Vec<_> = (0..stage.tracks.len()).filter_map(found).collect();
    let stage = stage.clone();
    let each = move |progress: f64| {
        let now = from as f64 + (journey.until - from) as f64 * progress;
        for (i, mark, last) in &mut marks {
            let p = stage.tracks[*i].place(now);
            // less than nobody sees is not worth drawing
            if p.distance(*last) >= 0.25 || progress >= 1.0 {
                motion::place(mark, p.x, p.y);
                *last = p;
            }
        }
    };
    motion::animate(journey.ms, each, move || landed.emit(journey.serial))
}

/// Who is inside, where the token is, how many wait: answers without a click.
fn facts(shown: &Shown) -> Html {
    let (frame, setup) = (&shown.frame, &shown.origin.setup);
    let inside = words::doing(frame, ThreadState::Inside);
    let waiting = words::doing(frame, ThreadState::Waiting);
    let token = words::token(frame, |n| setup.name(n).into());
    html! {
        <dl class="facts">
            <div key="inside"><dt>{ "Inside" }</dt><dd>{ if inside.is_empty() { "nobody".into() } else { words::list(&inside) } }</dd></div>
            <div key="token" hidden={token.is_none()}><dt>{ "Token" }</dt><dd>{ token.unwrap_or_default() }</dd></div>
            <div key="waiting"><dt>{ "Waiting" }</dt><dd>{ if waiting.is_empty() { "nobody".into() } else { waiting.len().to_string() } }</dd></div>
        </dl>
    }
}

/// Says that this is not the figure any more, with the way back.
fn branch_note(shown: &Shown, act: &Callback<Action>) -> Html {
    let Whereabouts::Branch(moment) = shown.whereabouts else {
        return html! { <p class="branch" hidden=true></p> };
    };
    let act = act.clone();
    html! {
        <p class="branch">
            { crate::panels::icons::icon(crate::panels::icons::BRANCH) }
            <span>{ format!("Branch of {}", shown.origin.short_title()) }</span>
            <button type="button" onclick={move |_| act.emit(Action::Return(moment))}>{ "Back to the figure" }</button>
        </p>
    }
}

/// The sentence under the stage: what happened and why, and at a stop what the figure shows.
#[component]
pub fn Sentence(props: &SentenceProps) -> Html {
    let shown = &props.shown;
    let stop = shown.stop().and_then(|i| shown.origin.scenario.as_ref()?.stops.get(i));
    let about = shown.origin.scenario.as_ref().map_or("", |s| s.about.as_str());
    let sentence = match &shown.frame.last {
        Some(last) => last.sentence.clone(),
        None if shown.origin.is_figure() => "The beginning: nothing has happened yet.".into(),
        None => about.to_owned(),
    };
    let broken = shown.frame.invariants.iter().find_map(|h| h.broken.clone());
    html! {
        <section class={classes!("say", (!shown.origin.is_figure()).then_some("short"))} aria-label="What happened">
            <div aria-live="polite" aria-atomic="true">
                <p class="what">{ sentence }</p>
                <p class="broken" hidden={broken.is_none()}>{ broken.map_or(String::new(), |why| format!("Violated: {why}.")) }</p>
                <p class="stop-say" hidden={stop.is_none()}>
                    <strong>{ stop.map_or("", |s| s.name.as_str()) }</strong>{ " " }{ stop.map_or("", |s| s.say.as_str()) }
                </p>
            </div>
            <p class="notice" role="status" hidden={props.notice.is_none()}>{ props.notice.clone().unwrap_or_default() }</p>
        </section>
    }
}

/// What the sentence needs.
#[derive(Properties, PartialEq)]
pub struct SentenceProps {
    /// The moment.
    pub shown: Rc<Shown>,
    /// Something else to say.
    pub notice: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_fit_beside_the_cards_stays_above_or_below() {
        let (all, none) = (Spare { facts: true, legend: true }, Spare { facts: false, legend: false });
        assert_eq!((all.and(all), all.and(none), none.and(all)), (all, none, none));
    }

    #[test]
    fn a_large_room_has_a_large_picture() {
        let laptop = Room { width: 742.0, height: 400.0 };
        let hall = Room { width: 1900.0, height: 760.0 };
        assert_eq!((zoom(laptop, false), zoom(laptop, true)), (1.0, 1.0));
        assert!(zoom(hall, false) > 1.2 && zoom(hall, true) > zoom(hall, false));
        assert_eq!(zoom(hall.times(4.0), true), 1.6, "but not for ever");
    }
}
