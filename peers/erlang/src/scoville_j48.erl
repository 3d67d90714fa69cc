%% The generator J48 of convention [P1], with Java's multiplier and seeding. Products exceed what fits a
%% word, so that it serves setups only.
-module(scoville_j48).

-export([new/1, bits/2, bool/1, int/2]).
-export_type([rng/0]).

-type rng() :: non_neg_integer().

-define(MULTIPLIER, 25214903917).
-define(MASK, ((1 bsl 48) - 1)).

-spec new(Seed :: integer()) -> rng().
new(Seed) -> (Seed bxor ?MULTIPLIER) band ?MASK.

%% Draws the K most significant bits.
-spec bits(1..48, rng()) -> {non_neg_integer(), rng()}.
bits(K, Rng) ->
    S = (Rng * ?MULTIPLIER + 11) band ?MASK,
    {S bsr (48 - K), S}.

-spec bool(rng()) -> {boolean(), rng()}.
bool(Rng) ->
    {Bit, New} = bits(1, Rng),
    {Bit =:= 1, New}.

%% Draws a number in 0..M-1.
-spec int(pos_integer(), rng()) -> {non_neg_integer(), rng()}.
int(M, Rng) ->
    {V, New} = bits(31, Rng),
    {V rem M, New}.
