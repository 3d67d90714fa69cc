%% Convention [C2]: integers of the benchmarks have 64 bits and wrap; those of Erlang never overflow.
%% Sums and products may be wrapped once, at their end.
-module(scoville_i64).

-export([wrap/1]).

%% Floats are left as they are.
-spec wrap(integer()) -> integer();
    (float()) -> float().
wrap(V) when is_integer(V), (V < -(1 bsl 63) orelse V >= 1 bsl 63) ->
    <<Wrapped:64/signed>> = <<V:64>>,
    Wrapped;
wrap(V) ->
    V.
