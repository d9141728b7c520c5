//! Tables of a study: the paper's cells beside ours, and the waits of every point.

use crate::browser::files;
use lockstep_lab::study::{SortColumn, StudyCell, StudyTable, with_interval};
use std::rc::Rc;
use yew::prelude::*;

/// What a table needs.
#[derive(Properties, PartialEq)]
pub struct TableProps {
    /// The table.
    pub table: Rc<StudyTable>,
}

/// Tables of more rows are folded until they are wanted.
const SHOWN_AT_ONCE: usize = 24;
/// So many rows more are shown with each click: an experiment may have 20,000 points.
const PAGE: usize = 500;

/// A table whose columns sort it.
#[component]
pub fn TableView(props: &TableProps) -> Html {
    let table = &props.table;
    let sorted = use_state(|| None::<(SortColumn, bool)>);
    let pages = use_state(|| 0_usize);
    let head = |column: SortColumn, name: &str| {
        let descending = sorted.filter(|(by, _)| *by == column).map(|(_, descending)| descending);
        let state = descending.map(|d| if d { "descending" } else { "ascending" });
        let onclick = {
            let sorted = sorted.setter();
            move |_| {
                sorted.set(match descending {
                    None => Some((column, false)),
                    Some(false) => Some((column, true)),
                    Some(true) => None,
                });
            }
        };
        html! { <th scope="col" aria-sort={state}><button type="button" {onclick}>{ name }</button></th> }
    };
    let published: Vec<bool> = (0..table.measures.len()).map(|m| table.is_published(m)).collect();
    let groups = table.measures.iter().zip(&published).map(|(name, published)| {
        html! { <th scope="colgroup" colspan={if *published { "3" } else { "1" }}>{ name }</th> }
    });
    let columns = published.iter().enumerate().map(|(m, published)| {
        let mine = head(SortColumn::Ours(m), "ours");
        if *published {
            html! { <>{ head(SortColumn::Published(m), "published") }{ mine }{ head(SortColumn::Ratio(m), "ratio") }</> }
        } else {
            mine
        }
    });
    let cell = |(cell, published): (&StudyCell, &bool)| {
        let text = |part: Option<String>| part.unwrap_or_else(|| "–".into());
        let mine = html! { <td>{ text(cell.ours.map(with_interval)) }</td> };
        if *published {
            html! { <><td>{ text(cell.published.map(|n| n.to_string())) }</td>{ mine }<td>{ text(cell.ratio().map(|r| format!("{r:.2}"))) }</td></> }
        } else {
            mine
        }
    };
    let order = sorted.map_or_else(|| (0..table.rows.len()).collect(), |(by, descending)| table.order(by, descending));
    let row = |i: &usize| {
        let row = &table.rows[*i];
        html! {
            <tr key={*i}>
                { for row.keys.iter().map(|key| html! { <th scope="row">{ key }</th> }) }
                { for row.cells.iter().zip(&published).map(cell) }
            </tr>
        }
    };
    let save = {
        let table = table.clone();
        move |_| files::save(&format!("{}.csv", table.id), "text/csv", &table.csv())
    };
    let (all, open) = (table.rows.len(), *pages > 0);
    let long = all > SHOWN_AT_ONCE;
    let shown = if long { all.min(*pages * PAGE) } else { all };
    let show = |count: usize| {
        let pages = pages.setter();
        move |_: MouseEvent| pages.set(count)
    };
    let next = PAGE.min(all - shown);
    let first = if all > PAGE { format!("Show {PAGE} of {all} rows") } else { format!("Show {all} rows") };
    let label = if open { "Hide the rows".into() } else { first };
    html! {
        <section class="study-table">
            <h2>{ &table.title }</h2>
            <p class="hint">{ &table.note }</p>
            <div class="study-table-bar">
                <button type="button" hidden={!long} aria-expanded={open.to_string()} onclick={show(usize::from(!open))}>{ label }</button>
                <button type="button" hidden={!open || next == 0} onclick={show(*pages + 1)}>{ format!("Show {next} more") }</button>
                <button type="button" onclick={save}>{ "Save as CSV" }</button>
            </div>
            if !long || open {
                <div class="claims-around" tabindex="0" role="region" aria-label={table.title.clone()}>
                    <table>
                        <thead>
                            <tr><td colspan={table.keys.len().to_string()}></td>{ for groups }</tr>
                            <tr>
                                { for table.keys.iter().enumerate().map(|(i, name)| head(SortColumn::Key(i), name)) }
                                { for columns }
                            </tr>
                        </thead>
                        <tbody>{ for order.iter().take(shown).map(row) }</tbody>
                    </table>
                </div>
            }
        </section>
    }
}
