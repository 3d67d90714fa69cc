%% Conventions [C2] and [P1]: wrapping, checksum, and the generator J48.
-module(scoville_arithmetic_tests).
-include_lib("eunit/include/eunit.hrl").

wrap_test_() ->
    [
        ?_assertEqual(Want, scoville_i64:wrap(V))
     || {V, Want} <- [
            {0, 0}, {-1, -1}, {1.0e300, 1.0e300},
            {(1 bsl 63) - 1, (1 bsl 63) - 1}, {1 bsl 63, -(1 bsl 63)}, {-(1 bsl 63), -(1 bsl 63)},
            {-(1 bsl 63) - 1, (1 bsl 63) - 1}, {1 bsl 64, 0}, {-(5 bsl 70) + 3, 3}
        ]
    ].

checksum_test() ->
    ?assertEqual(330182277, scoville_checksum:list([1, 2, 3])),
    ?assertEqual(330182277, scoville_checksum:bytes(<<1, 2, 3>>)),
    ?assertEqual(1, scoville_checksum:bytes(<<>>)),
    ?assertNotEqual(330182277, scoville_checksum:list([1, 3, 2])).

j48_bits_test() ->
    ?assertEqual(
        [1570126108, 630021372, 1935844040, 8925067],
        draws(4, fun(R) -> scoville_j48:bits(31, R) end, scoville_j48:new(2))
    ).

j48_bool_test() ->
    ?assertEqual(
        [B =:= 1 || B <- [0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0]],
        draws(12, fun scoville_j48:bool/1, scoville_j48:new(123456))
    ).

j48_int_test() ->
    ?assertEqual([8, 72, 40, 67], draws(4, fun(R) -> scoville_j48:int(100, R) end, scoville_j48:new(2))).

draws(0, _, _) ->
    [];
draws(N, Draw, Rng) ->
    {V, Next} = Draw(Rng),
    [V | draws(N - 1, Draw, Next)].
