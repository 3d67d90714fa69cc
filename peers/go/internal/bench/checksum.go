package bench

// checksum is the order-sensitive checksum SH of a sequence of numbers.
type checksum int64

// emptyChecksum is the checksum of no numbers.
const emptyChecksum checksum = 1

func (h *checksum) add(v int64) { *h = (*h*1000003 + checksum(v)) % 2147483647 }

// checksumOf returns the checksum of a whole sequence.
func checksumOf[T ~int64 | ~byte](sequence []T) int64 {
	h := emptyChecksum
	for _, v := range sequence {
		h.add(int64(v))
	}
	return int64(h)
}
