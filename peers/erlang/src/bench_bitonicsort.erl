-module(bench_bitonicsort).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, leave/1]).

parameters() -> [{n, {power_of_two, 2}}, {m, {integer, 1}}, {s, integer}].

run(#{n := N, m := M, s := S}, Announce) ->
    Run = start(Announce),
    Kernel = network(Run, N),
    Source = create(Run, fun() -> source(Run, Kernel, N, M, S) end),
    Source ! start,
    {Hash, Count, Errors, Sum} = await(validator),
    #{wall_ns => finish(Run), result => Hash, checks => #{count => Count, errors => Errors, sum => Sum}}.

create(Run, Actor) ->
    expect(Run, 1),
    spawn(Actor).

%% Builds everything but the source, back to front, and returns where the data go.
network(Run, N) ->
    Validator = create(Run, fun() -> bench_radixsort:validator(Run, none) end),
    Out = forwarder(Run, Validator),
    Up = fun(_) -> up end,
    LastSteps = lists:foldl(
        fun(I, Next) -> step(Run, N div I, I, Up, Next) end, Out, halves(N div 2)
    ),
    LastStage = forwarder(Run, LastSteps),
    First = lists:foldl(fun(P, Next) -> merge_stage(Run, N, P, Next) end, LastStage, lists:droplast(halves(N div 2))),
    forwarder(Run, First).

%% I, I/2, ..., 1.
halves(1) -> [1];
halves(I) -> [I | halves(I div 2)].

merge_stage(Run, N, P, Next) ->
    Steps = lists:foldl(
        fun(I, Following) ->
            step(Run, P div I, (N div P) * I, fun(J) -> direction(J div I) end, forwarder(Run, Following))
        end,
        Next,
        halves(P div 2)
    ),
    forwarder(Run, Steps).

direction(Group) when Group rem 2 =:= 0 -> up;
direction(_) -> down.

step(Run, L, Partitions, Direction, Next) ->
    Joiner = create(Run, fun() -> joiner(Run, L, Partitions, Next) end),
    Workers = [worker(Run, J, L, Direction(J), Joiner) || J <- lists:seq(0, Partitions - 1)],
    forwarder(Run, create(Run, fun() -> splitter(Run, L, Workers) end)).

worker(Run, J, 2, Direction, Joiner) ->
    create(Run, fun() -> compare(Run, J, Direction, Joiner) end);
worker(Run, J, L, Direction, Outer) ->
    Tag = create(Run, fun() -> tag(Run, J, Outer) end),
    Joiner = create(Run, fun() -> joiner(Run, 1, L div 2, Tag) end),
    Compares = [
        create(Run, fun() -> compare(Run, O, Direction, Joiner) end)
     || O <- lists:seq(0, L div 2 - 1)
    ],
    forwarder(Run, create(Run, fun() -> splitter(Run, 1, Compares) end)).

source(Run, Kernel, N, M, S) ->
    receive
        start -> source(Run, Kernel, N, M, scoville_lcg:new(S), N);
        Other -> error({unexpected, Other})
    end.

source(Run, Kernel, _, _, _, 0) ->
    Kernel ! exit,
    leave(Run);
source(Run, Kernel, N, M, Rng, Left) ->
    V = scoville_lcg:next(Rng),
    Kernel ! {value, V rem M},
    source(Run, Kernel, N, M, V, Left - 1).

%% Kernel, stages, steps, partitions and untags.
forwarder(Run, Next) -> create(Run, fun() -> forward(Run, Next) end).

forward(Run, Next) ->
    receive
        {value, _} = Value ->
            Next ! Value,
            forward(Run, Next);
        exit ->
            Next ! exit,
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

tag(Run, O, Next) ->
    receive
        {value, V} ->
            Next ! {data, O, V},
            tag(Run, O, Next);
        exit ->
            Next ! exit,
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

compare(Run, O, Direction, Next) ->
    receive
        {value, A} ->
            receive
                {value, B} ->
                    {First, Second} = order(Direction, A, B),
                    Next ! {data, O, First},
                    Next ! {data, O, Second},
                    compare(Run, O, Direction, Next);
                Other ->
                    error({unexpected, Other, {after_value, A}})
            end;
        exit ->
            Next ! exit,
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

order(up, A, B) -> {min(A, B), max(A, B)};
order(down, A, B) -> {max(A, B), min(A, B)}.

splitter(Run, L, Receivers) -> splitter(Run, L, Receivers, Receivers, L).

%% The first of the current receivers gets what is left of its L values.
splitter(Run, L, All, [], _) ->
    splitter(Run, L, All, All, L);
splitter(Run, L, All, [_ | Next], 0) ->
    splitter(Run, L, All, Next, L);
splitter(Run, L, All, [Receiver | _] = Current, Left) ->
    receive
        {value, _} = Value ->
            Receiver ! Value,
            splitter(Run, L, All, Current, Left - 1);
        exit ->
            _ = [R ! exit || R <- All],
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

-record(joiner, {run, length, inputs, next}).

joiner(Run, L, Inputs, Next) ->
    join(#joiner{run = Run, length = L, inputs = Inputs, next = Next}, #{}, 0, L, Inputs).

%% Current is the input whose turn it is, for Left more values. Queues has those that are not empty;
%% the current input's always is.
join(#joiner{run = Run, next = Next} = Joiner, Queues, Current, Left, Open) ->
    receive
        {data, Current, V} ->
            Next ! {value, V},
            advance(Joiner, Queues, Current, Left - 1, Open);
        {data, O, V} ->
            Queue = maps:get(O, Queues, queue:new()),
            join(Joiner, Queues#{O => queue:in(V, Queue)}, Current, Left, Open);
        exit when Open > 1 ->
            join(Joiner, Queues, Current, Left, Open - 1);
        exit when map_size(Queues) =:= 0 ->
            Next ! exit,
            leave(Run);
        Other ->
            error({unexpected, Other, {queued, maps:keys(Queues)}})
    end.

advance(#joiner{length = L, inputs = Inputs} = Joiner, Queues, Current, 0, Open) ->
    advance(Joiner, Queues, (Current + 1) rem Inputs, L, Open);
advance(#joiner{next = Next} = Joiner, Queues, Current, Left, Open) ->
    case Queues of
        #{Current := Queue} ->
            {{value, V}, Others} = queue:out(Queue),
            Next ! {value, V},
            case queue:is_empty(Others) of
                true -> advance(Joiner, maps:remove(Current, Queues), Current, Left - 1, Open);
                false -> advance(Joiner, Queues#{Current := Others}, Current, Left - 1, Open)
            end;
        _ ->
            join(Joiner, Queues, Current, Left, Open)
    end.
