//! Studies: every one runs, every claim gets a verdict, verdicts follow the data, limits agree with
//! theory.

use lockstep_lab::study::{
    ALL, ClaimVerdict, Data, NOT_MEASURED, Proof, Settings, Study, StudySize, find, prove, refused_locally,
    refused_remotely,
};
use lockstep_lab::{Record, record};
use std::collections::BTreeMap;

fn settings(study: &Study, size: StudySize) -> Settings {
    study.settings(size, 1, &BTreeMap::new()).unwrap()
}

/// Everything that a study asks for; explorations are answered as told.
fn data(study: &Study, size: StudySize, proofs: Option<bool>) -> Data {
    let settings = settings(study, size);
    let points = study.points(&settings).unwrap();
    let questions = (study.questions)(&settings);
    let proof = |holds: bool| Proof { holds, found: "said so".into(), link: None };
    let proofs = proofs.map_or_else(BTreeMap::new, |h| questions.iter().map(|q| (q.id.to_owned(), proof(h))).collect());
    let observed = (study.observe)(&settings);
    let measured = points.into_iter().map(|p| (p.clone(), record(&p.job).unwrap())).collect();
    Data { settings, measured, proofs, observed }
}

fn verdicts(study: &Study, data: &Data) -> Vec<(String, ClaimVerdict)> {
    study.report(data).claims.into_iter().map(|c| (c.id, c.verdict)).collect()
}

#[test]
fn every_study_runs_and_every_claim_has_a_verdict() {
    for study in ALL {
        let data = data(study, StudySize::Tiny, Some(true));
        let report = study.report(&data);
        assert!(report.claims.len() >= 5 && report.charts.len() >= 2, "{}", study.id);
        let mut ids = std::collections::BTreeSet::new();
        for claim in &report.claims {
            assert!(ids.insert(&claim.id), "{} has claim {} twice", study.id, claim.id);
            assert!(!claim.statement.is_empty() && !claim.how.is_empty() && !claim.region.is_empty(), "{claim:?}");
            let known = |s: &String| study.switches.iter().any(|w| w.name == s);
            assert!(claim.switches.iter().all(known), "{} {}: {:?}", study.id, claim.id, claim.switches);
            if claim.verdict != ClaimVerdict::Undecided {
                assert_ne!(claim.region, NOT_MEASURED, "{claim:?}");
            }
        }
        for chart in &report.charts {
            let svg = lockstep_chart::draw(chart, 960.0).svg(false);
            assert!(svg.contains("<desc>") && !svg.contains("NaN"), "{} {}", study.id, chart.id);
            assert!(
                chart.panels.iter().all(|p| p.series.iter().any(|s| !s.points.is_empty())),
                "{} {}",
                study.id,
                chart.id
            );
        }
        assert!(data.measured.iter().all(|(_, r)| r.violations == 0), "{}", study.id);
    }
}

#[test]
fn nothing_measured_is_nothing_decided() {
    for study in ALL {
        let settings = settings(study, StudySize::Tiny);
        let empty = Data { settings, measured: Vec::new(), proofs: BTreeMap::new(), observed: BTreeMap::new() };
        for (id, verdict) in verdicts(study, &empty) {
            assert_eq!(verdict, ClaimVerdict::Undecided, "{} {id}", study.id);
        }
    }
}

/// The alien study's claims by number, at reduced size.
fn alien() -> (&'static Study, Data) {
    let study = find("alien").unwrap();
    (study, data(study, StudySize::Quick, Some(true)))
}

fn verdict(study: &Study, data: &Data, id: &str) -> ClaimVerdict {
    verdicts(study, data).into_iter().find(|(i, _)| i == id).unwrap().1
}

#[test]
fn verdicts_flip_when_data_are_tampered_with() {
    let (study, honest) = alien();
    let on = |algorithm: &'static str, change: fn(&mut Record)| {
        let mut data = honest.clone();
        data.measured.iter_mut().filter(|(p, _)| p.on("algorithm") == algorithm).for_each(|(_, r)| change(r));
        data
    };
    let costly = |r: &mut Record| r.summary.messages_per_entry.mean *= 10.0;
    let slow = |r: &mut Record| r.summary.waiting.mean *= 10.0;
    for (id, before, tampered, after) in [
        ("5", ClaimVerdict::Agrees, on("v2", costly), ClaimVerdict::Differs),
        ("6", ClaimVerdict::Agrees, on("Mueller", costly), ClaimVerdict::Differs),
        ("7", ClaimVerdict::Agrees, on("v2", slow), ClaimVerdict::Differs),
        ("8", ClaimVerdict::Agrees, on("Mueller", slow), ClaimVerdict::Differs),
        (
            "12",
            ClaimVerdict::Agrees,
            on("Mueller", |r| r.summary.messages_per_entry.mean = 0.01),
            ClaimVerdict::Differs,
        ),
    ] {
        assert_eq!(verdict(study, &honest, id), before, "claim {id}");
        assert_eq!(verdict(study, &tampered, id), after, "claim {id}");
    }
    let mut shifted = honest.clone();
    shifted.observed.insert("v1 light tokens off the tree".into(), 1.0);
    assert_eq!(
        (verdict(study, &honest, "1"), verdict(study, &shifted, "1")),
        (ClaimVerdict::Agrees, ClaimVerdict::Differs)
    );
    let mut refuted = honest.clone();
    refuted.proofs.values_mut().for_each(|p| p.holds = false);
    assert_eq!(
        (verdict(study, &honest, "24"), verdict(study, &refuted, "24")),
        (ClaimVerdict::Agrees, ClaimVerdict::Differs)
    );
    // intervals that say nothing decide nothing
    let mut vague = honest;
    vague.measured.iter_mut().for_each(|(_, r)| r.summary.messages_per_entry.half_width = 1e6);
    assert_eq!(verdict(study, &vague, "5"), ClaimVerdict::Undecided);
}

#[test]
fn raymond_is_v1_without_piggybacking() {
    let (study, data) = alien();
    let claim = study.report(&data).claims.into_iter().find(|c| c.id == "4").unwrap();
    assert_eq!(claim.verdict, ClaimVerdict::HoldsOnly);
    assert_eq!(
        claim.region,
        "Contradicted for v1 with piggybacking. Supported for v1 without piggybacking, for every λ."
    );
}

#[test]
fn limits_agree_with_theory() {
    let (_, data) = alien();
    let at = |algorithm: &str, threads: &str, rate: &str| {
        let place = [("algorithm", algorithm), ("threads", threads), ("rate", rate)];
        data.one("limits", &place).unwrap().summary.clone()
    };
    let near = |what: &str, got: f64, theory: f64, part: f64| {
        assert!((got / theory - 1.0).abs() < part, "{what}: {got} instead of {theory}");
    };
    let h30: f64 = (1..=30).map(|k| 1.0 / f64::from(k)).sum();
    near("v1 alone", at("v1", "1", "0.001").messages_per_entry.mean, 2.0 * 4608.0 / 961.0, 0.02);
    near("v2 alone", at("v2", "1", "0.001").messages_per_entry.mean, 6.630, 0.02);
    near("Mueller alone", at("Mueller", "1", "0.001").messages_per_entry.mean, h30, 0.01);
    for variant in ["v1", "v2"] {
        let summary = at(variant, "10", "100.0");
        near(variant, summary.messages_per_entry.mean, 60.0 / 310.0, 0.01);
        near(variant, summary.entries / summary.virtual_time, 310.0 / (60.0 * 0.05 + 3.1), 0.02);
    }
}

#[test]
fn studies_are_reproducible_and_seeds_matter() {
    let study = find("wait-free").unwrap();
    let text = |seed| {
        let settings = study.settings(StudySize::Tiny, seed, &BTreeMap::new()).unwrap();
        let points = study.points(&settings).unwrap();
        points.iter().take(6).map(|p| record(&p.job).unwrap().line()).collect::<String>()
    };
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
}

#[test]
fn switches_are_checked_and_change_the_jobs() {
    let study = find("alien").unwrap();
    let with =
        |name: &str, value: &str| study.settings(StudySize::Tiny, 1, &[(name.to_owned(), value.to_owned())].into());
    let keys = |settings: &Settings| study.points(settings).unwrap().into_iter().map(|p| p.key).collect::<Vec<_>>();
    assert_ne!(keys(&with("reading", "c").unwrap()), keys(&with("reading", "a").unwrap()));
    assert!(with("reading", "z").unwrap_err()[0].contains("one of a, b, c"));
    assert!(with("speed", "1").unwrap_err()[0].contains("expected one of piggyback, reading, network"));
    assert!(
        find("nothing")
            .err()
            .unwrap()
            .contains("expected one of alien, notes, hierarchical, ranged, wait-free, beyond")
    );
}

#[test]
fn every_value_of_every_switch_makes_other_jobs() {
    for study in ALL {
        for switch in study.switches {
            let keys = |value: &&str| {
                let given = [(switch.name.to_owned(), (*value).to_owned())].into();
                let settings = study.settings(StudySize::Tiny, 1, &given).unwrap();
                study.points(&settings).unwrap().into_iter().map(|p| p.key).collect::<Vec<_>>()
            };
            let all: std::collections::BTreeSet<_> = switch.values.iter().map(keys).collect();
            assert_eq!(all.len(), switch.values.len(), "{}: {}", study.id, switch.name);
        }
    }
}

#[test]
fn every_study_at_full_size_is_a_valid_grid() {
    for study in ALL {
        for size in [StudySize::Full, StudySize::Quick] {
            assert!(study.points(&settings(study, size)).unwrap().len() > 20, "{}", study.id);
        }
    }
    assert_eq!(
        find("alien").unwrap().points(&settings(find("alien").unwrap(), StudySize::Full)).unwrap().len(),
        4 * 3 * 20 + 16 + 15 + 2 * 5
    );
}

#[test]
fn the_starvation_of_claim_8_is_found_and_can_be_played() {
    let study = find("hierarchical").unwrap();
    let questions = (study.questions)(&settings(study, StudySize::Tiny));
    let question = questions.iter().find(|q| q.id.contains("three hosts and one") && q.id.contains("printed")).unwrap();
    let entry = lockstep_algorithms::find(question.spec.algorithm.as_deref().unwrap()).unwrap();
    let proof = prove(question, entry).expect("the system is small enough");
    assert!(!proof.holds && proof.found.contains("no request starves"), "{}", proof.found);
    let link = proof.link.expect("a counterexample has a link");
    lockstep_scenario::link::Link::decode(&link).unwrap().open().unwrap();

    // one counterexample contradicts the whole claim; the repaired algorithm does not save it
    let mut data = data(study, StudySize::Tiny, Some(true));
    data.proofs.insert(question.id.into(), Proof { holds: false, found: "said so".into(), link: Some(link.clone()) });
    let claim = study.report(&data).claims.into_iter().find(|c| c.id == "8").unwrap();
    assert_eq!((claim.verdict, claim.link), (ClaimVerdict::Differs, Some(link)));
}

#[test]
fn table_1_of_the_cluster_paper_has_every_row_and_column() {
    let study = find("hierarchical").unwrap();
    let data = data(study, StudySize::Tiny, None);
    let report = study.report(&data);
    let table = report.tables.iter().find(|t| t.is_compared()).unwrap();
    assert_eq!((table.rows.len(), table.measures.len()), (12, 7));
    for row in &table.rows {
        let path = !["Centralized", "Broadcast"].contains(&row.keys[0].as_str());
        let filled: Vec<bool> = row.cells.iter().map(|c| c.published.is_some() && c.ours.is_some()).collect();
        assert_eq!(filled, [true, true, path, path, true, true, true], "{:?}", row.keys);
        if let (Some(mean), Some(total)) = (row.cells[2].ours, row.cells[3].ours) {
            assert!((mean.mean * 180.0 - total.mean).abs() < 1e-6, "mean × requests = total: {:?}", row.keys);
        }
    }
    let claim = |id: &str| report.claims.iter().find(|c| c.id == id).unwrap().published.clone();
    assert!(claim("6").contains("ε = 0: 6.037 s against 5.858 of Preempt"), "{}", claim("6"));
    assert!(claim("7").contains("ε = 1: 140 global messages against 124 of Preempt"), "{}", claim("7"));
}

#[test]
fn every_study_shows_its_longest_waits() {
    for study in ALL {
        let data = data(study, StudySize::Tiny, None);
        let report = study.report(&data);
        let rows: usize = report.tables.iter().filter(|t| t.id.starts_with("waits-")).map(|t| t.rows.len()).sum();
        assert_eq!(rows, data.measured.len(), "{}", study.id);
    }
}

/// A claim of a report.
fn claim(study: &Study, data: &Data, id: &str) -> lockstep_lab::study::StudyClaim {
    study.report(data).claims.into_iter().find(|c| c.id == id).unwrap()
}

#[test]
fn claims_without_exception_are_contradicted_where_one_point_contradicts_them() {
    let (study, data) = alien();
    // v2 needs fewer messages at light load and as many at high load
    let all_aspects = claim(study, &data, "20");
    assert_eq!(all_aspects.verdict, ClaimVerdict::Differs);
    assert!(all_aspects.region.contains("but true "), "{}", all_aspects.region);

    // at low load the classical algorithms are faster than those for clusters
    let study = find("hierarchical").unwrap();
    let data = self::data(study, StudySize::Quick, None);
    let waits = |name: &str, ratio: &str| {
        data.one("ratio", &[("algorithm", name), ("α/β", ratio)]).unwrap().summary.waiting.mean
    };
    let fastest = ["Naimi–Tréhel", "Centralized", "Broadcast"].map(|n| waits(n, "1/32")).into_iter().reduce(f64::min);
    let slowest = ["Proxy", "Preempt ε = 0", "PreemptAggregation ε = 0"].map(|n| waits(n, "1/32"));
    assert!(fastest < slowest.into_iter().reduce(f64::max), "{fastest:?} {slowest:?}");
    let beats = claim(study, &data, "4");
    assert_eq!(beats.verdict, ClaimVerdict::Differs, "{}", beats.region);
    assert!(beats.region.contains("Contradicted"), "{}", beats.region);
    assert!(beats.ours.contains("at α/β = 1/32: ") && beats.published.contains("Broadcast "), "{beats:?}");
    let saves = claim(study, &data, "7");
    assert!(saves.how.contains("between clusters") && saves.ours.contains("between clusters"), "{saves:?}");
}

#[test]
fn claims_about_a_printed_algorithm_are_judged_on_it_and_link_their_counterexample() {
    for (study, id, printed) in [
        ("alien", "24", "printed v1"),
        ("notes", "10", "ring as printed"),
        ("ranged", "8", "as printed, not in use"),
        ("wait-free", "1", "as printed"),
        ("wait-free", "4", "Theorem 1 as printed"),
    ] {
        let study = find(study).unwrap();
        let settings = settings(study, StudySize::Tiny);
        let questions = (study.questions)(&settings);
        let proof = |refuted: bool| Proof {
            holds: !refuted,
            found: "said so".into(),
            link: refuted.then(|| "a counterexample".to_owned()),
        };
        let answered = |refuted: &str| {
            let proofs = questions.iter().map(|q| (q.id.to_owned(), proof(q.id == refuted))).collect();
            let data = Data { settings: settings.clone(), measured: Vec::new(), proofs, observed: BTreeMap::new() };
            claim(study, &data, id)
        };
        let contradicted = answered(printed);
        assert_eq!(contradicted.verdict, ClaimVerdict::Differs, "{} {id}", study.id);
        assert_eq!(contradicted.link.as_deref(), Some("a counterexample"), "{} {id}", study.id);
        // the repaired algorithm neither saves the claim nor contradicts it
        for repaired in questions.iter().filter(|q| q.id.contains("repaired")) {
            assert_eq!(answered(repaired.id).verdict, ClaimVerdict::Agrees, "{} {id}", study.id);
        }
    }
}

#[test]
fn theorem_1_is_judged_as_the_theorem_that_it_is() {
    let study = find("wait-free").unwrap();
    let questions = (study.questions)(&settings(study, StudySize::Tiny));
    let proof = |id: &str| {
        let question = questions.iter().find(|q| q.id == id).unwrap();
        let entry = lockstep_algorithms::find(question.spec.algorithm.as_deref().unwrap()).unwrap();
        prove(question, entry).expect("the system is small enough")
    };
    for id in ["Theorem 1 as printed", "Theorem 1 as printed, an exit's ok of its own kind"] {
        let proof = proof(id);
        assert!(!proof.holds && proof.found.contains("no second try under one holder"), "{id}: {}", proof.found);
        let link = proof.link.expect("a counterexample has a link");
        lockstep_scenario::link::Link::decode(&link).unwrap().open().unwrap();
    }
    assert!(proof("Theorem 1 repaired").holds);
    // with an acknowledgement of its own kind none is let in by mistake: only the theorem is false
    assert!(proof("as printed, an exit's ok of its own kind").holds);
}

#[test]
fn the_panels_of_the_load_study_name_their_figures() {
    let study = find("alien").unwrap();
    let report = study.report(&data(study, StudySize::Tiny, None));
    let titles: Vec<&str> = report.charts[0].panels.iter().map(|p| p.title.as_str()).collect();
    assert_eq!(titles, ["Figure 3: T = 1", "Figure 4: T = 5", "Figure 5: T = 10"]);
    // the limit of v1 and v2 is drawn in their colours, never in Raymond's
    for panel in &report.charts[0].panels {
        let raymond = panel.series.iter().find(|s| s.label == "Raymond").unwrap().style;
        let theory = panel.series.iter().filter(|s| s.source == lockstep_chart::Source::Theory);
        assert!(theory.clone().count() >= 2 && theory.clone().all(|s| s.style != raymond));
    }
}

#[test]
fn the_size_at_which_v2_loses_to_v1_is_found() {
    let (study, data) = alien();
    let sizes = claim(study, &data, "5n");
    assert_eq!(sizes.verdict, ClaimVerdict::Differs);
    assert_eq!(sizes.region, "Contradicted with 511 nodes, but true up to 255 nodes.");
}

#[test]
fn refusals_by_the_register_and_by_the_own_front_end_are_counted_apart() {
    let study = find("wait-free").unwrap();
    let data = data(study, StudySize::Tiny, Some(true));
    let at = |name: &str| {
        let place = [("algorithm", name), ("nodes", "8"), ("section", "10")];
        data.one("contention", &place).unwrap()
    };
    for name in ["WDME", "WDME as printed", "polling"] {
        let record = at(name);
        let all = record.summary.refused / record.summary.entries;
        let apart = refused_remotely(record).mean + refused_locally(record).mean;
        assert!((all - apart).abs() < 0.05 * all, "{name}: {all} are {apart}");
    }
    // every refusal of polling costs messages; those of WDME hardly ever do under a long holder
    assert!(refused_locally(at("polling")).mean < 0.01 * refused_remotely(at("polling")).mean);
    assert!(refused_locally(at("WDME")).mean > 10.0 * refused_remotely(at("WDME")).mean);
    assert_eq!(claim(study, &data, "7").verdict, ClaimVerdict::Agrees);
}

#[test]
fn a_record_holds_all_parameters_and_earlier_records_are_read() {
    let study = find("wait-free").unwrap();
    let point = study.points(&settings(study, StudySize::Tiny)).unwrap().remove(0);
    let record = record(&point.job).unwrap();
    let line = record.line();
    let document: serde_json::Value = serde_json::from_str(&line).unwrap();
    for name in ["topology", "delay", "section", "think", "network", "seed", "params", "warmup"] {
        assert!(document["job"].get(name).is_some(), "{name}: {line}");
    }
    let read: Record = serde_json::from_str(&line).unwrap();
    assert_eq!((read.line(), &read.job), (line, &record.job));
    assert_eq!(record.job, Some(point.job));
    // a record without its job, as earlier versions wrote it
    let mut earlier = document;
    earlier.as_object_mut().unwrap().retain(|name, _| name != "job" && name != "checksum");
    let earlier: Record = serde_json::from_value(earlier).unwrap();
    assert_eq!((earlier.key, earlier.job), (record.key, None));
}

/// Waits for partial locks of SWQ on so many cells.
fn swq_waits(cells: u64) -> lockstep_lab::Mean {
    let study = find("ranged").unwrap();
    let points = study.points(&settings(study, StudySize::Tiny)).unwrap();
    let at = |p: &&lockstep_lab::GridPoint| {
        (p.on("algorithm"), p.on("range"), p.on("α"), p.on("nodes")) == ("SWQ strict", "1/16", "1", "6")
    };
    let job = points.iter().find(at).unwrap().job.clone();
    let spec = |s: lockstep_spec::Spec| {
        let bandwidth = cells as f64 * 95_700.0 / 65_536.0;
        s.cells(cells).bandwidth(bandwidth).nodes(12).replications(24)
    };
    let summary = record(&job.with(spec)).unwrap().summary;
    lockstep_lab::Mean { mean: summary.waiting.mean, half_width: summary.waiting.half_width }
}

#[test]
fn twice_as_many_cells_change_nothing_beyond_the_interval() {
    let (coarse, used, twice) = (swq_waits(64), swq_waits(1024), swq_waits(2048));
    let width = |a: lockstep_lab::Mean, b: lockstep_lab::Mean| {
        (a.half_width * a.half_width + b.half_width * b.half_width).sqrt()
    };
    assert!((used.mean - twice.mean).abs() <= width(used, twice), "{used:?} {twice:?}");
    assert!(used.mean - coarse.mean > width(used, coarse), "64 cells are too few: {coarse:?} {used:?}");
}

#[test]
fn the_ranged_study_has_both_orders_and_shows_the_unlucky() {
    let study = find("ranged").unwrap();
    let data = data(study, StudySize::Tiny, Some(true));
    let fifth = claim(study, &data, "5");
    assert!(fifth.ours.contains("central greedy"), "{}", fifth.ours);
    let waits = claim(study, &data, "11");
    assert!(waits.ours.contains("99 of 100") && waits.ours.contains("worst"), "{}", waits.ours);
    assert_ne!(waits.verdict, ClaimVerdict::Undecided, "{}", waits.region);
}
