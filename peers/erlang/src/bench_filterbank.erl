-module(bench_filterbank).
-behaviour(scoville_benchmark).

-export([parameters/0, relations/0, run/2]).
-import(scoville_iteration, [start/1, spawn_crowded/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([dot/4]).
-endif.

%% What a filter knows and never changes. The coefficients are in the order of the slots.
-record(fir, {run, next, cols, coefficients}).

parameters() -> [{sim, integer}, {col, {integer, 2, 16384}}, {chan, {integer, 2, 34}}].

relations() -> [{sim, at_least, "2 * col - 1", fun(#{col := Cols}) -> 2 * Cols - 1 end}].

run(#{sim := Sims, col := Cols, chan := Channels}, Announce) ->
    Filters = [{J, coefficients(J, Cols, Channels)} || J <- lists:seq(0, Channels - 1)],
    Run = start(Announce),
    expect(Run, 7 * Channels + 6),
    Sink = spawn_crowded(fun() -> sink(Run, 0, 0.0, 0.0) end),
    Combiner = spawn_crowded(fun() -> combiner(Run, Sink) end),
    Integrator = spawn_crowded(fun() -> integrator(Run, Combiner, Channels) end),
    Banks = [bank(Run, Integrator, Cols, Filter) || Filter <- Filters],
    Branches = spawn_crowded(fun() -> branches(Run, Banks) end),
    Producer = spawn(fun() -> producer(Run, Sims) end),
    Source = spawn(fun() -> source(Run, Producer, Branches, 0) end),
    Producer ! {next, Source},
    {Count, Sum, Weighted, Fir, Hash} = await(sink),
    #{
        wall_ns => finish(Run),
        result => Hash,
        checks => #{count => Count, sum => Sum, wsum => Weighted, fir => Fir}
    }.

%% H and F of channel J from the last column to the first: slot i meets coefficient cols-1-i.
coefficients(J, Cols, Channels) ->
    Columns = lists:seq(Cols - 1, 0, -1),
    H = [float(I * Cols + J * Channels + J + I + J + 1) || I <- Columns],
    F = [float(I * J + J * J + J + I) || I <- Columns],
    {H, F}.

%% The seven actors of a channel. The source waits for none of the actors behind it.
bank(Run, Integrator, Cols, {J, {H, F}}) ->
    Tagger = spawn_crowded(fun() -> tagger(Run, Integrator, J) end),
    Fir2 = spawn_crowded(fun() -> filter(Run, Tagger, Cols, F) end),
    Delay2 = spawn_crowded(fun() -> delay(Run, Fir2, Cols) end),
    Sample = spawn_crowded(fun() -> sample(Run, Delay2, Cols, 0, 0, 0) end),
    Fir1 = spawn_crowded(fun() -> filter(Run, Sample, Cols, H) end),
    Delay1 = spawn_crowded(fun() -> delay(Run, Fir1, Cols) end),
    spawn_crowded(fun() -> forward(Run, Delay1) end).

producer(Run, Left) ->
    receive
        {next, Source} when Left > 0 ->
            Source ! boot,
            producer(Run, Left - 1);
        {next, Source} ->
            Source ! {exit, 0, 0},
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

source(Run, Producer, Branches, Current) ->
    receive
        boot ->
            Branches ! {value, float(Current)},
            Producer ! {next, self()},
            source(Run, Producer, Branches, (Current + 1) rem 1000);
        {exit, _, _} = Exit ->
            Branches ! Exit,
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

branches(Run, Banks) ->
    receive
        {value, _} = Value ->
            _ = [Bank ! Value || Bank <- Banks],
            branches(Run, Banks);
        {exit, _, _} = Exit ->
            _ = [Bank ! Exit || Bank <- Banks],
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

forward(Run, Next) ->
    receive
        {value, _} = Value ->
            Next ! Value,
            forward(Run, Next);
        {exit, _, _} = Exit ->
            Next ! Exit,
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

%% The ring: a queue of constant length.
delay(Run, Next, Cols) ->
    delay(Run, Next, Cols, queue:from_list(lists:duplicate(Cols - 1, 0.0))).

delay(Run, Next, Cols, Ring) ->
    receive
        {value, V} ->
            {{value, Delayed}, Others} = queue:out(Ring),
            Next ! {value, Delayed},
            delay(Run, Next, Cols, queue:in(V, Others));
        {exit, _, _} = Exit ->
            Next ! Exit,
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

filter(Run, Next, Cols, Coefficients) ->
    Fir = #fir{run = Run, next = Next, cols = Cols, coefficients = Coefficients},
    fir(Fir, erlang:make_tuple(Cols, 0.0), 1, false).

%% At is the slot, from 1, that the next value takes.
fir(#fir{run = Run, next = Next, cols = Cols, coefficients = Coefficients} = Fir, Data, At, Full) ->
    receive
        {value, V} when Full; At =:= Cols ->
            Ring = setelement(At, Data, V),
            Next ! {value, dot(Coefficients, Ring, 1, 0.0)},
            fir(Fir, Ring, At rem Cols + 1, true);
        {value, V} ->
            fir(Fir, setelement(At, Data, V), At + 1, false);
        {exit, _, _} = Exit ->
            Next ! Exit,
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

%% Four slots at a time: every call costs the sum a box on the heap. The guards let the compiler open all the others:
%% without them every number is first asked whether it is a float, which takes as long again.
dot([C0, C1, C2, C3 | Cs], Ring, I, Sum) when is_float(C0), is_float(C1), is_float(C2), is_float(C3), is_float(Sum) ->
    V0 = element(I, Ring),
    V1 = element(I + 1, Ring),
    V2 = element(I + 2, Ring),
    V3 = element(I + 3, Ring),
    if
        is_float(V0), is_float(V1), is_float(V2), is_float(V3) ->
            dot(Cs, Ring, I + 4, Sum + V0 * C0 + V1 * C1 + V2 * C2 + V3 * C3)
    end;
dot([C | Cs], Ring, I, Sum) ->
    dot(Cs, Ring, I + 1, Sum + element(I, Ring) * C);
dot([], _, _, Sum) ->
    Sum.

%% Passes every Cols-th value, and the sum of all on exit.
sample(Run, Next, Cols, K, Count, Hash) ->
    receive
        {value, V} ->
            Sampled =
                case K of
                    0 -> V;
                    _ -> 0.0
                end,
            Next ! {value, Sampled},
            sample(Run, Next, Cols, (K + 1) rem Cols, Count + 1, Hash + trunc(V) rem 1000003);
        {exit, _, _} ->
            Next ! {exit, Count, Hash},
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

tagger(Run, Integrator, Channel) ->
    receive
        {value, V} ->
            Integrator ! {tagged, Channel, V},
            tagger(Run, Integrator, Channel);
        {exit, _, _} = Exit ->
            Integrator ! Exit,
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

integrator(Run, Combiner, Channels) ->
    Given = maps:from_list([{Channel, 0} || Channel <- lists:seq(0, Channels - 1)]),
    integrator(Run, Combiner, Channels, Given, #{}, 0, 0, Channels).

%% The n-th value of a channel belongs to row n, which is the first that lacks the channel. Rows are
%% complete in their order. Given tells how many values each channel has given.
integrator(Run, Combiner, Channels, Given, Rows, Fir, Hash, Open) ->
    receive
        {tagged, Channel, V} ->
            Number = map_get(Channel, Given),
            Row = (maps:get(Number, Rows, #{}))#{Channel => V},
            Left =
                case map_size(Row) of
                    Channels ->
                        Combiner ! {row, [map_get(C, Row) || C <- lists:seq(0, Channels - 1)]},
                        maps:remove(Number, Rows);
                    _ ->
                        Rows#{Number => Row}
                end,
            integrator(Run, Combiner, Channels, Given#{Channel := Number + 1}, Left, Fir, Hash, Open);
        {exit, C, F} when Open > 1 ->
            integrator(Run, Combiner, Channels, Given, Rows, Fir + C, Hash + F, Open - 1);
        {exit, C, F} when map_size(Rows) =:= 0 ->
            Combiner ! {exit, Fir + C, Hash + F},
            leave(Run);
        Other ->
            error({unexpected, Other, {rows, map_size(Rows)}})
    end.

combiner(Run, Sink) ->
    receive
        {row, Row} ->
            Sink ! {value, lists:foldl(fun(V, Sum) -> Sum + V end, 0.0, Row)},
            combiner(Run, Sink);
        {exit, _, _} = Exit ->
            Sink ! Exit,
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

sink(Run, Count, Sum, Weighted) ->
    receive
        {value, V} ->
            sink(Run, Count + 1, Sum + V, Weighted + V * (Count rem 7 + 1));
        {exit, Fir, Hash} ->
            report(Run, sink, {Count, Sum, Weighted, Fir, Hash}),
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.
