//! Two runs side by side: the same requests under two algorithms, or two prepared scenarios, with
//! what differs between them.

use crate::browser::timers::Interval;
use crate::browser::{field, keys, size};
use crate::hooks::PageAct;
use crate::panels::icons;
use crate::stage::drawing::still;
use lockstep_scenario::Item;
use lockstep_scene::diagram::{self, DiagramAxis, DiagramInput, SharedScale};
use lockstep_scene::explain::words;
use lockstep_scene::{Painter, Room, StageInput};
use lockstep_session::compared::{ComparedCounter, ComparedEntry, EntryCell};
use lockstep_session::keys::Focus;
use lockstep_session::pair::{PairPace, RunPair, algorithms, scenario_choice};
use lockstep_session::{Action, PagePlace};
use std::cell::RefCell;
use yew::prelude::*;

/// What the place needs.
#[derive(Properties, PartialEq)]
pub struct CompareProps {
    /// Whether the reader is here.
    pub here: bool,
    /// What the address asks for: `alien+naimi-trehel`.
    pub wanted: String,
}

/// What can happen here.
pub enum CompareMessage {
    /// Another algorithm or scenario on a side.
    Choose(usize, String),
    /// To a position.
    Go(usize),
    /// By time or by steps.
    By(PairPace),
    /// Play or pause.
    Toggle,
    /// One step of playing.
    Tick,
    /// The place has this width for one picture.
    Width(f64),
    /// Open one side on the stage.
    Stage(usize),
    /// A key.
    Key(String),
}

/// The place.
pub struct Compare {
    pair: Option<RunPair>,
    items: Vec<Item>,
    notice: String,
    playing: Option<Interval>,
    around: NodeRef,
    width: f64,
    watch: Option<size::Watch>,
    act: PageAct,
    /// Keys work wherever the focus is, while the reader is here.
    keys: Option<keys::Listener>,
    /// One for each side: they draw different systems.
    painters: [RefCell<Painter>; 2],
}

/// Between two steps of playing, in milliseconds.
const BEAT: u32 = 700;

impl Compare {
    fn open(&mut self, wanted: &str, pace: PairPace) {
        self.playing = None;
        match RunPair::open(wanted, pace) {
            Ok(pair) => {
                self.pair = Some(pair);
                self.notice.clear();
            }
            Err(why) => self.notice = why,
        }
    }
}

impl Component for Compare {
    type Message = CompareMessage;
    type Properties = CompareProps;

    fn create(ctx: &Context<Self>) -> Self {
        let mut this = Compare {
            pair: None,
            items: Item::all(),
            notice: String::new(),
            playing: None,
            around: NodeRef::default(),
            width: 560.0,
            watch: None,
            painters: Default::default(),
            keys: None,
            act: ctx.link().context(Callback::noop()).map_or_else(Callback::noop, |(act, _)| act),
        };
        this.open(&ctx.props().wanted, PairPace::Time);
        if this.pair.is_none() {
            let why = std::mem::take(&mut this.notice);
            this.open("", PairPace::Time);
            this.notice = why;
        }
        this
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &CompareProps) -> bool {
        let CompareProps { here, wanted, .. } = ctx.props();
        self.listen(ctx);
        if !here {
            self.playing = None;
        } else if *wanted != old.wanted
            && !wanted.is_empty()
            && self.pair.as_ref().map(RunPair::address).as_ref() != Some(wanted)
        {
            self.open(&wanted.clone(), self.pair.as_ref().map_or(PairPace::Time, |t| t.pace));
        }
        true
    }

    fn rendered(&mut self, ctx: &Context<Self>, first: bool) {
        if first {
            self.listen(ctx);
        }
        if first && let Some(element) = self.around.cast() {
            let link = ctx.link().clone();
            self.watch = Some(size::watch(element, move |(width, _)| {
                if width > 100.0 {
                    link.send_message(CompareMessage::Width(width.round()));
                }
            }));
        }
    }

    fn update(&mut self, ctx: &Context<Self>, msg: CompareMessage) -> bool {
        let Some(pair) = &mut self.pair else { return false };
        match msg {
            CompareMessage::Choose(side, choice) => {
                let mut names = pair.sides.each_ref().map(|s| s.choice.clone());
                names[side] = choice;
                let (wanted, pace) = (names.join("+"), pair.pace);
                self.open(&wanted, pace);
                self.act.emit(Action::Visit(PagePlace::Compare, wanted));
            }
            CompareMessage::Go(place) => {
                self.playing = None;
                pair.go(place);
            }
            CompareMessage::By(pace) => pair.by(pace),
            CompareMessage::Toggle if self.playing.is_some() => self.playing = None,
            CompareMessage::Toggle => {
                if pair.place == pair.end() {
                    pair.go(0);
                }
                let link = ctx.link().clone();
                self.playing = Some(Interval::new(BEAT, move || link.send_message(CompareMessage::Tick)));
            }
            CompareMessage::Tick => {
                pair.go(pair.place + 1);
                if pair.place == pair.end() {
                    self.playing = None;
                }
            }
            CompareMessage::Width(width) => {
                if width == self.width {
                    return false;
                }
                self.width = width;
            }
            CompareMessage::Key(key) => {
                let next = pair.after_key(&key).map_or(CompareMessage::Toggle, CompareMessage::Go);
                return Component::update(self, ctx, next);
            }
            CompareMessage::Stage(side) => {
                let scenario = pair.sides[side].origin.scenario.as_ref();
                let id = scenario.map_or_else(String::new, |s| s.id.clone());
                let choice = pair.sides[side].choice.clone();
                self.act.emit(if pair.sides[side].prepared { Action::Open(id) } else { Action::Under(choice) });
            }
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let Some(pair) = &self.pair else {
            return html! { <main class="place"><h1>{ "Compare" }</h1><p class="empty">{ &self.notice }</p></main> };
        };
        let differing = pair.differing();
        let rules: String = differing
            .iter()
            .map(|name| {
                format!(".compare [data-node=\"{name}\"] .card-box {{ stroke: var(--ink); stroke-width: 2.5px; }} ")
            })
            .collect();
        html! {
            <main class="compare" tabindex="-1">
                <style>{ rules }</style>
                <header class="compare-head">
                    <h1>{ "Two runs side by side" }</h1>
                    <p>{ "The same requests under two algorithms, or two figures, in step. A thick outline marks a node whose threads are in another state on the other side." }</p>
                    <p class="notice" role="status" hidden={self.notice.is_empty()}>{ &self.notice }</p>
                </header>
                { self.transport(ctx, pair) }
                <div class="compare-sides">
                    { for (0..2).map(|side| self.side(ctx, pair, side)) }
                </div>
                <div class="compare-tables">
                    { counters(pair) }
                    { entries(pair) }
                </div>
            </main>
        }
    }
}

impl Compare {
    /// Listens to keys while the reader is here.
    fn listen(&mut self, ctx: &Context<Self>) {
        let link = ctx.link().clone();
        let used = move |key: &str, focus: Focus| {
            let used = match key {
                "ArrowRight" | "ArrowLeft" | "Home" | "End" => matches!(focus, Focus::Page | Focus::Control),
                " " => focus == Focus::Page,
                "p" | "P" => focus != Focus::Field,
                _ => false,
            };
            if used {
                link.send_message(CompareMessage::Key(key.into()));
            }
            used
        };
        match (ctx.props().here, self.keys.is_some()) {
            (true, false) => self.keys = Some(keys::on_key(used)),
            (false, true) => self.keys = None,
            _ => {}
        }
    }

    fn transport(&self, ctx: &Context<Self>, pair: &RunPair) -> Html {
        let link = ctx.link();
        let (place, end) = (pair.place, pair.end());
        let playing = self.playing.is_some();
        let go = |to: usize| link.callback(move |_: MouseEvent| CompareMessage::Go(to));
        let scrub = link.batch_callback(|event: InputEvent| field::parsed(&event).map(CompareMessage::Go));
        let pace = |pace: PairPace, name: &'static str, about: &'static str| {
            let on = pair.pace == pace;
            html! { <button key={name} type="button" class="chip" title={about} aria-pressed={on.to_string()} onclick={link.callback(move |_| CompareMessage::By(pace))}>{ name }</button> }
        };
        html! {
            <section class="compare-transport" aria-label="Both runs">
                <button type="button" class="tool" aria-label="To the start" title="To the start (Home)" disabled={place == 0} onclick={go(0)}>{ icons::icon(icons::START) }</button>
                <button type="button" class="tool" aria-label="Back" title="Back (←)" disabled={place == 0} onclick={go(place.saturating_sub(1))}>{ icons::icon(icons::BACK) }</button>
                <button type="button" class="primary" title="Step (→)" disabled={place == end} onclick={go(place + 1)}>{ "Step both" }</button>
                <button type="button" class="tool" aria-label={if playing { "Pause" } else { "Play" }} title="Play or pause (p)" aria-pressed={playing.to_string()} onclick={link.callback(|_| CompareMessage::Toggle)}>
                    { icons::icon(if playing { icons::PAUSE } else { icons::PLAY }) }
                </button>
                <button type="button" class="button" title="To the end (End)" disabled={place == end} onclick={go(end)}>{ "To the end" }</button>
                <input type="range" class="compare-scrub" aria-label="Position in both runs" min="0" max={end.to_string()} value={place.to_string()} oninput={scrub} />
                <span class="compare-where" data-place={place.to_string()}>{ pair.position() }</span>
                <div class="choice" role="group" aria-label="In step by">
                    { pace(PairPace::Time, "by time", "The same instant on both sides") }
                    { pace(PairPace::Steps, "by steps", "The same number of steps on both sides") }
                </div>
            </section>
        }
    }

    fn chooser(&self, ctx: &Context<Self>, pair: &RunPair, side: usize) -> Html {
        let now = pair.sides[side].choice.as_str();
        let option = |id: &str, title: String| html! { <option key={id.to_owned()} value={id.to_owned()} selected={id == now}>{ title }</option> };
        let choose =
            ctx.link().batch_callback(move |event: Event| Some(CompareMessage::Choose(side, field::value(&event)?)));
        let name = if side == 0 { "Left" } else { "Right" };
        html! {
            <select class="compare-choice" aria-label={name} onchange={choose}>
                <optgroup key="algorithms" label="The same four requests under">
                    { for algorithms().map(|e| option(e.id, e.title.to_owned())) }
                </optgroup>
                <optgroup key="scenarios" label="A prepared scenario">
                    { for self.items.iter().map(|i| option(&scenario_choice(i.id), format!("{}{}", i.card.group.map_or(String::new(), |g| format!("{}: ", g.title)), i.title))) }
                </optgroup>
            </select>
        }
    }

    fn side(&self, ctx: &Context<Self>, pair: &RunPair, which: usize) -> Html {
        let side = &pair.sides[which];
        let (index, frame) = (pair.index(which), pair.frame(which));
        let origin = &side.origin;
        let room = Room { width: self.width.max(300.0), height: (self.width * 0.5).clamp(260.0, 320.0) };
        let before = index.checked_sub(1).map(|i| side.frames[i].as_ref());
        let input = StageInput { before, ..StageInput::new(frame, &origin.setup, origin.entry.tree_link, room) };
        let stage = self.painters[which].borrow_mut().draw_stage(&input);
        let scene = &stage.scene;
        let width = self.width.max(300.0);
        let lanes = [0, 1].map(|which| {
            let side = &pair.sides[which];
            let input = DiagramInput::new(&side.frames, pair.index(which), &side.origin.setup, width);
            DiagramInput { axis: DiagramAxis::Time, ..input }
        });
        let scale = SharedScale::of(&[&lanes[0], &lanes[1]]);
        let [left, right] = lanes;
        let input = if which == 0 { left } else { right };
        let timeline = diagram::draw(&DiagramInput { scale, ..input });
        let verdict = pair.verdict(which);
        let sentence = frame.last.as_ref().map_or("Nothing has happened yet.", |l| l.sentence.as_str());
        let name = if which == 0 { "Left" } else { "Right" };
        html! {
            <section key={which} class="compare-side" aria-label={name} data-side={which.to_string()} data-step={frame.step.to_string()} data-messages={frame.counters.messages.to_string()}>
                <div class="compare-choose">
                    { self.chooser(ctx, pair, which) }
                    <button type="button" class="start" onclick={ctx.link().callback(move |_| CompareMessage::Stage(which))}>{ "Open on the stage" }</button>
                </div>
                <div class="compare-line">
                    { headline(pair, which) }
                    <p class="compare-source" title={origin.entry.source}>{ origin.entry.source }</p>
                </div>
                <div class="compare-picture" ref={if which == 0 { self.around.clone() } else { NodeRef::default() }}>
                    <svg class="scene" role="img" aria-label={words::describe(frame, &origin.setup)} viewBox={format!("0 0 {} {}", scene.width, scene.height)}>
                        { still(&scene.layers) }
                    </svg>
                </div>
                <p class="compare-say" aria-live="polite">{ sentence }</p>
                <p class={if verdict.violated { "broken" } else { "compare-holds" }} data-verdict={verdict.violated.to_string()}>{ verdict.text }</p>
                <div class="compare-lanes">
                    <svg class="scene" role="img" aria-label={timeline.about.clone()} viewBox={format!("0 0 {} {}", timeline.width, timeline.height)}>{ still(&timeline.layers) }</svg>
                </div>
            </section>
        }
    }
}

/// The most important counters; those that differ are bold.
fn headline(pair: &RunPair, side: usize) -> Html {
    let items = pair.headline(side).into_iter().enumerate().map(|(i, (number, name, differs))| {
        html! { <li key={i} class={classes!(differs.then_some("differs"))}><span>{ number }</span>{ " " }{ name }</li> }
    });
    html! { <ul class="compare-headline">{ for items }</ul> }
}

fn counters(pair: &RunPair) -> Html {
    let row = |counter: ComparedCounter| {
        let [left, right] = &counter.values;
        html! {
            <tr key={counter.name} class={classes!(counter.differs().then_some("differs"))}>
                <th scope="row" title={counter.about}>{ counter.name }</th>
                <td>{ left }</td>
                <td class="difference">{ &counter.difference }</td>
                <td>{ right }</td>
            </tr>
        }
    };
    html! {
        <section class="compare-counters" aria-label="Counters">
            <h2>{ "Counters" }</h2>
            <table>
                <thead><tr><th scope="col"><span class="hidden">{ "What" }</span></th><th scope="col">{ "left" }</th><th scope="col">{ "difference" }</th><th scope="col">{ "right" }</th></tr></thead>
                <tbody>{ for pair.counters().into_iter().map(row) }</tbody>
            </table>
        </section>
    }
}

/// The entries on both sides.
fn entries(pair: &RunPair) -> Html {
    let cell = |cell: &EntryCell| html! { <td class={classes!(cell.done.then_some("done"))}><small>{ &cell.order }</small>{ " " }{ &cell.entered }</td> };
    let row = |entry: ComparedEntry| {
        let [left, right] = &entry.sides;
        html! {
            <tr key={entry.name.clone()} class={classes!(entry.differs.then_some("differs"))}>
                <th scope="row">{ &entry.name }</th>
                { cell(left) }
                <td class="difference">{ &entry.difference }</td>
                { cell(right) }
            </tr>
        }
    };
    html! {
        <section class="compare-visits" aria-label="Entries">
            <h2>{ "Entries, and how much longer each thread waits on the right" }</h2>
            <table>
                <thead><tr><th scope="col">{ "thread" }</th><th scope="col">{ "left" }</th><th scope="col">{ "longer wait" }</th><th scope="col">{ "right" }</th></tr></thead>
                <tbody>{ for pair.entries().into_iter().map(row) }</tbody>
            </table>
        </section>
    }
}
