-module(scoville_benchmark_tests).
-include_lib("eunit/include/eunit.hrl").

%% This module plays the benchmark `kinds', which has a parameter of every kind.
-export([parameters/0, relations/0]).

parameters() ->
    [
        {seed, integer},
        {n, {power_of_two, 2, 1024}},
        {b, {integer, 1}},
        {l, {number, 0}},
        {r, number},
        {omega, {number, 0, 2}},
        {g, {number, above, 0}},
        {mode, {choice, [exhaust, first]}}
    ].

relations() ->
    [
        {n, at_least, "2 * b", fun(#{b := B}) -> 2 * B end},
        {n, multiple_of, "b", fun(#{b := B}) -> B end},
        {b, at_most, "99 - 2 * n", fun(#{n := N}) -> 99 - 2 * N end},
        {r, above, "l", fun(#{l := L}) -> L end}
    ].

bad_parameters_have_the_exact_text_test_() ->
    [
        ?_assertEqual({error, Text}, check(Name, Given))
     || {Name, Given, Text} <- [
            {<<"threadring">>, <<"{}">>, <<"threadring: parameter actors is missing">>},
            {<<"threadring">>, <<"{\"actors\":1}">>, <<"threadring: parameter hops is missing">>},
            {<<"threadring">>, <<"{\"zz\":1}">>, <<"threadring: parameter actors is missing">>},
            {<<"pingpong">>, <<"{\"pings\":\"x\",\"z\":1,\"a\":2}">>, <<"pingpong: unknown parameter a">>},
            {<<"pingpong">>, <<"{\"pings\":\"7\"}">>, <<"pingpong: pings is \"7\"; it must be an integer">>},
            {<<"pingpong">>, <<"{\"pings\":1.5}">>, <<"pingpong: pings is 1.5; it must be an integer">>},
            {<<"pingpong">>, <<"{\"pings\":1e3}">>, <<"pingpong: pings is 1e3; it must be an integer">>},
            {<<"pingpong">>, <<"{\"pings\":null}">>, <<"pingpong: pings is null; it must be an integer">>},
            {<<"pingpong">>, <<"{\"pings\":[1, 2]}">>, <<"pingpong: pings is [1,2]; it must be an integer">>},
            {<<"pingpong">>, <<"{\"pings\":9223372036854775808}">>,
                <<"pingpong: pings is 9223372036854775808; it must be an integer">>},
            {<<"threadring">>, <<"{\"actors\":0,\"hops\":true}">>,
                <<"threadring: hops is true; it must be an integer">>},
            {<<"threadring">>, <<"{\"actors\":0,\"hops\":-1}">>, <<"threadring: actors is 0; it must be at least 1">>},
            {<<"fib">>, <<"{\"index\":46}">>, <<"fib: index is 46; it must be between 1 and 45">>},
            {<<"fib">>, <<"{\"index\":0}">>, <<"fib: index is 0; it must be between 1 and 45">>},
            {<<"big">>, <<"{\"pings\":0,\"actors\":65537}">>,
                <<"big: actors is 65537; it must be between 1 and 65536">>}
        ]
    ].

%% Each of these changes one good set of parameters.
kinds_have_the_exact_text_test_() ->
    [
        ?_assertEqual({error, <<"kinds: ", Text/binary>>}, kinds(Changes))
     || {Changes, Text} <- [
            {#{seed => 1 bsl 63}, <<"seed is 9223372036854775808; it must be an integer">>},
            {#{n => 1}, <<"n is 1; it must be between 2 and 1024">>},
            {#{n => 2048}, <<"n is 2048; it must be between 2 and 1024">>},
            {#{n => 12}, <<"n is 12; it must be a power of two">>},
            {#{n => 12, b => 0}, <<"b is 0; it must be at least 1">>},
            {#{n => 12, b => 100}, <<"n is 12; it must be a power of two">>},
            {#{b => 9}, <<"n is 16; it must be at least 18 (2 * b)">>},
            {#{b => 3}, <<"n is 16; it must be a multiple of 3 (b)">>},
            {#{n => 128, b => 4}, <<"b is 4; it must be at most -157 (99 - 2 * n)">>},
            {#{r => 1}, <<"r is 1; it must be above 1.5 (l)">>},
            {#{r => {number, <<"1.50">>}}, <<"r is 1.50; it must be above 1.5 (l)">>},
            {#{r => <<"5">>}, <<"r is \"5\"; it must be a number">>},
            {#{r => true, b => 9}, <<"r is true; it must be a number">>},
            {#{l => -1}, <<"l is -1; it must be at least 0">>},
            {#{omega => {number, <<"2.5">>}}, <<"omega is 2.5; it must be between 0 and 2">>},
            {#{g => 0}, <<"g is 0; it must be above 0">>},
            {#{mode => <<"last">>, g => 0}, <<"mode is \"last\"; it must be one of exhaust, first">>},
            {#{mode => 1}, <<"mode is 1; it must be one of exhaust, first">>}
        ]
    ].

kinds_are_accepted_test() ->
    ?assertEqual(
        {ok, #{seed => -5, n => 16, b => 4, l => 1.5, r => 2.0, omega => 0.0, g => 0.5, mode => first}},
        kinds(#{})
    ),
    ?assertMatch(
        {ok, #{mode := exhaust, seed := -9223372036854775808}},
        kinds(#{mode => <<"exhaust">>, seed => -(1 bsl 63)})
    ).

kinds(Changes) ->
    Good = #{
        seed => -5, n => 16, b => 4, mode => <<"first">>,
        l => {number, <<"1.5">>}, r => 2, omega => 0, g => {number, <<"5e-1">>}
    },
    Given = maps:from_list([{atom_to_binary(P), V} || {P, V} <- maps:to_list(maps:merge(Good, Changes))]),
    case scoville_benchmark:check(<<"kinds">>, ?MODULE, Given) of
        {error, Reason} -> {error, iolist_to_binary(Reason)};
        Ok -> Ok
    end.

good_parameters_are_accepted_test() ->
    ?assertEqual({ok, #{pings => 0, actors => 65536}}, check(<<"big">>, <<"{\"actors\":65536,\"pings\":0}">>)).

check(Name, Text) ->
    {ok, Given} = scoville_json:decode(Text),
    {ok, Module} = scoville_benchmark:find(Name),
    case scoville_benchmark:check(Name, Module, Given) of
        {error, Reason} -> {error, iolist_to_binary(Reason)};
        Ok -> Ok
    end.
