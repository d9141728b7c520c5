//! Teaching: the shapes of the lines, and rules made by choosing words.

use super::JudgeAct;
use crate::browser::{field, files};
use lockstep_algorithms::ALL;
use lockstep_judge::JudgeAction;
use lockstep_judge::lesson::{Addressee, Lesson, LessonWord, MEANINGS, MESSAGE_KINDS, role_words};
use lockstep_judge::place::JudgeFile;
use lockstep_judge::settings::{self, RULE_CHOICES, RULE_SWITCHES, RuleChoice, option_value};
use lockstep_judge::view::{ShapeRow, ShapesView};
use lockstep_trace::shape::TokenRole;
use std::rc::Rc;
use yew::prelude::*;

/// What it needs.
#[derive(Properties, PartialEq)]
pub struct TeachProps {
    /// Makes something happen.
    pub act: JudgeAct,
    /// The shapes.
    pub shapes: Rc<ShapesView>,
    /// The lesson that is open.
    pub lesson: Option<Lesson>,
    /// What is wrong with it.
    pub problem: Option<String>,
    /// The rules.
    pub rules: String,
    /// What is wrong with them.
    pub problems: Vec<String>,
    /// The rules of earlier logs.
    pub own: String,
}

/// Teaching.
#[component]
pub fn Teach(props: &TeachProps) -> Html {
    let TeachProps { act, shapes, lesson, problem, rules, problems, own } = props;
    let row = |(at, row): (usize, &ShapeRow)| {
        let open = lesson.as_ref().is_some_and(|lesson| lesson.shape == at);
        let teach = act.reform(move |_: MouseEvent| JudgeAction::Lesson(at));
        let forget = act.reform(move |_: MouseEvent| JudgeAction::Forget(at));
        let inside = lesson.as_ref().filter(|_| open).map(|lesson| {
            html! {
                <LessonCard act={act.clone()} lesson={lesson.clone()} problem={problem.clone()} />
            }
        });
        html! {
            <li key={at} class={classes!("judge-shape", row.rule.is_empty().then_some("not-understood"))}>
                <button type="button" class="judge-shape-line" aria-expanded={open.to_string()} disabled={row.line.is_empty()} onclick={teach}>
                    <small>{ format!("{} ×", row.count) }</small><code>{ &row.text }</code></button>
                <p class="hint" hidden={row.rule.is_empty()}>{ row.rule.split(':').next().unwrap_or_default().to_owned() }{ " " }
                    <button type="button" class="plain" onclick={forget}>{ "Forget" }</button></p>
                { inside.unwrap_or_default() }
            </li>
        }
    };
    let typed = {
        let act = act.clone();
        move |event: Event| field::value(&event).into_iter().for_each(|text| act.emit(JudgeAction::Rules(text)))
    };
    let load = {
        let act = act.clone();
        move |event: Event| {
            let act = act.clone();
            let read = Callback::from(move |text: Result<String, String>| {
                text.into_iter().for_each(|text| act.emit(JudgeAction::Rules(text)))
            });
            field::file(&event).into_iter().for_each(|file| files::read(&file, 1 << 20, read.clone()));
        }
    };
    let plain = |action: JudgeAction| act.reform(move |_: MouseEvent| action.clone());
    let save = |what: JudgeFile| act.reform(move |_: MouseEvent| JudgeAction::Save(what));
    html! {
        <div class="judge-teach">
            <section aria-label="Shapes of lines">
                <p class="hint">{ "Lines that differ only in their numbers have one shape. Choose a shape, choose its words, and say what the line means. Grey shapes have no rule." }</p>
                <ul>{ for shapes.rows.iter().enumerate().map(row) }</ul>
                <p class="hint" hidden={shapes.more == 0}>{ format!("{} more shapes are not listed.", shapes.more) }</p>
            </section>
            <section class="judge-rules" aria-label="Rules">
                <button type="button" class="primary" onclick={act.reform(|_: MouseEvent| JudgeAction::Judge)}>{ "Judge with these rules" }</button>
                <p class="hint" hidden={own.is_empty()}>
                    <button type="button" class="button" hidden={own == rules} onclick={plain(JudgeAction::OwnRules)}>{ "Use my earlier rules" }</button>{ " " }
                    <button type="button" class="plain" onclick={plain(JudgeAction::ForgetOwn)}>{ "Forget my earlier rules" }</button></p>
                <RuleOptions act={act.clone()} rules={rules.clone()} shapes={shapes.clone()} />
                <label class="judge-label" for="judge-rules">{ "Rules" }</label>
                <textarea id="judge-rules" class="editor" spellcheck="false" value={rules.clone()} onchange={typed} />
                <ul class="problems-list">{ for problems.iter().map(|p| html! { <li key={p.clone()}>{ p }</li> }) }</ul>
                <div class="check-buttons">
                    <label class="button">{ "Open a file" }<input type="file" class="hidden" onchange={load} /></label>
                    <button type="button" class="button" onclick={save(JudgeFile::Rules)}>{ "Save" }</button>
                    <button type="button" class="button" onclick={save(JudgeFile::Link)}>{ "Copy a link" }</button>
                </div>
            </section>
        </div>
    }
}

/// What the options need.
#[derive(Properties, PartialEq)]
pub struct OptionsProps {
    /// Makes something happen.
    pub act: JudgeAct,
    /// The rules.
    pub rules: String,
    /// The shapes, with the names of files and nodes.
    pub shapes: Rc<ShapesView>,
}

/// Options of the rules; none has to be typed.
#[component]
fn RuleOptions(props: &OptionsProps) -> Html {
    let OptionsProps { act, rules, shapes } = props;
    let set = |name: &str, value: &str| {
        let (name, value) = (name.to_owned(), value.to_owned());
        JudgeAction::Option(name, value)
    };
    let switch = |(name, value, title): &(&'static str, &'static str, &'static str)| {
        let on = option_value(rules, name) == Some(value);
        let action = set(name, if on { "" } else { value });
        let toggle = act.reform(move |_: Event| action.clone());
        html! { <label key={*value}><input type="checkbox" checked={on} onchange={toggle} />{ format!(" {title}") }</label> }
    };
    let select = |name: &'static str, title: &'static str, values: Vec<(&'static str, &'static str)>| {
        let act = act.clone();
        let choose = move |event: Event| {
            field::value(&event).into_iter().for_each(|value| act.emit(JudgeAction::Option(name.into(), value)));
        };
        let current = option_value(rules, name).unwrap_or_default();
        let value = |(value, title): (&'static str, &'static str)| {
            html! { <option key={value} {value} selected={current == value}>{ title }</option> }
        };
        html! { <label key={name}>{ format!("{title} ") }<select onchange={choose}>{ for values.into_iter().map(value) }</select></label> }
    };
    let choice = |choice: &'static RuleChoice| select(choice.name, choice.title, choice.values.to_vec());
    let named = ALL.iter().filter(|entry| !entry.printed).map(|entry| (entry.id, entry.title));
    let algorithms = std::iter::once(("", "none")).chain(named).collect();
    let file = shapes.files.first().filter(|_| shapes.files.len() > 1).cloned().unwrap_or_default();
    let piece = |(at, (text, choosable)): (usize, (String, bool))| {
        let value = settings::piece_expression(&file, at);
        let on = option_value(rules, "file") == Some(value.as_str());
        let action = set("file", if on { "" } else { &value });
        let choose = act.reform(move |_: MouseEvent| action.clone());
        match choosable {
            true => {
                html! { <button key={at} type="button" class="judge-token" aria-pressed={on.to_string()} onclick={choose}>{ text }</button> }
            }
            false => html! { <span key={at}>{ text }</span> },
        }
    };
    html! {
        <>
            { for RULE_SWITCHES.iter().map(switch) }
            <p class="judge-tokens" role="group" aria-label="The node in the name of the file" hidden={file.is_empty()}>
                { "The node in the name of the file: " }{ for settings::name_pieces(&file).into_iter().enumerate().map(piece) }</p>
            { for RULE_CHOICES.iter().map(choice) }
            { select("algorithm", "The logs show", algorithms) }
            <NodeAliases act={act.clone()} rules={rules.clone()} shapes={shapes.clone()} />
        </>
    }
}

/// Two names of one node.
#[component]
fn NodeAliases(props: &OptionsProps) -> Html {
    let OptionsProps { act, rules, shapes } = props;
    let chosen = use_state(|| (String::new(), String::new()));
    let aliases = settings::aliases(rules);
    let alias = |(name, node): &(String, String)| {
        let action = JudgeAction::Option(format!("alias {name}"), String::new());
        let remove = act.reform(move |_: MouseEvent| action.clone());
        html! { <li key={name.clone()}>{ format!("{name} is {node} ") }<button type="button" class="plain" onclick={remove}>{ "Remove" }</button></li> }
    };
    let list = |label: &'static str, current: &str, change: Callback<String>| {
        let choose = move |event: Event| field::value(&event).into_iter().for_each(|name| change.emit(name));
        let name = |name: &String| html! { <option key={name.clone()} value={name.clone()} selected={name == current}>{ name }</option> };
        html! {
            <select aria-label={label} onchange={choose}><option value="" selected={current.is_empty()}>{ "–" }</option>{ for shapes.nodes.iter().map(name) }</select>
        }
    };
    let (name, node) = (*chosen).clone();
    let first = {
        let (chosen, node) = (chosen.setter(), node.clone());
        Callback::from(move |name| chosen.set((name, node.clone())))
    };
    let second = {
        let (chosen, name) = (chosen.setter(), name.clone());
        Callback::from(move |node| chosen.set((name.clone(), node)))
    };
    let action = JudgeAction::Option(format!("alias {name}"), node.clone());
    let ready = !name.is_empty() && !node.is_empty() && name != node;
    let add = act.reform(move |_: MouseEvent| action.clone());
    html! {
        <div hidden={shapes.nodes.len() < 2 && aliases.is_empty()}>
            <p class="judge-row"><span>{ "One node with two names:" }</span>{ list("Name in the lines", &name, first) }<span>{ "is" }</span>{ list("The node", &node, second) }
                <button type="button" class="button" disabled={!ready} onclick={add}>{ "Same node" }</button></p>
            <ul>{ for aliases.iter().map(alias) }</ul>
        </div>
    }
}

/// What a lesson needs.
#[derive(Properties, PartialEq)]
pub struct LessonProps {
    /// Makes something happen.
    pub act: JudgeAct,
    /// The lesson.
    pub lesson: Lesson,
    /// What is wrong with it.
    pub problem: Option<String>,
}

/// A line whose words are chosen.
#[component]
fn LessonCard(props: &LessonProps) -> Html {
    let LessonProps { act, lesson, problem } = props;
    let word = |(at, word): (usize, LessonWord)| {
        let choose = act.reform(move |_: MouseEvent| JudgeAction::Word(at));
        match word.choosable {
            false => html! { <span key={at}>{ word.text }</span> },
            true => html! {
                <button key={at} type="button" class={classes!("judge-token", word.role.map(|_| "named"))} aria-pressed={(lesson.word == Some(at)).to_string()} onclick={choose}>
                    { word.text }<small>{ word.role.unwrap_or_default() }</small></button>
            },
        }
    };
    let role = |(_, role): &(&'static str, TokenRole)| {
        let role = *role;
        let (name, about) = role_words(role);
        let give = act.reform(move |_: MouseEvent| JudgeAction::Role(Some(role)));
        html! { <button key={name} type="button" class="chip" title={about} disabled={lesson.word.is_none()} onclick={give}>{ name }</button> }
    };
    let none = act.reform(|_: MouseEvent| JudgeAction::Role(None));
    let meaning = |(verb, about): &(&'static str, &'static str)| {
        let verb = *verb;
        let on = lesson.events.iter().any(|event| event.verb == verb);
        let toggle = act.reform(move |_: MouseEvent| JudgeAction::Meaning(verb.into()));
        html! { <button key={verb} type="button" class="chip" title={*about} aria-pressed={on.to_string()} onclick={toggle}>{ verb }</button> }
    };
    let message = lesson.events.iter().find(|event| matches!(event.verb.as_str(), "send" | "recv"));
    let mut kinds: Vec<String> = MESSAGE_KINDS.iter().map(|kind| (*kind).to_owned()).collect();
    kinds.extend(settings::kinds_of(&lesson.line));
    kinds.extend(message.map(|event| event.kind.clone()).filter(|kind| !kind.is_empty()));
    let mut known = std::collections::BTreeSet::new();
    kinds.retain(|kind| known.insert(kind.clone()));
    let kind = |kind: &String| {
        let on = message.is_some_and(|event| event.kind == *kind);
        let wanted = kind.clone();
        let choose = act.reform(move |_: MouseEvent| JudgeAction::Kind(wanted.clone()));
        html! { <button key={kind.clone()} type="button" class="chip" aria-pressed={on.to_string()} onclick={choose}>{ kind }</button> }
    };
    let sends = lesson.events.iter().find(|event| event.verb == "send");
    let addressee = |(to, title): (Addressee, &'static str)| {
        let on = sends.is_some_and(|event| event.to == to);
        let choose = act.reform(move |_: MouseEvent| JudgeAction::To(to));
        html! { <button key={title} type="button" class="chip" aria-pressed={on.to_string()} onclick={choose}>{ title }</button> }
    };
    let addressees = [
        (Addressee::Word, "the node in the line"),
        (Addressee::Everybody, "everybody else"),
        (Addressee::Deferred, "those put off"),
    ];
    let rule = lesson.rule().map(|rule| rule.to_string()).unwrap_or_default();
    html! {
        <div class="judge-lesson">
            <p class="judge-tokens">{ for lesson.words().into_iter().enumerate().map(word) }</p>
            <p class="judge-row" role="group" aria-label="The chosen word is"><span>{ "The chosen word is" }</span>{ for TokenRole::ALL.iter().map(role) }
                <button type="button" class="chip" disabled={lesson.word.is_none()} onclick={none}>{ "nothing" }</button></p>
            <p class="judge-row" role="group" aria-label="The line means"><span>{ "The line means" }</span>{ for MEANINGS.iter().map(meaning) }</p>
            <p class="judge-row" role="group" aria-label="Kind of message" hidden={message.is_none()}><span>{ "Message" }</span>{ for kinds.iter().map(kind) }</p>
            <p class="judge-row" role="group" aria-label="Sent to" hidden={sends.is_none()}><span>{ "Sent to" }</span>{ for addressees.into_iter().map(addressee) }</p>
            <p class="hint"><code>{ rule }</code></p>
            <p class="broken" role="alert" hidden={problem.is_none()}>{ problem.clone().unwrap_or_default() }</p>
            <button type="button" class="button" onclick={act.reform(|_: MouseEvent| JudgeAction::Keep)}>{ "Use this rule" }</button>
        </div>
    }
}
