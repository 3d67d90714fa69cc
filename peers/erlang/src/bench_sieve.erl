-module(bench_sieve).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, spawn_crowded/1, expect/2, await/1, finish/1, report/3, leave/1]).

parameters() -> [{n, {integer, 3}}, {m, {integer, 1}}].

run(#{n := N, m := M}, Announce) ->
    Run = start(Announce),
    expect(Run, 2),
    Producer = spawn(fun() -> producer(Run, N) end),
    Filter = spawn_crowded(fun() -> filter(Run, 1, M, 2) end),
    Producer ! {start, Filter},
    {Primes, Sum, Filters} = await(last),
    #{wall_ns => finish(Run), result => Primes, checks => #{sum => Sum, filters => Filters}}.

producer(Run, N) ->
    receive
        {start, Filter} ->
            candidates(Filter, 3, N),
            Filter ! {exit, 0, 0},
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

candidates(Filter, X, N) when X < N ->
    Filter ! {candidate, X},
    candidates(Filter, X + 2, N);
candidates(_, _, _) ->
    ok.

filter(Run, Id, M, Prime) -> filter(Run, Id, M - 1, [Prime], [], none).

%% Room is for so many more primes. They are in order of insertion in Primes, but for the last ones: to append copies
%% what is there, so that these wait in Recent, the last one first, until there are some more.
filter(Run, Id, Room, Primes, Recent, Next) ->
    receive
        {candidate, X} ->
            case divisible(X, Primes) orelse divisible(X, lists:reverse(Recent)) of
                true ->
                    filter(Run, Id, Room, Primes, Recent, Next);
                false when Next =/= none ->
                    Next ! {candidate, X},
                    filter(Run, Id, Room, Primes, Recent, Next);
                false when Room rem 32 =:= 1 ->
                    filter(Run, Id, Room - 1, Primes ++ lists:reverse(Recent, [X]), [], Next);
                false when Room > 0 ->
                    filter(Run, Id, Room - 1, Primes, [X | Recent], Next);
                false ->
                    expect(Run, 1),
                    M = length(Primes),
                    filter(Run, Id, Room, Primes, [], spawn_crowded(fun() -> filter(Run, Id + 1, M, X) end))
            end;
        {exit, Count, Sum} ->
            pass(Run, Id, Next, Count + length(Primes) + length(Recent), Sum + lists:sum(Primes) + lists:sum(Recent));
        Other ->
            error({unexpected, Other})
    end.

divisible(_, []) -> false;
divisible(X, [Prime | _]) when X rem Prime =:= 0 -> true;
divisible(X, [_ | Primes]) -> divisible(X, Primes).

pass(Run, Id, none, Count, Sum) ->
    report(Run, last, {Count, Sum, Id}),
    leave(Run);
pass(Run, _, Next, Count, Sum) ->
    Next ! {exit, Count, Sum},
    leave(Run).
