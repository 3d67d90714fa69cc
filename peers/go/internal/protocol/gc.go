package protocol

import (
	"fmt"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
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

// defaultGOGC is what the environment says if it says nothing.
const defaultGOGC = "100"

// gogc is how much the heap may grow before a collection: per cent of what was live, or off.
func gogc() string {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	if percent := sample[0].Value.Uint64(); percent != math.MaxUint64 {
		return strconv.FormatUint(percent, 10)
	}
	return "off"
}

// runtimeName is the name in the manifest, whose runtimes differ in GOGC.
func runtimeName() string {
	if percent := gogc(); percent != defaultGOGC {
		return "go-gogc" + percent
	}
	return "go"
}

// describeGC names the collector and its settings.
func describeGC() string {
	sample := []metrics.Sample{{Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(sample)
	text := "concurrent mark-sweep, GOGC=" + gogc()
	if limit := sample[0].Value.Uint64(); limit != math.MaxInt64 {
		text += fmt.Sprintf(", GOMEMLIMIT=%d", limit)
	}
	return text
}
