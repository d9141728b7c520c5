// Writes native Lockstep log lines: see docs/logs.md.
package main

import (
	"encoding/json"
	"os"
	"sync"
)

var (
	mu  sync.Mutex
	out = json.NewEncoder(os.Stdout)
)

// Fields are the details of an event: Fields{"to": "2", "kind": "reply"}.
type Fields map[string]any

// Log writes one event of a node.
func Log(node, event string, fields Fields) {
	line := Fields{"node": node, "event": event}
	for key, value := range fields {
		line[key] = value
	}
	mu.Lock()
	defer mu.Unlock()
	_ = out.Encode(line)
}

func main() {
	Log("1", "request", nil)
	Log("1", "enter", nil)
	Log("1", "exit", nil)
	Log("1", "send", Fields{"to": "2", "kind": "token", "id": 1})
	Log("2", "recv", Fields{"from": "1", "kind": "token", "id": 1})
	Log("2", "enter", nil)
	Log("2", "exit", nil)
}
