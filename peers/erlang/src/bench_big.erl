-module(bench_big).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([worker/4]).
-endif.

%% What a worker knows and never changes.
-record(worker, {run, sink, id, pings, peers, w}).

parameters() -> [{pings, {integer, 0}}, {actors, {integer, 1, 65536}}].

run(#{pings := N, actors := W}, Announce) ->
    Run = start(Announce),
    expect(Run, W + 1),
    Sink = spawn(fun() -> sink(Run, W) end),
    Workers = [spawn(fun() -> worker(Run, Sink, Id, N) end) || Id <- lists:seq(0, W - 1)],
    Peers = {peers, list_to_tuple(Workers)},
    Sink ! Peers,
    tell(Workers, Peers),
    tell(Workers, {pong, -1}),
    {Result, Pings} = collect(W, 0, 0),
    #{wall_ns => finish(Run), result => Result, checks => #{pings => Pings}}.

tell([], _) ->
    ok;
tell([Worker | Workers], Message) ->
    Worker ! Message,
    tell(Workers, Message).

collect(0, Result, Pings) ->
    {Result, Pings};
collect(W, Result, Pings) ->
    {Weighted, Received} = await(worker),
    collect(W - 1, Result + Weighted, Pings + Received).

%% Pings and pongs that overtake the peers stay in the mailbox, in order of arrival.
worker(Run, Sink, Id, N) ->
    receive
        {peers, Peers} ->
            Worker = #worker{
                run = Run, sink = Sink, id = Id, pings = N, peers = Peers, w = tuple_size(Peers)
            },
            worker(Worker, scoville_lcg:new(Id), 0, -1, 0)
    end.

worker(#worker{id = Id, pings = N, peers = Peers} = Worker, Rng, Sent, Expect, Received) ->
    receive
        {ping, From} ->
            element(From + 1, Peers) ! {pong, Id},
            worker(Worker, Rng, Sent, Expect, Received + 1);
        {pong, Expect} when Sent < N ->
            {Target, NewRng} = scoville_lcg:below(Worker#worker.w, Rng),
            element(Target + 1, Peers) ! {ping, Id},
            worker(Worker, NewRng, Sent + 1, Target, Received);
        {pong, Expect} ->
            Worker#worker.sink ! done,
            worker(Worker, Rng, Sent, none, Received);
        exit ->
            report(Worker#worker.run, worker, {(Id + 1) * Received, Received}),
            leave(Worker#worker.run);
        Other ->
            error({unexpected, Other, {expected_pong, Expect}})
    end.

sink(Run, W) ->
    receive
        {peers, Peers} -> sink(Run, Peers, W)
    end.

sink(Run, Peers, 0) ->
    tell(tuple_to_list(Peers), exit),
    leave(Run);
sink(Run, Peers, Remaining) ->
    receive
        done -> sink(Run, Peers, Remaining - 1);
        Other -> error({unexpected, Other})
    end.
