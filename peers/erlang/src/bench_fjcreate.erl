-module(bench_fjcreate).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, finish/1, leave/1]).

parameters() -> [{actors, {integer, 1}}].

run(#{actors := N}, Announce) ->
    Run = start(Announce),
    Ids = atomics:new(1, [{signed, true}]),
    expect(Run, N),
    create(Run, Ids, 1, N),
    Wall = finish(Run),
    #{wall_ns => Wall, result => atomics:get(Ids, 1)}.

create(_, _, Id, N) when Id > N ->
    ok;
create(Run, Ids, Id, N) ->
    Worker = spawn(fun() -> worker(Run, Ids, Id) end),
    Worker ! {work, 37.2},
    create(Run, Ids, Id + 1, N).

worker(Run, Ids, Id) ->
    receive
        {work, Theta} ->
            _ = bench_fjthrput:squared_sine(Theta),
            atomics:add(Ids, 1, Id),
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.
