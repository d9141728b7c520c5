//! The large space-time diagram: zoom, pan, an overview. Moving about changes the picture directly;
//! nothing is rendered for it.

use super::JudgeAct;
use crate::browser::canvas::{Canvas, translate};
use crate::browser::keys::{self, WheelListener};
use crate::browser::size::{self, Watch};
use lockstep_judge::JudgeAction;
use lockstep_judge::view::PairView;
use lockstep_scene::long::{DiagramMarks, DiagramWindow, LongAxis, LongDiagram, ROW, camera};
use lockstep_scene::{Shape, ShapeKind};
use std::rc::Rc;
use yew::prelude::*;

/// What it needs.
#[derive(Properties)]
pub struct LongProps {
    /// Makes something happen.
    pub act: JudgeAct,
    /// The diagram.
    pub diagram: Rc<LongDiagram>,
    /// Its number.
    pub drawn: u32,
    /// What is marked.
    pub marks: Rc<DiagramMarks>,
    /// Two sections whose other order is shown.
    pub other: Option<Rc<PairView>>,
    /// The event to show, and how often that was asked for.
    pub centre: (u32, u32),
}

impl PartialEq for LongProps {
    fn eq(&self, other: &Self) -> bool {
        self.drawn == other.drawn
            && self.centre == other.centre
            && self.marks == other.marks
            && self.other.as_ref().map(Rc::as_ptr) == other.other.as_ref().map(Rc::as_ptr)
    }
}

/// What can happen to it.
pub enum LongMsg {
    /// Its size.
    Resize(f64, f64),
    /// The wheel: right, down, and where.
    Wheel(f64, f64, f64),
    /// A key.
    Key(String),
    /// The pointer is pressed, moves, and is released, in pixels.
    Press(f64, f64),
    /// See above.
    Drag(f64, f64),
    /// See above; with the section and the event under it.
    Release(Option<u32>, Option<u32>),
    /// The overview is pressed here.
    Overview(f64),
    /// Another axis.
    Axis(LongAxis),
    /// Everything.
    Whole,
}

/// The height of the overview.
const OVERVIEW: f64 = 28.0;
/// Pixels of one key press.
const STRIDE: f64 = 120.0;

/// The diagram.
pub struct LongDiagramView {
    laid: Rc<LongDiagram>,
    axis: LongAxis,
    window: DiagramWindow,
    /// The window that the shapes on the screen were drawn for.
    drawn: Option<DiagramWindow>,
    pressed: Option<(f64, f64, bool)>,
    around: NodeRef,
    world: NodeRef,
    layers: NodeRef,
    names: NodeRef,
    strip: NodeRef,
    canvases: [Option<Canvas>; 3],
    _watch: Option<Watch>,
    _wheel: Option<WheelListener>,
}

impl Component for LongDiagramView {
    type Message = LongMsg;
    type Properties = LongProps;

    fn create(ctx: &Context<Self>) -> Self {
        let laid = ctx.props().diagram.clone();
        LongDiagramView {
            window: camera::beginning(&laid, 800.0, 300.0),
            laid,
            axis: LongAxis::Order,
            drawn: None,
            pressed: None,
            around: NodeRef::default(),
            world: NodeRef::default(),
            layers: NodeRef::default(),
            names: NodeRef::default(),
            strip: NodeRef::default(),
            canvases: [None, None, None],
            _watch: None,
            _wheel: None,
        }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &LongProps) -> bool {
        let props = ctx.props();
        let other = |props: &LongProps| props.other.as_ref().map(Rc::as_ptr);
        if props.drawn != old.drawn || other(props) != other(old) {
            self.lay(ctx);
            if props.drawn != old.drawn {
                self.window = camera::beginning(&self.laid, self.window.width, self.window.height);
            }
        }
        if props.centre != old.centre {
            self.window = camera::centred(&self.laid, &self.window, props.centre.0);
        }
        self.drawn = None;
        true
    }

    fn update(&mut self, ctx: &Context<Self>, msg: LongMsg) -> bool {
        let (laid, window) = (self.laid.clone(), self.window);
        let laid = &*laid;
        self.window = match msg {
            LongMsg::Resize(width, height) if width >= 40.0 && height >= 40.0 => {
                let sized = DiagramWindow { width, height, ..window };
                self.drawn = None;
                camera::clamped(laid, sized)
            }
            LongMsg::Resize(..) => window,
            LongMsg::Wheel(right, down, at) if down.abs() > right.abs() => {
                camera::zoomed(laid, &window, 1.0 + (-down / 400.0).clamp(-0.4, 0.6), at)
            }
            LongMsg::Wheel(right, ..) => camera::panned(laid, &window, right, 0.0),
            LongMsg::Key(key) => return self.key(ctx, &key),
            LongMsg::Press(x, y) => {
                self.pressed = Some((x, y, false));
                return false;
            }
            LongMsg::Drag(x, y) => {
                let Some((x0, y0, dragged)) = self.pressed else { return false };
                if !dragged && (x - x0).abs() + (y - y0).abs() < 5.0 {
                    return false;
                }
                self.pressed = Some((x, y, true));
                camera::panned(laid, &window, x0 - x, y0 - y)
            }
            LongMsg::Release(section, event) => {
                let dragged = self.pressed.take().is_some_and(|(.., dragged)| dragged);
                match (dragged, event, section) {
                    (true, ..) => {}
                    (false, Some(event), _) => ctx.props().act.emit(JudgeAction::Event(event)),
                    (false, None, Some(section)) => ctx.props().act.emit(JudgeAction::Section(section as usize)),
                    _ => {}
                }
                return false;
            }
            LongMsg::Overview(x) => {
                let (first, last) = laid.range();
                camera::at(laid, &window, first + (last - first) * x / window.width.max(1.0))
            }
            LongMsg::Axis(axis) => {
                self.axis = axis;
                self.lay(ctx);
                self.drawn = None;
                self.window = camera::beginning(&self.laid, window.width, window.height);
                return true;
            }
            LongMsg::Whole => camera::whole(laid, window.width, window.height),
        };
        self.paint(ctx);
        false
    }

    fn rendered(&mut self, ctx: &Context<Self>, first: bool) {
        if first {
            let link = ctx.link().clone();
            let resized = move |(width, height)| link.send_message(LongMsg::Resize(width, height));
            self._watch = self.around.cast().map(|element| size::watch(element, resized));
            let link = ctx.link().clone();
            let turned = move |right, down, at| link.send_message(LongMsg::Wheel(right, down, at));
            self._wheel = self.around.cast().map(|element| WheelListener::on(element, turned));
        }
        self.paint(ctx);
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let around = |event: &PointerEvent| (f64::from(event.client_x()), f64::from(event.client_y()));
        let down = link.callback(move |event: PointerEvent| {
            let (x, y) = around(&event);
            LongMsg::Press(x, y)
        });
        let drag = link.callback(move |event: PointerEvent| {
            let (x, y) = around(&event);
            LongMsg::Drag(x, y)
        });
        let up = link.callback(|event: PointerEvent| {
            let under = |name: &str| keys::clicked_number(&event, name);
            LongMsg::Release(under("data-section"), under("data-event"))
        });
        let leave = link.callback(|_: PointerEvent| LongMsg::Release(None, None));
        let key = link.batch_callback(|event: KeyboardEvent| {
            let known =
                ["w", "a", "s", "d", "Home", "End", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Enter", "0"];
            let key = if event.key().len() == 1 { event.key().to_lowercase() } else { event.key() };
            let plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key();
            (plain && known.contains(&key.as_str())).then(|| {
                event.prevent_default();
                LongMsg::Key(key)
            })
        });
        let strip = self.strip.clone();
        let jump = link.callback(move |event: PointerEvent| LongMsg::Overview(keys::inside(&strip, &event).0));
        let axis = |axis: LongAxis, title: &'static str, shown: bool| {
            let on = self.axis == axis;
            html! { <button type="button" class="chip" hidden={!shown} aria-pressed={on.to_string()} onclick={link.callback(move |_: MouseEvent| LongMsg::Axis(axis))}>{ title }</button> }
        };
        let press = |key: &'static str, title: &'static str| {
            html! { <button type="button" class="chip" aria-label={title} {title} onclick={link.callback(move |_: MouseEvent| LongMsg::Key(key.into()))}>{ match key { "w" => "+", "s" => "−", "a" => "←", _ => "→" } }</button> }
        };
        let timed = self.laid.has_times();
        let rows = self.laid.nodes.len() as f64 * ROW + 12.0;
        html! {
            <section class="judge-diagram scene" aria-label="Diagram">
                <div class="judge-tools">
                    { axis(LongAxis::Order, "order of events", timed) }{ axis(LongAxis::Time, "time", timed) }
                    { press("a", "Left (A)") }{ press("d", "Right (D)") }{ press("w", "Closer (W)") }{ press("s", "Farther (S)") }
                    <button type="button" class="chip" onclick={link.callback(|_: MouseEvent| LongMsg::Whole)}>{ "everything" }</button>
                    <span class="hint" hidden={ctx.props().other.is_none()}>{ "Another order that agrees with the log: both are inside." }</span>
                </div>
                <div class="judge-picture" ref={self.around.clone()} tabindex="0" role="group" style={format!("height:{}px", rows.clamp(72.0, 420.0))}
                    aria-label="Space-time diagram. A and D move, W and S zoom, arrows go from event to event, Enter chooses a section."
                    onpointerdown={down} onpointermove={drag} onpointerup={up} onpointerleave={leave} onkeydown={key}>
                    <svg role="img" aria-label={format!("{} events of {} nodes", self.laid.len(), self.laid.nodes.len())}>
                        <g ref={self.world.clone()}><g ref={self.layers.clone()}></g></g>
                        <g ref={self.names.clone()}></g>
                    </svg>
                </div>
                <svg class="judge-overview" height={OVERVIEW.to_string()} aria-hidden="true" onpointerdown={jump}><g ref={self.strip.clone()}></g></svg>
            </section>
        }
    }
}

impl LongDiagramView {
    /// Lays the events along the axis that is chosen.
    fn lay(&mut self, ctx: &Context<Self>) {
        let props = ctx.props();
        let rank = props.other.as_ref().and_then(|pair| pair.other_rank.as_deref());
        self.laid = match (self.axis, rank) {
            (LongAxis::Order, None) => props.diagram.clone(),
            (axis, rank) => {
                let mut diagram = (*props.diagram).clone();
                // another order has no times
                diagram.along(if rank.is_some() { LongAxis::Order } else { axis }, rank);
                Rc::new(diagram)
            }
        };
    }

    fn key(&mut self, ctx: &Context<Self>, key: &str) -> bool {
        let (laid, window) = (self.laid.clone(), self.window);
        let middle = window.width / 2.0;
        let chosen = ctx.props().marks.event;
        let act = &ctx.props().act;
        let (first, last) = laid.range();
        self.window = match key {
            "a" => camera::panned(&laid, &window, -STRIDE, 0.0),
            "d" => camera::panned(&laid, &window, STRIDE, 0.0),
            "w" => camera::zoomed(&laid, &window, 1.4, middle),
            "s" => camera::zoomed(&laid, &window, 1.0 / 1.4, middle),
            "0" => camera::whole(&laid, window.width, window.height),
            "Home" => camera::at(&laid, &window, first),
            "End" => camera::at(&laid, &window, last),
            "ArrowUp" => camera::panned(&laid, &window, 0.0, -ROW),
            "ArrowDown" => camera::panned(&laid, &window, 0.0, ROW),
            "ArrowLeft" | "ArrowRight" => {
                let next = match chosen {
                    Some(event) => laid.neighbour(event, key == "ArrowRight"),
                    None => laid.nearest(window.left + middle / window.scale),
                };
                next.iter().for_each(|event| act.emit(JudgeAction::Event(*event)));
                next.map_or(window, |event| camera::centred(&laid, &window, event))
            }
            _ => {
                let section = chosen.and_then(|event| laid.section_of(event));
                section.iter().for_each(|section| act.emit(JudgeAction::Section(*section)));
                window
            }
        };
        self.paint(ctx);
        false
    }

    /// Shows the window: moves what is drawn, or draws again where that does not serve.
    fn paint(&mut self, ctx: &Context<Self>) {
        let (laid, window) = (self.laid.clone(), self.window);
        let refs = [&self.layers, &self.names, &self.strip];
        for (canvas, element) in self.canvases.iter_mut().zip(refs) {
            if canvas.is_none() {
                *canvas = element.cast().map(Canvas::new);
            }
        }
        let [layers, names, strip] = &mut self.canvases;
        let fresh = self.drawn.is_none();
        if !self.drawn.is_some_and(|drawn| camera::serves(&laid, &drawn, &window)) {
            if let Some(canvas) = layers {
                canvas.show(&laid.draw(&window, &ctx.props().marks));
            }
            if let Some(canvas) = names {
                canvas.show(&laid.names(&window));
            }
            self.drawn = Some(window);
        }
        let (first, last) = laid.range();
        let left = (window.left - first) * window.scale - laid.origin(&window);
        translate(&self.world, -left, -window.top);
        if let Some(canvas) = strip {
            let scale = window.width / (last - first);
            let (x, w) = ((window.left - first) * scale, window.width / window.scale * scale);
            let kind = ShapeKind::Rect { x, y: 0.5, w: w.max(4.0), h: OVERVIEW - 1.0, r: 3.0 };
            let seen = Shape::new("seen", "overview-window", kind);
            if fresh {
                let mut shapes = laid.overview(window.width, OVERVIEW);
                shapes.push(seen);
                canvas.show(&shapes);
            } else {
                canvas.change("seen", &seen);
            }
        }
    }
}
