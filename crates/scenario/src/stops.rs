//! The stops of a scenario file: script, expected state, question.

use crate::expect::{Expect, Fact, waiter};
use crate::reader::{Fields, Report, Value, kind, scalar};
use crate::script::{Channel, Step, thread};
use crate::{Place, Question, QuizAnswer, Stop, quoted};
use lockstep_kernel::view::Waiter;
use lockstep_kernel::{NodeId, Setup, ThreadId};

/// Reads the list of stops. If the system is not known, names of its parts are not judged.
pub fn read(list: &Value<'_>, setup: Option<&Setup>, report: &mut Report<'_>) -> Vec<Stop> {
    let mut stops: Vec<Stop> = Vec::new();
    for value in report.list("`stop`", list) {
        let Some(mut fields) = report.table("The stop", value) else { continue };
        let stop = stop(&mut fields, setup, report);
        if stops.iter().any(|s| s.name == stop.name) {
            report.add(value.span(), format!("Two stops are named {}; expected different names.", quoted(&stop.name)));
        }
        fields.finish(report);
        stops.push(stop);
    }
    stops
}

fn stop(fields: &mut Fields<'_, '_>, setup: Option<&Setup>, report: &mut Report<'_>) -> Stop {
    let name = fields.required_text(report, "name");
    let title = fields.required_text(report, "title");
    let say = fields.required_text(report, "say");
    let script = fields.get("script").map_or_else(Vec::new, |v| read_script(v, setup, report));
    let (script, places) = script.into_iter().unzip();
    let place = report.place(fields.span());
    let mut expect = Expect { place, ..Expect::default() };
    if let Some(value) = fields.get("expect")
        && let Some(table) = report.table("`expect`", value)
    {
        for (key, span, value) in table.all() {
            if let Some(setup) = setup {
                read_expectation(&mut expect, key, span, value, setup, report);
            }
        }
    }
    let question = fields.get("question").and_then(|v| question(v, report));
    Stop { name, title, say, script, expect, question, places }
}

fn read_script(value: &Value<'_>, setup: Option<&Setup>, report: &mut Report<'_>) -> Vec<(String, Place)> {
    let mut script = Vec::new();
    for item in report.list("`script`", value) {
        let Some(text) = report.text("An event", item) else { continue };
        if let Some(Err(why)) = setup.map(|setup| Step::read(&text, setup)) {
            report.add(item.span(), why);
        }
        let place = report.place(item.span());
        script.push((text, place));
    }
    script
}

fn read_expectation(
    expect: &mut Expect,
    key: &str,
    span: std::ops::Range<usize>,
    value: &Value<'_>,
    setup: &Setup,
    report: &mut Report<'_>,
) {
    let place = report.place(span.clone());
    match (key, setup.named(key)) {
        (_, Some(node)) => {
            let Some(facts) = report.table("What is expected of a node", value) else { return };
            for (key, span, value) in facts.all() {
                let place = report.place(span);
                expect.nodes.extend(fact(key, value, node, setup, report).map(|fact| (node, fact, place)));
            }
        }
        ("in_flight", _) => {
            let mut channels = Vec::new();
            for item in report.list("`in_flight`", value) {
                let Some(text) = report.text("A message in flight", item) else { continue };
                match Channel::read(&text, setup) {
                    Ok(channel) if channel.label.is_some() => channels.push(channel),
                    Ok(_) => report
                        .add(item.span(), format!("{} is not a message; expected \"REQ(p2) p2→p1\".", quoted(&text))),
                    Err(why) => report.add(item.span(), why),
                }
            }
            expect.in_flight = Some((channels, place));
        }
        ("messages", _) => expect.messages = report.whole("`messages`", value, 0..1 << 63).map(|n| (n, place)),
        ("entries", _) => expect.entries = report.whole("`entries`", value, 0..1 << 63).map(|n| (n, place)),
        ("inside", _) => expect.inside = Some((threads("`inside`", value, setup, report), place)),
        ("waiting", _) => expect.waiting = Some((threads("`waiting`", value, setup, report), place)),
        ("violated", _) => {
            expect.violated =
                one_or_more("`violated`", value, report).into_iter().map(|(name, _)| (name, place)).collect()
        }
        _ => {
            let why = lockstep_spec::node(setup, key).err().unwrap_or_default();
            report.add(
                span,
                format!(
                    "{} Beside nodes one can expect in_flight, inside, waiting, messages, entries and violated.",
                    why
                ),
            );
        }
    }
}

/// A string, or a list of strings.
fn one_or_more(what: &str, value: &Value<'_>, report: &mut Report<'_>) -> Vec<(String, std::ops::Range<usize>)> {
    let list = if value.get_ref().is_array() { report.list(what, value) } else { std::slice::from_ref(value) };
    list.iter().filter_map(|item| report.text(what, item).map(|text| (text, item.span()))).collect()
}

/// A list of threads of the whole system; a node with one thread stands for it.
fn threads(what: &str, value: &Value<'_>, setup: &Setup, report: &mut Report<'_>) -> Vec<ThreadId> {
    let mut threads = Vec::new();
    for item in report.list(what, value) {
        let Some(text) = report.text(what, item) else { continue };
        let only = setup.named(&text).filter(|n| setup.threads[n.index()] == 1).map(|n| setup.first_thread(n));
        match only.map_or_else(|| thread(&text, setup), Ok) {
            Ok(thread) => threads.push(thread),
            Err(why) => report.add(item.span(), why),
        }
    }
    threads
}

fn fact(key: &str, value: &Value<'_>, node: NodeId, setup: &Setup, report: &mut Report<'_>) -> Option<Fact> {
    match key {
        "queue" => {
            let mut queue = Vec::new();
            for item in report.list("`queue`", value) {
                let Some(text) = report.text("An entry of a queue", item) else { continue };
                match waiter(&text, node, setup) {
                    Ok(waiter) => queue.push(waiter),
                    Err(why) => report.add(item.span(), why),
                }
            }
            Some(Fact::Queue(queue))
        }
        "inside" => {
            let mut inside = Vec::new();
            for (text, span) in one_or_more("`inside`", value, report) {
                match waiter(&text, node, setup) {
                    _ if text == "none" => {}
                    Ok(Waiter::User(thread)) => inside.push(thread),
                    _ => report.add(
                        span,
                        format!(
                            "{} cannot be inside; expected \"u1\", a thread of the node, or \"none\".",
                            quoted(&text)
                        ),
                    ),
                }
            }
            Some(Fact::Inside(inside))
        }
        "token" => {
            let token = value.get_ref().as_bool();
            if token.is_none() {
                report.add(value.span(), format!("`token` is {}; expected true or false.", kind(value)));
            }
            token.map(Fact::Token)
        }
        _ => {
            let text = scalar(value);
            if text.is_none() {
                report.add(
                    value.span(),
                    format!("{} is {}; expected a string, a number, true or false.", quoted(key), kind(value)),
                );
            }
            text.map(|text| Fact::Named(key.into(), text))
        }
    }
}

fn question(value: &Value<'_>, report: &mut Report<'_>) -> Option<Question> {
    let mut fields = report.table("The question", value)?;
    let text = fields.required_text(report, "text");
    let mut answers = Vec::new();
    let mut unclear = false;
    if let Some(list) = fields.get("answers") {
        for item in report.list("`answers`", list) {
            let Some(mut fields) = report.table("The answer", item) else { continue };
            let text = fields.required_text(report, "text");
            let because = fields.required_text(report, "because");
            let right = fields.get("right").map_or(Some(false), |v| v.get_ref().as_bool());
            if right.is_none() {
                report.add(item.span(), "`right` is neither true nor false; expected one of them.");
                unclear = true;
            }
            answers.push(QuizAnswer { text, right: right.unwrap_or(false), because });
            fields.finish(report);
        }
    }
    let right = answers.iter().filter(|a| a.right).count();
    if !unclear && right != 1 {
        report.add(
            value.span(),
            format!("A question needs exactly one correct answer; {right} are marked `right = true`."),
        );
    }
    fields.finish(report);
    Some(Question { text, answers })
}
