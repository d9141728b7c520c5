//! Every figure of the texts and every prepared scenario, to choose from: grouped by text, searchable, with a picture of what one will see.

use crate::icons;
use crate::run::Run;
use crate::state::Action;
use lockstep_scenario::Item;
use lockstep_scenario::library::GROUPS;
use lockstep_scene::{Input, Room, Stage, draw};
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// What the gallery needs.
#[derive(Properties, PartialEq)]
pub struct FiguresProps {
    /// Answers given: a scenario whose question was answered has been seen.
    pub answers: BTreeMap<String, usize>,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// The space of a thumbnail, before it is scaled down.
const ROOM: Room = Room { width: 640.0, height: 400.0 };

/// Whether all words of a search stand somewhere on the card.
fn matches(item: &Item, search: &str) -> bool {
    let mut text = format!("{} {} {} ", item.title, item.card.see, item.algorithm);
    text.push_str(&item.figures().join(" "));
    if item.printed {
        text.push_str(" as printed");
    }
    let text = text.to_lowercase();
    search.to_lowercase().split_whitespace().all(|word| text.contains(word))
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
    let groups = GROUPS.into_iter().map(|group| {
        let cards: Vec<Html> = (found.iter().filter(|i| i.card.group.map(|g| g.text) == Some(group.text)))
            .map(|item| {
                let seen = props.answers.keys().any(|k| k.split('/').next() == Some(item.id));
                html! { <FigureCard key={item.id} item={(*item).clone()} {seen} act={props.act.clone()} /> }
            })
            .collect();
        html! {
            <section key={group.text} class="shelf" hidden={cards.is_empty()} aria-label={group.title}>
                <h2>{ group.title }<span>{ if group.text == "beyond" { String::new() } else { format!("text {}", group.text) } }</span></h2>
                <ul class="cards-list">{ for cards }</ul>
            </section>
        }
    });
    html! {
        <main class="gallery">
            <header class="gallery-head">
                <h1>{ "Figures" }</h1>
                <p>{ "Every figure of the texts, playable, and what goes wrong where a text is taken at its word." }</p>
                <input type="search" class="search" placeholder="Figure 4, token ring, as printed …" aria-label="Search the figures"
                    value={(*search).clone()} oninput={on_search} />
            </header>
            <p class="empty" hidden={!found.is_empty()}>{ "Nothing has all of these words. Try a figure's number, an algorithm, or fewer words." }</p>
            <div class="shelves">{ for groups }</div>
        </main>
    }
}

#[derive(Properties, PartialEq)]
struct CardProps {
    item: Item,
    seen: bool,
    act: Callback<Action>,
}

/// The picture of a scenario at the stop where it opens.
fn picture(id: &str) -> Option<Stage> {
    let mut run = Run::of_library(id, 0).ok()?;
    let shown = run.shown();
    let input = Input::new(&shown.frame, &shown.origin.setup, shown.origin.entry.tree_link, ROOM);
    Some(draw(&input))
}

#[component]
fn FigureCard(props: &CardProps) -> Html {
    let item = &props.item;
    let stage = use_state(|| None::<Rc<Stage>>);
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
                    { scene.map_or_else(Html::default, |s| crate::drawing::still(&s.layers)) }
                </svg>
                <h3>{ &item.title }</h3>
                <p>{ &item.card.see }</p>
            </a>
            <p class="figure-facts">
                <span hidden={figures.is_empty()}>{ figures }</span>
                <span class="as-printed" hidden={!item.printed}>{ "as printed" }</span>
                <span hidden={item.card.minutes.is_none()}>{ format!("{} min", item.card.minutes.unwrap_or(1)) }</span>
                <span class="seen" hidden={!props.seen} title="You have answered its question">{ icons::icon(icons::CHECK) }</span>
            </p>
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printed_figure_is_found_by_its_number() {
        let items = Item::all();
        let found = |search: &str| items.iter().filter(|i| matches(i, search)).count();
        assert!(found("000 Figure 1") >= 1 && found("002 figure 8") >= 1);
        assert!(found("as printed") >= 5);
        assert_eq!(found("no such words anywhere"), 0);
    }
}
