-module(bench_concdict).
-behaviour(scoville_benchmark).

-export([parameters/0, relations/0, run/2]).
-import(scoville_iteration, [prepare/0, start/2, expect/2, await/1, finish/1, gone/1, report/3, leave/1]).

%% What a worker knows and never changes.
-record(worker, {run, master, dictionary, id, workers, requests, write_pct, keys}).

parameters() ->
    [{workers, {integer, 1}}, {requests, {integer, 0}}, {write_pct, {integer, 0, 100}}, {entries, integer}].

relations() -> [{entries, at_least, "workers", fun(#{workers := E}) -> E end}].

%% Spawning copies the map, so that the copy is finished before the clock starts.
run(#{workers := E, requests := M, write_pct := P, entries := D}, Announce) ->
    Run = prepare(),
    Map = maps:from_list([{K, K} || K <- lists:seq(0, D - 1)]),
    Dictionary = spawn(fun() -> dictionary(Run, Map) end),
    start(Run, Announce),
    expect(Run, 1),
    Worker = #worker{
        run = Run, dictionary = Dictionary, workers = E, requests = M, write_pct = P, keys = D div E
    },
    spawn(fun() -> master(Worker) end),
    {Sum, Writes, Reads} = await(master),
    Wall = finish(Run),
    Dictionary ! 'end',
    {Size, MapSum} = await(dictionary),
    gone(Dictionary),
    #{
        wall_ns => Wall,
        result => Sum,
        checks => #{writes => Writes, reads => Reads, map_size => Size, map_sum => MapSum}
    }.

master(#worker{run = Run, workers = E} = Common) ->
    expect(Run, E),
    Worker = Common#worker{master = self()},
    _ = [spawn(fun() -> worker(Worker#worker{id = Id}) end) ! do_work || Id <- lists:seq(0, E - 1)],
    master(Run, E, 0, 0, 0).

master(Run, 0, Sum, Writes, Reads) ->
    report(Run, master, {Sum, Writes, Reads}),
    leave(Run);
master(Run, Working, Sum, Writes, Reads) ->
    receive
        {done, S, W, R} -> master(Run, Working - 1, Sum + S, Writes + W, Reads + R);
        Other -> error({unexpected, Other})
    end.

dictionary(Run, Map) ->
    receive
        {read, From, Key} ->
            From ! {result, map_get(Key, Map)},
            dictionary(Run, Map);
        {write, From, Key, Value} ->
            Written = Map#{Key := Value},
            From ! {result, Value},
            dictionary(Run, Written);
        'end' ->
            report(Run, dictionary, {map_size(Map), lists:sum(maps:values(Map))});
        Other ->
            error({unexpected, Other})
    end.

worker(#worker{id = Id, requests = M, write_pct = P} = Worker) ->
    receive
        do_work -> request(Worker, scoville_lcg:new(Id + M + P), M, 0, 0);
        Other -> error({unexpected, Other})
    end.

request(#worker{run = Run, master = Master, requests = M}, _, 0, Sum, Writes) ->
    Master ! {done, Sum, Writes, M - Writes},
    leave(Run);
request(#worker{dictionary = Dictionary} = Worker, Rng, Left, Sum, Writes) ->
    {Choice, R1} = scoville_lcg:scaled(100, Rng),
    {Drawn, R2} = scoville_lcg:below(Worker#worker.keys, R1),
    Key = Drawn * Worker#worker.workers + Worker#worker.id,
    if
        Choice < Worker#worker.write_pct ->
            Value = scoville_lcg:next(R2),
            Dictionary ! {write, self(), Key, Value},
            result(Worker, Value, Left - 1, Sum, Writes + 1);
        true ->
            Dictionary ! {read, self(), Key},
            result(Worker, R2, Left - 1, Sum, Writes)
    end.

result(Worker, Rng, Left, Sum, Writes) ->
    receive
        {result, Value} -> request(Worker, Rng, Left, Sum + Value, Writes);
        Other -> error({unexpected, Other})
    end.
