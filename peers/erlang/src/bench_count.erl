-module(bench_count).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

parameters() -> [{messages, {integer, 0}}].

run(#{messages := N}, Announce) ->
    Run = start(Announce),
    expect(Run, 2),
    Counter = spawn(fun() -> counter(Run, 0) end),
    Producer = spawn(fun() -> producer(Run, Counter, N) end),
    Producer ! start,
    Result = await(result),
    #{wall_ns => finish(Run), result => Result}.

producer(Run, Counter, N) ->
    receive
        start ->
            flood(Counter, N),
            Counter ! {retrieve, self()},
            producer(Run, Counter, N);
        {result, Value} ->
            report(Run, result, Value),
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

flood(_, 0) ->
    ok;
flood(Counter, N) ->
    Counter ! increment,
    flood(Counter, N - 1).

counter(Run, Count) ->
    receive
        increment ->
            counter(Run, Count + 1);
        {retrieve, From} ->
            From ! {result, Count},
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.
