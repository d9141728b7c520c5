//! The head of a campaign and its controls: size, switches, run, pause, cancel, progress, where a
//! replay pauses.

use super::own::OwnForm;
use super::{LabMsg, LabPlace};
use crate::browser::worker::now;
use crate::worker::pool::Pool;
use lockstep_lab::study::{Settings, StudySize, Switch};
use lockstep_lab::{CampaignSource, Pace, Shelf};
use lockstep_session::replay::ReplayedWait;
use yew::prelude::*;

/// A button that is pressed or not.
fn chip(name: &'static str, on: bool, onclick: Callback<MouseEvent>) -> Html {
    html! { <button key={name} type="button" class="chip" aria-pressed={on.to_string()} {onclick}>{ name }</button> }
}

impl LabPlace {
    pub(super) fn head(&self, ctx: &Context<Self>) -> Html {
        let (study, settings) = match self.source() {
            CampaignSource::Study(study, settings) => (study, settings),
            CampaignSource::Own(own) => {
                let busy = self.pool.is_some();
                return html! {
                    <header key="own" class="lab-head">
                        <h2>{ "Your own experiment" }</h2>
                        <p>{ "Choose which algorithms to compare and what varies. All algorithms get the same requests, drawn from one seed." }</p>
                        <OwnForm experiment={(**own).clone()} {busy} change={self.written.clone()} />
                    </header>
                };
            }
        };
        html! {
            <header key="study" class="lab-head">
                <h2>{ study.title }</h2>
                <p class="source">{ study.source }</p>
                <p>{ study.about }</p>
                <details class="assumed" hidden={study.notes.is_empty()}>
                    <summary>{ "Assumptions" }</summary>
                    <ul>{ for study.notes.iter().enumerate().map(|(i, note)| html! { <li key={i}>{ *note }</li> }) }</ul>
                </details>
                <div class="switches">{ for study.switches.iter().map(|switch| self.switch(ctx, switch, settings)) }</div>
            </header>
        }
    }

    fn switch(&self, ctx: &Context<Self>, switch: &'static Switch, settings: &Settings) -> Html {
        let values = switch.values.iter().map(|value| {
            let choose = ctx.link().callback(move |_| LabMsg::Switch(switch.name, value));
            chip(value, settings.switch(switch.name) == *value, choose)
        });
        html! {
            <div key={switch.name} class="switch"><p><b>{ switch.name }</b>{ " " }{ switch.about }</p><div class="choice">{ for values }</div></div>
        }
    }

    pub(super) fn sizes(&self, ctx: &Context<Self>) -> Html {
        let sizes = [(StudySize::Quick, "quick"), (StudySize::Full, "full size")]
            .map(|(size, name)| chip(name, self.size == size, ctx.link().callback(move |_| LabMsg::Resize(size))));
        html! { <div class="choice" role="group" aria-label="Size" hidden={self.source().own().is_some()}>{ for sizes }</div> }
    }

    pub(super) fn buttons(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let done = self.campaign.done();
        let run = match (self.pool.is_some() && !self.running, done) {
            (true, _) => "Resume",
            (false, 0) => "Run",
            _ => "Continue",
        };
        html! {
            <div class="lab-buttons">
                <button type="button" class="primary" hidden={self.running || self.campaign.is_complete()} disabled={!self.valid} onclick={link.callback(|_| LabMsg::Run)}>{ run }</button>
                <button type="button" class="button" hidden={!self.running} onclick={link.callback(|_| LabMsg::Pause)}>{ "Pause" }</button>
                <button type="button" class="button" hidden={self.pool.is_none()} onclick={link.callback(|_| LabMsg::Cancel)}>{ "Cancel" }</button>
                <button type="button" class="button" hidden={done == 0} onclick={link.callback(|_| LabMsg::SaveRecords(None))}>{ "Save records" }</button>
            </div>
        }
    }

    /// What the browser could not store, and what can be done about it.
    pub(super) fn unsaved(&self, ctx: &Context<Self>) -> Html {
        let (link, shelves) = (ctx.link(), self.unsaved.shelves(&self.kept));
        let save = |shelf: &Shelf| {
            let (saved, one) = (shelf.clone(), shelves.len() == 1);
            let label = if one {
                "Save records as a file".into()
            } else {
                format!("Save records of {} as a file", shelf.title())
            };
            let save = link.callback(move |_| LabMsg::SaveRecords(Some(saved.clone())));
            html! { <button key={shelf.name.clone()} type="button" class="button" onclick={save}>{ label }</button> }
        };
        html! {
            <div class="unsaved" role="alert" hidden={self.unsaved.is_empty()}>
                <p>{ self.unsaved.sentence().unwrap_or_default() }</p>
                <span>{ for shelves.iter().map(save) }</span>
                <button type="button" class="button" onclick={link.callback(|_| LabMsg::StoreAgain)}>{ "Store again" }</button>
            </div>
        }
    }

    pub(super) fn progress(&self) -> Html {
        if let Some((builder, _)) = &self.building {
            let (built, all) = builder.progress();
            return html! {
                <div class="lab-progress">
                    <progress max={all.to_string()} value={built.to_string()} aria-label="Points prepared"></progress>
                    <span>{ format!("{built} of {all} points prepared") }</span>
                </div>
            };
        }
        let (done, all) = (self.campaign.done(), self.campaign.points().len());
        let pace = self.running.then(|| Pace {
            seconds: (now() - self.started) / 1000.0,
            points: done.saturating_sub(self.before),
            events: self.events,
            workers: self.pool.as_ref().map_or(0, Pool::size),
        });
        html! {
            <div class="lab-progress">
                <progress max={all.to_string()} value={done.to_string()} aria-label="Points measured"></progress>
                <span>{ self.campaign.progress(pace) }</span>
            </div>
        }
    }

    pub(super) fn replay_stops(&self, ctx: &Context<Self>) -> Html {
        let stops = [(ReplayedWait::Longest, "the longest wait"), (ReplayedWait::Median, "the median wait")];
        let stops = stops
            .map(|(stop, name)| chip(name, self.stop == stop, ctx.link().callback(move |_| LabMsg::PauseAt(stop))));
        html! {
            <div class="lab-waits" hidden={self.report.is_none()} role="group" aria-label="Replay">
                <span>{ "Click a point to replay its run on the stage, at" }</span>
                <div class="choice">{ for stops }</div>
            </div>
        }
    }
}
