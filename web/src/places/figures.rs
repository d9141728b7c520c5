//! The gallery: every figure of the papers and every prepared scenario, grouped by paper,
//! searchable, each with a picture.

use crate::browser::field;
use crate::browser::timers::Timeout;
use crate::hooks::use_act;
use crate::panels::icons;
use crate::stage::drawing::still;
use lockstep_scenario::Item;
use lockstep_scenario::library::{GROUPS, Group};
use lockstep_scene::{Painter, Room, StageInput, StagePicture};
use lockstep_session::gallery::{MEASURED, has, matches};
use lockstep_session::{Action, PagePlace, StageRun};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use yew::prelude::*;

/// What the gallery needs.
#[derive(Properties, PartialEq)]
pub struct FiguresProps {
    /// Answers given.
    pub answers: BTreeMap<String, usize>,
    /// Scenarios opened.
    pub opened: BTreeSet<String>,
}

/// The space of a thumbnail, before it is scaled down.
const ROOM: Room = Room { width: 640.0, height: 400.0 };

/// The gallery.
#[component]
pub fn Figures(props: &FiguresProps) -> Html {
    let act = use_act();
    let items = use_memo((), |()| Item::all());
    let search = use_state(String::new);
    let on_search = {
        let search = search.setter();
        Callback::from(move |event: InputEvent| field::value(&event).into_iter().for_each(|text| search.set(text)))
    };
    let found: Vec<&Item> = items.iter().filter(|i| matches(i, &search)).collect();
    let answered = |id: &str| props.answers.keys().any(|k| k.split('/').next() == Some(id));
    let (opened, right) =
        (items.iter().filter(|i| props.opened.contains(i.id)).count(), items.iter().filter(|i| answered(i.id)).count());
    let measured = |group: &Group| {
        let (_, study, names) = *MEASURED.iter().find(|(paper, ..)| *paper == group.paper)?;
        let Group { paper, text, source, .. } = group;
        has(&format!("{paper} {text} {source} {study} {names}"), &search).then_some((study, names))
    };
    let any = !found.is_empty() || GROUPS.iter().any(|group| measured(group).is_some());
    let groups = GROUPS.into_iter().map(|group| {
        let lab = measured(&group).map(|(study, names)| {
            let go = act.reform(move |event: MouseEvent| {
                event.prevent_default();
                Action::Visit(PagePlace::Lab, study.into())
            });
            html! { <a href={format!("#lab={study}")} onclick={go}>{ format!("Measured in the lab: {names}") }</a> }
        });
        let cards: Vec<Html> = (found.iter().filter(|i| i.card.group.map(|g| g.paper) == Some(group.paper)))
            .map(|item| {
                let seen = answered(item.id);
                let opened = props.opened.contains(item.id);
                html! { <FigureCard key={item.id} item={(*item).clone()} {seen} {opened} /> }
            })
            .collect();
        html! {
            <section key={group.paper} class="shelf" hidden={cards.is_empty() && lab.is_none()} aria-label={group.title}>
                <h2>{ group.title }<span>{ group.source }</span></h2>
                <ul class="cards-list">{ for cards }</ul>
                <p class="shelf-lab">{ lab.unwrap_or_default() }</p>
            </section>
        }
    });
    html! {
        <main class="gallery">
            <header class="gallery-head">
                <h1>{ "Figures" }</h1>
                <p>{ "Every figure of the papers, step by step, and what fails as printed." }
                    <span class="gallery-progress">{ format!(" {opened} of {} opened, {right} answered.", items.len()) }</span></p>
                <input type="search" class="search" placeholder="Figure 4, token ring, as printed …" aria-label="Search the figures"
                    value={(*search).clone()} oninput={on_search} />
            </header>
            <p class="empty" hidden={any}>{ "No figure matches. Try the number of a figure, an algorithm, or fewer words." }</p>
            <div class="shelves">{ for groups }</div>
        </main>
    }
}

#[derive(Properties, PartialEq)]
struct CardProps {
    item: Item,
    seen: bool,
    opened: bool,
}

/// The picture of a scenario at the stop where it opens.
fn picture(id: &str) -> Option<StagePicture> {
    let mut run = StageRun::of_library(id, 0).ok()?;
    let shown = run.view();
    let input = StageInput::new(&shown.frame, &shown.origin.setup, shown.origin.entry.tree_link, ROOM);
    Some(Painter::new().draw_stage(&input))
}

#[component]
fn FigureCard(props: &CardProps) -> Html {
    let item = &props.item;
    let stage = use_state(|| None::<Rc<StagePicture>>);
    {
        // one picture after the other, so that the gallery never blocks the page
        let (id, stage) = (item.id, stage.setter());
        use_effect_with(id, move |id| {
            let id = *id;
            let timer = Timeout::new(20, move || stage.set(picture(id).map(Rc::new)));
            move || drop(timer)
        });
    }
    let id = item.id;
    let open = use_act().reform(move |event: MouseEvent| {
        event.prevent_default();
        Action::Open(id.into())
    });
    let scene = stage.as_ref().map(|s| &s.scene);
    let (width, height) = scene.map_or((ROOM.width, ROOM.height), |s| (s.width, s.height));
    let figures = item.card.figures.join(", ");
    html! {
        <li class="figure-card">
            <a href={format!("#s={}", item.id)} onclick={open}>
                <svg class="scene thumbnail" viewBox={format!("0 0 {width} {height}")} aria-hidden="true">
                    { scene.map_or_else(Html::default, |s| still(&s.layers)) }
                </svg>
                <h3>{ &item.title }</h3>
                <p>{ &item.card.see }</p>
            </a>
            <p class="figure-facts">
                <span hidden={figures.is_empty()}>{ figures }</span>
                <span class="as-printed" hidden={!item.printed}>{ "as printed" }</span>
                <span hidden={item.card.minutes.is_none()}>{ format!("{} min", item.card.minutes.unwrap_or(1)) }</span>
                <span class="opened" hidden={!props.opened || props.seen}>{ "opened" }</span>
                <span class="seen" hidden={!props.seen}>{ icons::icon(icons::CHECK) }{ "answered" }</span>
            </p>
        </li>
    }
}
