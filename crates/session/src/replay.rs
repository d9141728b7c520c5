//! The run behind a point of a chart, as a link that the stage opens.

use lockstep_kernel::sort;
use lockstep_kernel::view::ThreadState;
use lockstep_lab::{Job, prepare};
use lockstep_scenario::link::Link;

/// Steps of a batch job that are replayed.
const REPLAYED: usize = 400;

/// Which wait of a batch run is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReplayedWait {
    /// The longest.
    Longest,
    /// The median: half of them are shorter.
    Median,
}

/// The link of the first steps of a batch job, event by event as the simulator made them, with the
/// cursor at the end of one of their waits.
pub fn replay(job: &Job, wait: ReplayedWait) -> Result<String, String> {
    let prepared = prepare(job).map_err(|problems| problems.join(" "))?;
    lockstep_spec::check_size(&prepared.job.setup, &lockstep_spec::Limits::PLAY).map_err(|p| p.to_string())?;
    let (entry, timing) = (prepared.algorithm, prepared.job.timing);
    let mut player = (entry.drive.boot)(prepared.job.setup, &timing);
    let (mut before, mut waits) = (player.frame(), Vec::new());
    for _ in 0..REPLAYED {
        let Some(moment) = player.next().and_then(|event| player.pick(event)) else { break };
        let frame = player.frame();
        for thread in frame.last.iter().flat_map(|l| &l.granted) {
            let threads = before.nodes.iter().flat_map(|n| &n.threads);
            let since = threads.into_iter().find(|t| t.id == *thread && t.doing == ThreadState::Waiting);
            waits.push((since.map_or(0, |t| frame.now - t.since), moment));
        }
        before = frame;
    }
    sort::by(&mut waits, Ord::cmp);
    let at = match wait {
        ReplayedWait::Longest => waits.last(),
        ReplayedWait::Median => waits.get(waits.len() / 2),
    };
    player.seek(at.map_or(0, |(_, moment)| *moment));
    Ok(Link::of(entry, &*player, &timing).encode())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::StageRun;

    #[test]
    fn a_point_is_replayed_at_its_longest_or_median_wait() {
        let job = Job::default().with(|s| s.algorithm("raymond").nodes(7));
        let longest = StageRun::of_link(&replay(&job, ReplayedWait::Longest).unwrap(), 1).unwrap();
        let median = StageRun::of_link(&replay(&job, ReplayedWait::Median).unwrap(), 2).unwrap();
        let granted = |run: &StageRun| run.frame().last.is_some_and(|l| !l.granted.is_empty());
        assert!(granted(&longest) && granted(&median));
        assert_ne!(longest.moment(), median.moment());
        let counted = longest.frame().counters.longest_wait;
        assert!(counted > 0 && median.frame().counters.entries > 0);
    }
}
