-module(scoville_lcg_tests).
-include_lib("eunit/include/eunit.hrl").

next_follows_the_table_test_() ->
    [
        ?_assertEqual(Draws, draws(length(Draws), scoville_lcg:new(Seed)))
     || {Seed, Draws} <- [
            {0, [13849, 54254, 56847, 43212, 20789, 29210, 42251, 8024]},
            {1, [15158, 63799, 33876, 55197, 46050, 179, 51552, 58873]},
            {74755, [22896, 34761, 34014, 39231, 52540, 41445, 1546, 5947]},
            {123456, [5977, 38958, 22863, 57100, 46709, 10842, 50251, 59800]}
        ]
    ].

default_seed_test() ->
    ?assertEqual(22896, scoville_lcg:next(scoville_lcg:new())).

only_the_low_16_bits_of_the_seed_matter_test() ->
    Low = draws(20, scoville_lcg:new(12345)),
    ?assertEqual(Low, draws(20, scoville_lcg:new(12345 + (1 bsl 40)))),
    ?assertEqual(Low, draws(20, scoville_lcg:new(12345 - (1 bsl 62)))).

every_derived_draw_draws_once_test() ->
    R0 = scoville_lcg:new(1),
    [A, B, C, D] = draws(4, R0),
    {Below, R1} = scoville_lcg:below(10, R0),
    {Unit, R2} = scoville_lcg:unit(R1),
    {Scaled, R3} = scoville_lcg:scaled(360, R2),
    ?assertEqual(A rem 10, Below),
    ?assertEqual(1 / (B + 1), Unit),
    ?assertEqual(C * 360 div 65536, Scaled),
    ?assertEqual(D, scoville_lcg:next(R3)).

busy_follows_the_table_test_() ->
    [
        ?_assertEqual(V, scoville_lcg:busy(K))
     || {K, V} <- [{0, 0}, {1, 15158}, {2, 7808}, {10, 38176}, {100, 16528}, {1009, 24630}]
    ].

spin_follows_the_table_test_() ->
    [
        ?_assertEqual(Want, scoville_lcg:spin(V, N))
     || {V, N, Want} <- [{1, 100, 51005}, {70000, 10, 56054}, {12345, 1000, 9041}, {65537, 0, 1}]
    ].

draws(0, _) ->
    [];
draws(N, Rng) ->
    V = scoville_lcg:next(Rng),
    [V | draws(N - 1, V)].
