-module(bench_bigneighbours).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([hoods/3]).
-endif.

%% What a worker knows and never changes; its numbers among all and in its neighbourhood.
-record(worker, {run, sink, global, local, pings, neighbours}).
%% What it counts.
-record(counts, {pings = 0, pongs = 0, errors = 0}).

parameters() -> [{workers, {integer, 1}}, {hood, {integer, 1}}, {pings, {integer, 1}}].

run(#{workers := W, hood := H, pings := Pings}, Announce) ->
    Run = start(Announce),
    expect(Run, W + 1),
    Sink = spawn(fun() -> sink(Run, W) end),
    Hoods = max(1, W div H),
    Worker = #worker{run = Run, sink = Sink, pings = Pings},
    Workers = [
        spawn(fun() -> worker(Worker#worker{global = G, local = local(G, H, Hoods)}) end)
     || G <- lists:seq(0, W - 1)
    ],
    Sink ! {workers, Workers},
    _ = [
        Member ! {neighbours, Neighbours}
     || Members <- hoods(Workers, H, Hoods), Neighbours <- [list_to_tuple(Members)], Member <- Members
    ],
    _ = [Member ! {pong, -1} || Member <- Workers],
    {Weighted, #counts{pings = Received, pongs = Pongs, errors = Errors}} = await(sink),
    #{wall_ns => finish(Run), result => Weighted, checks => #{pings => Received, pongs => Pongs, errors => Errors}}.

%% The last neighbourhood takes those that are left over.
hoods(Workers, _, 1) ->
    [Workers];
hoods(Workers, H, Hoods) ->
    {Members, Others} = lists:split(H, Workers),
    [Members | hoods(Others, H, Hoods - 1)].

local(G, H, Hoods) -> G - min(G div H, Hoods - 1) * H.

sink(Run, W) ->
    receive
        {workers, Workers} -> sink(Run, Workers, W)
    end.

sink(Run, Workers, 0) ->
    _ = [Worker ! stop || Worker <- Workers],
    Totals = stopped(length(Workers), 0, #counts{}),
    report(Run, sink, Totals),
    leave(Run);
sink(Run, Workers, Running) ->
    receive
        exit -> sink(Run, Workers, Running - 1);
        Other -> error({unexpected, Other})
    end.

stopped(0, Weighted, Counts) ->
    {Weighted, Counts};
stopped(Left, Weighted, #counts{pings = Pings, pongs = Pongs, errors = Errors}) ->
    receive
        {stopped, Pi, Po, W, E} ->
            stopped(Left - 1, Weighted + W, #counts{pings = Pings + Pi, pongs = Pongs + Po, errors = Errors + E});
        Other ->
            error({unexpected, Other})
    end.

%% Pings that overtake the neighbours wait in the mailbox.
worker(#worker{global = G} = Worker) ->
    receive
        {neighbours, Neighbours} ->
            worker(Worker#worker{neighbours = Neighbours}, scoville_lcg:new(G), 0, -1, #counts{})
    end.

worker(#worker{local = Local, pings = N} = Worker, Rng, Sent, Expected, Counts) ->
    receive
        {ping, _From, Ref} ->
            Ref ! {pong, Local},
            worker(Worker, Rng, Sent, Expected, Counts#counts{pings = Counts#counts.pings + 1});
        {pong, From} when Sent < N ->
            Neighbours = Worker#worker.neighbours,
            {Target, Next} = scoville_lcg:below(tuple_size(Neighbours), Rng),
            element(Target + 1, Neighbours) ! {ping, Local, self()},
            worker(Worker, Next, Sent + 1, Target, pong(From, Expected, Counts));
        {pong, From} ->
            Worker#worker.sink ! exit,
            worker(Worker, Rng, Sent, none, pong(From, Expected, Counts));
        stop ->
            #worker{run = Run, sink = Sink, global = G} = Worker,
            #counts{pings = Pings, pongs = Pongs, errors = Errors} = Counts,
            Sink ! {stopped, Pings, Pongs, Pings * (G rem 97 + 1), Errors},
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

%% The start is no answer to a ping.
pong(-1, -1, Counts) ->
    Counts;
pong(Expected, Expected, #counts{pongs = Pongs} = Counts) ->
    Counts#counts{pongs = Pongs + 1};
pong(From, _, #counts{errors = Errors} = Counts) ->
    pong(From, From, Counts#counts{errors = Errors + 1}).
