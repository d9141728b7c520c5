// Writes native Lockstep log lines: see docs/logs.md.
type Fields = Record<string, string | number | string[]>;

/** log("1", "send", { to: "2", kind: "reply" }) */
export function log(node: string, event: string, fields: Fields = {}): void {
  console.log(JSON.stringify({ node, event, ...fields }));
}

log("1", "request");
log("1", "enter");
log("1", "exit");
log("1", "send", { to: "2", kind: "token", id: 1 });
log("2", "recv", { from: "1", kind: "token", id: 1 });
log("2", "enter");
log("2", "exit");
