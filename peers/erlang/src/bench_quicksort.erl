-module(bench_quicksort).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([sort/1]).
-endif.

parameters() -> [{n, {integer, 1}}, {m, {integer, 1}}, {t, {integer, 1}}, {s, {integer, 0}}].

run(#{n := N, m := M, t := T, s := S}, Announce) ->
    Run = start(Announce),
    expect(Run, 1),
    Root = spawn(fun() -> sorter(Run, none, T) end),
    Root ! {sort, input(N, M, scoville_lcg:new(S))},
    {Hash, Count, Sorted, Sum} = await(root),
    #{wall_ns => finish(Run), result => Hash, checks => #{count => Count, sorted => Sorted, sum => Sum}}.

input(0, _, _) ->
    [];
input(Left, M, Rng) ->
    V = scoville_lcg:next(Rng),
    [V rem M | input(Left - 1, M, V)].

%% The parent is none at the root, or the parent and the side of it.
sorter(Run, Parent, T) ->
    receive
        {sort, Data} ->
            case length(Data) of
                Length when Length < T -> finish(Run, Parent, sort(Data));
                Length -> divide(Run, Parent, T, Data, Length)
            end;
        Other ->
            error({unexpected, Other})
    end.

divide(Run, Parent, T, Data, Length) ->
    {Smaller, Equal, Greater} = partition(Data, Length),
    Self = self(),
    expect(Run, 2),
    spawn(fun() -> sorter(Run, {Self, left}, T) end) ! {sort, Smaller},
    spawn(fun() -> sorter(Run, {Self, right}, T) end) ! {sort, Greater},
    gather(Run, Parent, Equal, 1).

gather(Run, Parent, Result, 3) ->
    finish(Run, Parent, Result);
gather(Run, Parent, Result, Fragments) ->
    receive
        {sorted, Data, left} -> gather(Run, Parent, Data ++ Result, Fragments + 1);
        {sorted, Data, right} -> gather(Run, Parent, Result ++ Data, Fragments + 1);
        Other -> error({unexpected, Other})
    end.

finish(Run, none, Result) ->
    Sorted =
        case ascending(Result) of
            true -> 1;
            false -> 0
        end,
    report(Run, root, {scoville_checksum:list(Result), length(Result), Sorted, lists:sum(Result)}),
    leave(Run);
finish(Run, {Parent, Side}, Result) ->
    Parent ! {sorted, Result, Side},
    leave(Run).

sort([]) ->
    [];
sort([_] = Data) ->
    Data;
sort(Data) ->
    {Smaller, Equal, Greater} = partition(Data, length(Data)),
    sort(Smaller) ++ Equal ++ sort(Greater).

partition(Data, Length) ->
    Pivot = lists:nth(Length div 2 + 1, Data),
    {[X || X <- Data, X < Pivot], [X || X <- Data, X =:= Pivot], [X || X <- Data, X > Pivot]}.

ascending([A | [B | _] = Others]) -> A =< B andalso ascending(Others);
ascending(_) -> true.
