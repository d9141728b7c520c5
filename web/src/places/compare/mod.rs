//! Two runs side by side, in step: the same requests under two algorithms, or any two prepared scenarios, with what differs between them.

mod two;

use crate::browser::size;
use crate::panels::icons;
use crate::stage::drawing::still;
use crate::state::{Action, Place};
use gloo_timers::callback::Interval;
use lockstep_kernel::Time;
use lockstep_kernel::ids::units;
use lockstep_kernel::view::ThreadState;
use lockstep_scenario::Item;
use lockstep_scene::explain::words;
use lockstep_scene::{Painter, Room, StageInput, diagram};
use std::cell::RefCell;
use two::{Pace, Side, Two, Visit};
use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// What the place needs.
#[derive(Properties, PartialEq)]
pub struct CompareProps {
    /// Whether the reader is here.
    pub here: bool,
    /// What the address asks for: `alien+naimi-trehel`.
    pub wanted: String,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// What can happen here.
pub enum Msg {
    /// Another algorithm or scenario on a side.
    Choose(usize, String),
    /// To a place.
    Go(usize),
    /// By time or by steps.
    By(Pace),
    /// Play or pause.
    Toggle,
    /// One step of playing.
    Tick,
    /// The place has this width for one picture.
    Width(f64),
    /// Look at one side on the stage.
    Stage(usize),
}

/// The place.
pub struct Compare {
    /// One for each side: they draw different systems.
    painters: [RefCell<Painter>; 2],
    two: Option<Two>,
    items: Vec<Item>,
    notice: String,
    playing: Option<Interval>,
    around: NodeRef,
    width: f64,
    watch: Option<size::Watch>,
}

/// Between two steps of playing, in milliseconds.
const BEAT: u32 = 700;

impl Compare {
    fn open(&mut self, wanted: &str, pace: Pace) {
        self.playing = None;
        match Two::open(wanted, pace) {
            Ok(two) => {
                self.two = Some(two);
                self.notice.clear();
            }
            Err(why) => self.notice = why,
        }
    }
}

impl Component for Compare {
    type Message = Msg;
    type Properties = CompareProps;

    fn create(ctx: &Context<Self>) -> Self {
        let mut this = Compare {
            painters: Default::default(),
            two: None,
            items: Item::all(),
            notice: String::new(),
            playing: None,
            around: NodeRef::default(),
            width: 560.0,
            watch: None,
        };
        this.open(&ctx.props().wanted, Pace::Time);
        if this.two.is_none() {
            let why = std::mem::take(&mut this.notice);
            this.open("", Pace::Time);
            this.notice = why;
        }
        this
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &CompareProps) -> bool {
        let CompareProps { here, wanted, .. } = ctx.props();
        if !here {
            self.playing = None;
        } else if *wanted != old.wanted
            && !wanted.is_empty()
            && self.two.as_ref().map(Two::address).as_ref() != Some(wanted)
        {
            self.open(&wanted.clone(), self.two.as_ref().map_or(Pace::Time, |t| t.pace));
        }
        true
    }

    fn rendered(&mut self, ctx: &Context<Self>, first: bool) {
        if first && let Some(element) = self.around.cast() {
            let link = ctx.link().clone();
            self.watch = Some(size::watch(element, move |(width, _)| {
                if width > 100.0 {
                    link.send_message(Msg::Width(width.round()));
                }
            }));
        }
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let Some(two) = &mut self.two else { return false };
        match msg {
            Msg::Choose(side, choice) => {
                let mut names = two.sides.each_ref().map(|s| s.choice.clone());
                names[side] = choice;
                let (wanted, pace) = (names.join("+"), two.pace);
                self.open(&wanted, pace);
                ctx.props().act.emit(Action::Visit(Place::Compare, wanted));
            }
            Msg::Go(place) => {
                self.playing = None;
                two.go(place);
            }
            Msg::By(pace) => two.by(pace),
            Msg::Toggle if self.playing.is_some() => self.playing = None,
            Msg::Toggle => {
                if two.place == two.end() {
                    two.go(0);
                }
                let link = ctx.link().clone();
                self.playing = Some(Interval::new(BEAT, move || link.send_message(Msg::Tick)));
            }
            Msg::Tick => {
                two.go(two.place + 1);
                if two.place == two.end() {
                    self.playing = None;
                }
            }
            Msg::Width(width) => {
                if width == self.width {
                    return false;
                }
                self.width = width;
            }
            Msg::Stage(side) => {
                let scenario = two.sides[side].origin.scenario.as_ref();
                let id = scenario.map_or_else(String::new, |s| s.id.clone());
                let is_own = two.sides[side].choice != id;
                let act = &ctx.props().act;
                act.emit(if is_own { Action::Under(two.sides[side].choice.clone()) } else { Action::Open(id) });
            }
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let Some(two) = &self.two else {
            return html! { <main class="place"><h1>{ "Compare" }</h1><p class="empty">{ &self.notice }</p></main> };
        };
        let link = ctx.link();
        let (place, end) = (two.place, two.end());
        let on_key = link.batch_callback(move |event: KeyboardEvent| {
            let field = event.target().and_then(|t| t.dyn_into::<HtmlSelectElement>().ok()).is_some();
            let to = match event.key().as_str() {
                _ if field => return None,
                "ArrowRight" => place + 1,
                "ArrowLeft" => place.saturating_sub(1),
                "Home" => 0,
                "End" => end,
                "p" | "P" => return Some(Msg::Toggle),
                _ => return None,
            };
            event.prevent_default();
            Some(Msg::Go(to))
        });
        let differing = two.differing();
        let rules: String = differing
            .iter()
            .map(|name| {
                format!(".compare [data-node=\"{name}\"] .card-box {{ stroke: var(--ink); stroke-width: 2.5px; }} ")
            })
            .collect();
        html! {
            <main class="compare" tabindex="-1" onkeydown={on_key}>
                <style>{ rules }</style>
                <header class="compare-head">
                    <h1>{ "Two at once" }</h1>
                    <p>{ "The same requests under two algorithms, or two figures, in step. A heavy outline marks a node that does something else on the other side." }</p>
                    <p class="notice" role="status" hidden={self.notice.is_empty()}>{ &self.notice }</p>
                </header>
                { self.transport(ctx, two) }
                <div class="compare-sides">
                    { for (0..2).map(|side| self.side(ctx, two, side)) }
                </div>
                <div class="compare-tables">
                    { counters(two) }
                    { visits(two) }
                </div>
            </main>
        }
    }
}

impl Compare {
    fn transport(&self, ctx: &Context<Self>, two: &Two) -> Html {
        let link = ctx.link();
        let (place, end) = (two.place, two.end());
        let playing = self.playing.is_some();
        let go = |to: usize| link.callback(move |_: MouseEvent| Msg::Go(to));
        let scrub = link.batch_callback(|event: InputEvent| {
            let input = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok())?;
            input.value().parse().ok().map(Msg::Go)
        });
        let pace = |pace: Pace, name: &'static str, about: &'static str| {
            let on = two.pace == pace;
            html! { <button key={name} type="button" class="chip" title={about} aria-pressed={on.to_string()} onclick={link.callback(move |_| Msg::By(pace))}>{ name }</button> }
        };
        let where_ = match two.pace {
            Pace::Time => format!("time {}", words::time(two.now(0))),
            Pace::Steps => format!("step {place} of {end}"),
        };
        html! {
            <section class="compare-transport" aria-label="Both at once">
                <button type="button" class="tool" aria-label="To the beginning" title="To the beginning (Home)" disabled={place == 0} onclick={go(0)}>{ icons::icon(icons::START) }</button>
                <button type="button" class="tool" aria-label="Back" title="Back (←)" disabled={place == 0} onclick={go(place.saturating_sub(1))}>{ icons::icon(icons::BACK) }</button>
                <button type="button" class="primary" title="Step (→)" disabled={place == end} onclick={go(place + 1)}>{ "Step both" }</button>
                <button type="button" class="tool" aria-label={if playing { "Pause" } else { "Play" }} title="Play or pause (p)" aria-pressed={playing.to_string()} onclick={link.callback(|_| Msg::Toggle)}>
                    { icons::icon(if playing { icons::PAUSE } else { icons::PLAY }) }
                </button>
                <button type="button" class="button" title="To the end (End)" disabled={place == end} onclick={go(end)}>{ "To the end" }</button>
                <input type="range" class="compare-scrub" aria-label="Place in both runs" min="0" max={end.to_string()} value={place.to_string()} oninput={scrub} />
                <span class="compare-where" data-place={place.to_string()}>{ where_ }</span>
                <div class="choice" role="group" aria-label="In step by">
                    { pace(Pace::Time, "by time", "The same instant on both sides") }
                    { pace(Pace::Steps, "by steps", "The same number of steps on both sides") }
                </div>
            </section>
        }
    }

    fn chooser(&self, ctx: &Context<Self>, two: &Two, side: usize) -> Html {
        let now = two.sides[side].choice.as_str();
        let option = |id: &str, title: String| html! { <option key={id.to_owned()} value={id.to_owned()} selected={id == now}>{ title }</option> };
        let choose = ctx.link().batch_callback(move |event: yew::Event| {
            let select = event.target().and_then(|t| t.dyn_into::<HtmlSelectElement>().ok())?;
            Some(Msg::Choose(side, select.value()))
        });
        let name = if side == 0 { "Left" } else { "Right" };
        html! {
            <select class="compare-choice" aria-label={name} onchange={choose}>
                <optgroup key="algorithms" label="The same four requests under">
                    { for two::algorithms().map(|e| option(e.id, e.title.to_owned())) }
                </optgroup>
                <optgroup key="scenarios" label="A prepared scenario">
                    { for self.items.iter().map(|i| option(i.id, format!("{}{}", i.card.group.map_or(String::new(), |g| format!("{}: ", g.title)), i.title))) }
                </optgroup>
            </select>
        }
    }

    fn side(&self, ctx: &Context<Self>, two: &Two, which: usize) -> Html {
        let side = &two.sides[which];
        let (index, frame) = (two.index(which), two.frame(which));
        let origin = &side.origin;
        let room = Room { width: self.width.max(300.0), height: (self.width * 0.5).clamp(260.0, 320.0) };
        let before = index.checked_sub(1).map(|i| side.frames[i].as_ref());
        let input = StageInput { before, ..StageInput::new(frame, &origin.setup, origin.entry.tree_link, room) };
        let stage = self.painters[which].borrow_mut().draw_stage(&input);
        let scene = &stage.scene;
        let strip = diagram::draw(&diagram::DiagramInput {
            axis: diagram::DiagramAxis::Time,
            ..diagram::DiagramInput::new(&side.frames, index, &origin.setup, self.width.max(300.0))
        });
        let broken = frame.invariants.iter().find_map(|i| i.broken.clone());
        let sentence = frame.last.as_ref().map_or("Nothing has happened yet.", |l| l.sentence.as_str());
        let name = if which == 0 { "Left" } else { "Right" };
        html! {
            <section key={which} class="compare-side" aria-label={name} data-side={which.to_string()} data-step={frame.step.to_string()} data-messages={frame.counters.messages.to_string()}>
                <div class="compare-choose">
                    { self.chooser(ctx, two, which) }
                    <button type="button" class="start" onclick={ctx.link().callback(move |_| Msg::Stage(which))}>{ "On the stage" }</button>
                </div>
                <div class="compare-line">
                    { headline(two, which) }
                    <p class="compare-source" title={origin.entry.source}>{ origin.entry.source }</p>
                </div>
                <div class="compare-picture" ref={if which == 0 { self.around.clone() } else { NodeRef::default() }}>
                    <svg class="scene" role="img" aria-label={words::describe(frame, &origin.setup)} viewBox={format!("0 0 {} {}", scene.width, scene.height)}>
                        { still(&scene.layers) }
                    </svg>
                </div>
                <p class="compare-say" aria-live="polite">{ sentence }</p>
                <p class="broken" hidden={broken.is_none()}>{ broken.map_or(String::new(), |why| format!("Violated: {why}.")) }</p>
                <div class="compare-lanes">
                    <svg class="scene" role="img" aria-label={strip.about.clone()} viewBox={format!("0 0 {} {}", strip.width, strip.height)}>{ still(&strip.layers) }</svg>
                </div>
            </section>
        }
    }
}

/// The numbers that matter most, where they are always seen; those that differ are heavier.
fn headline(two: &Two, side: usize) -> Html {
    let numbers = |side: usize| {
        let frame = two.frame(side);
        let waiting = words::doing(frame, ThreadState::Waiting).len() as u64;
        let one = |n: u64, one, many| if n == 1 { one } else { many };
        let (messages, entries) = (frame.counters.messages, frame.counters.entries);
        [
            (one(messages, "message", "messages"), messages),
            (one(entries, "entry", "entries"), entries),
            ("waiting", waiting),
        ]
    };
    let both = numbers(side).into_iter().zip(numbers(1 - side));
    let items = both.enumerate().map(|(i, ((name, mine), (_, other)))| {
        html! { <li key={i} class={classes!((mine != other).then_some("differs"))}><span>{ mine }</span>{ " " }{ name }</li> }
    });
    html! { <ul class="compare-headline">{ for items }</ul> }
}

/// A number on both sides and the difference, right minus left.
fn row(name: &'static str, about: &'static str, values: [f64; 2], show: fn(f64) -> String) -> Html {
    let difference = values[1] - values[0];
    let differs = difference.abs() > 1e-9;
    let sign = if difference > 0.0 { "+" } else { "−" };
    html! {
        <tr key={name} class={classes!(differs.then_some("differs"))}>
            <th scope="row" title={about}>{ name }</th>
            <td>{ show(values[0]) }</td>
            <td class="difference">{ if differs { format!("{sign}{}", show(difference.abs())) } else { "=".into() } }</td>
            <td>{ show(values[1]) }</td>
        </tr>
    }
}

fn counters(two: &Two) -> Html {
    let both = |f: &dyn Fn(&Side, usize) -> f64| [0, 1].map(|s| f(&two.sides[s], s));
    let whole = |v: f64| format!("{v:.0}");
    let time = |v: f64| format!("{v:.2}");
    let frame = |s: usize| two.frame(s);
    let count = |s: usize, doing: ThreadState| words::doing(frame(s), doing).len() as f64;
    let messages = both(&|_, s| frame(s).counters.messages as f64);
    let entries = both(&|_, s| frame(s).counters.entries as f64);
    let each = [0, 1].map(|s| if entries[s] > 0.0 { messages[s] / entries[s] } else { 0.0 });
    html! {
        <section class="compare-counters" aria-label="Counters">
            <h2>{ "So far" }</h2>
            <table>
                <thead><tr><th scope="col"><span class="hidden">{ "What" }</span></th><th scope="col">{ "left" }</th><th scope="col">{ "difference" }</th><th scope="col">{ "right" }</th></tr></thead>
                <tbody>
                    { row("Messages", "sent so far", messages, whole) }
                    { row("Under way", "messages that have not arrived", both(&|_, s| frame(s).flights.iter().filter(|f| f.from != f.to).count() as f64), whole) }
                    { row("Entries", "critical sections begun", entries, whole) }
                    { row("Messages per entry", "so far", each, time) }
                    { row("Waiting", "threads that wait now", [0, 1].map(|s| count(s, ThreadState::Waiting)), whole) }
                    { row("Waited", "time that all threads have waited, added up", both(&|side, s| units(side.waited(two.index(s), two.now(s)))), time) }
                    { row("Longest wait", "of those that have ended", both(&|_, s| units(frame(s).counters.longest_wait)), time) }
                    { row("Steps", "events so far", both(&|_, s| frame(s).step as f64), whole) }
                    { row("Time", "virtual", [0, 1].map(|s| units(two.now(s))), time) }
                </tbody>
            </table>
        </section>
    }
}

/// Who entered when, on both sides.
fn visits(two: &Two) -> Html {
    let both = two.sides.each_ref().map(Side::visits);
    let known =
        |side: usize, v: &Visit| both[side].iter().find(|o| (&o.thread, o.number) == (&v.thread, v.number)).cloned();
    let only_right = both[1].iter().filter(|v| known(0, v).is_none());
    let place = |side: usize, v: &Option<Visit>| {
        let order = v.as_ref().and_then(|v| both[side].iter().position(|o| o == v));
        order.map_or(String::new(), |i| format!("{}.", i + 1))
    };
    let cell = |side: usize, v: &Option<Visit>| {
        let done = v.as_ref().is_some_and(|v| {
            v.entered <= two.now(side) && two.sides[side].frames[two.index(side)].now >= v.entered.min(two.now(side))
        });
        let text = v.as_ref().map_or("not here".into(), |v| words::time(v.entered));
        html! { <td class={classes!(done.then_some("done"))}><small>{ place(side, v) }</small>{ " " }{ text }</td> }
    };
    let rows = both[0].iter().chain(only_right).take(40).map(|visit| {
        let [left, right] = [0, 1].map(|s| known(s, visit));
        let wait = |v: &Visit| v.entered - v.asked;
        let (differs, words) = match (&left, &right) {
            (Some(l), Some(r)) => difference(wait(l), wait(r)),
            _ => (true, "–".into()),
        };
        html! {
            <tr key={format!("{} {}", visit.thread, visit.number)} class={classes!(differs.then_some("differs"))}>
                <th scope="row">{ &visit.thread }{ if visit.number > 1 { format!(" ({})", visit.number) } else { String::new() } }</th>
                { cell(0, &left) }
                <td class="difference">{ words }</td>
                { cell(1, &right) }
            </tr>
        }
    });
    html! {
        <section class="compare-visits" aria-label="Entries">
            <h2>{ "Who enters when, and how much longer they wait on the right" }</h2>
            <table>
                <thead><tr><th scope="col">{ "thread" }</th><th scope="col">{ "left" }</th><th scope="col">{ "waits longer" }</th><th scope="col">{ "right" }</th></tr></thead>
                <tbody>{ for rows }</tbody>
            </table>
        </section>
    }
}

fn difference(left: Time, right: Time) -> (bool, String) {
    match right.cmp(&left) {
        std::cmp::Ordering::Equal => (false, "=".into()),
        std::cmp::Ordering::Greater => (true, format!("+{}", words::time(right - left))),
        std::cmp::Ordering::Less => (true, format!("−{}", words::time(left - right))),
    }
}
