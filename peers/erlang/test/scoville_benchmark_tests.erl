-module(scoville_benchmark_tests).
-include_lib("eunit/include/eunit.hrl").

%% Tiny presets and the smallest and oddest parameters that an entry admits. The specification gives
%% the formulas; the numbers are worked out by hand from them.
results_and_work_test_() ->
    [
        {timeout, 60, ?_test(run(Module, Values, Result, Checks, Actors, Messages))}
     || {Module, Values, Result, Checks, Actors, Messages} <- [
            {bench_pingpong, #{pings => 100}, 5050, #{pongs => 100}, 2, 301},
            {bench_pingpong, #{pings => 1}, 1, #{pongs => 1}, 2, 4},
            {bench_threadring, #{actors => 7, hops => 40}, 161, #{last => 5}, 7, 55},
            {bench_threadring, #{actors => 1, hops => 0}, 1, #{last => 0}, 1, 3},
            {bench_threadring, #{actors => 5, hops => 2}, 6, #{last => 2}, 5, 13},
            {bench_count, #{messages => 1000}, 1000, #{}, 2, 1003},
            {bench_count, #{messages => 0}, 0, #{}, 2, 3},
            {bench_fjthrput, #{messages => 50, actors => 7}, 1400, #{sum => 80.185670383472}, 7, 350},
            {bench_fjthrput, #{messages => 1, actors => 1}, 1, #{sum => 0.22910191538134758}, 1, 1},
            {bench_fjcreate, #{actors => 500}, 125250, #{}, 500, 500},
            {bench_fjcreate, #{actors => 1}, 1, #{}, 1, 1},
            {bench_fib, #{index => 10}, 55, #{actors => 109}, 109, 217},
            {bench_fib, #{index => 1}, 1, #{actors => 1}, 1, 1},
            {bench_fib, #{index => 3}, 2, #{actors => 3}, 3, 5},
            {bench_chameneos, #{creatures => 5, meetings => 100}, 200, #{colour => 1}, 6, 415},
            {bench_chameneos, #{creatures => 2, meetings => 0}, 0, #{colour => 1}, 3, 6},
            {bench_big, #{pings => 50, actors => 10}, 2806, #{pings => 500}, 11, 1041},
            {bench_big, #{pings => 0, actors => 3}, 0, #{pings => 0}, 4, 13},
            {bench_big, #{pings => 9, actors => 1}, 9, #{pings => 9}, 2, 23}
        ]
    ].

run(Module, Values, Result, Checks, Actors, Messages) ->
    Driver = fun() -> Module:run(Values, fun() -> ok end) end,
    {ok, Timed} = scoville_peer:timed(Driver),
    same(Result, Checks, Timed),
    ?assertNot(is_map_key(work, Timed)),
    {ok, Counted} = scoville_peer:counted(Driver),
    same(Result, Checks, Counted),
    ?assertEqual(#{actors => Actors, messages => Messages}, maps:get(work, Counted)).

same(Result, Checks, #{result := Got, wall_ns := Wall} = Outcome) ->
    ?assertEqual(Result, Got),
    ?assert(Wall > 0),
    GotChecks = maps:get(checks, Outcome, #{}),
    ?assertEqual(lists:sort(maps:keys(Checks)), lists:sort(maps:keys(GotChecks))),
    maps:foreach(fun(Name, Want) -> ?assert(close(Want, maps:get(Name, GotChecks))) end, Checks).

close(Want, Got) when is_float(Want), is_float(Got) -> abs(Got - Want) =< 1.0e-9 * max(1, abs(Want));
close(Want, Got) -> Want =:= Got.

meetings_of_all_creatures_add_up_test() ->
    #{per_actor := #{meetings := Meetings}} =
        bench_chameneos:run(#{creatures => 9, meetings => 1000}, fun() -> ok end),
    ?assertEqual({9, 2000}, {length(Meetings), lists:sum(Meetings)}).

complement_is_the_third_colour_test() ->
    ?assertEqual(
        [0, 2, 1, 2, 1, 0, 1, 0, 2],
        [bench_chameneos:complement(A, B) || A <- [0, 1, 2], B <- [0, 1, 2]]
    ).

%% What overtakes Data or Peers is handled right after it, in order of arrival.
guard_of_threadring_test() ->
    Run = scoville_iteration:start(fun() -> ok end),
    scoville_iteration:expect(Run, 1),
    Next = self(),
    Ring = spawn(fun() -> bench_threadring:ring(Run, 4, 2) end),
    Ring ! {token, 0},
    Ring ! {exit, 2, 10},
    Ring ! {data, Next},
    receive {exit, 3, 0} -> ok end,
    receive Exit -> ?assertEqual({exit, 1, 10 + 3}, Exit) end,
    ?assert(scoville_iteration:finish(Run) > 0).

guard_of_big_test() ->
    Run = scoville_iteration:start(fun() -> ok end),
    scoville_iteration:expect(Run, 1),
    Worker = spawn(fun(Self) -> fun() -> bench_big:worker(Run, Self, 0, 1) end end(self())),
    Worker ! {ping, 1},
    Worker ! {pong, -1},
    Worker ! {peers, {Worker, self()}},
    %% The first draw of generator 0 is odd, so that the worker pings peer 1.
    receive First -> ?assertEqual({pong, 0}, First) end,
    receive Second -> ?assertEqual({ping, 0}, Second) end,
    Worker ! {pong, 1},
    receive Third -> ?assertEqual(done, Third) end,
    Worker ! exit,
    ?assertEqual({1, 1}, scoville_iteration:await(worker)),
    ?assert(scoville_iteration:finish(Run) > 0).

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

good_parameters_are_accepted_test() ->
    ?assertEqual({ok, #{pings => 0, actors => 65536}}, check(<<"big">>, <<"{\"actors\":65536,\"pings\":0}">>)).

check(Name, Text) ->
    {ok, Given} = scoville_json:decode(Text),
    {ok, Module} = scoville_benchmark:find(Name),
    case scoville_benchmark:check(Name, Module:parameters(), Given) of
        {error, Reason} -> {error, iolist_to_binary(Reason)};
        Ok -> Ok
    end.
