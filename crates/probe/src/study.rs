//! Figures 3, 4 and 5 of Meza, Pérez and Eterovic 2005 as a benchmark: the lab's points, and a
//! hand-written loop for each.

use crate::plain::PlainResult;
use crate::plain::alien::{self, Scheme};
use lockstep_kernel::run::statistics::Interval;
use lockstep_lab::study::{StudySize, find};
use lockstep_lab::{Job, run_job};
#[cfg(test)]
use lockstep_spec::Spec;
use std::collections::BTreeMap;

/// The rates for repeated timings: light, medium and heavy load.
pub const SAMPLE: [f64; 3] = [0.05, 0.5, 1.0];
/// The number of runs of each loop whose means are compared.
const RUNS: u32 = 5;
/// The seeds differ too, although the generators of the two loops are unrelated.
const OTHER_SEED: u64 = 1_000;

/// The points of the figures, each as one run of 100,000 entries from the beginning, which is what
/// the hand-written loops simulate: three algorithms, three numbers of threads, and twenty rates or
/// only those of [`SAMPLE`].
pub fn points(sample: bool) -> Result<Vec<Job>, String> {
    let study = find("alien")?;
    let settings = study.settings(StudySize::Full, 1, &BTreeMap::new()).map_err(|problems| problems.join(" "))?;
    let points = study.points(&settings).map_err(|problems| problems.join(" "))?;
    let grid = points.into_iter().filter(|p| p.experiment == "load").map(|p| p.job);
    let wanted = |job: &Job| scheme(job).is_some() && (!sample || SAMPLE.contains(&job.number("rate")));
    let one_run = |job: Job| job.with(|spec| spec.entries(100_000).warmup(0).replications(1));
    Ok(grid.filter(wanted).map(one_run).collect())
}

fn scheme(job: &Job) -> Option<Scheme> {
    let variant = job.spec.given.get("variant").map(String::as_str);
    match (job.algorithm(), variant) {
        ("alien", Some("v1")) => Some(Scheme::AlienV1),
        ("alien", Some("v2")) => Some(Scheme::AlienV2),
        ("mueller", _) => Some(Scheme::Mueller),
        _ => None,
    }
}

/// Runs the hand-written loop of a point.
pub fn plain(job: &Job, seed: u64) -> Result<PlainResult, String> {
    let scheme = scheme(job).ok_or_else(|| format!("There is no hand-written loop for {}.", job.algorithm()))?;
    if job.spec.rate.is_none() {
        return Err("The hand-written loops support requests at a rate only.".into());
    }
    Ok(alien::run(scheme, job.number("threads") as u32, job.number("rate"), job.number("entries") as u64, seed))
}

/// Checks that both loops simulate the same model: their means differ by at most twice the
/// confidence interval of the difference. The error says which do not.
pub fn agree(job: &Job) -> Result<(), String> {
    let ours = run_job(&job.clone().with(|spec| spec.replications(RUNS))).map_err(|problems| problems.join(" "))?;
    let theirs: Vec<PlainResult> =
        (0..u64::from(RUNS)).map(|run| plain(job, OTHER_SEED + run)).collect::<Result<_, String>>()?;
    let mean = |of: fn(&PlainResult) -> f64| Interval::of(&theirs.iter().map(of).collect::<Vec<_>>());
    let waiting = Interval { mean: ours.waiting.mean, half_width: ours.waiting.half_width };
    for (name, ours, theirs) in [
        ("messages per entry", ours.messages_per_entry, mean(|plain| plain.messages_per_entry)),
        ("waiting per entry", waiting, mean(|plain| plain.waiting)),
    ] {
        let width = (ours.half_width * ours.half_width + theirs.half_width * theirs.half_width).sqrt();
        if (ours.mean - theirs.mean).abs() > 2.0 * width {
            let (algorithm, params, threads) = (job.algorithm(), &job.spec.given, job.number("threads"));
            return Err(format!(
                "{algorithm} {params:?}, {threads} threads, rate {}: {name} {} ± {} in the kernel, {} ± {} by hand",
                job.number("rate"),
                ours.mean,
                ours.half_width,
                theirs.mean,
                theirs.half_width
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> impl Iterator<Item = Job> {
        points(true).unwrap().into_iter().map(|job| job.with(|spec| spec.entries(4_000)))
    }

    #[test]
    fn the_grid_is_that_of_the_figures() {
        let (all, sample) = (points(false).unwrap(), points(true).unwrap());
        assert_eq!((all.len(), sample.len()), (3 * 3 * 20, 3 * 3 * SAMPLE.len()));
        assert!(all.iter().all(|job| job.number("entries") == 100_000.0 && job.number("nodes") == 31.0));
    }

    #[test]
    fn the_hand_written_loops_measure_what_the_kernel_measures() {
        for job in small() {
            agree(&job).unwrap();
        }
    }

    #[test]
    fn a_loop_that_does_something_else_is_refused() {
        let v2 =
            BTreeMap::from([("variant".to_owned(), "v2".to_owned()), ("piggyback".to_owned(), "false".to_owned())]);
        let other = small().find(|job| job.spec.given.get("variant").is_some_and(|v| v == "v2")).unwrap();
        let why = agree(&other.with(|spec| Spec { given: v2, ..spec.rate(1) })).unwrap_err();
        assert!(why.contains("messages per entry"), "{why}");
    }
}
