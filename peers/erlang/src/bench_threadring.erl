-module(bench_threadring).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([ring/3]).
-endif.

parameters() -> [{actors, {integer, 1}}, {hops, {integer, 0}}].

run(#{actors := N, hops := Hops}, Announce) ->
    Run = start(Announce),
    expect(Run, N),
    [First | Others] = Ring = [spawn(fun() -> ring(Run, N, Id) end) || Id <- lists:seq(0, N - 1)],
    tell_next(Ring, Others ++ [First]),
    First ! {token, Hops},
    {Result, Last} = await(last),
    #{wall_ns => finish(Run), result => Result, checks => #{last => Last}}.

tell_next([], []) ->
    ok;
tell_next([Actor | Actors], [Next | Nexts]) ->
    Actor ! {data, Next},
    tell_next(Actors, Nexts).

%% A token or exit that overtakes the data stays in the mailbox until then.
ring(Run, N, Id) ->
    receive
        {data, Next} -> ring(Run, N, Id, Next, 0)
    end.

ring(Run, N, Id, Next, Seen) ->
    receive
        {token, 0} ->
            Next ! {exit, N - 1, 0},
            ring(Run, N, Id, Next, Seen + 1);
        {token, K} ->
            Next ! {token, K - 1},
            ring(Run, N, Id, Next, Seen + 1);
        {exit, 0, Sum} ->
            report(Run, last, {Sum + (Id + 1) * Seen, Id}),
            leave(Run);
        {exit, K, Sum} ->
            Next ! {exit, K - 1, Sum + (Id + 1) * Seen},
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.
