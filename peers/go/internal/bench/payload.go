package bench

import "bytes"

// freshPayload makes a payload of the given size.
func freshPayload(size int64) []byte {
	payload := make([]byte, size)
	for i := range payload {
		payload[i] = byte(7*i + 3)
	}
	return payload
}

// passOn returns what is sent after a payload was received: a new copy in which byte i is one more, or, if it is shared,
// the payload itself. A payload that was sent is never changed.
func passOn(payload []byte, i int64, share bool) []byte {
	if share {
		return payload
	}
	changed := bytes.Clone(payload)
	changed[i]++
	return changed
}
