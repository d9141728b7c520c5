// A log of a token that goes around: each node requests, receives the token, enters, leaves and
// sends it on. The same lines as in crates/trace/benches/judge.rs, where it has 10 nodes.

/** Native lines of `turns` entries of `nodes` nodes: five events for each. */
export function ring(turns, nodes = 10) {
  const lines = ['{"lockstep":"log","version":1}'];
  for (let turn = 0; turn < turns; turn += 1) {
    const [node, next, before] = [turn % nodes, (turn + 1) % nodes, (turn + nodes - 1) % nodes];
    lines.push(`{"node":"n${node}","event":"request"}`);
    if (turn > 0) lines.push(`{"node":"n${node}","event":"recv","from":"n${before}","kind":"token"}`);
    lines.push(`{"node":"n${node}","event":"enter"}`, `{"node":"n${node}","event":"exit"}`, `{"node":"n${node}","event":"send","to":"n${next}","kind":"token"}`);
  }
  return `${lines.join('\n')}\n`;
}
