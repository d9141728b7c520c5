//! The claims of a paper with their verdicts, computed from the runs.

use lockstep_lab::study::{ClaimVerdict, StudyClaim, tally};
use yew::prelude::*;

/// What the table needs.
#[derive(Properties, PartialEq)]
pub struct ClaimsProps {
    /// The claims.
    pub claims: Vec<StudyClaim>,
    /// Whether points are missing.
    pub preliminary: bool,
    /// Opens a link on the stage.
    pub follow: Callback<String>,
}

/// The table of claims.
#[component]
pub fn Claims(props: &ClaimsProps) -> Html {
    let so_far = if props.preliminary { " so far" } else { "" };
    let decided = if props.preliminary {
        "Verdicts are preliminary: they are computed from the points that are measured so far."
    } else {
        "Verdicts are computed from the runs above; more runs may settle undecided claims."
    };
    let row = |claim: &StudyClaim| {
        let class = match claim.verdict {
            ClaimVerdict::Agrees => "agrees",
            ClaimVerdict::Differs => "differs",
            ClaimVerdict::HoldsOnly => "holds-only",
            ClaimVerdict::Undecided => "undecided",
        };
        let switches = claim.switches.join(", ");
        let play = claim.link.clone().map(|link| {
            let onclick = props.follow.reform(move |_| link.clone());
            html! { <button type="button" class="play" {onclick}>{ "Play the counterexample" }</button> }
        });
        html! {
            <tr key={claim.id.clone()}>
                <th scope="row">{ &claim.id }</th>
                <td>
                    <p>{ &claim.statement }</p>
                    <details><summary>{ &claim.place }</summary><p>{ &claim.how }</p>
                        <p hidden={switches.is_empty()}>{ format!("May change with: {switches}.") }</p></details>
                </td>
                <td>{ &claim.published }</td>
                <td>{ &claim.ours }</td>
                <td><span class={classes!("verdict", class)}>{ claim.verdict.words() }{ so_far }</span>{ " " }{ &claim.region }{ " " }{ for play }</td>
            </tr>
        }
    };
    html! {
        <section class="claims" hidden={props.claims.is_empty()}>
            <h2>{ "Claims, put to the test" }</h2>
            <p class="hint">{ format!("{} {decided}", tally(&props.claims)) }</p>
            <div class="claims-around" tabindex="0">
                <table>
                    <thead><tr><th scope="col">{ "№" }</th><th scope="col">{ "Claim" }</th><th scope="col">{ "Published" }</th><th scope="col">{ "Measured" }</th><th scope="col">{ "Verdict" }</th></tr></thead>
                    <tbody>{ for props.claims.iter().map(row) }</tbody>
                </table>
            </div>
        </section>
    }
}
