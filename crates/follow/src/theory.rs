//! Messages per entry by theory, beside what a log shows.

/// What theory says about messages per entry, if it says something simple.
pub fn messages(algorithm: &str, nodes: usize) -> Option<String> {
    let others = nodes.saturating_sub(1);
    match algorithm.trim_end_matches("-printed") {
        "ricart-agrawala" => Some(format!("2(N − 1) = {}", 2 * others)),
        "lamport" => Some(format!("3(N − 1) = {}", 3 * others)),
        "carvalho-roucairol" => Some(format!("0 to 2(N − 1) = {}", 2 * others)),
        "suzuki-kasami" => Some(format!("0 or N = {nodes}")),
        "central-server" | "central-range" => Some("3".to_owned()),
        "token-ring" => Some("1 or more".to_owned()),
        "raymond" | "naimi-trehel" | "alien" | "neilsen-mizuno" => Some("O(log N) on average".to_owned()),
        "maekawa" => Some("3√N to 5√N".to_owned()),
        _ => None,
    }
}
