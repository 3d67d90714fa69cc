-module(bench_mixed).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([factors/1]).
-endif.

%% What a master knows and never changes.
-record(master, {run, tally, worker, size, token, number}).

parameters() ->
    [
        {rings, {integer, 1}},
        {size, {integer, 2}},
        {token, {integer, 0}},
        {reps, {integer, 1}},
        {number, integer}
    ].

run(#{rings := Rings, size := Size, token := Token, reps := Reps, number := Number}, Announce) ->
    Run = start(Announce),
    expect(Run, Rings + 1),
    Tally = spawn(fun() -> tally(Run, Number, Rings * Reps, Rings, 0, 0) end),
    Master = #master{run = Run, tally = Tally, size = Size, token = Token, number = Number},
    _ = [spawn(fun() -> master(Master, Reps) end) ! start || _ <- lists:seq(1, Rings)],
    {FactorSum, Rounds} = await(tally),
    #{wall_ns => finish(Run), result => FactorSum, checks => #{results => Rings * Reps, rounds => Rounds}}.

%% So many results and masters are missing.
tally(Run, _, 0, 0, FactorSum, Rounds) ->
    report(Run, tally, {FactorSum, Rounds}),
    leave(Run);
tally(Run, Number, Results, Masters, FactorSum, Rounds) ->
    receive
        {result, [P, Q]} when P * Q =:= Number ->
            tally(Run, Number, Results - 1, Masters, FactorSum + P + Q, Rounds);
        {master_done, R} ->
            tally(Run, Number, Results, Masters - 1, FactorSum, Rounds + R);
        Other ->
            error({unexpected, Other})
    end.

master(#master{run = Run, tally = Tally} = Master, Reps) ->
    receive
        start ->
            expect(Run, 1),
            Worker = spawn(fun() -> worker(Run, Tally) end),
            repetition(Master#master{worker = Worker}, Reps, 0);
        Other ->
            error({unexpected, Other})
    end.

%% So many repetitions are left, this one included.
repetition(#master{run = Run, worker = Worker, size = Size, token = Token, number = Number} = Master, Reps, Rounds) ->
    Worker ! {calc, Number},
    expect(Run, Size - 1),
    Last = links(Run, self(), Size - 1),
    Last ! {token, Token},
    master(Master, Reps, Last, Rounds).

links(_, Next, 0) -> Next;
links(Run, Next, Left) -> links(Run, spawn(fun() -> link(Run, Next) end), Left - 1).

master(#master{run = Run, worker = Worker, tally = Tally} = Master, Reps, Last, Rounds) ->
    receive
        {token, V} when V > 0 ->
            Last ! {token, V - 1},
            master(Master, Reps, Last, Rounds + 1);
        {token, 0} when Reps > 1 ->
            repetition(Master, Reps - 1, Rounds + 1);
        {token, 0} ->
            Worker ! quit,
            Tally ! {master_done, Rounds + 1},
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

link(Run, Next) ->
    receive
        {token, 0} = Token ->
            Next ! Token,
            leave(Run);
        {token, _} = Token ->
            Next ! Token,
            link(Run, Next);
        Other ->
            error({unexpected, Other})
    end.

worker(Run, Tally) ->
    receive
        {calc, Number} ->
            Tally ! {result, factors(Number)},
            worker(Run, Tally);
        quit ->
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

%% Tries 2 and the odd numbers, without a bound at the square root.
factors(X) when X =< 3 -> [X];
factors(X) -> factors(X, 2).

factors(X, D) when D >= X -> [D];
factors(X, D) when X rem D =:= 0 -> [D | factors(X div D, D)];
factors(X, 2) -> factors(X, 3);
factors(X, D) -> factors(X, D + 2).
