-module(bench_fannkuch).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([first/2, next/2, flips/1]).
-endif.

parameters() -> [{n, {integer, 2, 15}}, {chunks, {integer, 1}}].

run(#{n := N, chunks := Chunks}, Announce) ->
    Run = start(Announce),
    expect(Run, 1),
    Manager = spawn(fun() -> manager(Run, N, Chunks) end),
    Manager ! start,
    {Checksum, MaxFlips, Flips} = await(manager),
    #{wall_ns => finish(Run), result => Checksum, checks => #{maxflips => MaxFlips, flips => Flips}}.

manager(Run, N, Chunks) ->
    receive
        start ->
            All = factorial(N),
            Chunk = divide_up(All, Chunks),
            Tasks = divide_up(All, Chunk),
            Manager = self(),
            expect(Run, Tasks),
            Workers = [spawn(fun() -> worker(Run, Manager, N, All, Chunk) end) || _ <- lists:seq(1, Tasks)],
            _ = [Worker ! {task, Task} || {Task, Worker} <- lists:zip(lists:seq(0, Tasks - 1), Workers)],
            manager(Run, Tasks, 0, 0, 0);
        Other ->
            error({unexpected, Other})
    end.

manager(Run, 0, Checksum, MaxFlips, Flips) ->
    report(Run, manager, {Checksum, MaxFlips, Flips}),
    leave(Run);
manager(Run, Left, Checksum, MaxFlips, Flips) ->
    receive
        {report, C, M, F} -> manager(Run, Left - 1, Checksum + C, max(MaxFlips, M), Flips + F);
        Other -> error({unexpected, Other})
    end.

worker(Run, Manager, N, All, Chunk) ->
    receive
        {task, Task} ->
            Low = Task * Chunk,
            High = min(All, Low + Chunk) - 1,
            {Permutation, Counts} = first(N, Low),
            {Checksum, MaxFlips, Flips} = permutations(Low, High, Permutation, Counts, 0, 0, 0),
            Manager ! {report, Checksum, MaxFlips, Flips},
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

permutations(Index, High, Permutation, Counts, Checksum, MaxFlips, Flips) ->
    F = flips(Permutation),
    Sum =
        case Index band 1 of
            0 -> Checksum + F;
            1 -> Checksum - F
        end,
    case Index of
        High ->
            {Sum, max(MaxFlips, F), Flips + F};
        _ ->
            {Next, NextCounts} = next(Permutation, Counts),
            permutations(Index + 1, High, Next, NextCounts, Sum, max(MaxFlips, F), Flips + F)
    end.

%% The permutation with the given index, a list, and how often each of its prefixes of 2, 3, ... entries is rotated.
first(N, Index) -> first(N - 1, Index, lists:seq(0, N - 1), []).

first(0, _, Permutation, Counts) ->
    {Permutation, Counts};
first(I, Index, Permutation, Counts) ->
    Factorial = factorial(I),
    D = Index div Factorial,
    {Prefix, Others} = lists:split(I + 1, Permutation),
    {Front, Back} = lists:split(D, Prefix),
    first(I - 1, Index rem Factorial, Back ++ Front ++ Others, [D | Counts]).

next(Permutation, Counts) -> next(Permutation, Counts, 1).

next([First | Others], [Count | Counts], I) ->
    Rotated = insert(First, I, Others),
    case Count of
        I ->
            {Next, Carried} = next(Rotated, Counts, I + 1),
            {Next, [0 | Carried]};
        _ ->
            {Rotated, [Count + 1 | Counts]}
    end.

%% Puts X behind the first I entries.
insert(X, 0, Others) -> [X | Others];
insert(X, I, [Y | Others]) -> [Y | insert(X, I - 1, Others)].

flips(Permutation) -> flips(Permutation, 0).

flips([0 | _], Flips) -> Flips;
flips([First | Others], Flips) -> flips(reverse(First, Others, [First | tail(First, Others)]), Flips + 1).

%% Puts so many entries, one after the other, in front of what is reversed already.
reverse(0, _, Reversed) -> Reversed;
reverse(Left, [X | Others], Reversed) -> reverse(Left - 1, Others, [X | Reversed]).

%% What comes behind so many entries.
tail(0, Others) -> Others;
tail(Left, [_ | Others]) -> tail(Left - 1, Others).

factorial(0) -> 1;
factorial(N) -> N * factorial(N - 1).

divide_up(A, B) -> (A + B - 1) div B.
