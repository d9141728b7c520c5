//! Results that are kept in the browser, and how addresses name an experiment of one's own.

use super::form::Form;
use super::{Lab, Msg};
use crate::browser::storage;
use crate::panels::icons;
use lockstep_lab::study::{self, Settings, Study, StudySize};
use lockstep_lab::{Experiment, VERSION};
use std::collections::BTreeMap;
use yew::prelude::*;

/// The results of one study, or of one experiment of one's own.
#[derive(Clone, PartialEq, Debug)]
pub struct Shelf {
    /// What their names begin with.
    pub name: String,
    /// How many points.
    pub points: usize,
    /// The experiment, if it is one's own.
    pub document: Option<String>,
}

/// What is on a shelf.
pub enum What {
    /// A study of a text.
    Study(&'static Study, StudySize, BTreeMap<String, String>),
    /// An experiment of one's own.
    Own(Box<Experiment>),
}

/// What the names of results begin with: `version|study|size|seed|switches|`.
pub fn name(own: Option<&Experiment>, study: &Study, settings: &Settings) -> String {
    match own {
        Some(own) => format!("{VERSION}|own|{}|{}||", digest(&own.brief().to_string()), own.base.seed),
        None => {
            let switches: Vec<String> = settings.switches.iter().map(|(n, v)| format!("{n}={v}")).collect();
            format!("{VERSION}|{}|{}|{}|{}|", study.id, settings.size.name(), settings.seed, switches.join(","))
        }
    }
}

/// FNV-1a, 64 bits: two experiments of one reader do not meet.
fn digest(text: &str) -> String {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, mix))
}

/// The shelves that these names and texts belong to.
pub fn all(texts: Vec<(String, String)>) -> Vec<Shelf> {
    let mut shelves = BTreeMap::<String, Shelf>::new();
    for (name, text) in texts {
        let Some((shelf, key)) = name.rsplit_once('|') else { continue };
        let shelf = format!("{shelf}|");
        let kept = shelves.entry(shelf.clone()).or_insert(Shelf { name: shelf, points: 0, document: None });
        match key {
            "experiment" => kept.document = Some(text),
            "observe" => {}
            key if key.starts_with("prove ") => {}
            _ => kept.points += 1,
        }
    }
    shelves.into_values().collect()
}

impl Shelf {
    /// What it is, if this version of the page still knows it.
    pub fn what(&self) -> Option<What> {
        let parts: Vec<&str> = self.name.split('|').collect();
        if let Some(document) = &self.document {
            return Some(What::Own(Box::new(Experiment::read(document).ok()?)));
        }
        let study = study::find(parts.get(1)?).ok()?;
        let size = if parts.get(2) == Some(&"full") { StudySize::Full } else { StudySize::Quick };
        let switches = parts.get(4)?.split(',').filter_map(|s| s.split_once('='));
        Some(What::Study(study, size, switches.map(|(n, v)| (n.into(), v.into())).collect()))
    }

    fn title(&self) -> String {
        match self.what() {
            Some(What::Study(study, size, switches)) => {
                // only interpretations that are not the usual ones are worth a word
                let usual = |n: &str| study.switches.iter().find(|s| s.name == n).map_or("", |s| s.values[0]);
                let unusual =
                    switches.iter().filter(|(n, v)| usual(n) != v.as_str()).map(|(n, v)| format!(", {n} {v}"));
                format!("{}, {}{}", study.id, size.name(), unusual.collect::<String>())
            }
            Some(What::Own(own)) => own.title,
            None => "from another version".into(),
        }
    }
}

/// What is kept in this browser, to reopen or to forget.
pub fn list(ctx: &Context<Lab>, kept: &[Shelf]) -> Html {
    let item = |shelf: &Shelf| {
        let (opened, forgotten, title) = (shelf.clone(), shelf.name.clone(), shelf.title());
        let open = ctx.link().callback(move |_: MouseEvent| Msg::Reopen(opened.clone()));
        let forget = ctx.link().callback(move |_: MouseEvent| Msg::Forget(forgotten.clone()));
        html! {
            <li key={shelf.name.clone()}>
                <button type="button" onclick={open}>{ &title }<small>{ format!("{} points", shelf.points) }</small></button>
                <button type="button" class="forget" aria-label={format!("Forget {title}")} onclick={forget}>{ icons::icon(icons::CROSS) }</button>
            </li>
        }
    };
    html! {
        <section class="shelves-kept" hidden={kept.is_empty()}>
            <h2>{ "Kept in this browser" }</h2>
            <ul>{ for kept.iter().map(item) }</ul>
        </section>
    }
}

/// How an address begins that brings an experiment with it.
const OWN: &str = "own:";

/// An experiment of one's own as an address.
pub fn address(own: &Experiment) -> String {
    format!("{OWN}{}", String::from(js_sys::encode_uri_component(&own.brief().to_string())))
}

/// The experiment that an address brings; none if it is about something else.
pub fn read(wanted: &str) -> Option<Result<Experiment, Vec<String>>> {
    if wanted == "own" {
        return Some(Ok(left_over()));
    }
    let text = wanted.strip_prefix(OWN)?;
    let text = js_sys::decode_uri_component(text).map(String::from);
    Some(
        text.map_err(|_| vec!["The experiment in the address cannot be read.".into()])
            .and_then(|t| Experiment::read(&t)),
    )
}

/// Remembers the experiment on which the reader works.
pub fn leave(own: &Experiment) {
    storage::set("experiment", &own.brief().to_string());
}

/// The experiment on which the reader worked, or a first one.
pub fn left_over() -> Experiment {
    let left = storage::get("experiment").and_then(|text| Experiment::read(&text).ok());
    left.unwrap_or_else(|| Form::first().experiment().unwrap_or_default())
}
