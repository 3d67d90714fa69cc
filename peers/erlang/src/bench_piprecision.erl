-module(bench_piprecision).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([rhe/2]).
-endif.

parameters() -> [{w, {integer, 1}}, {p, {integer, 10, 100000}}].

run(#{w := W, p := Scale}, Announce) ->
    Run = start(Announce),
    expect(Run, 1),
    Master = spawn(fun() -> master(Run, W, Scale) end),
    Master ! start,
    {Total, Terms} = await(master),
    Wall = finish(Run),
    Q = first_negligible(Terms, power_of_ten(Scale)),
    Terms =< Q + min(Scale, 10 * W) orelse error({too_many_terms, Terms, {q, Q}}),
    Digits = [D - $0 || <<D>> <= integer_to_binary(Total)],
    #{
        wall_ns => Wall,
        result => Total rem 2147483647,
        checks => #{digits => scoville_checksum:list(Digits)},
        metrics => #{q => Q, terms => Terms}
    }.

%% The first term that is not above 1; among those that were asked for there must be one.
first_negligible(Terms, One) ->
    case lists:dropwhile(fun(K) -> term(K, One) =< 1 end, lists:seq(Terms - 1, 0, -1)) of
        [Last | _] when Last < Terms - 1 -> Last + 1;
        [] -> 0;
        _ -> error({too_few_terms, Terms})
    end.

%% One is 10^scale, the unit of all numbers.
master(Run, W, Scale) ->
    receive
        start ->
            Master = self(),
            One = power_of_ten(Scale),
            expect(Run, W),
            Workers = list_to_tuple([spawn(fun() -> worker(Run, Master, I, One) end) || I <- lists:seq(1, W)]),
            First = min(Scale, 10 * W),
            _ = [element(K rem W + 1, Workers) ! {work, K} || K <- lists:seq(0, First - 1)],
            summing(Run, Workers, 0, First, 0, false);
        Other ->
            error({unexpected, Other})
    end.

summing(Run, Workers, Total, Requested, Requested, _) ->
    _ = [Worker ! stop || Worker <- tuple_to_list(Workers)],
    stopped(tuple_size(Workers)),
    report(Run, master, {Total, Requested}),
    leave(Run);
summing(Run, Workers, Total, Requested, Received, Stopping) ->
    receive
        {result, Value, _Worker} when Stopping; Value =< 1 ->
            summing(Run, Workers, Total + Value, Requested, Received + 1, true);
        {result, Value, Worker} ->
            element(Worker, Workers) ! {work, Requested},
            summing(Run, Workers, Total + Value, Requested + 1, Received + 1, false);
        Other ->
            error({unexpected, Other})
    end.

stopped(0) ->
    ok;
stopped(W) ->
    receive
        stopped -> stopped(W - 1);
        Other -> error({unexpected, Other})
    end.

worker(Run, Master, I, One) ->
    receive
        {work, K} ->
            Master ! {result, term(K, One), I},
            worker(Run, Master, I, One);
        stop ->
            Master ! stopped,
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

term(K, One) ->
    E = 8 * K,
    T = rhe(4 * One, E + 1) - rhe(2 * One, E + 4) - rhe(One, E + 5) - rhe(One, E + 6),
    rhe(T, 1 bsl (4 * K)). % 16^K

%% A / B rounded to the nearest integer, halves to the even one.
rhe(A, B) ->
    Q = A div B,
    case 2 * (A - Q * B) of
        Twice when Twice > B -> Q + 1;
        B when Q rem 2 =:= 1 -> Q + 1;
        _ -> Q
    end.

power_of_ten(0) ->
    1;
power_of_ten(N) ->
    Half = power_of_ten(N div 2),
    case N rem 2 of
        0 -> Half * Half;
        1 -> Half * Half * 10
    end.
