//! Replaying in slices, and how much a whole replay may cost.
//!
//! A link of 60 characters can stand for hours of work, and that cannot be seen before: it depends
//! on the messages in flight. So a replay counts what it costs, and ends where that is too much.

use lockstep_kernel::history::{Player, StepId};

/// The most work of a replay, as [`Player::work`] counts it: about a second of native time.
pub const MOST_WORK: u64 = 60_000_000;
/// The work of a frame, and of each node, thread and message in it.
const FRAME: u64 = 3_000;
const FRAME_PART: u64 = 40;
/// The least work of a part of a replay, which may make no step.
const LEAST: u64 = 100;

/// Something that is repeated in a run, in slices.
pub trait Replay {
    /// Makes one step at most; `true` if nothing is left, or why the replay ends before its end.
    fn once(&mut self, player: &mut dyn Player) -> Result<bool, String>;

    /// The share that is done, from 0 to 1.
    fn progress(&self) -> f64;

    /// Goes on until about so much work is done; `true` at the end.
    fn advance(&mut self, player: &mut dyn Player, work: u64) -> Result<bool, String> {
        let end = player.work().saturating_add(work);
        let mut parts = 0;
        while player.work() + parts * LEAST < end {
            if self.once(player)? {
                return Ok(true);
            }
            parts += 1;
        }
        Ok(false)
    }

    /// Goes on to the end.
    fn finish(&mut self, player: &mut dyn Player) -> Result<(), String> {
        while !self.once(player)? {}
        Ok(())
    }
}

/// What a replay may cost, and how much of that is used.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Whether every state is kept as a frame.
    frames: bool,
    begun: Option<u64>,
    framed: u64,
}

impl Allowance {
    /// For a run of which only few states are looked at.
    pub const REPLAY: Allowance = Allowance { frames: false, begun: None, framed: 0 };
    /// For a run of which every state is kept as a frame: that costs more than the replay itself.
    pub const FRAMES: Allowance = Allowance { frames: true, ..Allowance::REPLAY };

    /// Whether another step may be replayed.
    pub(crate) fn has_room(&mut self, player: &dyn Player) -> bool {
        let begun = *self.begun.get_or_insert(player.work());
        if self.frames {
            self.framed += FRAME + FRAME_PART * player.size() as u64;
        }
        player.work() - begun + self.framed <= MOST_WORK
    }
}

/// Moves the cursor, where it is elsewhere: that may mean to replay some steps.
pub(crate) fn go_to(player: &mut dyn Player, moment: StepId) {
    if player.cursor() != moment {
        player.seek(moment);
    }
}

/// Why a replay ends early, after this part of it.
pub(crate) fn refusal(what: &str, done: &str) -> String {
    format!(
        "{what} takes too long to replay in a system of this size, after {done}; expected fewer steps, nodes or messages \
         in flight."
    )
}
