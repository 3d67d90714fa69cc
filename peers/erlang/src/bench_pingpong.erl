-module(bench_pingpong).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

parameters() -> [{pings, {integer, 1}}].

run(#{pings := Pings}, Announce) ->
    Run = start(Announce),
    expect(Run, 2),
    Pong = spawn(fun() -> pong(Run, 0) end),
    Ping = spawn(fun() -> ping(Run, Pong, Pings, 0) end),
    Ping ! start,
    Sum = await(sum),
    Pongs = await(pongs),
    #{wall_ns => finish(Run), result => Sum, checks => #{pongs => Pongs}}.

ping(Run, Pong, Left, Sum) ->
    receive
        {back, _From, N} when N =:= Left + 1 ->
            case Left of
                0 ->
                    Pong ! stop,
                    report(Run, sum, Sum + N),
                    leave(Run);
                _ ->
                    self() ! next,
                    ping(Run, Pong, Left, Sum + N)
            end;
        Serve when Serve =:= next; Serve =:= start ->
            Pong ! {ball, self(), Left},
            ping(Run, Pong, Left - 1, Sum);
        Other ->
            error({unexpected, Other, {left, Left}})
    end.

pong(Run, Count) ->
    receive
        {ball, From, N} ->
            From ! {back, self(), N},
            pong(Run, Count + 1);
        stop ->
            report(Run, pongs, Count),
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.
