// Command scoville-peer runs Scoville's benchmarks on goroutines with mailboxes that never block a sender. The laboratory
// starts it and talks to it over file descriptor 3; docs/protocol.md describes the conversation.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"scoville/peer/internal/bench"
	"scoville/peer/internal/protocol"
)

// conversation is the file descriptor of the socket to the laboratory.
const conversation = 3

func main() {
	if err := run(); err != nil && !errors.Is(err, protocol.ErrStop) {
		fmt.Fprintln(os.Stderr, "scoville-peer:", err)
		os.Exit(1)
	}
}

func run() error {
	workers, err := strconv.Atoi(os.Getenv("SCOVILLE_WORKERS"))
	if err != nil || workers < 1 {
		return fmt.Errorf("SCOVILLE_WORKERS is %q; set it to the number of workers, at least 1", os.Getenv("SCOVILLE_WORKERS"))
	}
	runtime.GOMAXPROCS(workers)
	// A blocking read keeps one idle thread in the kernel. With a non-blocking one the scheduler would have a network
	// poller to look after each time it runs out of work, also while actors run.
	if err := syscall.SetNonblock(conversation, false); err != nil {
		return fmt.Errorf("file descriptor %d is not open (%w); it must be a socket to the laboratory", conversation, err)
	}
	return protocol.Serve(os.NewFile(conversation, "laboratory"), bench.All())
}
