//! A chart with its cross-hair, its switches, its table and its files.

use crate::browser::{files, keys, size};
use lockstep_chart::{Chart, ChartLook, CrossHair, Picture, SeriesSwitch, draw};
use std::rc::Rc;
use yew::prelude::*;

/// What a chart needs.
#[derive(Properties, PartialEq)]
pub struct ChartProps {
    /// The chart.
    pub chart: Rc<Chart>,
    /// What files say about their origin: study, size, seed, version.
    pub origin: String,
    /// Replays the run behind the record of a key.
    pub replay: Callback<String>,
}

/// A chart.
#[component]
pub fn ChartView(props: &ChartProps) -> Html {
    let around = use_node_ref();
    let width = use_state(|| 820.0_f64);
    let look = use_state(ChartLook::default);
    let as_table = use_state(|| false);
    let probe = use_state(|| None::<CrossHair>);
    {
        let (around, width) = (around.clone(), width.setter());
        use_effect_with((), move |()| {
            let watch = around.cast().map(|element| {
                size::watch(element, move |(w, _)| {
                    if w > 200.0 {
                        width.set(w.round());
                    }
                })
            });
            move || drop(watch)
        });
    }
    let picture = use_memo((props.chart.clone(), (*look).clone(), *width as i32), |(chart, look, width)| {
        draw(&look.applied(chart), f64::from(*width))
    });
    let svg = use_memo(picture.clone(), |picture| AttrValue::from(picture.bare()));
    let toggle_log = |y: bool| {
        let (look, chart) = (look.clone(), props.chart.clone());
        keys::ignoring::<MouseEvent>(move || {
            let mut next = (*look).clone();
            next.toggle_log(&chart, y);
            look.set(next);
        })
    };
    let toggle_table = {
        let as_table = as_table.clone();
        keys::ignoring::<MouseEvent>(move || as_table.set(!*as_table))
    };
    let on_move = {
        let (around, picture, probe) = (around.clone(), picture.clone(), probe.setter());
        Callback::from(move |event: PointerEvent| {
            let (x, y) = keys::inside(&around, &event);
            probe.set(picture.probe(x, y));
        })
    };
    let on_leave = {
        let probe = probe.setter();
        move |_: PointerEvent| probe.set(None)
    };
    let on_key = on_key(&picture, &probe);
    let on_click = {
        let (around, probe, replay) = (around.clone(), probe.clone(), props.replay.clone());
        move |event: MouseEvent| {
            let y = keys::inside(&around, &event).1;
            if let Some(key) = probe.as_ref().and_then(|here| here.nearest_key(y)) {
                replay.emit(key.to_owned());
            }
        }
    };
    let save = |kind| save(kind, props, &look, &picture);
    let switches = switches(&props.chart, &look);
    let [log_x, log_y] = look.log(&props.chart);
    let (cross, tip) = match &*probe {
        Some(here) => (Some(picture.cross_style(here)), Some(picture.tip_style(here, *width))),
        None => (None, None),
    };
    html! {
        <figure class="chart-figure" data-chart={props.chart.id.clone()}>
            <div class="chart-tools">
                <div class="series-switches" role="group" aria-label="Series">{ for switches }</div>
                <button type="button" aria-pressed={log_x.to_string()} onclick={toggle_log(false)}>{ "log x" }</button>
                <button type="button" aria-pressed={log_y.to_string()} onclick={toggle_log(true)}>{ "log y" }</button>
                <button type="button" aria-pressed={(*as_table).to_string()} onclick={toggle_table}>{ "table" }</button>
                <span class="chart-files">
                    <button type="button" onclick={save("svg")}>{ "SVG" }</button>
                    <button type="button" onclick={save("png")}>{ "PNG" }</button>
                    <button type="button" onclick={save("csv")}>{ "CSV" }</button>
                    <button type="button" onclick={save("json")}>{ "JSON" }</button>
                </span>
            </div>
            <div class="chart-around" ref={around} tabindex="0" role="application" aria-label={format!("{}. Arrow keys move the cross-hair.", props.chart.title)}
                onpointermove={on_move} onpointerleave={on_leave} onkeydown={on_key} onclick={on_click} hidden={*as_table}>
                <div class="chart-picture">{ Html::from_html_unchecked((*svg).clone()) }</div>
                <i class="cross-hair" hidden={cross.is_none()} style={cross.clone().unwrap_or_default()}></i>
                <div class="chart-tip" hidden={tip.is_none()} style={tip.clone().unwrap_or_default()} aria-live="polite">
                    <b>{ probe.as_ref().map_or(String::new(), |p| format!("{} {}", props.chart.x.label, p.x)) }</b>
                    <ul>{ for probe.iter().flat_map(|p| &p.hits).enumerate().map(|(i, h)| html! {
                        <li key={i}><span class={format!("swatch s{}", h.style)}></span>{ &h.label }<em>{ h.value() }</em></li>
                    }) }</ul>
                </div>
            </div>
            { table(&props.chart, *as_table) }
        </figure>
    }
}

/// Moves the cross-hair by arrow keys, and removes it by Escape.
fn on_key(picture: &Rc<Picture>, probe: &UseStateHandle<Option<CrossHair>>) -> Callback<KeyboardEvent> {
    let (picture, probe) = (picture.clone(), probe.clone());
    Callback::from(move |event: KeyboardEvent| {
        let Some(next) = picture.after_key(&event.key(), probe.as_ref()) else { return };
        if next.is_some() || event.key() != "Escape" {
            event.prevent_default();
        }
        probe.set(next);
    })
}

/// Saves the chart as a file of this kind.
fn save(kind: &'static str, props: &ChartProps, look: &ChartLook, picture: &Rc<Picture>) -> Callback<MouseEvent> {
    let (chart, look, picture, origin) = (props.chart.clone(), look.clone(), picture.clone(), props.origin.clone());
    keys::ignoring::<MouseEvent>(move || {
        let name = format!("lockstep-{}.{kind}", chart.id);
        match kind {
            "svg" => files::save(&name, "image/svg+xml", &picture.svg(false)),
            "png" => files::save_png(name, &picture.svg(false), picture.width, picture.height),
            "csv" => files::save(&name, "text/csv", &chart.csv()),
            _ => {
                let origin: serde_json::Value = serde_json::from_str(&origin).unwrap_or_default();
                let text = serde_json::json!({ "origin": origin, "chart": look.applied(&chart) }).to_string();
                files::save(&name, "application/json", &text);
            }
        }
    })
}

/// A switch for each measured series.
fn switches(chart: &Chart, look: &UseStateHandle<ChartLook>) -> Vec<Html> {
    let switch = |SeriesSwitch { label, style, on }: SeriesSwitch| {
        let (look, name) = (look.clone(), label.clone());
        let toggle = move |_: MouseEvent| {
            let mut next = (*look).clone();
            next.toggle(&name);
            look.set(next);
        };
        html! { <button key={label.clone()} type="button" class={format!("series-switch s{style}")} aria-pressed={on.to_string()} onclick={toggle}>{ label }</button> }
    };
    look.switches(chart).into_iter().map(switch).collect()
}

/// The chart's values as a table.
fn table(chart: &Chart, shown: bool) -> Html {
    let table = chart.table();
    html! {
        <div class="chart-table" hidden={!shown} tabindex="0">
            <table>
                <thead><tr>{ for table.columns.iter().map(|c| html! { <th key={c.clone()} scope="col">{ c }</th> }) }</tr></thead>
                <tbody>{ for table.rows.iter().take(if shown { 2000 } else { 0 }).enumerate().map(|(i, row)| html! {
                    <tr key={i}>{ for row.iter().enumerate().map(|(j, c)| html! { <td key={j}>{ c }</td> }) }</tr>
                }) }</tbody>
            </table>
        </div>
    }
}
