//! The nodes of a system: how many, their threads, names, initial tree, clusters and cells.

use crate::{Bound, Resolver, Use, grouped, node, quoted};
use lockstep_kernel::{NodeId, Setup, Topology};

/// The initial tree that a topology names, and the sizes of its clusters: `clusters:3x3` is a star
/// in three clusters of three nodes.
fn named_topology(name: &str) -> Option<(Topology, Vec<usize>)> {
    if let Some(topology) = Topology::named(name) {
        return Some((topology, Vec::new()));
    }
    let (count, size) = name.strip_prefix("clusters:")?.split_once('x')?;
    let (count, size): (usize, usize) = (count.parse().ok()?, size.parse().ok()?);
    let fits = count >= 1 && size >= 1 && count.checked_mul(size).is_some_and(|n| n <= 1_000_000);
    fits.then(|| (Topology::Star, vec![size; count]))
}

impl Resolver<'_> {
    /// Topology, clusters of given sizes, and the number of nodes, which they may give.
    pub(crate) fn nodes(&mut self) {
        let expected = "chain, star, binary-tree, ring, full or clusters:3x3";
        let mut named = self.read("topology", expected, named_topology);
        if let Some(sizes) = self.cluster_sizes() {
            if named.is_some_and(|(_, sizes)| !sizes.is_empty()) {
                self.note("clusters", "not allowed where the topology has clusters; expected one of them.");
            }
            named = Some((Topology::Star, sizes));
        }
        let sum: usize = named.iter().flat_map(|(_, sizes)| sizes).sum();
        let nodes = match (sum, self.spec.nodes.is_some()) {
            (1.., false) => Some(sum),
            (_, false) if named.is_none() && self.text("nodes").is_none() => None,
            _ => self.some_whole("nodes").map(|nodes| nodes as usize),
        };
        let (Some(nodes), Some((topology, sizes))) = (nodes, named) else { return };
        if sum > 0 && sum != nodes {
            return self.note("nodes", format!("{nodes} is not allowed; expected {sum} as the clusters have."));
        }
        if nodes as f64 > self.limits.most("nodes") {
            let expected = self.limits.bound("nodes").map_or(String::new(), Bound::words);
            return self.note("topology", format!("{nodes} nodes are not allowed; expected {expected}."));
        }
        let mut setup = Setup::new(nodes, 1, topology);
        if sum > 0 {
            setup.clusters = (0..).zip(&sizes).flat_map(|(cluster, size)| vec![cluster; *size]).collect();
        }
        self.setup = Setup { params: std::mem::take(&mut self.setup.params), ..setup };
        self.sized = true;
    }

    /// Clusters of these sizes, as `2+1+1`.
    fn cluster_sizes(&mut self) -> Option<Vec<usize>> {
        let text = self.spec.clusters.as_deref()?;
        if self.limits.of == Use::Play && !text.contains('+') {
            return None;
        }
        let most = self.limits.most("nodes");
        let fine = |size: &usize| (1.0..=most).contains(&(*size as f64));
        let sizes = |text: &str| text.split('+').map(|size| size.trim().parse().ok().filter(fine)).collect();
        self.read("clusters", "the sizes of clusters, as 2+1+1", sizes)
    }

    pub(crate) fn threads(&mut self) {
        let text = self.text("threads").unwrap_or("1");
        let Some(counts) = split(text).map(|n| n.trim().parse::<u32>().ok()).collect::<Option<Vec<u32>>>() else {
            let bound = self.limits.bound("threads").map_or(String::new(), |b| b.words());
            return self.wrong("threads", format!("a whole number from {bound}, or one for each node"));
        };
        let most = self.limits.most("threads");
        if counts.iter().any(|n| f64::from(*n) > most) || counts == [0] {
            let expected = format!("1 to {}, or one number for each node", grouped(most));
            return self.wrong("threads", expected);
        }
        match counts.as_slice() {
            [all] => self.setup.threads = vec![*all; self.setup.nodes()],
            _ if !self.sized => {}
            _ if counts.len() == self.setup.nodes() && self.limits.of == Use::Play => self.setup.threads = counts,
            _ => self.wrong("threads", self.each(counts.len())),
        }
    }

    /// What is expected of a list that must have an item for each node.
    fn each(&self, given: usize) -> String {
        format!("one for each of {} nodes, not {given}", self.setup.nodes())
    }

    pub(crate) fn names(&mut self) {
        let Some(text) = self.spec.names.as_deref() else { return };
        let names: Vec<String> = split(text).map(str::to_owned).collect();
        let fine = |c: char| c.is_alphanumeric() || c == '_';
        for (i, name) in names.iter().enumerate() {
            if name.is_empty() || name.chars().count() > 24 || !name.chars().all(fine) {
                self.note("names", format!("{} is not allowed; expected 1 to 24 letters and digits.", quoted(name)));
            } else if names[..i].contains(name) {
                self.note("names", format!("{name} names two nodes; expected different names."));
            }
        }
        if !self.sized {
        } else if names.len() == self.setup.nodes() {
            self.setup.names = names;
        } else {
            self.wrong("names", self.each(names.len()));
        }
    }

    /// A node of the system; an unknown name is a problem of the field.
    fn find(&mut self, field: &str, name: &str) -> Option<NodeId> {
        node(&self.setup, name).map_err(|why| self.note(field, why)).ok()
    }

    /// A number up to `most` for each node, as links write it: `1.1.2`.
    fn numbers(&mut self, name: &str, most: usize, what: &str) -> Vec<u32> {
        let nodes = self.setup.nodes();
        let numbers = self.read(name, &format!("{what} of each of {nodes} nodes"), |text| {
            let fits = |n: &u32| *n as usize <= most;
            let numbers: Option<Vec<u32>> = text.split('.').map(|n| n.parse().ok().filter(fits)).collect();
            numbers.filter(|numbers| numbers.len() == nodes)
        });
        numbers.unwrap_or_else(|| vec![0; nodes])
    }

    /// The initial tree: `p2=p1,p3=p1`, or in links the number of each node's parent.
    pub(crate) fn parents(&mut self) {
        let Some(text) = self.spec.parents.as_deref().filter(|_| self.sized) else { return };
        let before = self.problems.len();
        if text.starts_with(|c: char| c.is_ascii_digit()) && !text.contains('=') {
            let numbers = self.numbers("parents", self.setup.nodes(), "the number of the parent");
            self.setup.parents = numbers.iter().map(|n| NodeId(n.saturating_sub(1))).collect();
        } else {
            self.setup.parents = self.setup.ids().collect();
            for (child, parent) in text.split(',').filter_map(|pair| pair.split_once('=')) {
                if let (Some(child), Some(parent)) = (self.find("parents", child), self.find("parents", parent)) {
                    self.setup.parents[child.index()] = parent;
                }
            }
        }
        if self.problems.len() == before {
            self.check_parents();
        }
    }

    /// Parents must form one tree whose root points at itself.
    fn check_parents(&mut self) {
        let (setup, parents) = (&self.setup, &self.setup.parents);
        let roots: Vec<&str> = setup.ids().filter(|i| parents[i.index()] == *i).map(|i| setup.name(i)).collect();
        let circle = setup.ids().find(|start| {
            let mut at = *start;
            (0..setup.nodes()).for_each(|_| at = parents[at.index()]);
            parents[at.index()] != at
        });
        let message = match (roots.as_slice(), circle) {
            ([_], None) => return,
            ([_], Some(start)) => {
                format!("the path from {} is a cycle; expected a path to the token holder.", setup.name(start))
            }
            ([], _) => "every node has a parent; expected one node without, which holds the token.".into(),
            (more, _) => {
                let some = more[..more.len().min(5)].join(", ");
                format!("{some} have no parent; expected exactly one such node, which holds the token.")
            }
        };
        self.note("parents", message);
    }

    /// The cluster of each node as `0.0.1`, or the nodes of each cluster as `p1,p2|p3`.
    pub(crate) fn clusters(&mut self) {
        let text = match self.spec.clusters.as_deref() {
            Some(text) if self.sized && self.limits.of == Use::Play && !text.contains('+') => text,
            _ => return,
        };
        if text.chars().all(|c| c.is_ascii_digit() || c == '.') {
            self.setup.clusters = self.numbers("clusters", self.limits.most("nodes") as usize, "the cluster");
            return;
        }
        let before = self.problems.len();
        let mut of: Vec<Option<u32>> = vec![None; self.setup.nodes()];
        for (cluster, list) in (0..).zip(text.split('|')) {
            for name in list.split(',').filter(|name| !name.is_empty()) {
                let Some(node) = self.find("clusters", name) else { continue };
                if of[node.index()].replace(cluster).is_some() {
                    self.note("clusters", format!("{} is in two clusters; expected one.", quoted(name)));
                }
            }
        }
        if let Some(missing) = of.iter().position(Option::is_none).filter(|_| self.problems.len() == before) {
            let name = &self.setup.names[missing];
            self.note("clusters", format!("{name} is in no cluster; expected a list of nodes for each cluster."));
        }
        self.setup.clusters = of.into_iter().map(|c| c.unwrap_or(0)).collect();
    }

    /// The node that holds each cell; the checker resolves `every` by itself.
    pub(crate) fn placement(&mut self) {
        let Some(text) = self.spec.placement.as_deref().filter(|_| self.sized) else { return };
        if text == "every" && self.limits.of == Use::Explore {
            return;
        }
        let found: Vec<NodeId> = split(text).filter_map(|name| self.find("placement", name.trim())).collect();
        let (given, cells) = (found.len(), usize::from(self.setup.cells));
        if given > cells || (given < cells && self.limits.of == Use::Explore) {
            self.wrong("placement", format!("a node for each cell: {cells}, not {given}"));
        }
        self.setup.placement = found;
    }
}

/// The items of a list: between commas, or between dots where there are none, as in links.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let comma = text.contains(',');
    text.split(move |c| if comma { c == ',' } else { c == '.' }).filter(|item| !item.is_empty())
}
