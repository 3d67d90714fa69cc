-module(bench_fjthrput).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-export([squared_sine/1]).
-import(scoville_iteration, [start/1, spawn_crowded/1, expect/2, await/1, finish/1, report/3, leave/1]).

parameters() -> [{messages, {integer, 1}}, {actors, {integer, 1}}].

run(#{messages := N, actors := A}, Announce) ->
    Run = start(Announce),
    expect(Run, A),
    Workers = [spawn_crowded(fun() -> worker(Run, Id, N, 0, 0.0) end) || Id <- lists:seq(0, A - 1)],
    rounds(Workers, N),
    {Result, Sum} = collect(A, 0, 0.0),
    #{wall_ns => finish(Run), result => Result, checks => #{sum => Sum}}.

rounds(_, 0) ->
    ok;
rounds(Workers, N) ->
    one_round(Workers),
    rounds(Workers, N - 1).

one_round([]) ->
    ok;
one_round([Worker | Workers]) ->
    Worker ! {work, 37.2},
    one_round(Workers).

collect(0, Result, Sum) ->
    {Result, Sum};
collect(Workers, Result, Sum) ->
    {R, S} = await(worker),
    collect(Workers - 1, Result + R, Sum + S).

worker(Run, Id, N, N, Sum) ->
    report(Run, worker, {(Id + 1) * N, Sum}),
    leave(Run);
worker(Run, Id, N, Count, Sum) ->
    receive
        {work, Theta} -> worker(Run, Id, N, Count + 1, Sum + squared_sine(Theta));
        Other -> error({unexpected, Other})
    end.

%% The work of one message in fjthrput and fjcreate.
-spec squared_sine(float()) -> float().
squared_sine(Theta) ->
    S = math:sin(Theta),
    case S * S of
        R when R > 0 -> R;
        R -> error({not_positive, R})
    end.
