-module(bench_concsll).
-behaviour(scoville_benchmark).

-export([parameters/0, relations/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, gone/1, report/3, leave/1]).

-ifdef(TEST).
-export([insert/2]).
-endif.

%% What a worker knows and never changes.
-record(worker, {run, master, list, id, workers, requests, write_pct, size_pct}).
%% What it counts.
-record(tally, {hits = 0, sizes = 0, contains = 0}).

parameters() ->
    [
        {workers, {integer, 1}},
        {requests, {integer, 0}},
        {write_pct, {integer, 0, 49}},
        {size_pct, {integer, 0}}
    ].

relations() -> [{size_pct, at_most, "99 - 2 * write_pct", fun(#{write_pct := P}) -> 99 - 2 * P end}].

run(#{workers := E, requests := M, write_pct := P, size_pct := S}, Announce) ->
    Run = start(Announce),
    expect(Run, 1),
    Worker = #worker{run = Run, workers = E, requests = M, write_pct = P, size_pct = S},
    spawn(fun() -> master(Worker) end),
    {List, #tally{hits = Hits, sizes = Sizes, contains = Contains}} = await(master),
    Wall = finish(Run),
    List ! 'end',
    {Length, Weighted} = await(list),
    gone(List),
    #{
        wall_ns => Wall,
        result => Weighted,
        checks => #{list_len => Length, hits => Hits, sizes => Sizes, contains => Contains}
    }.

master(#worker{run = Run, workers = E} = Common) ->
    List = spawn(fun() -> list(Run, []) end),
    expect(Run, E),
    Worker = Common#worker{master = self(), list = List},
    _ = [spawn(fun() -> worker(Worker#worker{id = Id}) end) ! do_work || Id <- lists:seq(0, E - 1)],
    master(Run, List, E, #tally{}).

master(Run, List, 0, Tally) ->
    report(Run, master, {List, Tally}),
    leave(Run);
master(Run, List, Working, #tally{hits = Hits, sizes = Sizes, contains = Contains}) ->
    receive
        {done, H, S, C} ->
            master(Run, List, Working - 1, #tally{hits = Hits + H, sizes = Sizes + S, contains = Contains + C});
        Other ->
            error({unexpected, Other})
    end.

list(Run, Elements) ->
    receive
        {contains, From, Value} ->
            From ! {result, contains(Value, Elements)},
            list(Run, Elements);
        {write, From, Value} ->
            Inserted = insert(Value, Elements),
            From ! {result, Value},
            list(Run, Inserted);
        {size, From} ->
            From ! {result, length(Elements)},
            list(Run, Elements);
        'end' ->
            {Length, Weighted} = lists:foldl(fun(X, {J, Sum}) -> {J + 1, Sum + (J + 1) * X} end, {0, 0}, Elements),
            report(Run, list, {Length, Weighted});
        Other ->
            error({unexpected, Other})
    end.

contains(Value, Elements) ->
    case lists:member(Value, Elements) of
        true -> 1;
        false -> 0
    end.

%% Behind equal elements.
insert(Value, [First | Others]) when First =< Value -> [First | insert(Value, Others)];
insert(Value, Greater) -> [Value | Greater].

worker(#worker{id = Id, requests = M, write_pct = P, size_pct = S} = Worker) ->
    receive
        do_work -> request(Worker, scoville_lcg:new(Id + M + P + S), M, #tally{});
        Other -> error({unexpected, Other})
    end.

request(#worker{run = Run, master = Master}, _, 0, #tally{hits = Hits, sizes = Sizes, contains = Contains}) ->
    Master ! {done, Hits, Sizes, Contains},
    leave(Run);
request(#worker{list = List, write_pct = P, size_pct = S} = Worker, Rng, Left, Tally) ->
    {Choice, R1} = scoville_lcg:scaled(100, Rng),
    if
        Choice < S ->
            List ! {size, self()},
            _Size = result(),
            request(Worker, R1, Left - 1, Tally#tally{sizes = Tally#tally.sizes + 1});
        Choice < S + P ->
            R2 = scoville_lcg:next(R1),
            List ! {write, self(), value(Worker, R2)},
            _Written = result(),
            request(Worker, R2, Left - 1, Tally);
        true ->
            R2 = scoville_lcg:next(R1),
            List ! {contains, self(), value(Worker, R2)},
            Hits = Tally#tally.hits + result(),
            request(Worker, R2, Left - 1, Tally#tally{hits = Hits, contains = Tally#tally.contains + 1})
    end.

value(#worker{id = Id, workers = E}, Drawn) -> (Drawn bsr 2) * E + Id.

result() ->
    receive
        {result, Value} -> Value;
        Other -> error({unexpected, Other})
    end.
