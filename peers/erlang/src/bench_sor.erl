-module(bench_sor).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([add/2, relaxed/3]).
-endif.

-compile({inline, [add/2, relaxed/3]}).

%% What everybody knows and never changes.
-record(grid, {run, side, iterations, omega}).
%% What a cell knows and never changes.
-record(cell, {grid, owner, i, j, colour, neighbours, degree}).

parameters() -> [{size, {integer, 3}}, {it, {integer, 2}}, {omega, {number, 0, 2}}, {seed, integer}].

run(#{size := S, it := Iterations, omega := Omega, seed := Seed}, Announce) ->
    Indices = lists:seq(0, S - 1),
    {Values, _} = lists:mapfoldl(
        fun(Place, Rng) ->
            {Unit, Next} = scoville_lcg:unit(Rng),
            {{Place, Unit * 1.0e-6}, Next}
        end,
        scoville_lcg:new(Seed),
        [{I, J} || I <- Indices, J <- Indices]
    ),
    Part = S div 2,
    {Left, Right} = lists:partition(fun({{_, J}, _}) -> J < Part end, Values),
    Run = start(Announce),
    expect(Run, 1),
    Grid = #grid{run = Run, side = S, iterations = Iterations, omega = Omega},
    Runner = spawn(fun() -> runner(Grid, Left, Right) end),
    Runner ! boot,
    {Total, Received} = await(runner),
    #{wall_ns => finish(Run), result => Total, checks => #{received => Received}}.

%% Owns the columns left of the middle.
runner(#grid{run = Run, side = S} = Grid, Left, Right) ->
    receive
        boot -> ok;
        Other -> error({unexpected, Other})
    end,
    Part = S div 2,
    Cells = create(Grid, Left),
    expect(Run, 1),
    Runner = self(),
    Column = column(Part - 1, S, Cells),
    Peer = spawn(fun() -> peer(Grid, Runner, Column, Right) end),
    Peer ! boot,
    receive
        {border, Border} -> start_cells(Cells, with_column(Part, Border, Cells));
        Unexpected -> error({unexpected, Unexpected})
    end,
    {Total, Received} = results(map_size(Cells), 0.0, 0),
    receive
        {peer_result, PeerTotal, PeerReceived} ->
            report(Run, runner, {Total + PeerTotal, Received + PeerReceived}),
            leave(Run);
        NoResult ->
            error({unexpected, NoResult})
    end.

%% Owns the other columns, and is given the one next to them.
peer(#grid{run = Run, side = S} = Grid, Runner, Column, Right) ->
    receive
        boot -> ok;
        Other -> error({unexpected, Other})
    end,
    Part = S div 2,
    Cells = create(Grid, Right),
    Runner ! {border, column(Part, S, Cells)},
    start_cells(Cells, with_column(Part - 1, Column, Cells)),
    {Total, Received} = results(map_size(Cells), 0.0, 0),
    Runner ! {peer_result, Total, Received},
    leave(Run).

%% Adds the results of so many cells. The peer's may come before them; it waits in the mailbox.
results(0, Total, Received) ->
    {Total, Received};
results(Left, Total, Received) ->
    receive
        {cell_result, _I, _J, Value, R} -> results(Left - 1, Total + Value, Received + R);
        Other when element(1, Other) =/= peer_result -> error({unexpected, Other})
    end.

create(#grid{run = Run} = Grid, Values) ->
    expect(Run, length(Values)),
    Cell = #cell{grid = Grid, owner = self()},
    maps:from_list([
        {{I, J}, spawn(fun() -> cell(Cell#cell{i = I, j = J, colour = colour(I, J)}, Value) end)}
     || {{I, J}, Value} <- Values
    ]).

colour(I, J) -> 1 - (I + J) rem 2.

column(J, S, Cells) -> [map_get({I, J}, Cells) || I <- lists:seq(0, S - 1)].

with_column(J, Column, Cells) ->
    Places = [{I, J} || I <- lists:seq(0, length(Column) - 1)],
    maps:merge(Cells, maps:from_list(lists:zip(Places, Column))).

start_cells(Own, Known) ->
    maps:foreach(
        fun({I, J}, Cell) ->
            Around = [{I, J + 1}, {I + 1, J}, {I, J - 1}, {I - 1, J}],
            Cell ! {start, [Neighbour || Place <- Around, #{Place := Neighbour} <- [Known]]}
        end,
        Own
    ).

%% Values that come before the start wait in the mailbox.
cell(#cell{colour = Colour} = Cell, Value) ->
    receive
        {start, Neighbours} ->
            Started = Cell#cell{neighbours = Neighbours, degree = length(Neighbours)},
            case Colour of
                1 ->
                    tell(Neighbours, Value),
                    cell(Started, Value, 1, 0.0, length(Neighbours), 1);
                0 ->
                    cell(Started, Value, 0, 0.0, length(Neighbours), 0)
            end
    end.

%% So many values are missing in this round.
cell(#cell{grid = Grid} = Cell, Value, Iteration, Sum, 1, Received) ->
    receive
        {value, V} ->
            New = relaxed(Grid#grid.omega, add(V, Sum), Value),
            next(Cell, New, Iteration + 1, Received + 1);
        Other ->
            error({unexpected, Other})
    end;
cell(Cell, Value, Iteration, Sum, Missing, Received) ->
    receive
        {value, V} -> cell(Cell, Value, Iteration, add(V, Sum), Missing - 1, Received + 1);
        Other -> error({unexpected, Other})
    end.

%% The guards spare both the arithmetic that takes any two numbers.
add(V, Sum) when is_float(V), is_float(Sum) -> Sum + V.

relaxed(Omega, Sum, Value) when is_float(Omega), is_float(Sum), is_float(Value) ->
    (0.25 * Omega) * Sum + (1.0 - Omega) * Value.

next(#cell{grid = #grid{run = Run, iterations = Iteration}} = Cell, Value, Iteration, Received) ->
    #cell{owner = Owner, i = I, j = J, colour = Colour, neighbours = Neighbours} = Cell,
    _ = Colour =:= 0 orelse tell(Neighbours, Value),
    Owner ! {cell_result, I, J, Value, Received},
    leave(Run);
next(#cell{neighbours = Neighbours, degree = Degree} = Cell, Value, Iteration, Received) ->
    tell(Neighbours, Value),
    cell(Cell, Value, Iteration, 0.0, Degree, Received).

tell([], _) ->
    ok;
tell([Neighbour | Neighbours], Value) ->
    Neighbour ! {value, Value},
    tell(Neighbours, Value).
