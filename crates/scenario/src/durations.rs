//! The timed side of a scenario file: load, durations, seed.

use crate::reader::{Fields, Report, Value, scalar, shown};
use crate::system::{self, RATES};
use crate::{quoted, script};
use lockstep_kernel::timing::{Delays, Duration, Load, RangeTiming, Timing};
use lockstep_kernel::{Setup, ThreadId};

/// The most timed requests of a file.
const MOST_TIMES: usize = 10_000;

/// Reads load, durations and seed.
pub fn read(fields: &mut Fields<'_, '_>, report: &mut Report<'_>, setup: Option<&Setup>) -> Timing {
    let load = load(fields, report, setup);
    let section = duration(fields, report, "section").unwrap_or(Duration::Const(0.5));
    let local = duration(fields, report, "delay").unwrap_or(Duration::Const(0.1));
    let global = duration(fields, report, "delay_global").unwrap_or(local);
    let seed = fields.get("seed").and_then(|v| report.whole("`seed`", v, 0..1 << 63));
    let ranged = ranged(fields, report);
    Timing { load, section, delays: Delays { local, global }, seed: seed.unwrap_or(1), ranged }
}

/// What is asked for where the resource is divided, and what its data cost.
fn ranged(fields: &mut Fields<'_, '_>, report: &mut Report<'_>) -> RangeTiming {
    let mut ranged = RangeTiming::default();
    if let Some(value) = fields.get("range") {
        match system::share(&scalar(value).unwrap_or_default()) {
            Ok(share) => ranged.share = share,
            Err(why) => report.add(value.span(), why),
        }
    }
    if let Some(value) = fields.get("per_cell") {
        match scalar(value).and_then(|t| t.parse().ok()).filter(|x| (0.0..=1.0).contains(x)) {
            Some(time) => ranged.per_cell = time,
            None => report
                .add(value.span(), format!("`per_cell` is {}; right would be a number from 0 to 1.", shown(value))),
        }
    }
    for (name, flag) in [("aligned", &mut ranged.aligned), ("blocking", &mut ranged.blocking)] {
        if let Some(value) = fields.get(name) {
            match value.get_ref().as_bool() {
                Some(set) => *flag = set,
                None => {
                    report.add(value.span(), format!("`{name}` is {}; right would be true or false.", shown(value)))
                }
            }
        }
    }
    ranged
}

fn load(fields: &mut Fields<'_, '_>, report: &mut Report<'_>, setup: Option<&Setup>) -> Load {
    let by_hand = fields.text(report, "load").filter(|(load, span)| {
        if load != "by-hand" {
            report.add(
                span.clone(),
                format!(
                    "`load` is {}; right would be \"by-hand\", or `rate = 0.5`, or `think = \"exp:0.5\"` with `requests = 20`, or \
                     `asks = [\"p2 at 0.5\"]`.",
                    quoted(load)
                ),
            );
        }
        true
    });
    let rate = fields.get("rate");
    let think = fields.get("think");
    let first = fields.get("first");
    let requests = fields.get("requests");
    let asks = fields.get("asks");
    let given = [
        by_hand.as_ref().map(|(_, s)| s.clone()),
        rate.map(Value::span),
        think.map(Value::span),
        asks.map(Value::span),
    ];
    if let Some(second) = given.into_iter().flatten().nth(1) {
        report.add(
            second,
            "There are two loads; right would be one of `load = \"by-hand\"`, `rate`, `think` and `asks`.",
        );
    }
    for (name, value) in [("requests", requests), ("first", first)] {
        if let (Some(value), None) = (value, think) {
            let why = format!("`{name}` counts for threads that think; right would be to add `think = \"exp:0.5\"`.");
            report.add(value.span(), why);
        }
    }
    if let Some(value) = rate {
        let number = scalar(value).filter(|_| !value.get_ref().is_str()).and_then(|t| t.parse::<f64>().ok());
        match number.filter(|r| RATES.contains(r)) {
            Some(rate) => return Load::Poisson(rate),
            None => report.add(
                value.span(),
                format!("`rate` is {}; right would be a number from 0.001 to 1000000.", shown(value)),
            ),
        }
    }
    if think.is_some() {
        let think = duration(fields, report, "think").unwrap_or(Duration::Const(0.5));
        let requests = requests.and_then(|v| report.whole("`requests`", v, 1..1_000_000)).unwrap_or(20);
        let first = duration(fields, report, "first").unwrap_or(think);
        return Load::Closed { first, think, requests: requests as u32 };
    }
    if let Some(value) = asks {
        return Load::Script(timed_requests(value, report, setup));
    }
    Load::ByHand
}

/// Requests at given times: `p2 at 0.5`.
fn timed_requests(value: &Value<'_>, report: &mut Report<'_>, setup: Option<&Setup>) -> Vec<(f64, ThreadId)> {
    let mut times = Vec::new();
    let list = report.list("`asks`", value);
    if list.len() > MOST_TIMES {
        report.add(value.span(), format!("`asks` lists {} requests; right would be at most {MOST_TIMES}.", list.len()));
    }
    for item in list.iter().take(MOST_TIMES) {
        let Some(text) = report.text("A timed request", item) else { continue };
        let time = |t: &str| t.trim().parse::<f64>().ok().filter(|t| (0.0..=system::LONGEST).contains(t));
        let parts = text.split_once(" at ").and_then(|(who, t)| Some((who.trim(), time(t)?)));
        let Some((who, time)) = parts else {
            let why =
                format!("{} is no timed request; right would be \"p2 at 0.5\", or \"p2.1 at 0.5\".", quoted(&text));
            report.add(item.span(), why);
            continue;
        };
        let thread = setup.map(|setup| match setup.named(who).filter(|n| setup.threads[n.index()] > 0) {
            Some(node) => Ok(setup.first_thread(node)),
            None => script::thread(who, setup),
        });
        match thread {
            Some(Ok(thread)) => times.push((time, thread)),
            Some(Err(why)) => report.add(item.span(), why),
            None => {}
        }
    }
    times
}

fn duration(fields: &mut Fields<'_, '_>, report: &mut Report<'_>, name: &'static str) -> Option<Duration> {
    let (text, span) = fields.text(report, name)?;
    system::duration(&text).map_err(|why| report.add(span, why)).ok()
}
