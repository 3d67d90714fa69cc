-module(bench_fib).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

parameters() -> [{index, {integer, 1, 45}}].

run(#{index := N}, Announce) ->
    Run = start(Announce),
    expect(Run, 1),
    Root = spawn(fun() -> fib(Run, none) end),
    Root ! {request, N},
    {Value, Actors} = await(root),
    #{wall_ns => finish(Run), result => Value, checks => #{actors => Actors}}.

fib(Run, Parent) ->
    receive
        {request, N} when N =< 2 ->
            answer(Run, Parent, 1, 1);
        {request, N} ->
            Self = self(),
            expect(Run, 2),
            spawn(fun() -> fib(Run, Self) end) ! {request, N - 1},
            spawn(fun() -> fib(Run, Self) end) ! {request, N - 2},
            gather(Run, Parent, 0, 0, 1);
        Other ->
            error({unexpected, Other})
    end.

gather(Run, Parent, 2, Value, Actors) ->
    answer(Run, Parent, Value, Actors);
gather(Run, Parent, Got, Value, Actors) ->
    receive
        {response, V, A} -> gather(Run, Parent, Got + 1, Value + V, Actors + A);
        Other -> error({unexpected, Other})
    end.

answer(Run, none, Value, Actors) ->
    report(Run, root, {Value, Actors}),
    leave(Run);
answer(Run, Parent, Value, Actors) ->
    Parent ! {response, Value, Actors},
    leave(Run).
