package protocol

import (
	"fmt"
	"math"
	"runtime/debug"
	"runtime/metrics"
)

// gcDelta is what the collector did during one iteration. The runtime brings cpu_ns up to date at the end of each of its
// cycles, so that a cycle that is under way counts for the iteration in which it ends.
type gcDelta struct {
	Collections    int64  `json:"collections"`
	PauseNS        int64  `json:"pause_ns"`
	CPUNS          int64  `json:"cpu_ns"`
	AllocatedBytes *int64 `json:"allocated_bytes"` // nil if too little was allocated for the runtime to tell
	Source         string `json:"source"`
}

// gcSnapshot holds the collector's counters since the process started.
type gcSnapshot struct {
	cycles, allocated uint64
	pauseNS           int64
	cpuSeconds        float64
}

func readGC() gcSnapshot {
	samples := []metrics.Sample{
		{Name: "/gc/cycles/total:gc-cycles"},
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/cpu/classes/gc/total:cpu-seconds"},
	}
	metrics.Read(samples)
	// runtime/metrics has the pauses only as a histogram; their exact sum is in runtime/debug.
	var stats debug.GCStats
	debug.ReadGCStats(&stats)
	return gcSnapshot{
		cycles:     samples[0].Value.Uint64(),
		allocated:  samples[1].Value.Uint64(),
		pauseNS:    stats.PauseTotal.Nanoseconds(),
		cpuSeconds: samples[2].Value.Float64(),
	}
}

func (s gcSnapshot) since(before gcSnapshot) gcDelta {
	// The runtime counts allocations when a span of small objects is full.
	var allocated *int64
	if bytes := int64(s.allocated - before.allocated); bytes > 0 {
		allocated = &bytes
	}
	return gcDelta{
		Collections:    int64(s.cycles - before.cycles),
		PauseNS:        s.pauseNS - before.pauseNS,
		CPUNS:          int64(math.Round((s.cpuSeconds - before.cpuSeconds) * 1e9)),
		AllocatedBytes: allocated,
		Source:         "runtime/metrics, runtime/debug",
	}
}

// describeGC names the collector and its settings.
func describeGC() string {
	samples := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(samples)
	text := "concurrent mark-sweep, GOGC=off"
	if percent := samples[0].Value.Uint64(); percent != math.MaxUint64 {
		text = fmt.Sprintf("concurrent mark-sweep, GOGC=%d", percent)
	}
	if limit := samples[1].Value.Uint64(); limit != math.MaxInt64 {
		text += fmt.Sprintf(", GOMEMLIMIT=%d", limit)
	}
	return text
}
