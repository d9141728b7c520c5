//! The component around all others. This file is written as a tutorial: the other components are
//! terse.
//!
//! # How the page works
//!
//! There is one [`Session`], which knows no HTML and no browser, and one list of things that can
//! happen to it, [`Action`]. Every part of the page is a *component*: a function of its
//! *properties* that returns HTML. A part never changes anything itself. It calls `act`
//! ([`crate::hooks::use_act`]) with an action; [`App::update`] applies the action, carries out the
//! [`Command`]s that the session returns, and [`App::view`] describes the page again. Yew compares
//! the new description with the old one and touches only what differs; a part whose properties are
//! equal is not even called.
//!
//! # The cursor and what is shown
//!
//! A step takes time on the screen: messages glide, then the state changes. So the core's cursor
//! has already moved while the step before is still *shown* ([`Session::shown`]). All parts show
//! the same step, so that picture, narration and variables never contradict each other. While
//! messages glide nothing is rendered: the stage moves them directly (see [`crate::stage`]).
//!
//! # Rules for Yew 0.23
//!
//! * Every item of a list has a `key`, and every list of changing length has a container.
//! * Nothing is rendered conditionally between two siblings: an element that is not needed is
//!   `hidden`.
//! * Calls into the browser live in [`crate::browser`].

use crate::browser::address::{self, Replacement};
use crate::browser::keys::{self, Listener};
use crate::browser::timers::{AnimationFrame, Timeout, request_animation_frame};
use crate::browser::{api, files, motion, page, storage};
use crate::dialogs::export::ExportProps;
use crate::dialogs::help::Help;
use crate::dialogs::menu::Menu;
use crate::hooks::PageAct;
use crate::panels::inspector::Inspector;
use crate::panels::rail::Rail;
use crate::panels::top::Top;
use crate::panels::transport::Transport;
use crate::parts::{self, Arrived, Fetched, Library, Parts, PlaceInput};
use crate::split;
use crate::stage::diagram::Diagram;
use crate::stage::table::StateTable;
use crate::stage::{Narration, StageView};
use lockstep_scenario::given::MOST_GIVEN;
use lockstep_scene::CausalChain;
use lockstep_session::session::FAST;
use lockstep_session::{Action, Command, PagePlace, Part, Session, StepView};
use std::cell::RefCell;
use std::rc::Rc;
use yew::prelude::*;

/// Starts the page. An address or a reload that leads to another run than the first one needs the
/// library, which is downloaded before anything is shown.
pub fn start(mut session: Session) {
    session.preferences = storage::preferences();
    session.embedded = page::embedded();
    let hash = address::hash();
    let snapshot = storage::kept(&hash);
    yew::platform::spawn_local(async move {
        let mut library = None;
        if session.needs_library(&hash, snapshot.as_ref()) {
            library = split::library().await.ok();
        }
        let commands = session.begin(&hash, snapshot.as_ref(), library.map(|library| library.opener));
        let session = Rc::new(RefCell::new(session));
        api::offer(session.clone());
        yew::Renderer::<App>::with_props(AppProps { session: SharedSession(session, Rc::new(commands)), library })
            .render();
    });
}

/// The session, shared with `window.lockstep`, and the commands that come first.
#[derive(Clone)]
pub struct SharedSession(Rc<RefCell<Session>>, Rc<Vec<Command>>);

impl PartialEq for SharedSession {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// What the page begins with.
#[derive(Properties, PartialEq)]
pub struct AppProps {
    /// The session.
    pub session: SharedSession,
    /// The library, if it was downloaded already.
    pub library: Option<Library>,
}

/// What can arrive at the page as a whole.
pub enum AppMessage {
    /// An action.
    Act(Action),
    /// It is time for a part beside the stage to follow it.
    Follow,
    /// A place was downloaded, or could not be.
    Place(PagePlace, Fetched),
    /// So was the library.
    Library(Arrived),
    /// The browser is about to load another page, or this one again.
    Leaving,
}

/// The page.
pub struct App {
    session: Rc<RefCell<Session>>,
    /// What the diagram shows, and what the parts beside the stage show: what the stage shows, or,
    /// when it plays fast, what it showed a frame or two before, so that no frame draws everything.
    trail: [Rc<StepView>; 2],
    following: Option<AnimationFrame>,
    tick: Option<motion::Pause>,
    confirmation: Option<Timeout>,
    address: Replacement,
    /// Made once: a part whose callbacks are new would be drawn again at every step.
    act: PageAct,
    given: Callback<Result<String, String>>,
    parts: Parts,
    library: Option<Library>,
    _listeners: [Listener; 5],
    _given: [Listener; 4],
}

impl Component for App {
    type Message = AppMessage;
    type Properties = AppProps;

    fn create(ctx: &Context<Self>) -> Self {
        let AppProps { session: SharedSession(session, commands), library } = ctx.props();
        let session = session.clone();
        let shown = session.borrow().shown.clone();
        page::show_theme(session.borrow().preferences.theme);
        let act = ctx.link().callback(AppMessage::Act);
        let given = act.reform(Action::Import);
        let (pressed, asked) = (act.clone(), session.clone());
        let keys = keys::on_key(move |key, focus| {
            let action = asked.try_borrow().ok().and_then(|s| lockstep_session::keys::meaning(key, focus, &s));
            action.map(|action| pressed.emit(action)).is_some()
        });
        let leaving = ctx.link().callback(|()| AppMessage::Leaving);
        let leaving = Listener::on_window("beforeunload", move |_| leaving.emit(()));
        // not a message: those are handled too late for a page that disappears
        let [disappears, hides] = ["pagehide", "visibilitychange"].map(|kind| {
            let session = session.clone();
            Listener::on_window(kind, move |_| {
                let commands = session.try_borrow_mut().map(|mut s| s.apply(Action::Leave)).unwrap_or_default();
                commands.iter().for_each(keep);
            })
        });
        let mut app = App {
            trail: [shown.clone(), shown],
            following: None,
            tick: None,
            confirmation: None,
            address: Replacement::default(),
            parts: Parts::default(),
            library: *library,
            _listeners: [keys, address::on_change(act.reform(Action::Navigate)), leaving, disappears, hides],
            _given: files::on_given(MOST_GIVEN, given.clone()),
            session,
            act,
            given,
        };
        app.carry_out(ctx, commands.to_vec());
        app
    }

    fn update(&mut self, ctx: &Context<Self>, message: AppMessage) -> bool {
        match message {
            AppMessage::Act(action) => {
                let commands = self.session.borrow_mut().apply(action);
                self.carry_out(ctx, commands);
            }
            AppMessage::Follow => {
                self.following = None;
                let [diagram, aside] = &mut self.trail;
                // in turns, or else the last would never follow where every frame brings a step
                if Rc::ptr_eq(diagram, aside) {
                    *diagram = self.session.borrow().shown.clone()
                } else {
                    *aside = diagram.clone()
                }
            }
            AppMessage::Place(place, fetched) => {
                if let Ok((library, _)) = &fetched {
                    self.receive(ctx, *library);
                }
                self.parts.receive(place, fetched);
            }
            AppMessage::Library(Ok(library)) => self.receive(ctx, library),
            AppMessage::Library(Err(_)) => {
                let commands = self.session.borrow_mut().miss();
                self.carry_out(ctx, commands);
            }
            AppMessage::Leaving => {
                self.address.cancel();
                return false;
            }
        }
        self.follow(ctx);
        true
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let session = self.session.borrow();
        let (shown, [diagram, aside]) = (session.shown.clone(), self.trail.clone());
        let selected = session.selected(&shown);
        let because = session.why.then(|| Rc::new(CausalChain::of(&shown.frames, shown.cursor)));
        let notice = session.notice.clone();
        let elsewhere = notice.clone().filter(|_| session.place != PagePlace::Stage);
        let preferences = &session.preferences;
        html! {
            <ContextProvider<PageAct> context={self.act.clone()}>
            <div class={classes!("app", session.presenting.then_some("presenting"), session.embedded.then_some("embedded"))}>
                <Top place={session.place} theme={preferences.theme} copied={session.copied} />
                <div class="on-stage" hidden={session.place != PagePlace::Stage}>
                    <main class="centre">
                        <h1 class="hidden" hidden={!session.presenting && !session.embedded}>{ shown.origin.title() }</h1>
                        <StageView shown={shown.clone()} {selected} hidden={session.hidden.clone()} arrange={session.arrange}
                            because={because.clone()} journey={session.ahead.as_ref().map(|(journey, _)| *journey)}
                            smooth={preferences.factor() < FAST} presenting={session.presenting} />
                        <StateTable shown={aside.clone()} />
                        <Narration shown={shown.clone()} {notice} library={self.library} />
                        <Diagram shown={diagram.clone()} {because} selected={session.selected(&diagram)} open={preferences.diagram} library={self.library} />
                    </main>
                    <Rail origin={shown.origin.clone()} here={shown.stop()} passed={shown.last_stop()}
                        steps={if session.puzzle.is_some() { shown.cursor } else { 0 }}
                        answers={preferences.answers.clone()} puzzle={session.puzzle.clone()} library={self.library} />
                    <Inspector shown={aside.clone()} selected={session.selected(&aside)} pinned={session.pinned.is_some()} tab={session.tab} why={session.why} />
                    <Transport shown={aside} playing={session.playing} speed={preferences.speed} presenting={session.presenting} embedded={session.embedded} />
                </div>
                { for PagePlace::ALL.into_iter().filter(|(.., place)| *place != PagePlace::Stage).map(|(name, _, place)| {
                    let here = session.place == place;
                    // a place that the reader left stays as it was, hidden
                    let wanted = if here { session.wanted.clone() } else { String::new() };
                    let input = PlaceInput { here, wanted, session: &session };
                    let inside = if session.visited.contains(name) { self.parts.show(place, input, &self.act) } else { Html::default() };
                    html! { <div key={name} class="elsewhere" hidden={!here}>{ inside }</div> }
                }) }
                // on the stage it stands under the picture
                <div class="said" role="status" hidden={elsewhere.is_none()}>{ parts::notice(&elsewhere.unwrap_or_default(), self.library) }</div>
                <Menu {shown} open={session.menu} />
                { self.library.map_or_else(Html::default, |library| (library.export)(ExportProps {
                    open: session.export,
                    shown: session.shown.clone(),
                    link: if session.export { session.run.link() } else { String::new() },
                    arrange: session.arrange,
                    given: self.given.clone(),
                })) }
                <Help open={session.help} />
                <div class="blank" hidden={!session.blank} role="status" aria-label="The screen is dark: press b to go on"></div>
            </div>
            </ContextProvider<PageAct>>
        }
    }
}

/// Stores the stage for a reload.
fn keep(command: &Command) {
    if let Command::Keep(snapshot) = command {
        storage::keep(&address::hash(), snapshot);
    }
}

impl App {
    /// Carries out what the session wants.
    fn carry_out(&mut self, ctx: &Context<Self>, commands: Vec<Command>) {
        for command in commands {
            match command {
                Command::Push(hash) => {
                    self.address.cancel();
                    address::push(&hash);
                }
                Command::Replace(hash) => self.address.replace(hash),
                Command::Persist(preferences) => {
                    page::show_theme(preferences.theme);
                    if !storage::persist(&preferences) {
                        self.act.emit(Action::Unstored);
                    }
                }
                Command::Keep(_) => keep(&command),
                // the stage animates what the session has ahead; without motion it ends at once
                Command::Animate(journey) if motion::reduced() => {
                    let commands = self.session.borrow_mut().apply(Action::Landed(journey.serial));
                    self.carry_out(ctx, commands);
                }
                Command::Animate(_) => {}
                Command::Play(after) => {
                    let act = self.act.clone();
                    self.tick = after.map(|ms| motion::after(ms, move || act.emit(Action::Tick)));
                }
                Command::Fetch(Part::Library) => {
                    let link = ctx.link().clone();
                    yew::platform::spawn_local(async move {
                        link.send_message(AppMessage::Library(split::library().await));
                    });
                }
                Command::Fetch(Part::Place(place)) => {
                    self.parts.fetch(place, ctx.link().callback(|(place, view)| AppMessage::Place(place, view)));
                }
                Command::Copy(hash) => address::copy(address::full(&hash), self.act.reform(Action::Copied)),
                Command::Confirm(ms) => {
                    let act = self.act.clone();
                    self.confirmation = Some(Timeout::new(ms, move || act.emit(Action::CopySeen)));
                }
            }
        }
    }

    fn receive(&mut self, ctx: &Context<Self>, library: Library) {
        self.library = Some(library);
        let commands = self.session.borrow_mut().receive(library.opener);
        self.carry_out(ctx, commands);
    }

    /// Lets the diagram and the parts beside the stage follow it: at once, or one after the other
    /// in the next frames.
    fn follow(&mut self, ctx: &Context<Self>) {
        let session = self.session.borrow();
        let (fast, shown) = (session.playing && session.preferences.factor() >= FAST, &session.shown);
        if !fast || self.trail[1].run != shown.run {
            (self.following, self.trail) = (None, [shown.clone(), shown.clone()]);
        } else if self.following.is_none() && !self.trail.iter().all(|trail| Rc::ptr_eq(trail, shown)) {
            let link = ctx.link().clone();
            // the first frame from now is the one that shows the stage
            self.following = Some(request_animation_frame(move |_| link.send_message(AppMessage::Follow)));
        }
    }
}
