//! The stage: the picture of one step, and the flight of messages to the next.

pub mod diagram;
pub mod drawing;
mod glide;
mod legend;
pub mod long_run;
pub mod table;

use crate::browser::canvas::{Canvas, SamePicture};
use crate::browser::{keys, motion};
use crate::hooks::{CanvasHandle, PageAct, use_act, use_canvas, use_long_press, use_size};
use crate::panels::icons;
use crate::parts::{self, Library};
use glide::Glide;
use legend::Legend;
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{NodeId, ThreadId};
use lockstep_scene::explain::{trouble, words};
use lockstep_scene::{Arrangement, CausalChain, Painter, Point, Room, StageInput, StagePicture};
use lockstep_session::inspect::narration;
use lockstep_session::menu::{MenuSubject, OpenMenu};
use lockstep_session::room::{SpareRoom, zoom};
use lockstep_session::{Action, FigurePosition, Journey, StepView};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use yew::prelude::*;

/// What the stage needs.
#[derive(Properties, PartialEq)]
pub struct StageProps {
    /// The step.
    pub shown: Rc<StepView>,
    /// The node that the inspector shows.
    pub selected: NodeId,
    /// Faded layers.
    pub hidden: BTreeSet<String>,
    /// The layout of the nodes.
    pub arrange: Arrangement,
    /// The causes of this step, if they are shown.
    pub because: Option<Rc<CausalChain>>,
    /// The animation to the next step.
    pub journey: Option<Journey>,
    /// Whether changes of the layout are animated.
    pub smooth: bool,
    /// Whether the presentation view is on.
    pub presenting: bool,
}

/// The stage.
#[component]
pub fn StageView(props: &StageProps) -> Html {
    let act = use_act();
    let canvas = use_canvas();
    // until it is measured; a width that was measured has no fraction
    let (around, (width, height)) = use_size((757.5, 440.0), (41.0, 41.0));
    let room = Room { width, height };
    let zoom = zoom(room, props.presenting);
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
    use_picture(&canvas, &stage, props.shown.run, props.smooth);
    use_flight(&canvas, &stage, props.shown.frame.now, props.journey);
    let open_menu = act.reform(|(subject, x, y)| Action::Menu(Some(OpenMenu { subject, x, y })));
    let press = use_long_press(subject, open_menu.clone());
    let on_click = {
        let (act, swallows) = (act.clone(), press.swallows_click());
        Callback::from(move |event: MouseEvent| {
            if swallows() {
                return; // the finger of a long press was lifted
            }
            let thread = keys::clicked_number(&event, "data-thread").map(|id| Action::Prod(ThreadId(id)));
            let thread = thread.filter(|_| keys::clicked(&event, "data-flight-id").is_none());
            thread.or_else(|| activation(&event)).into_iter().for_each(|action| act.emit(action));
        })
    };
    let on_menu = {
        let cancel = press.cancel_press();
        Callback::from(move |event: MouseEvent| {
            cancel();
            if let Some(subject) = subject(&event) {
                event.prevent_default();
                let (x, y) = keys::place(&event);
                open_menu.emit((subject, x, y));
            }
        })
    };
    let on_key = {
        let act = act.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Enter" {
                activation(&event).into_iter().for_each(|action| act.emit(action));
            }
        })
    };
    let spare =
        use_spare_room(SpareRoom::beside(&stage.layout, room, zoom), (props.shown.run, props.arrange, room.width));
    let (scene, frame) = (&stage.scene, &props.shown.frame);
    html! {
        <section class={classes!("stage", spare.legend.then_some("few"), (!spare.facts).then_some("crowded"), (!props.smooth).then_some("quick"))} aria-label="Stage">
            { facts(&props.shown) }
            { branch_note(&props.shown, &act) }
            <div class="picture" ref={around}>
                <svg class="scene" role="group" aria-labelledby="picture-title picture-about"
                    viewBox={format!("0 0 {} {}", scene.width, scene.height)}
                    data-step={frame.step.to_string()} data-moving={props.journey.is_some().to_string()} onclick={on_click} oncontextmenu={on_menu} onkeydown={on_key}
                    onpointerdown={press.down} onpointermove={press.motion} onpointerup={press.up} onpointercancel={press.cancel}>
                    <title key="title" id="picture-title">{ scene.title.clone() }</title>
                    <desc key="about" id="picture-about">{ scene.about.clone() }</desc>
                    <g key="layers" ref={canvas.layers}></g>
                </svg>
            </div>
            <Legend layers={stage.legend.clone()} hidden={props.hidden.clone()} arrange={props.arrange} />
        </section>
    }
}

/// Shows a picture, with a transition from the one before if that is of the same run.
#[hook]
fn use_picture(canvas: &CanvasHandle, stage: &Rc<StagePicture>, run: u32, smooth: bool) {
    let before = use_mut_ref(|| None::<(u32, Rc<StagePicture>)>);
    let gliding = use_mut_ref(|| None::<Glide>);
    let (canvas, smooth) = (canvas.clone(), smooth && !motion::reduced());
    // the memo keeps the same picture while nothing in it can have changed
    use_effect_with(SamePicture(stage.clone()), move |SamePicture(stage)| {
        let mut before = before.borrow_mut();
        gliding.borrow_mut().take();
        let from = before.as_ref().filter(|(r, _)| smooth && *r == run).map(|(_, stage)| &**stage);
        *gliding.borrow_mut() = canvas.with(|c| glide::show(c, from, stage)).flatten();
        *before = Some((run, stage.clone()));
    });
}

/// Lets the messages of a picture fly while there is an animation.
#[hook]
fn use_flight(canvas: &CanvasHandle, stage: &Rc<StagePicture>, now: u64, journey: Option<Journey>) {
    let flying = use_mut_ref(|| None::<motion::Motion>);
    let (canvas, stage, act) = (canvas.clone(), stage.clone(), use_act());
    use_effect_with(journey, move |journey| {
        let fly = |journey| canvas.with(|c| fly(c, &stage, now, journey, act));
        *flying.borrow_mut() = journey.and_then(fly);
    });
}

/// The room beside the cards. What was once missing stays missing in the same circumstances.
#[hook]
fn use_spare_room<C: PartialEq + 'static>(found: SpareRoom, circumstances: C) -> SpareRoom {
    let kept = use_mut_ref(|| None);
    let mut kept = kept.borrow_mut();
    let found = match &*kept {
        Some((before, room)) if *before == circumstances => found.and(*room),
        _ => found,
    };
    *kept = Some((circumstances, found));
    found
}

/// What a click or Enter does: a message is delivered, a node is inspected.
fn activation(event: &Event) -> Option<Action> {
    let message = keys::clicked_number(event, "data-flight-id").map(Action::Deliver);
    message.or_else(|| Some(Action::Select(Some(NodeId(keys::clicked_number(event, "data-id")?)))))
}

/// What a pointer is on: a message before the node behind it.
fn subject(event: &Event) -> Option<MenuSubject> {
    let message = keys::clicked_number(event, "data-flight-id").map(MenuSubject::Message);
    message.or_else(|| Some(MenuSubject::Node(NodeId(keys::clicked_number(event, "data-id")?))))
}

/// Moves the messages along their routes without touching the virtual elements, then says so.
fn fly(canvas: &mut Canvas, stage: &Rc<StagePicture>, from: u64, journey: Journey, act: PageAct) -> motion::Motion {
    let marks: HashMap<String, _> = canvas.lift("flights").into_iter().collect();
    let found = |i: usize| Some((i, marks.get(&format!("flight-{}", stage.tracks[i].id))?.clone(), Point::default()));
    let mut marks: Vec<_> = (0..stage.tracks.len()).filter_map(found).collect();
    let stage = stage.clone();
    let each = move |progress: f64| {
        let now = from as f64 + (journey.until - from) as f64 * progress;
        for (i, mark, last) in &mut marks {
            let p = stage.tracks[*i].place(now);
            // a smaller motion cannot be seen
            if p.distance(*last) >= 0.25 || progress >= 1.0 {
                motion::place(mark, p.x, p.y);
                *last = p;
            }
        }
    };
    motion::animate(journey.ms, each, move || act.emit(Action::Landed(journey.serial)))
}

/// Who is inside, where the token is, how many threads wait.
fn facts(shown: &StepView) -> Html {
    let (frame, setup) = (&shown.frame, &shown.origin.setup);
    let inside = words::threads_in(frame, ThreadState::Inside);
    let waiting = words::threads_in(frame, ThreadState::Waiting);
    let token = words::token(frame, |n| setup.name(n).into());
    let lost = token.as_ref().is_some_and(|t| t.starts_with("lost")).then_some("bad");
    let together = (!trouble::inside_together(frame).is_empty()).then_some("bad");
    let stuck = trouble::stuck(frame);
    html! {
        <dl class="facts">
            <div key="inside" class={classes!(together)}><dt>{ "Inside" }</dt><dd>{ if inside.is_empty() { "none".into() } else { words::list(&inside) } }</dd></div>
            <div key="token" class={classes!(lost)} hidden={token.is_none()}><dt>{ "Token" }</dt><dd>{ token.unwrap_or_default() }</dd></div>
            <div key="waiting"><dt>{ "Waiting" }</dt><dd>{ if waiting.is_empty() { "none".into() } else { waiting.len().to_string() } }</dd></div>
            <div key="stuck" class="bad" hidden={stuck.is_none()}><dt>{ "Cannot be served" }</dt><dd>{ stuck.unwrap_or_default() }</dd></div>
        </dl>
    }
}

/// Says that this is a branch of the figure, and leads back.
fn branch_note(shown: &StepView, act: &PageAct) -> Html {
    let FigurePosition::Branch(moment) = shown.position_in_figure else {
        return html! { <p class="branch" hidden=true></p> };
    };
    let act = act.clone();
    html! {
        <p class="branch">
            { icons::icon(icons::BRANCH) }
            <span>{ format!("Branch of {}", shown.origin.short_title()) }</span>
            <button type="button" onclick={move |_| act.emit(Action::Return(moment))}>{ "Back to the figure" }</button>
        </p>
    }
}

/// The narration under the stage: what happened and why, and at a stop what the figure shows.
#[component]
pub fn Narration(props: &NarrationProps) -> Html {
    let shown = &props.shown;
    let stop = shown.stop().and_then(|i| shown.origin.scenario.as_ref()?.stops.get(i));
    let broken = shown.frame.invariants.iter().find_map(|h| h.broken.clone());
    html! {
        <section class={classes!("say", (!shown.origin.is_figure()).then_some("short"))} aria-label="What happened">
            <div aria-live="polite" aria-atomic="true">
                <p class="what">{ narration(shown) }</p>
                <p class="broken" hidden={broken.is_none()}>{ broken.map_or(String::new(), |why| format!("Violated: {why}.")) }</p>
                <p class="stop-say" hidden={stop.is_none()}>
                    <strong>{ stop.map_or("", |s| s.name.as_str()) }</strong>{ " " }{ stop.map_or("", |s| s.say.as_str()) }
                </p>
            </div>
            <div class="notice" role="status" hidden={props.notice.is_none()}>
                { parts::notice(props.notice.as_deref().unwrap_or_default(), props.library) }
            </div>
        </section>
    }
}

/// What the narration needs.
#[derive(Properties, PartialEq)]
pub struct NarrationProps {
    /// The step.
    pub shown: Rc<StepView>,
    /// A notice.
    pub notice: Option<String>,
    /// The library, once it was downloaded.
    pub library: Option<Library>,
}
