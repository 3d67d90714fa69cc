-module(bench_bndbuffer).
-behaviour(scoville_benchmark).

-export([parameters/0, relations/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, await/2, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([process/2]).
-endif.

%% Lengths are kept beside the queues, which do not know their own.
-record(manager, {
    run,
    buffer,
    cap,
    consumers,
    idle,
    idle_len,
    parked = queue:new(),
    pending = queue:new(),
    pending_len = 0,
    max_pending = 0,
    producing
}).

parameters() ->
    [
        {buffer, integer},
        {producers, {integer, 1}},
        {consumers, {integer, 1}},
        {items, {integer, 0}},
        {prod_cost, {integer, 0}},
        {cons_cost, {integer, 0}}
    ].

relations() -> [{buffer, at_least, "producers + 1", fun(#{producers := P}) -> P + 1 end}].

run(#{consumers := C} = Values, Announce) ->
    Run = start(Announce),
    expect(Run, 1),
    spawn(fun() -> manager(Run, Values) end),
    Consumed = await(consumer, C),
    MaxPending = await(max_pending),
    Wall = finish(Run),
    {_, SeqSums, Counts, Items} = lists:foldr(
        fun({Id, SeqSum, Count, Item}, {Ids, S, N, I}) -> {[Id | Ids], [SeqSum | S], [Count | N], [Item | I]} end,
        {[], [], [], []},
        lists:sort(Consumed)
    ),
    #{
        wall_ns => Wall,
        result => lists:sum(SeqSums),
        checks => #{items => lists:sum(Counts), data_sum => lists:sum(Items)},
        metrics => #{max_pending => MaxPending},
        per_actor => #{items => Counts}
    }.

manager(Run, #{buffer := B, producers := P, consumers := C, items := I} = Values) ->
    #{prod_cost := ProdCost, cons_cost := ConsCost} = Values,
    Manager = self(),
    expect(Run, P + C),
    Producers = [spawn(fun() -> producer(Run, Manager, I, ProdCost, 0, 0.0) end) || _ <- lists:seq(1, P)],
    Consumers = [spawn(fun() -> consumer(Run, Manager, Id, ConsCost, 0, 0, 0.0) end) || Id <- lists:seq(0, C - 1)],
    _ = [Producer ! produce || Producer <- Producers],
    manager(#manager{
        run = Run,
        buffer = B,
        cap = B - P,
        consumers = Consumers,
        idle = queue:from_list(Consumers),
        idle_len = C,
        producing = P
    }).

manager(Manager) ->
    receive
        {data, _Item, _Seq, From} = Data -> manager(next(From, buffer(Data, Manager)));
        {available, Consumer} -> available(Consumer, Manager);
        producer_exit -> try_exit(Manager#manager{producing = Manager#manager.producing - 1});
        Other -> error({unexpected, Other})
    end.

buffer(Data, #manager{idle_len = 0, pending = Pending, pending_len = Length, buffer = B} = Manager) ->
    Length < B - 1 orelse error({too_many_pending, Length + 1}),
    Manager#manager{
        pending = queue:in(Data, Pending),
        pending_len = Length + 1,
        max_pending = max(Length + 1, Manager#manager.max_pending)
    };
buffer(Data, #manager{idle = Idle, idle_len = Length} = Manager) ->
    {{value, Consumer}, Rest} = queue:out(Idle),
    Consumer ! Data,
    Manager#manager{idle = Rest, idle_len = Length - 1}.

next(Producer, #manager{pending_len = Length, cap = Cap, parked = Parked} = Manager) when Length >= Cap ->
    Manager#manager{parked = queue:in(Producer, Parked)};
next(Producer, Manager) ->
    Producer ! produce,
    Manager.

available(Consumer, #manager{pending_len = 0, idle = Idle, idle_len = Length} = Manager) ->
    try_exit(Manager#manager{idle = queue:in(Consumer, Idle), idle_len = Length + 1});
available(Consumer, #manager{pending = Pending, pending_len = Length} = Manager) ->
    {{value, Data}, Rest} = queue:out(Pending),
    Consumer ! Data,
    manager(unpark(Manager#manager{pending = Rest, pending_len = Length - 1})).

unpark(#manager{parked = Parked} = Manager) ->
    case queue:out(Parked) of
        {{value, Producer}, Rest} ->
            Producer ! produce,
            Manager#manager{parked = Rest};
        {empty, _} ->
            Manager
    end.

try_exit(#manager{run = Run, producing = 0, idle_len = Length, consumers = Consumers} = Manager) when
    Length =:= length(Consumers)
->
    _ = [Consumer ! consumer_exit || Consumer <- Consumers],
    report(Run, max_pending, Manager#manager.max_pending),
    leave(Run);
try_exit(Manager) ->
    manager(Manager).

producer(Run, Manager, Items, Cost, Made, Item) ->
    receive
        produce when Made =:= Items ->
            Manager ! producer_exit,
            leave(Run);
        produce ->
            Next = process(Item, Cost),
            Manager ! {data, Next, Made + 1, self()},
            producer(Run, Manager, Items, Cost, Made + 1, Next);
        Other ->
            error({unexpected, Other})
    end.

consumer(Run, Manager, Id, Cost, SeqSum, Items, Item) ->
    receive
        {data, X, Seq, _From} ->
            Next = process(Item + X, Cost),
            Manager ! {available, self()},
            consumer(Run, Manager, Id, Cost, SeqSum + Seq, Items + 1, Next);
        consumer_exit ->
            report(Run, consumer, {Id, SeqSum, Items, Item}),
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

%% The work on one item. The generator starts anew each time.
-spec process(float(), Cost :: non_neg_integer()) -> float().
process(X, 0) -> process(X, scoville_lcg:new(0), 1);
process(X, Cost) -> process(X, scoville_lcg:new(Cost), 100 * Cost).

process(X, _, 0) ->
    X;
process(X, Rng, Left) ->
    V = scoville_lcg:next(Rng),
    process(X + math:log(1.0 / (V + 1) + 0.01), V, Left - 1).
