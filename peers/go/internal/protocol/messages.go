package protocol

import (
	"encoding/json"
	"fmt"

	"scoville/peer/internal/actor"
)

// request is what the laboratory sends: run, bye or stop.
type request struct {
	Type          string
	Benchmark     string
	Parameters    map[string]json.RawMessage
	CountMessages flag
}

// UnmarshalJSON implements [json.Unmarshaler]. The fields of a struct would be found in upper case, too; in the protocol
// those are unknown fields.
func (r *request) UnmarshalJSON(text []byte) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	for name, field := range map[string]any{
		"type": &r.Type, "benchmark": &r.Benchmark, "parameters": &r.Parameters, "count_messages": &r.CountMessages,
	} {
		if value, ok := given[name]; ok {
			if err := json.Unmarshal(value, field); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// flag is true or false; for a bool encoding/json would take null as well, which says neither.
type flag bool

// UnmarshalJSON implements [json.Unmarshaler].
func (f *flag) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "true":
		*f = true
	case "false":
		*f = false
	default:
		return fmt.Errorf("%s is neither true nor false", text)
	}
	return nil
}

type hello struct {
	Type         string            `json:"type"`
	Protocol     int               `json:"protocol"`
	Runtime      string            `json:"runtime"`
	Version      string            `json:"version"`
	Language     string            `json:"language"`
	Workers      int               `json:"workers"`
	GC           string            `json:"gc"`
	Capabilities []string          `json:"capabilities"`
	Labels       map[string]string `json:"labels"`
	Benchmarks   []string          `json:"benchmarks"`
}

// signal is a message that is nothing but its type: begin and bye.
type signal struct {
	Type string `json:"type"`
}

type end struct {
	Type     string             `json:"type"`
	WallNS   int64              `json:"wall_ns"`
	Result   any                `json:"result"`
	Checks   map[string]any     `json:"checks"`
	Metrics  map[string]any     `json:"metrics,omitempty"`
	PerActor map[string][]int64 `json:"per_actor,omitempty"`
	Work     *actor.Work        `json:"work,omitempty"`
	GC       gcDelta            `json:"gc"`
}

type fail struct {
	Type    string `json:"type"`
	Code    string `json:"code"`
	Message string `json:"message"`
}
