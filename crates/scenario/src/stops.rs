//! The stops of a scenario file: script, expected state, question.

use crate::expect::Expect;
use crate::reader::{FileValue, Table};
use crate::script::Step;
use crate::{Question, QuizAnswer, Stop, quoted};
use lockstep_kernel::Setup;

/// Reads the list of stops. If the system is not known, names of its parts are not judged.
pub fn read(list: &[FileValue<'_>], setup: Option<&Setup>) -> Vec<Stop> {
    let mut stops: Vec<Stop> = Vec::new();
    for item in list {
        let Some(table) = item.table() else { continue };
        let table = table.only(&["name", "title", "say", "script", "expect", "question"]);
        let stop = stop(&table, item, setup);
        if stops.iter().any(|s| s.name == stop.name) {
            item.add(format!("name: {} names two stops; expected different names.", quoted(&stop.name)));
        }
        stops.push(stop);
    }
    stops
}

fn stop(table: &Table<'_>, item: &FileValue<'_>, setup: Option<&Setup>) -> Stop {
    let [name, title, say] = ["name", "title", "say"].map(|name| table.text(name));
    let event = |item: FileValue<'_>| {
        let judge = |text| setup.map_or(Ok(()), |setup| Step::read(text, setup).map(drop));
        item.parse(|text| judge(text).map(|()| (text.to_owned(), item.place())))
    };
    let (script, places) = table.list("script").into_iter().filter_map(event).unzip();
    let mut expect = Expect { place: item.place(), ..Expect::default() };
    if let (Some(table), Some(setup)) = (table.get("expect").and_then(|e| e.table()), setup) {
        table.fields().for_each(|(field, place)| expect.read(field, place, setup));
    }
    let question = table.get("question").and_then(question);
    Stop { name, title, say, script, expect, question, places }
}

fn question(item: FileValue<'_>) -> Option<Question> {
    let table = item.table()?.only(&["text", "answers"]);
    let answers: Vec<(QuizAnswer, bool)> = table.list("answers").into_iter().filter_map(answer).collect();
    let right = answers.iter().filter(|(answer, _)| answer.right).count();
    if right != 1 && answers.iter().all(|(_, clear)| *clear) {
        item.add(format!("A question needs exactly one correct answer; {right} are marked `right = true`."));
    }
    Some(Question { text: table.text("text"), answers: answers.into_iter().map(|(answer, _)| answer).collect() })
}

/// An answer, and whether it says clearly if it is right.
fn answer(item: FileValue<'_>) -> Option<(QuizAnswer, bool)> {
    let table = item.table()?.only(&["text", "because", "right"]);
    let right = table.get("right").map_or(Some(false), |right| right.read("true or false", |v| v.as_bool()));
    let [text, because] = ["text", "because"].map(|name| table.text(name));
    Some((QuizAnswer { text, right: right.unwrap_or(false), because }, right.is_some()))
}
