//! placeholder
use super::*;
pub const STUDY: Study = Study {
    id: "hierarchical",
    title: "",
    source: "",
    about: "",
    notes: &[],
    switches: &[],
    experiments: |_| Vec::new(),
    questions: no_questions,
    observe: nothing,
    charts: |_| Vec::new(),
    claims: |_| Vec::new(),
};
