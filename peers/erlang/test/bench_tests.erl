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
                #{total => 20000000, completed => 100}, 21, 421},
            {bench_banking, #{accounts => 10, transactions => 1, initial_balance => -5}, -275 + 864 * (8 - 2),
                #{total => -50, completed => 1}, 11, 15},
            {bench_apsp, #{n => 12, b => 4, w => 10}, 382, #{wsum => 19158, phases => 108}, 10, 459},
            {bench_apsp, #{n => 12, b => 6, w => 10}, 382, #{wsum => 19158, phases => 48}, 5, 108},
            {bench_apsp, #{n => 12, b => 3, w => 10}, 382, #{wsum => 19158, phases => 192}, 17, 1200},
            {bench_apsp, #{n => 2, b => 1, w => 1}, 2, #{wsum => 18 + 32, phases => 8}, 5, 28},
            {bench_astar, #{w => 3, g => 6, t => 8, p => 30, mode => exhaust}, 131, #{spins => 4573021}, 4,
                fun(#{items := Items}) -> 5 + 3 * Items end},
            {bench_astar, #{w => 1, g => 6, t => 1000, p => 30, mode => first}, 1, #{valid => 1}, 2, 5},
            {bench_nqueenk, #{w => 4, n => 6, t => 3, k => 1500000, p => 10}, 4, #{items => 63}, 5, 200},
            {bench_nqueenk, #{w => 1, n => 1, t => 1, k => 2, p => 1}, 1, #{items => 2}, 2, 8},
            {bench_nqueenk, #{w => 1, n => 3, t => 1, k => 1, p => 1}, 0, #{items => 4}, 2, 13},
            {bench_recmatmul, #{n => 16, t => 64, w => 3, p => 10}, 230400, #{wsum => 11886336, items => 9}, 4, 32},
            {bench_recmatmul, #{n => 2, t => 1, w => 1, p => 1}, 2, #{wsum => 2 * 49, items => 9}, 2, 28},
            {bench_recmatmul, #{n => 2, t => 4, w => 5, p => 1}, 2, #{wsum => 2 * 49, items => 1}, 6, 12},
            {bench_quicksort, #{n => 100, m => 1 bsl 60, t => 16, s => 1024}, 45451337,
                #{count => 100, sorted => 1, sum => 3624402}, 21, 41},
            {bench_quicksort, #{n => 3, m => 1, t => 1, s => 0}, scoville_checksum:list([0, 0, 0]),
                #{count => 3, sorted => 1, sum => 0}, 3, 5},
            {bench_radixsort, #{n => 50, m => 65536, s => 2048}, 1334527098,
                #{count => 50, errors => 0, sum => 1554079}, 18, 851},
            {bench_radixsort, #{n => 1, m => 2, s => 1}, 1000003, #{count => 1, errors => 0, sum => 0}, 3, 3},
            {bench_filterbank, #{sim => 20, col => 4, chan => 3}, 18306,
                #{count => 14, sum => 29464.0, wsum => 142600.0, fir => 51}, 27, 534},
            {bench_bitonicsort, #{n => 16, m => 1 bsl 60, s => 2048}, 1395422121,
                #{count => 16, errors => 0, sum => 426088}, 192, 1494},
            {bench_bitonicsort, #{n => 2, m => 1, s => 0}, scoville_checksum:list([0, 0]),
                #{count => 2, errors => 0, sum => 0}, 9, 25},
            {bench_sieve, #{n => 200, m => 10}, 46, #{sum => 4227, filters => 5}, 6, 185},
            {bench_sieve, #{n => 2000, m => 70}, 303, #{sum => 277050, filters => 5}, 6, 1513},
            {bench_sieve, #{n => 3, m => 1}, 1, #{sum => 2, filters => 1}, 2, 2},
            {bench_sieve, #{n => 8, m => 1}, 4, #{sum => 17, filters => 4}, 5, 11},
            {bench_uct,
                #{nodes => 100, avg => 50, stdev => 10, binomial => 4, urgent => 50, unit => 1, seed => 2}, 6325764,
                #{nodes => 97, height => 6, urgent => 10, grants => 23}, 97, 527},
            {bench_uct, #{nodes => 2, avg => 1, stdev => 0, binomial => 1, urgent => 0, unit => 1, seed => 0},
                scoville_lcg:spin(1, 100) + scoville_lcg:spin(1, 1),
                #{nodes => 2, height => 2, urgent => 0, grants => 0}, 2, 6},
            {bench_facloc, #{n => 300, g => 500.0, a => 2.0, s => 123456, dist => uniform}, 600,
                #{facilities => 5, customers => 300, maxdepth => 2, cost => 12552.8010675, rootups => 4}, 22,
                fun(#{facility_up := 4, facility_down := Down}) -> 820 + 300 + 4 + Down + 21 + 20 end},
            {bench_facloc, #{n => 1, g => 2.0, a => 2.0, s => 0, dist => savina}, 0,
                #{
                    facilities => 0, customers => 1, maxdepth => 0, rootups => 0,
                    cost => math:sqrt(math:pow(1 - 2 / 13850, 2) + math:pow(1 - 2 / 54255, 2))
                },
                2, 3},
            {bench_trapezoid, #{n => 1000, w => 10, l => 1.0, r => 5.0}, 0.271068559391053, #{pieces => 1000}, 11, 21},
            {bench_trapezoid, #{n => 1000, w => 7, l => 1.0, r => 5.0}, 0.271068559391053, #{pieces => 1000}, 8, 15},
            {bench_piprecision, #{w => 3, p => 50}, 245309055, #{digits => 1431576654}, 4,
                fun(#{terms := Terms, q := 39}) -> 7 + 2 * Terms end},
            {bench_sor, #{size => 4, it => 3, omega => 1.25, seed => 10101010}, 1.01823080073825e-10,
                #{received => 128}, 18, 156},
            {bench_matrixsearch, matrixsearch(continuous), 65, #{jobs => 18}, 9, 52},
            {bench_matrixsearch, matrixsearch(blockwise), 65, #{jobs => 18}, 9, 52},
            {bench_bigneighbours, #{workers => 10, hood => 3, pings => 20}, 1102,
                #{pings => 200, pongs => 200, errors => 0}, 11, 451},
            {bench_bigneighbours, #{workers => 1, hood => 9, pings => 2}, 2,
                #{pings => 2, pongs => 2, errors => 0}, 2, 10},
            {bench_chameneosfair, #{creatures => 5, meetings => 50}, 100, #{colours => 1, self => 0}, 6, 220},
            {bench_chameneosfair, #{creatures => 2, meetings => 1}, 2, #{colours => 1, self => 0}, 3, 12},
            {bench_fannkuch, #{n => 7, chunks => 200}, 228, #{maxflips => 16, flips => 18508}, 195, 389},
            {bench_fannkuch, #{n => 7, chunks => 1}, 228, #{maxflips => 16, flips => 18508}, 2, 3},
            {bench_fannkuch, #{n => 2, chunks => 9}, -1, #{maxflips => 1, flips => 1}, 3, 5},
            {bench_pingping, #{r => 10, size => 4, mode => copy}, 258, #{hash => 690487743}, 3, 24},
            {bench_pingping, #{r => 10, size => 4, mode => share}, 242, #{hash => 1851424578}, 3, 24},
            {bench_pingping, #{r => 1, size => 1, mode => copy}, 6, #{hash => 1000007}, 3, 6},
            {bench_spawn, #{n => 1000}, 499500, #{awake => 1000}, 1001, 2000},
            {bench_spawn, #{n => 1}, 0, #{awake => 1}, 2, 2},
            {bench_pairs, pairs(#{}), 15, #{hashsum => 941836050}, 7, 48},
            {bench_pairs, pairs(#{report => 7}), 15, #{hashsum => 941836050}, 7, 3 * 14},
            {bench_pairs, pairs(#{payload => share}), 15, #{hashsum => 3 * 1851424578}, 7, 48},
            {bench_mixed, #{rings => 2, size => 4, token => 3, reps => 2, number => 8051}, 720,
                #{results => 4, rounds => 16}, 17, 78},
            {bench_mixed, #{rings => 1, size => 2, token => 0, reps => 1, number => 4}, 4,
                #{results => 1, rounds => 1}, 4, 7},
            {bench_chat, chat(#{}), 25,
                #{edges => 35, compute => 5, post => 33, leave => 24, invite => 15, none => 3, invitations => 23}, 55,
                fun chat_messages/1},
            {bench_chat, chat(#{clients => 1, dirs => 3, compute => 0, post => 0, leave => 0, invite => 0}), 0,
                #{edges => 0, compute => 0, post => 0, leave => 0, invite => 0, none => 5, invitations => 0}, 11,
                %% Start; login; pokes, acts, closes and confirmations; disconnect, logout, left, finished
                1 + 1 + 5 * (3 + 1 + 1 + 1) + 3 + 1 + 1 + 3}
        ]
    ].

run(Module, Values, Result, Checks, Actors, Messages) ->
    %% Loading code takes messages.
    ok = code:ensure_modules_loaded([timer | scoville_benchmark:modules()]),
    Driver = fun() -> Module:run(Values, fun() -> ok end) end,
    {ok, Timed} = scoville_peer:timed(Driver),
    same(Result, Checks, Timed),
    ?assertNot(is_map_key(work, Timed)),
    {ok, Counted} = scoville_peer:counted(Driver),
    same(Result, Checks, Counted),
    ?assertEqual(#{actors => Actors, messages => messages(Messages, Counted)}, maps:get(work, Counted)).

messages(Messages, _) when is_integer(Messages) -> Messages;
messages(Messages, #{metrics := Metrics}) -> Messages(Metrics).

matrixsearch(Assign) ->
    #{
        controllers => 2, seekers => 3, size => 16, jobs => 3, word => 3, alphabet => 4, assign => Assign,
        place => local
    }.

pairs(Changes) ->
    maps:merge(
        #{pairs => 3, mode => fixed, rounds => 5, seconds => 1, report => 2, size => 4, payload => copy}, Changes
    ).

chat(Changes) ->
    maps:merge(
        #{
            clients => 16, turns => 5, dirs => 2, compute => 10, post => 30, leave => 50, invite => 60,
            befriend => 50, fib => 5, seed => 42
        },
        Changes
    ).

%% Start, logins, befriendings, pokes, acts, posts, invitations and joins, confirmations, and the end.
chat_messages(#{forwards := Forwards, bumps := Bumps, closes := Closes, leaves := Leaves}) ->
    1 + 16 + 2 * 35 + 10 + 80 + 33 + 2 * 23 + 5 + 2 + 16 + 16 + 2 + Forwards + Bumps + Closes + 2 * Leaves.

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

%% A server stops at the first reply after the halt.
pairs_for_a_time_test() ->
    {ok, Outcome} = scoville_peer:counted(fun() ->
        bench_pairs:run(pairs(#{mode => timed, report => 100}), fun() -> ok end)
    end),
    #{result := Total, per_actor := #{n := Exchanges}, wall_ns := Wall} = Outcome,
    #{metrics := #{throughput := Throughput}} = Outcome,
    ?assertEqual(Total, lists:sum(Exchanges)),
    ?assertEqual(3, length([N || N <- Exchanges, N >= 1])),
    ?assert(Wall >= 1000000000),
    ?assert(close(Total * 60.0e9 / Wall, Throughput)),
    ?assertNot(is_map_key(checks, Outcome)).

matrixsearch_places_no_seeker_test() ->
    ?assertMatch(
        {unsupported, _},
        scoville_peer:timed(fun() ->
            bench_matrixsearch:run((matrixsearch(continuous))#{place := roundrobin}, fun() -> ok end)
        end)
    ).

spawn_needs_room_test() ->
    {unsupported, Text} = scoville_peer:timed(fun() -> bench_spawn:run(#{n => 1 bsl 40}, fun() -> ok end) end),
    ?assertMatch({match, _}, re:run(Text, "room for [0-9]+ processes")).

%% More solutions than wanted: how many more come in depends on scheduling.
nqueenk_stops_at_k_test() ->
    #{result := 5, metrics := #{results := Results}} = Outcome =
        bench_nqueenk:run(#{w => 3, n => 8, t => 2, k => 5, p => 10}, fun() -> ok end),
    ?assert(Results >= 5 andalso Results =< 92),
    ?assertNot(is_map_key(checks, Outcome)).

%% Sums of the input before the first phase.
graph_of_apsp_test_() ->
    [
        ?_assertEqual(Sum, lists:sum([D || <<D:64/signed>> <= bench_apsp:graph(N, W)]))
     || {N, W, Sum} <- [{12, 10, 714}, {240, 100, 2894584}]
    ].

graph_of_astar_test_() ->
    [
        ?_test(begin
            Lists = tuple_to_list(bench_astar:graph(G)),
            ?assertEqual({Nodes, Edges}, {length(Lists), length(lists:append(Lists))}),
            ?assertEqual(Hash, scoville_checksum:list(lists:append(Lists)))
        end)
     || {G, Nodes, Edges, Hash} <- [{6, 216, 534, 2142788024}, {30, 27000, 78712, 1240668639}]
    ].

queens_in_each_others_way_test_() ->
    [
        ?_assertEqual(Valid, bench_nqueenk:valid(Board))
     || {Board, Valid} <- [
            {[], true}, {[3], true}, {[1, 3, 0, 2], true}, {[0, 0], false}, {[0, 1], false}, {[1, 0], false},
            {[0, 3, 2], false}, {[2, 0, 3, 5], false}, {[0, 2, 4], true}
        ]
    ].

quicksort_sorts_test() ->
    Data = [scoville_lcg:spin(I, 3) rem 50 || I <- lists:seq(1, 300)],
    ?assertEqual(lists:sort(Data), bench_quicksort:sort(Data)).

normal_deviates_of_uct_test() ->
    {Deviates, _} = lists:mapfoldl(
        fun(_, Rng) -> bench_uct:normal(500, 100, Rng) end, scoville_j48:new(2), lists:seq(1, 4)
    ),
    ?assertEqual([652, 478, 535, 397], Deviates).

plan_of_uct_test() ->
    {Plan, Size, _} = bench_uct:plan(#{
        nodes => 50000, avg => 500, stdev => 100, binomial => 10, urgent => 50, unit => 1, seed => 2
    }),
    ?assertEqual({49991, 4998}, {Size, map_size(Plan)}),
    ?assertEqual(2536, length([Index || {_, _, Index} <- maps:values(Plan), Index >= 0])).

%% A point on a border belongs to the first quarter that has it.
quarters_of_facloc_test_() ->
    Quarters = bench_facloc:quarters({0.0, 0.0, 4.0, 4.0}),
    [
        ?_assertMatch({_, Position}, bench_facloc:first(Point, Quarters))
     || {Point, Position} <- [
            {{1.0, 3.0}, 0}, {{3.0, 3.0}, 1}, {{1.0, 1.0}, 2}, {{3.0, 1.0}, 3},
            {{2.0, 2.0}, 0}, {{4.0, 2.0}, 1}, {{2.0, 0.0}, 2}, {{0.0, 0.0}, 2}, {{4.0, 0.0}, 3}
        ]
    ].

%% The close comes while the barber is busy; the room passes it on when the barber asks for the next customer.
room_of_barber_closes_late_test() ->
    Run = scoville_iteration:start(fun() -> ok end),
    scoville_iteration:expect(Run, 1),
    Self = self(),
    Room = spawn(fun() -> bench_barber:room(Run, Self, 1) end),
    Room ! {enter, Self},
    receive First -> ?assertEqual({serve, Self, Room}, First) end,
    Room ! close,
    Room ! next,
    receive Second -> ?assertEqual(close, Second) end,
    ?assertEqual(0, scoville_iteration:await(sleeps)),
    ?assert(scoville_iteration:finish(Run) > 0).

%% A slot for each coefficient, also those behind the last four.
inner_loop_of_filterbank_test_() ->
    Ring = list_to_tuple([float(I) || I <- lists:seq(1, 9)]),
    [
        ?_assertEqual(
            lists:sum([7.0 | [element(I, Ring) * I * I || I <- lists:seq(1, Length)]]),
            bench_filterbank:dot([float(I * I) || I <- lists:seq(1, Length)], Ring, 1, 7.0)
        )
     || Length <- [2, 4, 7, 8, 9]
    ].

%% Where the compiler does not know that numbers are floats, sums, differences and products are computed by what takes
%% any two numbers, and that leaves its results beside the heap.
floats_are_known_to_be_floats_test_() ->
    Facilities = [{1.5 * I, 2.5 * I} || I <- lists:seq(1, 1000)],
    Values = [1.5 * I || I <- lists:seq(1, 1000)],
    Relax = fun(Sum, Value) -> bench_sor:relaxed(1.25, Sum, Value) end,
    [
        ?_assertEqual(0, words_beside_heap(fun() -> bench_trapezoid:area(0, 1000, 1.0, 0.004, 0.0) end)),
        ?_assertEqual(0, words_beside_heap(fun() -> bench_facloc:nearest(3.25, 4.75, Facilities) end)),
        ?_assertEqual(0, words_beside_heap(fun() -> lists:foldl(fun bench_sor:add/2, 0.0, Values) end)),
        ?_assertEqual(0, words_beside_heap(fun() -> lists:foldl(Relax, 0.5, Values) end))
    ].

%% In a process where nothing is collected before the call has returned.
words_beside_heap(Call) ->
    Pid = spawn_opt(
        fun() ->
            receive go -> ok end,
            _ = Call(),
            garbage_collect()
        end,
        [link, {min_heap_size, 1000000}]
    ),
    1 = erlang:trace(Pid, true, [garbage_collection]),
    Pid ! go,
    Words = receive {trace, Pid, gc_major_start, Info} -> proplists:get_value(mbuf_size, Info) end,
    receive {trace, Pid, gc_major_end, _} -> Words end.

%% Rows of the benchmark's B are all the same, so that the product could not tell a wrong one.
inner_loop_of_recmatmul_test_() ->
    N = 8,
    A = list_to_tuple([float(I) || I <- lists:seq(1, N * N)]),
    B = list_to_tuple([float(I * I) || I <- lists:seq(1, N * N)]),
    [
        ?_assertEqual(
            lists:sum([7.0 | [element(9 + K, A) * element(3 + K * N, B) || K <- lists:seq(0, Length - 1)]]),
            bench_recmatmul:dot(A, B, N, 9, 3, Length, 7.0)
        )
     || Length <- [1, 2, 4, 7, 8]
    ].

place_in_recmatmul_decides_the_worker_test() ->
    Other = spawn(fun() -> ok end),
    bench_recmatmul:dispatch({Other, Other, self(), Other}, {work, 0, 1, 1, 1, 1, 5, 1, 1, 1}),
    receive Work -> ?assertMatch({work, 0, 1, 1, 1, 1, 5, 1, 1, 1}, Work) after 0 -> error(went_elsewhere) end.

%% Halves go to the even neighbour.
rounding_of_piprecision_test_() ->
    [
        ?_assertEqual(Want, bench_piprecision:rhe(A, B))
     || {A, B, Want} <- [
            {0, 5, 0}, {1, 2, 0}, {3, 2, 2}, {5, 2, 2}, {7, 2, 4}, {7, 3, 2}, {8, 3, 3}, {6, 3, 2}, {2, 4, 0}
        ]
    ].

generator_of_matrixsearch_test() ->
    ?assertEqual([<<2, 3, 3>>, <<1, 1, 1>>, <<1, 3, 0>>], [bench_matrixsearch:word(0, N, 3, 4) || N <- [0, 1, 2]]),
    ?assertEqual(392, lists:sum(binary_to_list(bench_matrixsearch:matrix(0, 16, 4)))).

words_of_matrixsearch_are_found_test_() ->
    [
        ?_assertEqual(occurrences(Matrix, Size, Word), bench_matrixsearch:occurrences(Matrix, Size, Word))
     || {Size, W, A} <- [{1, 1, 2}, {2, 1, 2}, {2, 2, 2}, {5, 1, 2}, {5, 3, 2}, {5, 5, 2}, {16, 2, 3}, {16, 3, 4}],
        G <- lists:seq(0, 9),
        Matrix <- [bench_matrixsearch:matrix(G, Size, A)],
        Word <- [bench_matrixsearch:word(G, 0, W, A)]
    ].

%% The specification's loops.
occurrences(Matrix, Size, Word) ->
    W = byte_size(Word),
    length([
        found
     || X <- lists:seq(0, Size - 1),
        Y <- lists:seq(0, Size - W),
        lists:all(fun(K) -> binary:at(Matrix, (Y + K) * Size + X) =:= binary:at(Word, K) end, lists:seq(0, W - 1))
    ]).

neighbourhoods_test_() ->
    [
        ?_assertEqual(Want, bench_bigneighbours:hoods(lists:seq(1, W), H, max(1, W div H)))
     || {W, H, Want} <- [
            {7, 3, [[1, 2, 3], [4, 5, 6, 7]]}, {6, 3, [[1, 2, 3], [4, 5, 6]]}, {2, 3, [[1, 2]]}, {2, 1, [[1], [2]]}
        ]
    ].

permutations_of_fannkuch_come_in_order_test() ->
    All = lists:foldl(
        fun(_, [{Permutation, Counts} | _] = Done) -> [bench_fannkuch:next(Permutation, Counts) | Done] end,
        [bench_fannkuch:first(5, 0)],
        lists:seq(1, 119)
    ),
    ?assertEqual([bench_fannkuch:first(5, I) || I <- lists:seq(0, 119)], lists:reverse(All)),
    ?assertEqual(120, length(lists:usort([Permutation || {Permutation, _} <- All]))).

flips_of_fannkuch_test_() ->
    [
        ?_assertEqual(Flips, bench_fannkuch:flips(Permutation))
     || {Permutation, Flips} <- [{[0, 1, 2], 0}, {[1, 0, 2], 1}, {[2, 1, 0], 1}, {[1, 2, 0], 2}, {[3, 1, 4, 0, 2], 1}]
    ].

payloads_test() ->
    ?assertEqual(<<3, 10, 17>>, bench_pingping:payload(3)),
    ?assertEqual(<<(7 * 299 + 3)>>, binary:part(bench_pingping:payload(300), 299, 1)),
    ?assertEqual(<<3, 11, 17>>, bench_pingping:step(copy, 1, <<3, 10, 17>>)),
    ?assertEqual(<<0>>, bench_pingping:step(copy, 0, <<255>>)),
    ?assertEqual(<<3, 10>>, bench_pingping:step(share, 1, <<3, 10>>)).

factors_of_mixed_test_() ->
    [
        ?_assertEqual(Factors, bench_mixed:factors(X))
     || {X, Factors} <- [
            {1, [1]}, {2, [2]}, {3, [3]}, {4, [2, 2]}, {7, [7]}, {12, [2, 2, 3]}, {49, [7, 7]}, {8051, [83, 97]}
        ]
    ].

%% A turn takes as long as its accumulator lives, not as long as that runs.
turn_of_chat_lasts_since_its_creation_test() ->
    Run = scoville_iteration:start(fun() -> ok end),
    Hour = 3600 * 1000000000,
    Poker = self(),
    Began = os:perf_counter(nanosecond) - Hour,
    Accumulator = spawn(fun() -> bench_chat:accumulator(Run, Poker, 7, 1, Began) end),
    Accumulator ! {close, 0},
    receive {confirm, 7} -> ok end,
    {Duration, 0, 1} = scoville_iteration:await(turn),
    scoville_iteration:stop([Accumulator]),
    ?assert(Duration >= Hour).

shuffle_of_chat_test() ->
    %% Generator 0 draws 13849, 54254, 56847: entries 3, 2 and 1 swap with 1, 2 and 1.
    {Shuffled, Next} = bench_chat:shuffle([a, b, c, d], scoville_lcg:new(0)),
    ?assertEqual([a, d, c, b], Shuffled),
    ?assertEqual(56847, Next).
