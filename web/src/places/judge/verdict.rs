//! One log and its verdict: the sentence, the diagram, the raw log, what is missing, and how the
//! log compares with an algorithm.

use super::JudgeAct;
use super::lines::RawLog;
use super::more::Rows;
use super::pair::PairCard;
use crate::browser::field;
use crate::hooks::use_act;
use crate::panels::long::LongDiagramView;
use lockstep_algorithms::ALL;
use lockstep_judge::sketch::LogSketch;
use lockstep_judge::task::{JudgeOptions, LogLine};
use lockstep_judge::view::{ConformanceView, LogView, MissingRow, PairRow, PairView};
use lockstep_judge::{JudgeAction, JudgeTab};
use lockstep_scene::long::control::LongChoice;
use lockstep_scene::long::{DiagramMarks, LongDiagram};
use lockstep_session::Action;
use std::rc::Rc;
use yew::prelude::*;

/// What it needs.
#[derive(Properties)]
pub struct VerdictProps {
    /// Makes something happen.
    pub act: JudgeAct,
    /// The log.
    pub log: Rc<LogView>,
    /// Its events.
    pub sketch: Rc<LogSketch>,
    /// Its diagram.
    pub diagram: Rc<LongDiagram>,
    /// The number of the diagram.
    pub drawn: u32,
    /// The sections that were chosen.
    pub chosen: Vec<usize>,
    /// What is known about them.
    pub pair: Option<Rc<PairView>>,
    /// Whether they may overlap.
    pub compatible: bool,
    /// Whether the other order is shown.
    pub other: bool,
    /// The event that was chosen.
    pub event: Option<u32>,
    /// The event to show, and how often that was asked for.
    pub centre: (u32, u32),
    /// Lines of the log.
    pub lines: Rc<Vec<LogLine>>,
    /// Their file.
    pub file: usize,
    /// The first of them.
    pub from: usize,
    /// The line that was chosen.
    pub line: Option<usize>,
    /// The text that was looked for.
    pub wanted: String,
    /// What was found.
    pub hit: (usize, usize, usize),
    /// How the log is judged.
    pub options: JudgeOptions,
}

impl PartialEq for VerdictProps {
    fn eq(&self, other: &Self) -> bool {
        // comparing the events of two logs is not worth it
        Rc::ptr_eq(&self.log, &other.log)
            && self.drawn == other.drawn
            && self.chosen == other.chosen
            && self.pair.as_ref().map(Rc::as_ptr) == other.pair.as_ref().map(Rc::as_ptr)
            && (self.compatible, self.other, self.event) == (other.compatible, other.other, other.event)
            && (self.centre, self.file, self.from) == (other.centre, other.file, other.from)
            && (self.line, self.hit, &self.wanted) == (other.line, other.hit, &other.wanted)
            && Rc::ptr_eq(&self.lines, &other.lines)
            && self.options == other.options
    }
}

const GUESSED: &str = "The rules were guessed from the words of the lines. ";
const OTHER_RULES: &str = "Your rules match no line of this log; others were guessed from its words. ";

/// One log and its verdict.
#[component]
pub fn Verdict(props: &VerdictProps) -> Html {
    let VerdictProps { act, log, pair, other, .. } = props;
    let marks = use_memo((props.event, props.chosen.clone(), pair.as_ref().map(Rc::as_ptr)), |_| DiagramMarks {
        event: props.event,
        chain: pair.as_ref().map(|pair| pair.chain.iter().map(|step| step.event).collect()).unwrap_or_default(),
        sections: props.chosen.clone(),
        pasts: match pair {
            Some(pair) if pair.chain.is_empty() => vec![pair.past_of_first.clone(), pair.past_of_second.clone()],
            _ => Vec::new(),
        },
    });
    let rank = use_memo((pair.as_ref().map(Rc::as_ptr), *other), |(_, other)| {
        pair.as_ref().filter(|_| *other).and_then(|pair| pair.other_rank.clone()).map(Rc::new)
    });
    let rank = (*rank).clone();
    let choose = act.reform(|choice| match choice {
        LongChoice::Event(event) => JudgeAction::Event(event),
        LongChoice::Section(section) => JudgeAction::Section(section),
    });
    let facts = log.facts.iter().map(|(name, value)| {
        html! { <div key={name.clone()}><dt>{ name }</dt><dd>{ value }</dd></div> }
    });
    let guessed = log.format == "guessed rules";
    let teach = act.reform(|_: MouseEvent| JudgeAction::Tab(JudgeTab::Teach));
    html! {
        <div class="judge-verdict">
            <h2 class={classes!("judge-sentence", log.verdict.replace(' ', "-"))} aria-live="polite">{ &log.sentence }</h2>
            <p class="hint" hidden={!guessed}>{ if props.options.rules.is_empty() { GUESSED } else { OTHER_RULES } }
                <button type="button" class="plain" onclick={teach}>{ "Check them" }</button></p>
            <p class="broken" hidden={log.consistent}>{ "Lines contradict each other: see the problems below." }</p>
            <dl class="counting judge-facts">{ for facts }</dl>
            <Choices act={act.clone()} log={log.clone()} options={props.options.clone()} />
            <LongDiagramView act={choose} diagram={props.diagram.clone()} drawn={props.drawn} {marks} rank={rank.clone()} centre={props.centre}>
                <span class="hint" hidden={rank.is_none()}>{ "Another order that agrees with the log: both are inside." }</span>
            </LongDiagramView>
            <div class="judge-below">
                <div>
                    <PairCard act={act.clone()} log={log.clone()} chosen={props.chosen.clone()} pair={pair.clone()} compatible={props.compatible} {other} />
                    <Findings act={act.clone()} log={log.clone()} />
                </div>
                <RawLog act={act.clone()} log={log.clone()} lines={props.lines.clone()} file={props.file} from={props.from}
                    line={props.line} wanted={props.wanted.clone()} hit={props.hit} />
            </div>
        </div>
    }
}

/// What the choices need.
#[derive(Properties, PartialEq)]
pub struct ChoicesProps {
    /// Makes something happen.
    pub act: JudgeAct,
    /// The log.
    pub log: Rc<LogView>,
    /// How it is judged.
    pub options: JudgeOptions,
}

/// The algorithm to compare with, the skew of the clocks, and which run.
#[component]
fn Choices(props: &ChoicesProps) -> Html {
    let ChoicesProps { act, log, options } = props;
    let named = log.conformance.as_ref().map(|conformance| conformance.algorithm.clone()).unwrap_or_default();
    let current = options.algorithm.clone().unwrap_or(named);
    let session = {
        let act = act.clone();
        move |event: Event| field::parsed(&event).into_iter().for_each(|run| act.emit(JudgeAction::Session(run)))
    };
    let skew = log.skew.given.or(options.skew);
    html! {
        <div class="judge-tools">
            <AlgorithmChoice act={act.clone()} {current} none="no algorithm" />
            { if log.skew.asked || skew.is_some() { html! { <SkewField act={act.clone()} {skew} /> } } else { Html::default() } }
            <label hidden={log.sessions < 2}>{ "Run " }<select aria-label="Run" onchange={session}>
                { for (1..=log.sessions.min(1_000)).map(|number| html! {
                    <option key={number} value={number.to_string()} selected={number == options.session.max(1)}>{ number }</option> }) }</select></label>
            { for log.skew.sentences.iter().map(|text| html! { <span key={text.clone()} class="hint">{ text }</span> }) }
        </div>
    }
}

/// What the choice of an algorithm needs.
#[derive(Properties, PartialEq)]
pub struct AlgorithmProps {
    /// Makes something happen.
    pub act: JudgeAct,
    /// The algorithm that is chosen; empty: none.
    pub current: AttrValue,
    /// What it means to choose none.
    pub none: &'static str,
}

/// The algorithm to compare with.
#[component]
pub fn AlgorithmChoice(props: &AlgorithmProps) -> Html {
    let act = props.act.clone();
    let choose = move |event: Event| {
        field::value(&event).into_iter().for_each(|value| act.emit(JudgeAction::Algorithm(value)));
    };
    let algorithms = ALL.iter().filter(|entry| !entry.printed).map(|entry| {
        html! { <option key={entry.id} value={entry.id} selected={props.current == entry.id}>{ entry.title }</option> }
    });
    html! {
        <label>{ "Compare with " }<select onchange={choose}>
            <option value="" selected={props.current.is_empty()}>{ props.none }</option>{ for algorithms }</select></label>
    }
}

/// What the field of the skew needs.
#[derive(Properties, PartialEq)]
pub struct SkewProps {
    /// Makes something happen.
    pub act: JudgeAct,
    /// The skew.
    pub skew: Option<f64>,
}

/// How exact the clocks are.
#[component]
pub fn SkewField(props: &SkewProps) -> Html {
    let act = props.act.clone();
    let change =
        move |event: Event| field::value(&event).into_iter().for_each(|value| act.emit(JudgeAction::Skew(value)));
    let skew = props.skew.map(|skew| skew.to_string()).unwrap_or_default();
    html! { <label>{ "Clocks are within ± " }<input type="text" inputmode="decimal" class="short" value={skew} onchange={change} />{ " s" }</label> }
}

/// What the findings need.
#[derive(Properties, PartialEq)]
pub struct FindingsProps {
    /// Makes something happen.
    pub act: JudgeAct,
    /// The log.
    pub log: Rc<LogView>,
}

/// Pairs, conformance, what is missing, ambiguous messages, problems.
#[component]
fn Findings(props: &FindingsProps) -> Html {
    let FindingsProps { act, log } = props;
    let page = use_act();
    let pair = |row: &PairRow| {
        let (a, b) = (row.first, row.second);
        let show = act.reform(move |_: MouseEvent| JudgeAction::Pair(a, b));
        html! { <button type="button" class="plain" onclick={show}><span class={classes!("judge-word", row.order.clone())}>{ &row.order }</span>{ format!(" {}", row.text) }</button> }
    };
    let counts: Vec<String> = log.counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let missing = |row: &MissingRow| {
        html! {
            <>
                <p>{ &row.reason }</p><pre tabindex="0" role="region" aria-label="Line to print">{ &row.print }</pre>
                <details hidden={row.statements.is_empty()}><summary>{ "As a print statement" }</summary>
                    <pre tabindex="0" role="region" aria-label="Print statements">{ row.statements.iter().map(|(name, text)| format!("{name}: {text}\n")).collect::<String>() }</pre></details>
                <p class="hint" hidden={row.pairs == 0}>{ format!("Decides {} pairs:", row.pairs) }</p>
                <Rows class="examples" rows={row.decides.iter().map(pair).collect::<Vec<_>>()} beyond={row.pairs - row.decides.len()} />
            </>
        }
    };
    let ambiguous = |(event, phrase, places): &(u32, String, Vec<String>)| {
        let event = *event;
        let show = act.reform(move |_: MouseEvent| JudgeAction::Event(event));
        html! { <button type="button" class="plain" onclick={show}>{ format!("{phrase}: {}", places.join(", ")) }</button> }
    };
    let not_ordered: usize = log.counts.iter().filter(|(name, _)| name != "ordered").map(|(_, count)| count).sum();
    html! {
        <>
            <section class="judge-part" hidden={log.conformance.is_none()} aria-label="Algorithm">
                { log.conformance.as_ref().map(|found| conformance(found, act, &page)).unwrap_or_default() }
            </section>
            <section class="judge-part" aria-label="Pairs" hidden={log.counts.is_empty()}>
                <h2>{ format!("Pairs of sections: {}", counts.join(", ")) }</h2>
                <Rows class="examples" rows={log.pairs.iter().map(pair).collect::<Vec<_>>()} beyond={not_ordered.saturating_sub(log.pairs.len())} />
            </section>
            <section class="judge-part" aria-label="Missing" hidden={log.missing.is_empty()}>
                <h2>{ "What the log lacks: a line to print" }</h2>
                <Rows class="judge-missing" rows={log.missing.iter().map(missing).collect::<Vec<_>>()} />
            </section>
            <section class="judge-part" aria-label="Ambiguous" hidden={log.ambiguous.is_empty()}>
                <h2>{ "Receives with several candidates (dashed)" }</h2>
                <Rows class="examples" rows={log.ambiguous.iter().map(ambiguous).collect::<Vec<_>>()} beyond={log.ambiguous_count - log.ambiguous.len()} />
            </section>
            <section class="judge-part" aria-label="Problems" hidden={log.problems.is_empty()}>
                <h2>{ "Problems" }</h2>
                <Rows class="judge-problems" rows={log.problems.iter().map(|text| html! { text }).collect::<Vec<_>>()} />
            </section>
        </>
    }
}

fn conformance(found: &ConformanceView, act: &JudgeAct, page: &crate::hooks::PageAct) -> Html {
    let event = found.event.unwrap_or_default();
    let show = act.reform(move |_: MouseEvent| JudgeAction::Event(event));
    let link = found.link.clone().unwrap_or_default();
    let open = page.reform(move |_: MouseEvent| Action::Follow(link.clone()));
    let allowed = found.allowed.join(", ");
    html! {
        <>
            <h2>{ "Algorithm" }</h2>
            <p>{ &found.sentence }</p>
            <p hidden={allowed.is_empty()}>{ format!("Allowed there: {allowed}.") }</p>
            <p hidden={found.owed.is_empty()}>{ format!("Still owed when the log ends: {}.", found.owed.join(", ")) }</p>
            <p class="hint" hidden={found.stage.is_none()}>{ found.stage.clone().unwrap_or_default() }</p>
            <div class="check-buttons">
                <button type="button" class="button" hidden={found.event.is_none()} onclick={show}>{ "Show the event" }</button>
                <button type="button" class="button" hidden={found.link.is_none()} onclick={open}>{ "What should have happened" }</button>
            </div>
        </>
    }
}
