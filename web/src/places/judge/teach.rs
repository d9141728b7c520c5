//! Teaching: the shapes of the lines, and rules made by choosing words.

use super::JudgeAct;
use crate::browser::{field, files};
use lockstep_judge::JudgeAction;
use lockstep_judge::lesson::{Addressee, Lesson, LessonWord, MEANINGS, MESSAGE_KINDS, has_option};
use lockstep_judge::place::JudgeFile;
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
}

/// Options that are turned on by a click.
const OPTIONS: [(&str, &str); 2] = [
    ("order=observed", "One observer wrote all lines in the order of what happened"),
    ("file=([^/]+?)(?:\\.\\w+)?$", "The name of the file is the name of the node"),
];

/// Teaching.
#[component]
pub fn Teach(props: &TeachProps) -> Html {
    let TeachProps { act, shapes, lesson, problem, rules, problems } = props;
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
    let option = |(option, title): &(&'static str, &'static str)| {
        let (option, on) = (*option, has_option(rules, option));
        let toggle = act.reform(move |_: Event| JudgeAction::Option(option, !on));
        html! { <label key={option}><input type="checkbox" checked={on} onchange={toggle} />{ format!(" {title}") }</label> }
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
                { for OPTIONS.iter().map(option) }
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
    let role = |(name, role): &(&'static str, TokenRole)| {
        let role = *role;
        let name = if role == TokenRole::Anything { "anything" } else { name };
        let give = act.reform(move |_: MouseEvent| JudgeAction::Role(Some(role)));
        html! { <button key={name} type="button" class="chip" disabled={lesson.word.is_none()} onclick={give}>{ name }</button> }
    };
    let none = act.reform(|_: MouseEvent| JudgeAction::Role(None));
    let meaning = |(verb, about): &(&'static str, &'static str)| {
        let verb = *verb;
        let on = lesson.events.iter().any(|event| event.verb == verb);
        let toggle = act.reform(move |_: MouseEvent| JudgeAction::Meaning(verb.into()));
        html! { <button key={verb} type="button" class="chip" title={*about} aria-pressed={on.to_string()} onclick={toggle}>{ verb }</button> }
    };
    let message = lesson.events.iter().find(|event| matches!(event.verb.as_str(), "send" | "recv"));
    let kind = |kind: &&'static str| {
        let kind = *kind;
        let on = message.is_some_and(|event| event.kind == kind);
        let choose = act.reform(move |_: MouseEvent| JudgeAction::Kind(kind.into()));
        html! { <button key={kind} type="button" class="chip" aria-pressed={on.to_string()} onclick={choose}>{ kind }</button> }
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
            <p class="judge-row" role="group" aria-label="Kind of message" hidden={message.is_none()}><span>{ "Message" }</span>{ for MESSAGE_KINDS.iter().map(kind) }</p>
            <p class="judge-row" role="group" aria-label="Sent to" hidden={sends.is_none()}><span>{ "Sent to" }</span>{ for addressees.into_iter().map(addressee) }</p>
            <p class="hint"><code>{ rule }</code></p>
            <p class="broken" role="alert" hidden={problem.is_none()}>{ problem.clone().unwrap_or_default() }</p>
            <button type="button" class="button" onclick={act.reform(|_: MouseEvent| JudgeAction::Keep)}>{ "Use this rule" }</button>
        </div>
    }
}
