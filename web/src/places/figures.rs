//! Every figure of the texts and every prepared scenario, to choose from: grouped by text, searchable, with a picture of what one will see.

use crate::panels::icons;
use crate::run::Run;
use crate::state::{Action, Place};
use lockstep_scenario::Item;
use lockstep_scenario::library::GROUPS;
use lockstep_scene::{Painter, Room, StageInput, StagePicture};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// What the gallery needs.
#[derive(Properties, PartialEq)]
pub struct FiguresProps {
    /// Answers given: a scenario whose question was answered has been seen.
    pub answers: BTreeMap<String, usize>,
    /// Scenarios that were opened.
    pub opened: BTreeSet<String>,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// The space of a thumbnail, before it is scaled down.
const ROOM: Room = Room { width: 640.0, height: 400.0 };

/// Figures and tables of measurements: they are in the lab. Text, study, their names in the text.
const MEASURED: [(&str, &str, &str); 6] = [
    ("000", "alien", "Figure 3, Figure 4, Figure 5"),
    ("001", "notes", "messages and waiting of the four schemes"),
    ("002", "hierarchical", "Figure 9, Figure 10, Figure 11, Table 1"),
    ("003", "ranged", "Table 1, Table 2"),
    ("004", "wait-free", "messages between two entries"),
    ("beyond", "beyond", "all algorithms over load, and over the number of nodes"),
];

/// Whether all words of a search stand in a text; a number must stand there as a whole.
fn has(text: &str, search: &str) -> bool {
    let text = text.to_lowercase();
    let whole = |number: &str| text.split(|c: char| !c.is_ascii_digit()).any(|t| t == number);
    let there = |word: &str| match word.chars().all(|c| c.is_ascii_digit()) {
        true => whole(word),
        false => text.contains(word),
    };
    search.to_lowercase().split_whitespace().all(there)
}

fn matches(item: &Item, search: &str) -> bool {
    let group = item.card.group.map_or(String::new(), |g| format!("{} {} {}", g.text, g.title, g.source));
    let printed = if item.printed { "as printed" } else { "" };
    let figures = item.figures().join(" ");
    has(&format!("{} {} {} {figures} {printed} {group}", item.title, item.card.see, item.algorithm), search)
}

/// The gallery.
#[component]
pub fn Figures(props: &FiguresProps) -> Html {
    let items = use_memo((), |()| Item::all());
    let search = use_state(String::new);
    let on_search = {
        let search = search.setter();
        Callback::from(move |event: InputEvent| {
            if let Some(input) = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok()) {
                search.set(input.value());
            }
        })
    };
    let found: Vec<&Item> = items.iter().filter(|i| matches(i, &search)).collect();
    let answered = |id: &str| props.answers.keys().any(|k| k.split('/').next() == Some(id));
    let (opened, right) =
        (items.iter().filter(|i| props.opened.contains(i.id)).count(), items.iter().filter(|i| answered(i.id)).count());
    let measured = |text: &str| {
        let (text, study, names) = *MEASURED.iter().find(|(t, ..)| *t == text)?;
        has(&format!("{text} {study} {names}"), &search).then_some((study, names))
    };
    let any = !found.is_empty() || GROUPS.iter().any(|g| measured(g.text).is_some());
    let groups = GROUPS.into_iter().map(|group| {
        let lab = measured(group.text).map(|(study, names)| {
            let act = props.act.clone();
            let go = move |event: MouseEvent| {
                event.prevent_default();
                act.emit(Action::Visit(Place::Lab, study.into()));
            };
            html! { <a href={format!("#lab={study}")} onclick={go}>{ format!("Measured in the lab: {names}") }</a> }
        });
        let cards: Vec<Html> = (found.iter().filter(|i| i.card.group.map(|g| g.text) == Some(group.text)))
            .map(|item| {
                let seen = answered(item.id);
                let opened = props.opened.contains(item.id);
                html! { <FigureCard key={item.id} item={(*item).clone()} {seen} {opened} act={props.act.clone()} /> }
            })
            .collect();
        html! {
            <section key={group.text} class="shelf" hidden={cards.is_empty() && lab.is_none()} aria-label={group.title}>
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
                <p>{ "Every figure of the texts, playable, and what goes wrong where a text is taken at its word." }
                    <span class="gallery-progress">{ format!(" {opened} of {} opened, {right} answered.", items.len()) }</span></p>
                <input type="search" class="search" placeholder="Figure 4, token ring, as printed …" aria-label="Search the figures"
                    value={(*search).clone()} oninput={on_search} />
            </header>
            <p class="empty" hidden={any}>{ "Nothing has all of these words. Try a figure's number, an algorithm, or fewer words." }</p>
            <div class="shelves">{ for groups }</div>
        </main>
    }
}

#[derive(Properties, PartialEq)]
struct CardProps {
    item: Item,
    seen: bool,
    opened: bool,
    act: Callback<Action>,
}

/// The picture of a scenario at the stop where it opens.
fn picture(id: &str) -> Option<StagePicture> {
    let mut run = Run::of_library(id, 0).ok()?;
    let shown = run.shown();
    let input = StageInput::new(&shown.frame, &shown.origin.setup, shown.origin.entry.tree_link, ROOM);
    Some(Painter::new().draw_stage(&input))
}

#[component]
fn FigureCard(props: &CardProps) -> Html {
    let item = &props.item;
    let stage = use_state(|| None::<Rc<StagePicture>>);
    {
        // one picture after the other, when the browser has time: the page never waits for a gallery
        let (id, stage) = (item.id, stage.setter());
        use_effect_with(id, move |id| {
            let id = *id;
            let timer = gloo_timers::callback::Timeout::new(20, move || stage.set(picture(id).map(Rc::new)));
            move || drop(timer)
        });
    }
    let open = {
        let (act, id) = (props.act.clone(), item.id);
        move |event: MouseEvent| {
            event.prevent_default();
            act.emit(Action::Open(id.into()));
        }
    };
    let scene = stage.as_ref().map(|s| &s.scene);
    let (width, height) = scene.map_or((ROOM.width, ROOM.height), |s| (s.width, s.height));
    let figures = item.card.figures.join(", ");
    html! {
        <li class="figure-card">
            <a href={format!("#s={}", item.id)} onclick={open}>
                <svg class="scene thumbnail" viewBox={format!("0 0 {width} {height}")} aria-hidden="true">
                    { scene.map_or_else(Html::default, |s| crate::stage::drawing::still(&s.layers)) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measured_figure_leads_to_a_study() {
        for (text, study, _) in MEASURED {
            assert!(lockstep_lab::study::find(study).is_ok(), "{study}");
            assert!(GROUPS.iter().any(|g| g.text == text), "{text}");
        }
        assert!(has(&format!("{} {}", MEASURED[2].0, MEASURED[2].2), "002 Figure 9"));
    }

    #[test]
    fn every_printed_figure_is_found_by_its_number() {
        let items = Item::all();
        let found = |search: &str| items.iter().filter(|i| matches(i, search)).count();
        assert!(found("000 Figure 1") >= 1 && found("002 figure 8") >= 1);
        for text in GROUPS {
            assert!(found(text.text) >= 1, "{}", text.text);
        }
        assert_eq!((found("002 Figure 7"), found("002 Figure 70")), (2, 0));
        assert!(found("as printed") >= 5 && found("Quinson 2009") >= 5);
        assert_eq!(found("no such words anywhere"), 0);
    }
}
