-module(bench_apsp).
-behaviour(scoville_benchmark).

-export([parameters/0, relations/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([graph/2]).
-endif.

%% What a block knows and never changes. Blocks lie at (bi, bj), numbered by rows.
-record(block, {run, tally, n, b, bi, bj, neighbours}).

-compile({inline, [lesser/2]}).

%% A block is a binary, 64 bits for each cell, row by row: sent, it is shared and not copied.
-define(CELL, 64 / signed).

parameters() -> [{n, integer}, {b, {integer, 1}}, {w, {integer, 1, 65536}}].

relations() ->
    [
        {n, at_least, "2 * b", fun(#{b := B}) -> 2 * B end},
        {n, multiple_of, "b", fun(#{b := B}) -> B end}
    ].

run(#{n := N, b := B, w := W}, Announce) ->
    Graph = graph(N, W),
    Run = start(Announce),
    Side = N div B,
    expect(Run, Side * Side + 1),
    Tally = spawn(fun() -> tally(Run, Side * Side, 0, 0, 0) end),
    Places = [{BI, BJ} || BI <- lists:seq(0, Side - 1), BJ <- lists:seq(0, Side - 1)],
    Blocks = [spawn(fun() -> block(Run, Tally, Graph, N, B, Place) end) || Place <- Places],
    At = maps:from_list(lists:zip(Places, Blocks)),
    _ = [Block ! {neighbours, neighbours(Place, Side, At)} || {Place, Block} <- lists:zip(Places, Blocks)],
    _ = [Block ! start || Block <- Blocks],
    {Sum, Weighted, Phases} = await(tally),
    #{wall_ns => finish(Run), result => Sum, checks => #{wsum => Weighted, phases => Phases}}.

%% The matrix of distances, row by row. Draws come in the order of the upper triangle.
graph(N, W) ->
    {Upper, _} = lists:mapfoldl(
        fun({I, J}, Rng) ->
            {Drawn, Next} = scoville_lcg:below(W, Rng),
            {{{I, J}, Drawn + 1}, Next}
        end,
        scoville_lcg:new(N),
        [{I, J} || I <- lists:seq(0, N - 2), J <- lists:seq(I + 1, N - 1)]
    ),
    Edges = maps:from_list(Upper),
    <<<<(distance(I, J, Edges)):?CELL>> || I <- lists:seq(0, N - 1), J <- lists:seq(0, N - 1)>>.

distance(I, I, _) -> 0;
distance(I, J, Edges) -> map_get({min(I, J), max(I, J)}, Edges).

neighbours({BI, BJ}, Side, At) ->
    [map_get({I, BJ}, At) || I <- lists:seq(0, Side - 1), I =/= BI] ++
        [map_get({BI, J}, At) || J <- lists:seq(0, Side - 1), J =/= BJ].

tally(Run, 0, Sum, Weighted, Phases) ->
    report(Run, tally, {Sum, Weighted, Phases}),
    leave(Run);
tally(Run, Left, Sum, Weighted, Phases) ->
    receive
        {done, S, W, P} -> tally(Run, Left - 1, Sum + S, Weighted + W, Phases + P);
        Other -> error({unexpected, Other})
    end.

%% Results that come before the start wait in the mailbox.
block(Run, Tally, Graph, N, B, {BI, BJ}) ->
    Own = iolist_to_binary([part(Graph, (BI * B + I) * N + BJ * B, B) || I <- lists:seq(0, B - 1)]),
    receive
        {neighbours, Neighbours} ->
            Block = #block{run = Run, tally = Tally, n = N, b = B, bi = BI, bj = BJ, neighbours = Neighbours},
            receive
                start -> phase(Block, -1, Own, #{})
            end
    end.

%% K is the last finished phase. Results of the next one may be there already.
phase(#block{run = Run, tally = Tally, n = N} = Block, K, Own, _) when K =:= N - 1 ->
    Tally ! {done, lists:sum(cells(Own)), weighted(Block, Own), K + 1},
    leave(Run);
phase(#block{n = N, b = B, bi = BI, bj = BJ, neighbours = Neighbours} = Block, K, Own, Early) ->
    Id = BI * (N div B) + BJ,
    Result = {result, K, Id, Own},
    _ = [Neighbour ! Result || Neighbour <- Neighbours],
    Missing = length(Neighbours) - map_size(Early),
    {Now, Later} = collect(K, Missing, Early#{Id => Own}, #{}),
    phase(Block, K + 1, relax(Block, K + 1, Own, Now), Later).

collect(_, 0, Now, Later) ->
    {Now, Later};
collect(K, Missing, Now, Later) ->
    receive
        {result, K, From, Data} -> collect(K, Missing - 1, Now#{From => Data}, Later);
        {result, Next, From, Data} when Next =:= K + 1 -> collect(K, Missing, Now, Later#{From => Data});
        Other -> error({unexpected, Other, {phase, K}})
    end.

%% Phase P: paths over node P. Row P is in the block above or below, column P in the one beside.
relax(#block{n = N, b = B, bi = BI, bj = BJ}, P, Own, Results) ->
    Side = N div B,
    At = P rem B,
    Across = cells(part(map_get((P div B) * Side + BJ, Results), At * B, B)),
    Beside = column(map_get(BI * Side + P div B, Results), At, B),
    relax(Own, Across, Across, Beside, <<>>).

%% The second argument is what is left of row P; the fourth begins with the cell of column P beside the present row.
%% Four cells at a time, since every step by which the binary grows costs.
relax(<<>>, _, _, _, New) ->
    New;
relax(<<A:?CELL, B:?CELL, C:?CELL, D:?CELL, Cells/binary>>, [E, F, G, H | Left], Across, Beside, New) ->
    To = hd(Beside),
    relax(Cells, Left, Across, Beside, <<
        New/binary,
        (lesser(A, To + E)):?CELL,
        (lesser(B, To + F)):?CELL,
        (lesser(C, To + G)):?CELL,
        (lesser(D, To + H)):?CELL
    >>);
relax(<<A:?CELL, Cells/binary>>, [E | Left], Across, [To | _] = Beside, New) ->
    relax(Cells, Left, Across, Beside, <<New/binary, (lesser(A, To + E)):?CELL>>);
relax(Cells, [], Across, [_ | Beside], New) ->
    relax(Cells, Across, Across, Beside, New).

lesser(A, B) when A =< B -> A;
lesser(_, B) -> B.

%% Count cells, the first of which has the given index.
part(Matrix, First, Count) -> binary:part(Matrix, First * 8, Count * 8).

cells(Matrix) -> [Cell || <<Cell:?CELL>> <= Matrix].

column(Matrix, At, B) ->
    Before = At * 8,
    Behind = (B - 1 - At) * 8,
    [Cell || <<_:Before/binary, Cell:?CELL, _:Behind/binary>> <= Matrix].

weighted(#block{b = B, bi = BI, bj = BJ}, Own) ->
    Places = [{I, J} || I <- lists:seq(BI * B, BI * B + B - 1), J <- lists:seq(BJ * B, BJ * B + B - 1)],
    lists:sum([Cell * ((31 * I + 17 * J) rem 101 + 1) || {{I, J}, Cell} <- lists:zip(Places, cells(Own))]).
