//! The lab's buttons: run, pause, cancel; how far it is; where a replay pauses.

use super::{Lab, Msg};
use crate::browser::worker::now;
use crate::worker::pool::Pool;
use lockstep_session::replay::ReplayedWait as Wait;
use yew::prelude::*;

impl Lab {
    pub(super) fn buttons(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let (done, all) = (self.done(), self.points.len());
        let paused = self.pool.is_some() && !self.running;
        let complete = done == all && self.asides().is_empty();
        let run = if paused {
            "Resume"
        } else if done == 0 {
            "Run"
        } else {
            "Go on"
        };
        html! {
            <div class="lab-buttons">
                <button type="button" class="primary" hidden={self.running || complete} disabled={!self.sound} onclick={link.callback(|_| Msg::Run)}>{ run }</button>
                <button type="button" class="button" hidden={!self.running} onclick={link.callback(|_| Msg::Pause)}>{ "Pause" }</button>
                <button type="button" class="button" hidden={self.pool.is_none()} onclick={link.callback(|_| Msg::Cancel)}>{ "Cancel" }</button>
                <button type="button" class="button" hidden={done == 0} onclick={link.callback(|_| Msg::SaveRecords)}>{ "Save records" }</button>
            </div>
        }
    }

    pub(super) fn progress(&self) -> Html {
        let (done, all) = (self.done(), self.points.len());
        let seconds = ((now() - self.started) / 1000.0).max(0.001);
        let fresh = done.saturating_sub(self.before);
        let asides = self.asides().len();
        let text = if self.running && done == all && asides > 0 {
            let left = if asides == 1 { "one task".into() } else { format!("{asides} tasks") };
            format!("{done} of {all} points; {left} left for the claims: every order of events in small systems")
        } else if self.running && fresh > 0 {
            let left = seconds / fresh as f64 * (all - done) as f64;
            let workers = self.pool.as_ref().map_or(0, Pool::size);
            format!(
                "{done} of {all} points, {:.1} million events a second on {workers} {}, about {left:.0} s left",
                self.events / seconds / 1e6,
                if workers == 1 { "worker" } else { "workers" }
            )
        } else {
            format!("{done} of {all} points")
        };
        html! {
            <div class="lab-progress">
                <progress max={all.to_string()} value={done.to_string()} aria-label="Points done"></progress>
                <span>{ text }</span>
            </div>
        }
    }

    /// Where the replay of a point pauses.
    pub(super) fn waits(&self, ctx: &Context<Self>) -> Html {
        let choices = [(Wait::Longest, "its longest wait"), (Wait::Median, "a middling wait")].map(|(wait, name)| {
            let on = self.wait == wait;
            html! { <button key={name} type="button" class="chip" aria-pressed={on.to_string()} onclick={ctx.link().callback(move |_| Msg::PauseAt(wait))}>{ name }</button> }
        });
        html! {
            <div class="lab-waits" hidden={self.report.is_none()} role="group" aria-label="Replay">
                <span>{ "A click on a point replays the beginning of its run on the stage, at" }</span>
                <div class="choice">{ for choices }</div>
            </div>
        }
    }
}
