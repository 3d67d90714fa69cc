%% The deterministic arithmetic that every benchmark shares: the pseudo-random generator of
%% convention [C3] and the busy work of conventions [C4] and [P1].
-module(scoville_lcg).

-export([new/0, new/1, next/1, below/2, unit/1, scaled/2, busy/1, spin/2]).
-export_type([rng/0]).

%% The state of a generator is its last output, or its seed. A generator has one owner.
-type rng() :: integer().

-spec new() -> rng().
new() -> new(74755).

-spec new(Seed :: integer()) -> rng().
new(Seed) -> Seed band 65535.

%% Draws a number in 0..65535; the number is the new state.
-spec next(rng()) -> rng().
next(V) -> (V * 1309 + 13849) band 65535.

%% Draws a number in 0..min(M, 65536)-1.
-spec below(pos_integer(), rng()) -> {non_neg_integer(), rng()}.
below(M, Rng) ->
    V = next(Rng),
    {V rem M, V}.

%% Draws a number in [2^-16, 1].
-spec unit(rng()) -> {float(), rng()}.
unit(Rng) ->
    V = next(Rng),
    {1.0 / (V + 1), V}.

%% Draws a number in 0..M-1 from the high bits.
-spec scaled(pos_integer(), rng()) -> {non_neg_integer(), rng()}.
scaled(M, Rng) ->
    V = next(Rng),
    {(V * M) bsr 16, V}.

%% K dependent steps from the start value K.
-spec busy(non_neg_integer()) -> integer().
busy(K) -> spin(K, K).

%% N dependent steps from the low 16 bits of V.
-spec spin(V :: integer(), N :: integer()) -> 0..65535.
spin(V, N) -> steps(V band 65535, N).

steps(V, N) when N > 0 -> steps((V * 1309 + 13849) band 65535, N - 1);
steps(V, _) -> V.
