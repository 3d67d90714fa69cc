-module(bench_tests).
-include_lib("eunit/include/eunit.hrl").

%% Tiny presets and the smallest and oddest parameters that an entry admits. The specification gives
%% the formulas; the numbers are worked out by hand from them. Where the number of messages depends on
%% scheduling it follows from the metrics.
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
            {bench_big, #{pings => 9, actors => 1}, 9, #{pings => 9}, 2, 23},
            {bench_concdict, #{workers => 3, requests => 40, write_pct => 30, entries => 50}, 1979089,
                #{writes => 35, reads => 85, map_size => 50, map_sum => 961944}, 5, 247},
            {bench_concdict, #{workers => 2, requests => 0, write_pct => 0, entries => 2}, 0,
                #{writes => 0, reads => 0, map_size => 2, map_sum => 1}, 4, 5},
            {bench_concsll, #{workers => 3, requests => 300, write_pct => 20, size_pct => 5}, 469117805,
                #{list_len => 169, hits => 1, sizes => 29, contains => 702}, 5, 1807},
            {bench_concsll, #{workers => 1, requests => 0, write_pct => 0, size_pct => 0}, 0,
                #{list_len => 0, hits => 0, sizes => 0, contains => 0}, 3, 3},
            {bench_bndbuffer,
                #{buffer => 6, producers => 4, consumers => 3, items => 20, prod_cost => 1, cons_cost => 0}, 840,
                #{items => 80, data_sum => -386124.32298391}, 8, 331},
            {bench_bndbuffer,
                #{buffer => 2, producers => 1, consumers => 1, items => 0, prod_cost => 0, cons_cost => 0}, 0,
                #{items => 0, data_sum => 0.0}, 3, 3},
            {bench_bndbuffer,
                #{buffer => 2, producers => 1, consumers => 1, items => 3, prod_cost => 0, cons_cost => 0}, 6,
                #{items => 3, data_sum => -4.597975910354064 * 9}, 3, 15},
            {bench_philosopher, #{philosophers => 5, rounds => 20}, 300, #{errors => 0}, 6,
                fun(#{retries := Retries}) -> 405 + 2 * Retries end},
            {bench_philosopher, #{philosophers => 1, rounds => 1}, 1, #{errors => 0}, 2, 5},
            {bench_barber, #{haircuts => 30, chairs => 5, arrival_work => 100, haircut_work => 80}, 465,
                #{factory_busy => 897978, barber_busy => 923802}, 33, fun barber_messages/1},
            {bench_cigsmok, #{rounds => 20, smokers => 6}, 76, #{busy_sum => 713088}, 7, 47},
            {bench_logmap, #{terms => 100, series => 4, start_rate => 3.46, increment => 0.0025}, 1.28893373024145,
                #{orbit_sum => 188.6715380777975, steps => 400}, 9, 1217},
            {bench_logmap, #{terms => 0, series => 2, start_rate => 3.0, increment => 0.5}, 0.5,
                #{orbit_sum => 0.0, steps => 0}, 5, 9},
            {bench_banking, #{accounts => 20, transactions => 100, initial_balance => 1000000}, 210289872,
                #{total => 20000000, completed => 100}, 21, 421}
        ]
    ].

run(Module, Values, Result, Checks, Actors, Messages) ->
    Driver = fun() -> Module:run(Values, fun() -> ok end) end,
    {ok, Timed} = scoville_peer:timed(Driver),
    same(Result, Checks, Timed),
    ?assertNot(is_map_key(work, Timed)),
    {ok, Counted} = scoville_peer:counted(Driver),
    same(Result, Checks, Counted),
    ?assertEqual(#{actors => Actors, messages => messages(Messages, Counted)}, maps:get(work, Counted)).

messages(Messages, _) when is_integer(Messages) -> Messages;
messages(Messages, #{metrics := Metrics}) -> Messages(Metrics).

barber_messages(#{attempts := Attempts, sleeps := Sleeps}) -> 7 * 30 + 3 + 3 * (Attempts - 30) + Sleeps.

same(Result, Checks, #{result := Got, wall_ns := Wall} = Outcome) ->
    ?assert(Wall > 0),
    Wanted = Checks#{result => Result},
    Fields = (maps:get(checks, Outcome, #{}))#{result => Got},
    ?assertEqual(lists:sort(maps:keys(Wanted)), lists:sort(maps:keys(Fields))),
    maps:foreach(
        fun(Name, Want) ->
            Field = maps:get(Name, Fields),
            close(Want, Field) orelse ?assertEqual({Name, Want}, {Name, Field})
        end,
        Wanted
    ).

close(Want, Got) when is_float(Want), is_float(Got) -> abs(Got - Want) =< 1.0e-9 * abs(Want);
close(Want, Got) -> Want =:= Got.

%% The specification's own test of the work on an item.
process_of_bndbuffer_test_() ->
    [
        ?_assert(close(Want, bench_bndbuffer:process(0.0, Cost)))
     || {Cost, Want} <- [
            {0, -4.597975910354064}, {1, -459.2339106084338}, {2, -918.593980759151}, {25, -11482.378824363414}
        ]
    ].

insertion_goes_behind_equal_elements_test() ->
    Sorted = lists:foldl(fun bench_concsll:insert/2, [], [5, 1, 9, 5, 0, 9, 3]),
    ?assertEqual([0, 1, 3, 5, 5, 9, 9], Sorted),
    %% Equal, and yet told apart.
    ?assertEqual([1.0, 1, 2], bench_concsll:insert(1, [1.0, 2])).

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
