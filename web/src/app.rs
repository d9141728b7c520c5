//! The component around all others. This file is written as a tutorial: the other components are terse.
//!
//! # How the page works
//!
//! There is one [`State`], which knows no HTML, and one list of things that can happen to it, [`Action`]. Every part of the page is a
//! *component*: a function of its *properties* that returns HTML. A part never changes anything itself; it calls `act` with an action, the
//! action arrives in [`App::update`], the state changes, and [`App::view`] says again how the page looks. Yew compares the new description with
//! the old one and touches only what differs; a part whose properties are equal is not even asked.
//!
//! # Two moments at once
//!
//! A step takes time on the screen: messages glide, then the state changes. So there are two moments: the core's cursor, which has already
//! moved, and the moment that is *shown* ([`App::shown`]), which follows when the journey is over. All parts show the same moment, so that the
//! picture, the sentence and the variables never contradict each other. While messages glide nothing is rendered: the stage moves
//! them directly, in one loop of animation frames (see [`crate::stage`]).
//!
//! # Rules that save trouble (Yew 0.23)
//!
//! * Every item of a list has a `key`, and every list of changing length has a container of its own.
//! * Nothing is rendered conditionally between two siblings: an element that is not needed is `hidden`.
//! * Calls into the browser live in [`crate::browser`] and survive a browser that refuses.

use crate::browser::address::{self, Place};
use crate::browser::keys::{self, Listener};
use crate::browser::{api, files, motion, page, storage};
use crate::dialogs::export::ExportProps;
use crate::dialogs::help::{Help, meaning};
use crate::dialogs::menu::Menu;
use crate::panels::inspector::Inspector;
use crate::panels::rail::Rail;
use crate::panels::top::Top;
use crate::panels::transport::Transport;
use crate::parts::{Arrived, Fetched, Library, Parts, Visit};
use crate::run::Shown;
use crate::stage::diagram::Strip;
use crate::stage::table::StateTable;
use crate::stage::{Journey, Sentence, StageView};
use crate::state::{Action, Left, Place as Where, State};
use gloo_render::{AnimationFrame, request_animation_frame};
use gloo_timers::callback::Timeout;
use lockstep_kernel::history::StepId;
use lockstep_scenario::Given;
use lockstep_scenario::given::MOST_GIVEN;
use lockstep_scene::{Arrangement, CausalChain};
use std::cell::RefCell;
use std::rc::Rc;
use yew::prelude::*;

/// Starts the page. If the address asks for another run than the first one, the library has to come first.
pub fn start(mut state: State) {
    storage::recall(&mut state);
    state.embedded = page::embedded();
    let hash = address::hash();
    let place = address::read(&hash);
    // if nothing happened to the first figure, it need not be opened again
    let left = storage::left(&hash).filter(|left| *left != Left::of(&state, link_of(&state)));
    let elsewhere = matches!(place, Some(Place::Elsewhere(..)));
    yew::platform::spawn_local(async move {
        let mut library = None;
        if left.is_some() || place.as_ref().is_some_and(Place::needs_library) {
            match crate::split::library().await {
                Ok(arrived) => library = Some(arrived),
                Err(_) if elsewhere => {} // that place says so itself
                Err(_) => state.notice = Some(MISSING.into()),
            }
        }
        state.opener = library.map(|library| library.opener);
        if let (Some(left), Some(opener)) = (left, state.opener) {
            if (opener.come_back)(&mut state, &left) && !elsewhere {
                address::keep(&left.run);
            }
            if elsewhere {
                open(&mut state, &hash);
            }
        } else if state.notice.is_none() {
            open(&mut state, &hash);
        }
        state.begin();
        let state = Rc::new(RefCell::new(state));
        api::offer(state.clone());
        yew::Renderer::<App>::with_props(AppProps { state: Kept(state), library }).render();
    });
}

/// Whoever wanted to open a run may try again.
const MISSING: &str = "The library of algorithms and scenarios did not arrive. Nothing was changed: please try again, or reload the page.";

/// Opens what stands after the `#` of an address.
fn open(state: &mut State, hash: &str) {
    let place = address::read(hash);
    if matches!(place, Some(Place::Scenario(_) | Place::Link(_))) {
        state.arrange = address::layout(hash);
    }
    match place {
        Some(Place::Scenario(id)) => state.apply(Action::Open(id)),
        Some(Place::Link(link)) => state.apply(Action::Follow(link)),
        Some(Place::Puzzle(id, link)) => state.play_puzzle(&id, link.as_deref()),
        Some(Place::Elsewhere(place, what)) => state.apply(Action::Visit(place, what)),
        None => {}
    }
}

/// The state, shared with `window.lockstep`.
#[derive(Clone)]
pub struct Kept(Rc<RefCell<State>>);

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// What the whole page is given.
#[derive(Properties, PartialEq)]
pub struct AppProps {
    /// The state.
    pub state: Kept,
    /// The library, if it was fetched already.
    pub library: Option<Library>,
}

/// What can arrive at the page as a whole.
pub enum Msg {
    /// Somebody wants something.
    Act(Action),
    /// The journey of that number is over.
    Landed(u32),
    /// It is time for the next step of playing.
    Play,
    /// It is time for a part beside the stage to follow it.
    Follow,
    /// The reader handed something over: a text, or a sentence why there is none.
    Given(Result<String, String>),
    /// The reader went elsewhere in the browser's history.
    Visit(String),
    /// The browser is about to go elsewhere, or to load the page again.
    Leaving,
    /// The link is to be copied.
    Copy,
    /// It was copied, or not.
    Copied(bool),
    /// The confirmation has been seen.
    CopiedSeen,
    /// A part of the page was fetched, or could not be.
    Came(Where, Fetched),
    /// So was the library.
    Library(Arrived),
}

impl Msg {
    /// Whether it has to wait for the library.
    fn needs_library(&self) -> bool {
        match self {
            Msg::Act(action) => action.needs_library(),
            Msg::Visit(hash) => address::read(hash).is_none_or(|place| place.needs_library()),
            Msg::Given(given) => given.is_ok(),
            _ => false,
        }
    }
}

/// How the parts speak to the page.
struct Calls {
    act: Callback<Action>,
    landed: Callback<u32>,
    copy: Callback<()>,
    given: Callback<Result<String, String>>,
}

/// The page.
pub struct App {
    state: Rc<RefCell<State>>,
    shown: Rc<Shown>,
    /// What the diagram shows, and what the parts beside the stage show: the same, or when it plays fast that of a frame or two before, so that no frame
    /// has to draw everything.
    trail: [Rc<Shown>; 2],
    following: Option<AnimationFrame>,
    /// Where the journey under way leads.
    ahead: Option<(Journey, Rc<Shown>)>,
    journeys: u32,
    playing: Option<motion::Pause>,
    copied: Option<Timeout>,
    /// Writes the address when the reader has paused for a moment: the link of a long run takes a while.
    keeping: Option<Timeout>,
    kept: (u32, StepId, Arrangement),
    /// Made once: a part whose callbacks are new would be drawn again at every step.
    calls: Calls,
    parts: Parts,
    library: Option<Library>,
    /// What waits for the library: the last thing that somebody wanted.
    waiting: Option<Msg>,
    _listeners: [Listener; 5],
    _given: [Listener; 4],
}

impl Component for App {
    type Message = Msg;
    type Properties = AppProps;

    fn create(ctx: &Context<Self>) -> Self {
        let state = ctx.props().state.0.clone();
        let shown = state.borrow_mut().shown();
        let kept = (shown.run, shown.moment, state.borrow().arrange);
        page::show_theme(state.borrow().theme);
        let calls = Calls {
            act: ctx.link().callback(Msg::Act),
            landed: ctx.link().callback(Msg::Landed),
            copy: ctx.link().callback(|()| Msg::Copy),
            given: ctx.link().callback(Msg::Given),
        };
        let (act, asked) = (calls.act.clone(), state.clone());
        let keys =
            keys::on_key(move |key, focus| match asked.try_borrow().ok().and_then(|s| meaning(key, focus, &s)) {
                Some(action) => {
                    act.emit(action);
                    true
                }
                None => false,
            });
        let visits = address::on_change(ctx.link().callback(Msg::Visit));
        let leaving = ctx.link().callback(|()| Msg::Leaving);
        let leaving = Listener::on_window("beforeunload", move |_| leaving.emit(()));
        let [leaves, hides] = ["pagehide", "visibilitychange"].map(|kind| {
            let state = state.clone();
            Listener::on_window(kind, move |_| leave(&state))
        });
        let given = files::on_given(MOST_GIVEN, calls.given.clone());
        let mut app = App {
            state,
            trail: [shown.clone(), shown.clone()],
            following: None,
            shown,
            ahead: None,
            journeys: 0,
            playing: None,
            copied: None,
            keeping: None,
            kept,
            calls,
            parts: Parts::default(),
            library: ctx.props().library,
            waiting: None,
            _listeners: [keys, visits, leaving, leaves, hides],
            _given: given,
        };
        app.fetch(ctx);
        app
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        if self.library.is_none() && msg.needs_library() {
            self.wait_for_library(ctx, msg);
            return true;
        }
        match msg {
            Msg::Act(action) => {
                if let Action::Visit(place, _) = &action {
                    self.parts.forgive(*place);
                }
                self.act(action);
            }
            Msg::Landed(serial) => {
                if self.ahead.as_ref().is_none_or(|(journey, _)| journey.serial != serial) {
                    return false; // an older journey: somebody was quicker
                }
                self.land();
            }
            Msg::Play => {
                self.playing = None;
                self.act(Action::Tick);
            }
            Msg::Follow => {
                self.following = None;
                let [diagram, aside] = &mut self.trail;
                // in turns, or else the last would never have its turn where every frame brings a step
                if Rc::ptr_eq(diagram, aside) {
                    *diagram = self.shown.clone()
                } else {
                    *aside = diagram.clone()
                }
                self.follow(ctx);
                return true;
            }
            Msg::Given(given) => self.take(given),
            Msg::Visit(hash) => {
                self.land();
                let first = || format!("s={}", crate::state::FIRST);
                let hash = if address::read(&hash).is_none() { first() } else { hash };
                open(&mut self.state.borrow_mut(), &hash);
                self.shown = self.state.borrow_mut().shown();
            }
            Msg::Leaving => {
                // a reload goes to the address as it was, and what is on the stage is kept for the address at which the page ends: until then it must not change
                if self.keeping.is_some() {
                    self.write_address(STAYED);
                }
                return false;
            }
            Msg::Copy => {
                address::copy(self.link(), ctx.link().callback(Msg::Copied));
                return false;
            }
            Msg::Copied(true) => {
                let link = ctx.link().clone();
                self.copied = Some(Timeout::new(2000, move || link.send_message(Msg::CopiedSeen)));
            }
            Msg::Copied(false) => {
                let notice = format!("The browser does not let this page copy. The link is {}", self.link());
                self.act(Action::Notice(Some(notice)));
            }
            Msg::CopiedSeen => self.copied = None,
            Msg::Came(place, fetched) => {
                if let Ok((library, _)) = &fetched {
                    self.receive(*library);
                }
                self.parts.came(place, fetched);
            }
            Msg::Library(arrived) => {
                let waiting = self.waiting.take();
                match arrived {
                    Ok(library) => {
                        self.receive(library);
                        return waiting.is_none_or(|msg| Component::update(self, ctx, msg));
                    }
                    Err(_) => self.act(Action::Notice(Some(MISSING.into()))),
                }
            }
        }
        self.fetch(ctx);
        self.keep_playing(ctx);
        self.keep_address();
        self.follow(ctx);
        true
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let state = self.state.borrow();
        let Calls { act, landed, copy, given } = &self.calls;
        let (shown, [diagram, aside]) = (self.shown.clone(), self.trail.clone());
        let selected = state.selected(&shown);
        let because = state.why.then(|| Rc::new(CausalChain::of(&shown.frames, shown.cursor)));
        let said = state.notice.clone().filter(|_| state.place != Where::Stage);
        let journey = self.ahead.as_ref().map(|(journey, _)| *journey);
        html! {
            <div class={classes!("app", state.presenting.then_some("presenting"), state.embedded.then_some("embedded"))}>
                <Top place={state.place} theme={state.theme} act={act.clone()} {copy} copied={self.copied.is_some()} />
                <div class="on-stage" hidden={state.place != Where::Stage}>
                    <main class="centre">
                        <h1 class="hidden" hidden={!state.presenting && !state.embedded}>{ shown.origin.title() }</h1>
                        <StageView shown={shown.clone()} {selected} hidden={state.hidden.clone()} arrange={state.arrange} because={because.clone()} {journey} smooth={state.factor() < TWEENS} presenting={state.presenting}
                            {landed} act={act.clone()} />
                        <StateTable shown={aside.clone()} />
                        <Sentence shown={shown.clone()} notice={state.notice.clone()} />
                        <Strip shown={diagram.clone()} {because} selected={state.selected(&diagram)} open={state.strip} act={act.clone()} />
                    </main>
                    <Rail origin={shown.origin.clone()} here={shown.stop()} passed={shown.last_stop()} steps={if state.puzzle.is_some() { shown.cursor } else { 0 }}
                        answers={state.answers.clone()} puzzle={state.puzzle.clone()} library={self.library} act={act.clone()} />
                    <Inspector shown={aside.clone()} selected={state.selected(&aside)} pinned={state.pinned.is_some()} tab={state.tab} why={state.why} act={act.clone()} />
                    <Transport shown={aside} playing={state.playing} speed={state.speed} presenting={state.presenting} embedded={state.embedded} act={act.clone()} />
                </div>
                { for Where::ALL.into_iter().filter(|(_, _, place)| *place != Where::Stage).map(|(name, _, place)| {
                    let here = state.place == place;
                    // a place that the reader left stays as it was, hidden
                    let wanted = if here { state.wanted.clone() } else { String::new() };
                    let visit = Visit { here, wanted, state: &state, act: act.clone() };
                    let inside = if state.visited.contains(name) { self.parts.show(place, visit) } else { Html::default() };
                    html! { <div key={name} class="elsewhere" hidden={!here}>{ inside }</div> }
                }) }
                // on the stage it stands under the picture
                <p class="said" role="status" hidden={said.is_none()}>{ said.unwrap_or_default() }</p>
                <Menu shown={self.shown.clone()} open={state.menu} act={act.clone()} />
                { self.library.map_or_else(Html::default, |library| (library.export)(ExportProps {
                    open: state.export,
                    shown: self.shown.clone(),
                    link: if state.export { state.run.link() } else { String::new() },
                    arrange: state.arrange,
                    given: given.clone(),
                    act: act.clone(),
                })) }
                <Help open={state.help} act={act.clone()} />
                <div class="blank" hidden={!state.blank} role="status" aria-label="Nothing to see: press b to go on"></div>
            </div>
        }
    }
}

impl App {
    /// Opens what somebody handed over; what cannot be opened changes nothing.
    fn take(&mut self, given: Result<String, String>) {
        let opener = self.state.borrow().opener.ok_or(MISSING.to_owned());
        match given.and_then(|text| (opener?.given)(&text)) {
            Ok(Given::Scenario(text)) => self.act(Action::Play(text)),
            Ok(Given::Address(hash)) => {
                self.land();
                let mut state = self.state.borrow_mut();
                open(&mut state, &hash);
                if state.notice.is_none() {
                    address::visit_run(&hash);
                }
                self.shown = state.shown();
            }
            Err(why) => self.act(Action::Notice(Some(why))),
        }
    }

    fn act(&mut self, action: Action) {
        self.land();
        let forward =
            matches!(action, Action::Step | Action::Tick | Action::Pick(_) | Action::Deliver(_) | Action::Prod(_));
        let kept = matches!(
            action,
            Action::Answer(..) | Action::Theme(_) | Action::Speed(_) | Action::Strip | Action::Open(_)
        );
        let opened = if let Action::Open(id) = &action { Some(id.clone()) } else { None };
        let puzzle = if let Action::Puzzle(id) = &action { Some(id.clone()) } else { None };
        let gone = if let Action::Visit(place, what) = &action { Some((*place, what.clone())) } else { None };
        let mut state = self.state.borrow_mut();
        let before = state.run.moment();
        let was = (state.run.serial(), state.place);
        state.apply(action);
        if kept {
            page::show_theme(state.theme);
            storage::remember(&state);
        }
        if let Some(id) = opened.filter(|_| state.notice.is_none()) {
            address::visit(&id, state.arrange);
        } else if let Some(id) = puzzle {
            address::puzzle(&id);
        } else if let Some((place, what)) = gone.filter(|(place, _)| *place != Where::Stage) {
            address::go(place, &what);
        } else if was != (state.run.serial(), state.place) {
            match state.place {
                Where::Stage => address::visit_run(&link_of(&state)),
                place => address::go(place, &state.wanted),
            }
        }
        if state.puzzle.as_ref().is_some_and(|(_, solved)| solved.is_some()) {
            storage::remember(&state);
        }
        let next = state.shown();
        let ms =
            if forward && state.run.moment() != before { duration(&self.shown, &next, state.factor()) } else { 0.0 };
        if ms > 0.0 {
            self.journeys += 1;
            self.ahead = Some((Journey { serial: self.journeys, until: next.frame.now, ms }, next));
        } else {
            self.shown = next;
        }
    }

    /// Has the library fetched; what is wanted of it happens when it is there.
    fn wait_for_library(&mut self, ctx: &Context<Self>, msg: Msg) {
        if self.waiting.replace(msg).is_none() {
            let link = ctx.link().clone();
            yew::platform::spawn_local(async move { link.send_message(Msg::Library(crate::split::library().await)) });
        }
        self.state.borrow_mut().notice = Some("One moment: the library is on its way.".into());
    }

    fn receive(&mut self, library: Library) {
        self.library = Some(library);
        let mut state = self.state.borrow_mut();
        (state.opener, state.notice) = (Some(library.opener), None);
    }

    /// Sees to it that the place where the reader is comes in.
    fn fetch(&mut self, ctx: &Context<Self>) {
        let place = self.state.borrow().place;
        if place != Where::Stage {
            self.parts.want(place, ctx.link().callback(|(place, view)| Msg::Came(place, view)));
        }
    }

    /// The link of what is seen: this run as it stands, or the place.
    fn link(&self) -> String {
        let state = self.state.borrow();
        if state.place == Where::Stage { address::of_run(&link_of(&state)) } else { address::here() }
    }

    /// Ends the journey under way, if there is one.
    fn land(&mut self) {
        if let Some((_, shown)) = self.ahead.take() {
            self.shown = shown;
        }
    }

    /// The address always reopens this state. A scenario as it opens keeps its short name.
    fn keep_address(&mut self) {
        let now = (self.shown.run, self.shown.moment, self.state.borrow().arrange);
        let fresh = self.kept.0 != now.0;
        // while it plays nobody copies the address, and a long run's takes a while to write
        if self.kept == now || self.state.borrow().place != Where::Stage || (self.state.borrow().playing && !fresh) {
            return;
        }
        self.kept = now;
        if fresh {
            self.keeping = None;
            return; // whoever opened it wrote the address
        }
        self.write_address(300);
    }

    /// Writes the address after so many milliseconds, unless something else is to be written first.
    fn write_address(&mut self, after: u32) {
        let state = self.state.clone();
        let keep = move || {
            if let Ok(state) = state.try_borrow()
                && state.place == Where::Stage
            {
                address::keep(&link_of(&state));
            }
        };
        self.keeping = Some(Timeout::new(after, keep));
    }

    /// Lets the diagram and the parts beside the stage follow it: at once, or one after the other in the next frames.
    fn follow(&mut self, ctx: &Context<Self>) {
        let fast = self.state.borrow().playing && self.state.borrow().factor() >= TWEENS;
        if !fast || self.trail[1].run != self.shown.run {
            (self.following, self.trail) = (None, [self.shown.clone(), self.shown.clone()]);
        } else if self.following.is_none() && !self.trail.iter().all(|shown| Rc::ptr_eq(shown, &self.shown)) {
            let link = ctx.link().clone();
            // the first frame from now is the one that shows the stage
            self.following = Some(request_animation_frame(move |_| link.send_message(Msg::Follow)));
        }
    }

    fn keep_playing(&mut self, ctx: &Context<Self>) {
        let state = self.state.borrow();
        if !state.playing {
            self.playing = None;
        } else if self.ahead.is_none() && self.playing.is_none() {
            let link = ctx.link().clone();
            let pause = (600.0 / state.factor()).max(8.0) as u32;
            self.playing = Some(motion::after(pause, move || link.send_message(Msg::Play)));
        }
    }
}

/// After so many milliseconds a browser that was about to go elsewhere has thought better of it.
const STAYED: u32 = 30_000;

/// From this speed on things do not glide: they are where they are.
const TWEENS: f64 = 4.0;

/// What the address says of a run: how it came about, and how it is laid out.
/// The page goes away, or may go away unseen: what is on the stage is kept for a reload.
fn leave(state: &RefCell<State>) {
    if let Ok(state) = state.try_borrow() {
        storage::leave(&address::hash(), &Left::of(&state, link_of(&state)));
    }
}

fn link_of(state: &State) -> String {
    state.address() + &address::named(state.arrange)
}

/// How long a step takes on the screen, in milliseconds; 0 for none.
fn duration(from: &Shown, to: &Shown, factor: f64) -> f64 {
    let passed = to.frame.now.saturating_sub(from.frame.now);
    let longest = from.frame.flights.iter().map(|f| f.due.saturating_sub(f.sent)).max().unwrap_or(0);
    if passed == 0 || longest == 0 || factor >= TWEENS || motion::reduced() {
        return 0.0;
    }
    (passed as f64 / longest as f64 * 700.0).clamp(200.0, 700.0) / factor
}
