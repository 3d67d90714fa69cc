-module(bench_apsp).
-behaviour(scoville_benchmark).

-export([parameters/0, relations/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([graph/2]).
-endif.

%% What a block knows and never changes. Blocks lie at (bi, bj), numbered by rows.
-record(block, {run, tally, n, b, bi, bj, neighbours}).

%% A block computes on lists of rows. What it sends is a binary, which is shared, not copied: 64 bits for
%% each cell, row by row.
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
    Rows = [cells(Graph, (BI * B + I) * N + BJ * B, B) || I <- lists:seq(0, B - 1)],
    receive
        {neighbours, Neighbours} ->
            Block = #block{run = Run, tally = Tally, n = N, b = B, bi = BI, bj = BJ, neighbours = Neighbours},
            receive
                start -> phase(Block, -1, Rows, #{})
            end
    end.

%% K is the last finished phase. Results of the next one may be there already.
phase(#block{run = Run, tally = Tally, n = N} = Block, K, Rows, _) when K =:= N - 1 ->
    Tally ! {done, lists:sum([lists:sum(Row) || Row <- Rows]), weighted(Block, Rows), K + 1},
    leave(Run);
phase(#block{n = N, b = B, bi = BI, bj = BJ, neighbours = Neighbours} = Block, K, Rows, Early) ->
    Own = <<<<Cell:?CELL>> || Row <- Rows, Cell <- Row>>,
    Id = BI * (N div B) + BJ,
    Result = {result, K, Id, Own},
    _ = [Neighbour ! Result || Neighbour <- Neighbours],
    Missing = length(Neighbours) - map_size(Early),
    {Now, Later} = collect(K, Missing, Early#{Id => Own}, #{}),
    phase(Block, K + 1, relax(Block, K + 1, Rows, Now), Later).

collect(_, 0, Now, Later) ->
    {Now, Later};
collect(K, Missing, Now, Later) ->
    receive
        {result, K, From, Data} -> collect(K, Missing - 1, Now#{From => Data}, Later);
        {result, Next, From, Data} when Next =:= K + 1 -> collect(K, Missing, Now, Later#{From => Data});
        Other -> error({unexpected, Other, {phase, K}})
    end.

%% Phase P: paths over node P. Row P is in the block above or below, column P in the one beside.
relax(#block{n = N, b = B, bi = BI, bj = BJ}, P, Rows, Results) ->
    Side = N div B,
    Across = cells(map_get((P div B) * Side + BJ, Results), (P rem B) * B, B),
    Beside = map_get(BI * Side + P div B, Results),
    relax_rows(Rows, Across, Beside, P rem B, B).

relax_rows([], _, _, _, _) ->
    [];
relax_rows([Row | Rows], Across, Beside, At, B) ->
    [To] = cells(Beside, At, 1),
    [relax_row(Row, Across, To) | relax_rows(Rows, Across, Beside, At + B, B)].

relax_row([], [], _) -> [];
relax_row([Cell | Cells], [From | Across], To) when To + From < Cell -> [To + From | relax_row(Cells, Across, To)];
relax_row([Cell | Cells], [_ | Across], To) -> [Cell | relax_row(Cells, Across, To)].

%% Count cells of a matrix, the first of which has the given index.
cells(Matrix, First, Count) ->
    Offset = First * 8,
    Size = Count * 8,
    <<_:Offset/binary, Cells:Size/binary, _/binary>> = Matrix,
    [Cell || <<Cell:?CELL>> <= Cells].

weighted(#block{b = B, bi = BI, bj = BJ}, Rows) ->
    lists:sum([
        Cell * ((31 * I + 17 * J) rem 101 + 1)
     || {I, Row} <- lists:zip(lists:seq(BI * B, BI * B + B - 1), Rows),
        {J, Cell} <- lists:zip(lists:seq(BJ * B, BJ * B + B - 1), Row)
    ]).
