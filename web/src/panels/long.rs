//! The large space-time diagram: zoom, pan, an overview. Moving about changes the picture directly,
//! at most once in a frame; nothing is rendered for it.

use crate::browser::canvas::{Canvas, arrange, say, translate};
use crate::browser::keys::{self, WheelListener};
use crate::browser::size::{self, Watch};
use crate::browser::style;
use crate::browser::timers::{AnimationFrame, request_animation_frame};
use lockstep_scene::long::control::{LongChoice, LongControl, LongInput};
use lockstep_scene::long::{DiagramMarks, DiagramWindow, LongAxis, LongDiagram, ROW, camera};
use std::rc::Rc;
use yew::prelude::*;

/// What it needs.
#[derive(Properties)]
pub struct LongProps {
    /// An event or a section was chosen.
    pub act: Callback<LongChoice>,
    /// The diagram.
    pub diagram: Rc<LongDiagram>,
    /// The number of the run: another one is shown from its beginning.
    pub drawn: u32,
    /// What is marked.
    pub marks: Rc<DiagramMarks>,
    /// Another order of the events, if it is shown.
    #[prop_or_default]
    pub rank: Option<Rc<Vec<u32>>>,
    /// The event to show, and how often that was asked for.
    #[prop_or_default]
    pub centre: (u32, u32),
    /// Whether the marked event stays in the window.
    #[prop_or_default]
    pub follows: bool,
    /// The most pixels of its height.
    #[prop_or(420.0)]
    pub tall: f64,
    /// Further tools.
    #[prop_or_default]
    pub children: Html,
}

impl LongProps {
    /// Whether the same is drawn.
    fn same_picture(&self, other: &Self) -> bool {
        self.drawn == other.drawn
            && self.centre == other.centre
            && self.marks == other.marks
            && Rc::ptr_eq(&self.diagram, &other.diagram)
            && self.rank.as_ref().map(Rc::as_ptr) == other.rank.as_ref().map(Rc::as_ptr)
    }
}

impl PartialEq for LongProps {
    fn eq(&self, other: &Self) -> bool {
        self.same_picture(other) && self.children == other.children
    }
}

/// What can happen to it.
pub enum LongMsg {
    /// Something was done.
    Input(LongInput),
    /// The pointer moves.
    Move(PointerEvent),
    /// It is time for a frame.
    Paint,
}

/// The height of the overview.
const OVERVIEW: f64 = 28.0;
/// The width of the names.
const NAMES: f64 = 160.0;

/// The diagram.
pub struct LongDiagramView {
    control: LongControl,
    /// The window that the shapes on the screen were drawn for.
    drawn: Option<DiagramWindow>,
    /// Whether the overview shows the diagram.
    surveyed: bool,
    frame: Option<AnimationFrame>,
    around: NodeRef,
    sheet: NodeRef,
    world: NodeRef,
    layers: NodeRef,
    name_sheet: NodeRef,
    names: NodeRef,
    overview: NodeRef,
    strip: NodeRef,
    seen: NodeRef,
    note: NodeRef,
    canvases: [Option<Canvas>; 3],
    _watch: Option<Watch>,
    _wheel: Option<WheelListener>,
}

impl Component for LongDiagramView {
    type Message = LongMsg;
    type Properties = LongProps;

    fn create(ctx: &Context<Self>) -> Self {
        style::fetch("long.css");
        LongDiagramView {
            control: LongControl::new(ctx.props().diagram.clone()),
            drawn: None,
            surveyed: false,
            frame: None,
            around: NodeRef::default(),
            sheet: NodeRef::default(),
            world: NodeRef::default(),
            layers: NodeRef::default(),
            name_sheet: NodeRef::default(),
            names: NodeRef::default(),
            overview: NodeRef::default(),
            strip: NodeRef::default(),
            seen: NodeRef::default(),
            note: NodeRef::default(),
            canvases: [None, None, None],
            _watch: None,
            _wheel: None,
        }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &LongProps) -> bool {
        let props = ctx.props();
        if props.same_picture(old) {
            return true;
        }
        self.drawn = None;
        let rank = |props: &LongProps| props.rank.as_ref().map(Rc::as_ptr);
        let replaced = !Rc::ptr_eq(&props.diagram, &old.diagram) || props.drawn != old.drawn;
        if replaced || rank(props) != rank(old) {
            let rank = props.rank.as_deref().map(Vec::as_slice);
            self.control.replace(props.diagram.clone(), rank, props.drawn == old.drawn);
            self.surveyed = false;
        }
        if props.centre != old.centre {
            self.control.centre(props.centre.0);
        }
        if replaced || props.marks.event != old.marks.event {
            self.follow(ctx);
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, msg: LongMsg) -> bool {
        let input = match msg {
            LongMsg::Paint => {
                self.frame = None;
                self.paint(ctx);
                return false;
            }
            LongMsg::Input(input) => input,
            LongMsg::Move(event) => {
                let input = LongInput::Drag(f64::from(event.client_x()), f64::from(event.client_y()));
                let was = self.control.is_dragged();
                self.act(ctx, input);
                if self.control.is_dragged() && !was {
                    keys::capture(&self.around, &event);
                }
                return false;
            }
        };
        let renders = matches!(input, LongInput::Axis(_));
        let laid = renders || matches!(input, LongInput::Resize(..));
        if laid {
            (self.drawn, self.surveyed) = (None, false);
        }
        self.act(ctx, input);
        if laid {
            self.follow(ctx);
        }
        renders
    }

    fn rendered(&mut self, ctx: &Context<Self>, first: bool) {
        if first {
            let link = ctx.link().clone();
            let resized = move |(w, h)| link.send_message(LongMsg::Input(LongInput::Resize(w, h)));
            self._watch = self.around.cast().map(|element| size::watch(element, resized));
            let link = ctx.link().clone();
            let turned = move |right, down, at| link.send_message(LongMsg::Input(LongInput::Wheel(right, down, at)));
            self._wheel = self.around.cast().map(|element| WheelListener::on(element, turned));
        }
        self.paint(ctx);
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let (link, props) = (ctx.link(), ctx.props());
        let down = link.callback(|event: PointerEvent| {
            LongMsg::Input(LongInput::Press(f64::from(event.client_x()), f64::from(event.client_y())))
        });
        let up = link.callback(|event: PointerEvent| {
            let under = |name: &str| keys::clicked_number(&event, name);
            LongMsg::Input(LongInput::Release(under("data-section"), under("data-event")))
        });
        let leave = link.callback(|_: PointerEvent| LongMsg::Input(LongInput::Release(None, None)));
        let key = link.batch_callback(|event: KeyboardEvent| {
            let plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key();
            let key = LongControl::knows(&event.key()).filter(|_| plain)?;
            event.prevent_default();
            event.stop_propagation(); // the page has other meanings for some of these keys
            Some(LongMsg::Input(LongInput::Key(key)))
        });
        let overview = self.overview.clone();
        let jump = link.callback(move |event: PointerEvent| {
            LongMsg::Input(LongInput::Overview(keys::inside(&overview, &event).0))
        });
        let diagram = self.control.diagram();
        let axis = |axis: LongAxis, title: &'static str| {
            let on = self.control.axis() == axis;
            let choose = link.callback(move |_: MouseEvent| LongMsg::Input(LongInput::Axis(axis)));
            html! { <button type="button" class="chip" aria-pressed={on.to_string()} onclick={choose}>{ title }</button> }
        };
        let press = |key: &'static str, sign: &'static str, title: &'static str| {
            let press = link.callback(move |_: MouseEvent| LongMsg::Input(LongInput::Key(key.into())));
            html! { <button type="button" class="chip" aria-label={title} {title} onclick={press}>{ sign }</button> }
        };
        let rows = diagram.nodes.len() as f64 * ROW + 12.0;
        html! {
            <section class="long-diagram scene" aria-label="Diagram">
                <div class="long-tools">
                    <div class="long-group" hidden={!diagram.has_times()}>{ axis(LongAxis::Order, "order of events") }{ axis(LongAxis::Time, "time") }</div>
                    <div class="long-group">
                        { press("a", "←", "Left (A)") }{ press("d", "→", "Right (D)") }{ press("w", "+", "Closer (W)") }{ press("s", "−", "Farther (S)") }
                        <button type="button" class="chip" title="Everything (0)" onclick={link.callback(|_: MouseEvent| LongMsg::Input(LongInput::Key("0".into())))}>{ "everything" }</button>
                    </div>
                    { props.children.clone() }
                    <span class="hint" ref={self.note.clone()}></span>
                </div>
                <div class="long-picture" ref={self.around.clone()} tabindex="0" role="group" style={format!("height:{}px", rows.clamp(72.0, props.tall))}
                    aria-label="Space-time diagram. A and D move, W and S zoom, arrows go from event to event, Enter chooses a section."
                    onpointerdown={down} onpointermove={link.callback(LongMsg::Move)} onpointerup={up} onpointercancel={leave.clone()} onpointerleave={leave} onkeydown={key}>
                    <svg ref={self.sheet.clone()} role="img" aria-label={format!("{} events of {} nodes", diagram.len(), diagram.nodes.len())}>
                        <g ref={self.world.clone()}><g ref={self.layers.clone()}></g></g>
                    </svg>
                    <svg class="long-names" ref={self.name_sheet.clone()} aria-hidden="true"><g ref={self.names.clone()}></g></svg>
                </div>
                <div class="long-overview" ref={self.overview.clone()} aria-hidden="true" onpointerdown={jump}>
                    <svg height={OVERVIEW.to_string()}><g ref={self.strip.clone()}></g></svg>
                    <div class="overview-window" ref={self.seen.clone()}></div>
                </div>
            </section>
        }
    }
}

impl LongDiagramView {
    /// Moves the window to the marked event, where it stays in the window.
    fn follow(&mut self, ctx: &Context<Self>) {
        let event = ctx.props().marks.event.filter(|_| ctx.props().follows);
        event.into_iter().for_each(|event| self.control.reveal(event));
    }

    /// Does something, and lets the picture follow in the next frame.
    fn act(&mut self, ctx: &Context<Self>, input: LongInput) {
        let props = ctx.props();
        let before = self.control.window();
        let rank = props.rank.as_deref().map(Vec::as_slice);
        let choice = self.control.apply(input, props.marks.event, rank);
        if self.frame.is_none() && (before != self.control.window() || self.drawn.is_none()) {
            let link = ctx.link().clone();
            self.frame = Some(request_animation_frame(move |_| link.send_message(LongMsg::Paint)));
        }
        choice.into_iter().for_each(|choice| props.act.emit(choice));
    }

    /// Shows the window: moves what is drawn, or draws again where that does not serve.
    fn paint(&mut self, ctx: &Context<Self>) {
        let (laid, window) = (self.control.diagram(), self.control.window());
        for (canvas, element) in self.canvases.iter_mut().zip([&self.layers, &self.names, &self.strip]) {
            if canvas.is_none() {
                *canvas = element.cast().map(Canvas::new);
            }
        }
        let [Some(layers), Some(names), Some(strip)] = &mut self.canvases else { return };
        let drawn = match self.drawn.filter(|drawn| camera::serves(laid, drawn, &window)) {
            Some(drawn) => drawn,
            None => {
                let picture = laid.draw(&window, &ctx.props().marks);
                let sheet = camera::sheet(laid, &window);
                layers.show(&picture.layers);
                translate(&self.world, -sheet.x, -sheet.y);
                names.show(&laid.names(&window));
                translate(&self.names, 0.0, -sheet.y);
                say(&self.note, &picture.undrawn.sentence().unwrap_or_default());
                self.drawn = Some(window);
                window
            }
        };
        let (sheet, shift) = (camera::sheet(laid, &drawn), camera::shift(&drawn, &window));
        arrange(&self.sheet, shift.x, shift.y, sheet.w, sheet.h);
        arrange(&self.name_sheet, 0.0, shift.y, NAMES, sheet.h);
        if !self.surveyed {
            strip.show(&laid.overview(window.width, OVERVIEW));
            self.surveyed = true;
        }
        let seen = camera::seen(laid, &window);
        arrange(&self.seen, seen.start, 0.0, (seen.end - seen.start).max(4.0), OVERVIEW);
    }
}
