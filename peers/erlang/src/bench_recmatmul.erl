-module(bench_recmatmul).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([dispatch/2, dot/7]).
-endif.

%% What everybody knows and never changes.
-record(product, {run, master, workers, n, leaf}).

%% A and B, row by row: tuples that are shared because they are persistent terms.
-define(A, {?MODULE, a}).
-define(B, {?MODULE, b}).

parameters() ->
    [
        {n, {power_of_two, 2, 2048}},
        {t, {integer, 1}},
        {w, {integer, 1}},
        {p, {integer, 1, 29}}
    ].

run(#{n := N, t := T, w := W}, Announce) ->
    Indices = lists:seq(0, N - 1),
    ok = persistent_term:put(?A, list_to_tuple([float(I) || I <- Indices, _ <- Indices])),
    ok = persistent_term:put(?B, list_to_tuple([float(J) || _ <- Indices, J <- Indices])),
    Run = start(Announce),
    expect(Run, 1),
    Product = #product{run = Run, workers = W, n = N, leaf = T},
    spawn(fun() -> master(Product) end),
    {Sum, Weighted, Items} = await(master),
    Wall = finish(Run),
    true = persistent_term:erase(?A),
    true = persistent_term:erase(?B),
    #{wall_ns => Wall, result => Sum, checks => #{wsum => Weighted, items => Items}}.

master(#product{run = Run, workers = W, n = N} = Common) ->
    Product = Common#product{master = self()},
    expect(Run, W),
    Workers = list_to_tuple([spawn(fun() -> worker(Product) end) || _ <- lists:seq(1, W)]),
    dispatch(Workers, {work, 0, 0, 0, 0, 0, 0, 0, N * N, N}),
    working(Run, Workers, 1, 0).

%% The place of the block in C decides who computes it.
dispatch(Workers, {work, _, _, _, _, _, RC, CC, _, _} = Work) ->
    element((RC + CC) rem tuple_size(Workers) + 1, Workers) ! Work,
    ok.

working(Run, Workers, Sent, Sent) ->
    _ = [Worker ! stop || Worker <- tuple_to_list(Workers)],
    {Sum, Weighted} = stopped(tuple_size(Workers), 0, 0),
    report(Run, master, {Sum, Weighted, Sent}),
    leave(Run);
working(Run, Workers, Sent, Completed) ->
    receive
        {new_work, Priority, RA, CA, RB, CB, RC, CC, Blocks, Dim} ->
            dispatch(Workers, {work, Priority, RA, CA, RB, CB, RC, CC, Blocks, Dim}),
            working(Run, Workers, Sent + 1, Completed);
        done ->
            working(Run, Workers, Sent, Completed + 1);
        Other ->
            error({unexpected, Other})
    end.

stopped(0, Sum, Weighted) ->
    {Sum, Weighted};
stopped(W, Sum, Weighted) ->
    receive
        {stopped, S, X} -> stopped(W - 1, Sum + S, Weighted + X);
        Other -> error({unexpected, Other})
    end.

worker(Product) -> worker(Product, persistent_term:get(?A), persistent_term:get(?B), #{}).

%% C has the blocks of this worker, by place; a block is a list in the order of the loops over it.
worker(#product{run = Run, master = Master, n = N, leaf = T} = Product, A, B, C) ->
    receive
        {work, Priority, RA, CA, RB, CB, RC, CC, Blocks, Dim} when Blocks > T ->
            Half = Dim div 2,
            _ = [
                Master ! {new_work, Priority + 1, RA + I, CA + K, RB + K, CB + J, RC + I, CC + J, Blocks div 4, Half}
             || I <- [0, Half], J <- [0, Half], K <- [0, Half]
            ],
            Master ! done,
            worker(Product, A, B, C);
        {work, _Priority, _RA, CA, RB, _CB, RC, CC, _Blocks, Dim} ->
            Place = {RC, CC, Dim},
            Block = maps:get(Place, C, lists:duplicate(Dim * Dim, 0.0)),
            Added = rows(Block, A, B, N, Dim, RC * N + CA + 1, RB * N + CC + 1, Dim),
            Master ! done,
            worker(Product, A, B, C#{Place => Added});
        stop ->
            {Sum, Weighted} = sums(C, N),
            Master ! {stopped, Sum, Weighted},
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

%% The loops over i, j and k. AtA and AtB are where the first factors of the row or cell are.
rows([], _, _, _, _, _, _, 0) -> [];
rows(Block, A, B, N, Dim, AtA, AtB, Left) -> cells(Block, A, B, N, Dim, AtA, AtB, Left, Dim).

cells(Block, A, B, N, Dim, AtA, AtB, Left, 0) ->
    rows(Block, A, B, N, Dim, AtA + N, AtB - Dim, Left - 1);
cells([C | Block], A, B, N, Dim, AtA, AtB, Left, LeftInRow) ->
    Sum = dot(A, B, N, AtA, AtB, Dim, C),
    [Sum | cells(Block, A, B, N, Dim, AtA, AtB + 1, Left, LeftInRow - 1)].

%% Four factors at a time: every call costs the sum a box on the heap. The guards let the compiler open all the others:
%% without them every number is first asked whether it is a float, which takes twice as long again.
dot(A, B, N, AtA, AtB, Left, Sum) when Left >= 4, is_float(Sum) ->
    Second = AtB + N,
    Third = Second + N,
    Fourth = Third + N,
    A1 = element(AtA, A),
    A2 = element(AtA + 1, A),
    A3 = element(AtA + 2, A),
    A4 = element(AtA + 3, A),
    B1 = element(AtB, B),
    B2 = element(Second, B),
    B3 = element(Third, B),
    B4 = element(Fourth, B),
    if
        is_float(A1), is_float(A2), is_float(A3), is_float(A4),
        is_float(B1), is_float(B2), is_float(B3), is_float(B4) ->
            dot(A, B, N, AtA + 4, Fourth + N, Left - 4, Sum + A1 * B1 + A2 * B2 + A3 * B3 + A4 * B4)
    end;
dot(_, _, _, _, _, 0, Sum) ->
    Sum;
dot(A, B, N, AtA, AtB, Left, Sum) ->
    dot(A, B, N, AtA + 1, AtB + N, Left - 1, Sum + element(AtA, A) * element(AtB, B)).

%% What the blocks hold, every cell compared with what it must be.
sums(C, N) ->
    maps:fold(
        fun({RC, CC, Dim}, Block, Sums) ->
            Places = [{I, J} || I <- lists:seq(RC, RC + Dim - 1), J <- lists:seq(CC, CC + Dim - 1)],
            lists:foldl(fun(Cell, Sum) -> add(Cell, N, Sum) end, Sums, lists:zip(Places, Block))
        end,
        {0, 0},
        C
    ).

add({{I, J}, Cell}, N, {Sum, Weighted}) ->
    case trunc(Cell) of
        X when X =:= N * I * J -> {Sum + X, Weighted + (X rem 1000003) * ((31 * I + 17 * J) rem 101 + 1)};
        _ -> error({wrong_cell, I, J, Cell})
    end.
