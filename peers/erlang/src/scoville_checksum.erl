%% The order-sensitive checksum SH of convention [P1]: h := (h*1000003 + v) mod 2147483647 from h = 1.
-module(scoville_checksum).

-export([new/0, add/2, list/1, bytes/1]).
-export_type([checksum/0]).

-type checksum() :: non_neg_integer().

-spec new() -> checksum().
new() -> 1.

-spec add(Value :: non_neg_integer(), checksum()) -> checksum().
add(V, H) -> (H * 1000003 + V) rem 2147483647.

-spec list([non_neg_integer()]) -> checksum().
list(Values) -> list(Values, new()).

list([], H) -> H;
list([V | Values], H) -> list(Values, add(V, H)).

-spec bytes(binary()) -> checksum().
bytes(Bytes) -> bytes(Bytes, new()).

bytes(<<>>, H) -> H;
bytes(<<V, Bytes/binary>>, H) -> bytes(Bytes, add(V, H)).
