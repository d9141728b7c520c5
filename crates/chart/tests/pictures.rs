//! Pictures of charts: two golden ones, and what must hold of any.

use lockstep_chart::{Chart, ChartAxis, ChartPoint, ChartSeries, ChartShape, Panel, Source, draw};

fn line(label: &str, style: usize, source: Source, of: impl Fn(f64) -> f64) -> ChartSeries {
    let points = (1..=20).map(|i| {
        let x = f64::from(i) * 0.05;
        let half_width = if source == Source::Measured { 0.03 * of(x) } else { 0.0 };
        let key = (source == Source::Measured).then(|| format!("{label} {i}"));
        ChartPoint { x, y: of(x), half_width, key }
    });
    ChartSeries { label: label.into(), style, source, points: points.collect(), hidden: false }
}

/// Three panels, few series: labels beside the lines.
fn multiples() -> Chart {
    let panel = |threads: f64| Panel {
        title: format!("T = {threads}"),
        series: vec![
            line("one & only", 0, Source::Measured, |x| 9.6 / (1.0 + threads * x)),
            line("two", 1, Source::Measured, |x| 6.6 / (1.0 + threads * x)),
            line("limit", 4, Source::Theory, |_| 60.0 / 31.0 / threads),
            ChartSeries {
                label: "published".into(),
                style: 2,
                source: Source::Published,
                points: vec![ChartPoint::exact(0.2, 5.0), ChartPoint::exact(0.8, 3.0)],
                hidden: false,
            },
        ],
    };
    Chart {
        id: "multiples".into(),
        title: "Messages per entry over load".into(),
        description: "Three panels of falling lines.".into(),
        note: "31 nodes, 100,000 entries each; bands are 95 % intervals of the mean from 32 parts of one run. This sentence is here to be broken into two lines, as long notes are.".into(),
        x: ChartAxis { label: "requests per time unit at each node".into(), ..ChartAxis::default() },
        y: ChartAxis { label: "messages per entry".into(), ..ChartAxis::default() },
        panels: [1.0, 5.0, 10.0].map(panel).to_vec(),
    }
}

/// One panel, many series, logarithmic axes: a legend.
fn many() -> Chart {
    let series = (0..9).map(|i| line(&format!("series {i}"), i, Source::Measured, |x| 10.0 * x * f64::from(1 << i)));
    let mut series: Vec<ChartSeries> = series.collect();
    series[3].hidden = true;
    Chart {
        id: "many".into(),
        title: "Many series".into(),
        x: ChartAxis { label: "load".into(), log: true, ..ChartAxis::default() },
        y: ChartAxis { label: "waiting".into(), log: true, ..ChartAxis::default() },
        panels: vec![Panel { title: String::new(), series }],
        ..Chart::default()
    }
}

#[test]
fn a_single_point_far_from_its_name_has_no_leader() {
    let single = |x: f64| ChartSeries {
        label: "alone".into(),
        style: 3,
        source: Source::Measured,
        points: vec![ChartPoint::exact(x, 5.0)],
        hidden: false,
    };
    let shapes = |x: f64| {
        let mut chart = multiples();
        chart.panels[2].series = vec![line("one & only", 0, Source::Measured, |x| x), single(x)];
        draw(&chart, 960.0).shapes
    };
    let leaders = |shapes: &[ChartShape]| {
        shapes.iter().filter(|s| matches!(s, ChartShape::Path(class, _) if class.starts_with("leader s3"))).count()
    };
    let marks = |shapes: &[ChartShape]| {
        shapes.iter().filter(|s| matches!(s, ChartShape::Mark(class, ..) if class == "mark s3")).count()
    };
    let (far, near) = (shapes(0.2), shapes(1.0));
    assert_eq!((leaders(&far), marks(&far)), (0, 2), "the mark stands beside the name");
    assert_eq!((leaders(&near), marks(&near)), (1, 1));
}

#[test]
fn golden_multiples() {
    insta::assert_snapshot!(draw(&multiples(), 960.0).svg(false));
}

#[test]
fn golden_many() {
    insta::assert_snapshot!(draw(&many(), 720.0).svg(true));
}

#[test]
fn labels_stand_apart_and_a_legend_replaces_them() {
    let placed = |chart: &Chart| -> Vec<(String, (f64, f64))> {
        let shapes = draw(chart, 960.0).shapes;
        let text = |s: ChartShape| if let ChartShape::Text(class, at, ..) = s { Some((class, at)) } else { None };
        shapes.into_iter().filter_map(text).collect()
    };
    let mut labels: Vec<f64> =
        placed(&multiples()).iter().filter(|t| t.0.starts_with("label")).map(|t| t.1.1).collect();
    labels.sort_by(f64::total_cmp);
    assert_eq!(labels.len(), 4);
    assert!(labels.windows(2).all(|w| w[1] - w[0] > 17.9), "{labels:?}");
    assert!(!placed(&many()).iter().any(|t| t.0.starts_with("label")));
    assert_eq!(placed(&many()).iter().filter(|t| t.0.starts_with("key")).count(), 9);
}

#[test]
fn everything_lies_within_the_picture() {
    for chart in [multiples(), many(), Chart::default()] {
        for width in [360.0, 720.0, 1200.0] {
            let picture = draw(&chart, width);
            let inside = |(x, y): (f64, f64)| (0.0..=width).contains(&x) && (0.0..=picture.height).contains(&y);
            for shape in &picture.shapes {
                let fine = match shape {
                    ChartShape::Line(_, [a, b, c, d]) => inside((*a, *b)) && inside((*c, *d)),
                    ChartShape::Path(_, list) | ChartShape::Area(_, list) => list.iter().all(|p| inside(*p)),
                    ChartShape::Mark(_, _, at, _) | ChartShape::Text(_, at, ..) => inside(*at),
                    ChartShape::Rect(_, [x, y, w, h]) => inside((*x, *y)) && inside((x + w, y + h)),
                };
                assert!(fine, "{width}: {shape:?}");
            }
        }
    }
}

#[test]
fn the_cross_hair_finds_exact_values() {
    let picture = draw(&multiples(), 960.0);
    let frame = &picture.frames[1];
    let x = frame.x.place(0.2).unwrap();
    let probe = picture.probe(x + 2.0, frame.y.start - 50.0).unwrap();
    assert_eq!((probe.panel, probe.hits.len()), (1, 4));
    let two = probe.hits.iter().find(|h| h.label == "two").unwrap();
    assert_eq!(two.point.y, 6.6 / 2.0);
    assert!(probe.hits.windows(2).all(|w| w[0].at.1 <= w[1].at.1));
    // a click finds the record of the nearest point that has one, also beside a formula
    assert_eq!(probe.nearest_key(two.at.1 + 1.0), Some("two 4"));
    assert_eq!(picture.step(1, 0.25, 0).unwrap().nearest_key(two.at.1), Some("two 5"));
    let next = picture.step(1, probe.x, 1).unwrap();
    assert!((next.x - 0.25).abs() < 1e-12 && next.hits.len() == 3);
    assert_eq!(picture.step(1, 0.0, -5).unwrap().x, 0.05);
    assert_eq!(picture.probe(-50.0, 10.0), None);
    let hidden = draw(&many(), 720.0);
    let x = hidden.frames[0].x.place(0.5).unwrap();
    assert_eq!(hidden.probe(x, hidden.frames[0].y.end).unwrap().hits.len(), 8);
}

#[test]
fn empty_and_degenerate_charts_are_drawn() {
    let point = |y: f64| ChartSeries { points: vec![ChartPoint::exact(1.0, y)], ..ChartSeries::default() };
    for log in [false, true] {
        for y in [0.0, -1.0, 5.0, f64::NAN, f64::INFINITY] {
            let axis = ChartAxis { log, ..ChartAxis::default() };
            let panels = vec![Panel { title: "t".into(), series: vec![point(y)] }];
            let svg = draw(&Chart { x: axis.clone(), y: axis, panels, ..Chart::default() }, 400.0).svg(false);
            assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{y}: {svg}");
        }
    }
}

#[test]
fn a_chart_is_a_table_and_csv() {
    let chart = multiples();
    let table = chart.table();
    assert_eq!((table.columns.len(), table.rows.len()), (6, 3 * (20 + 20 + 20 + 2)));
    let csv = chart.csv();
    assert!(csv.starts_with("panel,series,source,requests per time unit at each node,messages per entry,"), "{csv}");
    assert!(csv.contains("T = 1,published,published,0.2,5,\r\n"), "{csv}");
    let mut quoted = chart;
    quoted.panels[0].title = "a, \"b\"".into();
    assert!(quoted.csv().contains("\"a, \"\"b\"\"\","));
}

#[test]
fn few_places_are_their_own_ticks() {
    let ticks = |xs: &[f64], log: bool| -> Vec<String> {
        let points = xs.iter().map(|x| ChartPoint::exact(*x, 1.0)).collect();
        let panels =
            vec![Panel { title: String::new(), series: vec![ChartSeries { points, ..ChartSeries::default() }] }];
        let chart = Chart { x: ChartAxis { log, ..ChartAxis::default() }, panels, ..Chart::default() };
        let picture = draw(&chart, 720.0);
        let bottom = picture.frames[0].y.start;
        let below = |s: &ChartShape| match s {
            ChartShape::Text(class, at, _, _, words) if class == "tick" && at.1 > bottom + 5.0 => Some(words.clone()),
            _ => None,
        };
        picture.shapes.iter().filter_map(below).collect()
    };
    assert_eq!(ticks(&[0.0, 1.0, 2.0, 3.0], false), ["0", "1", "2", "3"]);
    assert_eq!(ticks(&[7.0, 15.0, 31.0, 63.0], true), ["7", "15", "31", "63"]);
    // too close together
    assert_eq!(ticks(&[0.0, 0.001, 1.0], false), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
}

#[test]
fn a_series_of_zeros_has_no_band_on_a_logarithmic_axis() {
    let mut chart = multiples();
    chart.panels[2].series = vec![line("none", 0, Source::Measured, |_| 0.0)];
    let bands = |chart: &Chart| {
        draw(chart, 960.0).shapes.iter().filter(|s| matches!(s, ChartShape::Area(_, area) if area.is_empty())).count()
    };
    chart.y.log = true;
    assert_eq!(bands(&chart), 0);
}
