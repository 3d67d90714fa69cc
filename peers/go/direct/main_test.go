package main

import "testing"

func TestTheProgramsComputeWhatTheyShould(t *testing.T) {
	sizes := [][]int{{1}, {3}, {20}}
	if len(programs) != 8 {
		t.Errorf("there are %d programs", len(programs))
	}
	for name, program := range programs {
		for _, size := range sizes {
			if program.sizes == 2 {
				size = []int{size[0] + 1, 30}
			}
			if got, want := program.run(size); got != want {
				t.Errorf("%s %v is %d, want %d", name, size, got, want)
			}
		}
	}
}

func TestMisuseIsRefused(t *testing.T) {
	for _, args := range [][]string{{}, {"count"}, {"nothing", "1"}, {"count", "1"}, {"count", "x", "1"}, {"big", "1", "2"}} {
		if run(args) == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}
