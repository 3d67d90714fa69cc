-module(bench_logmap).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, spawn_crowded/1, expect/2, await/1, finish/1, report/3, leave/1]).

parameters() -> [{terms, {integer, 0}}, {series, {integer, 1, 217}}, {start_rate, number}, {increment, number}].

run(#{terms := T, series := S, start_rate := StartRate, increment := Increment}, Announce) ->
    Run = start(Announce),
    expect(Run, 1),
    Master = spawn(fun() -> master(Run, T, S, StartRate, Increment) end),
    Master ! start,
    {Result, OrbitSum, Steps} = await(master),
    #{wall_ns => finish(Run), result => Result, checks => #{orbit_sum => OrbitSum, steps => Steps}}.

master(Run, T, S, StartRate, Increment) ->
    Master = self(),
    Indices = lists:seq(0, S - 1),
    expect(Run, 2 * S),
    Computers = [spawn(fun() -> computer(Run, StartRate + I * Increment) end) || I <- Indices],
    Workers = [
        spawn_crowded(fun() -> worker(Run, Master, Computer, I, I * Increment, 0.0, 0) end)
     || {I, Computer} <- lists:zip(Indices, Computers)
    ],
    receive
        start -> ok;
        Other -> error({unexpected, Other})
    end,
    flood(Workers, T),
    _ = [Worker ! get_term || Worker <- Workers],
    Terms = lists:sort(terms(S)),
    Result = lists:foldl(fun({_, Term, _, _}, Sum) -> Sum + Term end, 0.0, Terms),
    OrbitSum = lists:foldl(fun({_, _, Orbit, _}, Sum) -> Sum + Orbit end, 0.0, Terms),
    Steps = lists:sum([N || {_, _, _, N} <- Terms]),
    report(Run, master, {Result, OrbitSum, Steps}),
    _ = [Actor ! stop || Actor <- Computers ++ Workers],
    leave(Run).

flood(_, 0) ->
    ok;
flood(Workers, T) ->
    one_round(Workers),
    flood(Workers, T - 1).

one_round([]) ->
    ok;
one_round([Worker | Workers]) ->
    Worker ! next_term,
    one_round(Workers).

terms(0) ->
    [];
terms(S) ->
    receive
        {term, I, X, Acc, Steps} -> [{I, X, Acc, Steps} | terms(S - 1)];
        Other -> error({unexpected, Other})
    end.

%% The guards here and below spare the arithmetic that takes any two numbers.
computer(Run, Rate) when is_float(Rate) ->
    receive
        {compute, Worker, Tag, X} ->
            Worker ! {value, Tag, (Rate * X) * (1.0 - X)},
            computer(Run, Rate);
        stop ->
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

%% Requests are deferred by a selective receive. The tag is made after them, so that the emulator does not
%% look for the value among them.
worker(Run, Master, Computer, I, X, Acc, Steps) when is_float(Acc) ->
    receive
        next_term ->
            Tag = make_ref(),
            Computer ! {compute, self(), Tag, X},
            receive
                {value, Tag, Y} -> worker(Run, Master, Computer, I, Y, Acc + Y, Steps + 1)
            end;
        get_term ->
            Master ! {term, I, X, Acc, Steps},
            worker(Run, Master, Computer, I, X, Acc, Steps);
        stop ->
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.
