//! Whether every request can still be served: from every state some continuation must lead to one
//! in which every request has been served.

use super::graph::Graph;

/// The first state (hence one of least depth) from which no continuation serves every request.
pub fn doomed(graph: &Graph) -> Option<u32> {
    let n = graph.len();
    let mut incoming = vec![0u32; n + 1];
    for state in 0..n as u32 {
        for target in graph.successors(state) {
            incoming[*target as usize + 1] += 1;
        }
    }
    for i in 0..n {
        incoming[i + 1] += incoming[i];
    }
    let mut sources = vec![0u32; graph.transitions()];
    let mut fill = incoming.clone();
    for state in 0..n as u32 {
        for target in graph.successors(state) {
            let slot = &mut fill[*target as usize];
            sources[*slot as usize] = state;
            *slot += 1;
        }
    }
    let mut good = vec![false; n];
    let mut stack: Vec<u32> = (0..n as u32).filter(|s| graph.is_done(*s)).collect();
    for state in &stack {
        good[*state as usize] = true;
    }
    while let Some(state) = stack.pop() {
        let range = incoming[state as usize] as usize..incoming[state as usize + 1] as usize;
        for source in &sources[range] {
            if !std::mem::replace(&mut good[*source as usize], true) {
                stack.push(*source);
            }
        }
    }
    good.iter().position(|g| !g).map(|i| i as u32)
}
