module scoville/peer

go 1.21
