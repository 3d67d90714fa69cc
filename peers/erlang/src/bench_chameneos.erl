-module(bench_chameneos).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-export([complement/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

%% 0 red, 1 yellow, 2 blue.
-type colour() :: 0..2.

parameters() -> [{creatures, {integer, 2}}, {meetings, {integer, 0}}].

run(#{creatures := C, meetings := M}, Announce) ->
    Run = start(Announce),
    expect(Run, 1),
    spawn(fun() -> mall(Run, C, M) end),
    {Sum, Colours, Met} = await(mall),
    Wall = finish(Run),
    Meetings = [Count || {_Id, Count} <- lists:sort(Met)],
    #{
        wall_ns => Wall,
        result => Sum,
        checks => #{colour => Colours rem 3},
        per_actor => #{meetings => Meetings}
    }.

mall(Run, C, M) ->
    Mall = self(),
    expect(Run, C),
    _ = [spawn(fun() -> creature(Run, Mall, Id) end) || Id <- lists:seq(0, C - 1)],
    meet(Run, C, M, none).

%% Pairs in order of arrival. When nothing is left, nobody waits.
meet(Run, C, 0, none) ->
    fade(Run, C, 0, 0, []);
meet(Run, C, Left, Waiting) ->
    receive
        {meet, _Colour, Who} when Waiting =:= none ->
            meet(Run, C, Left, Who);
        {meet, _Colour, _Who} = Meet ->
            Waiting ! Meet,
            meet(Run, C, Left - 1, none);
        Other ->
            error({unexpected, Other})
    end.

fade(Run, 0, Sum, Colours, Met) ->
    report(Run, mall, {Sum, Colours, Met}),
    leave(Run);
fade(Run, Remaining, Sum, Colours, Met) ->
    receive
        {meet, _Colour, Who} ->
            Who ! exit,
            fade(Run, Remaining, Sum, Colours, Met);
        {count, Id, Count, Colour} ->
            fade(Run, Remaining - 1, Sum + Count, Colours + Colour, [{Id, Count} | Met]);
        Other ->
            error({unexpected, Other})
    end.

creature(Run, Mall, Id) ->
    Colour = Id rem 3,
    Mall ! {meet, Colour, self()},
    creature(Run, Mall, Id, Colour, 0).

creature(Run, Mall, Id, Colour, Met) ->
    receive
        {meet, Other, Who} ->
            New = complement(Colour, Other),
            Who ! {change, New},
            Mall ! {meet, New, self()},
            creature(Run, Mall, Id, New, Met + 1);
        {change, New} ->
            Mall ! {meet, New, self()},
            creature(Run, Mall, Id, New, Met + 1);
        exit ->
            Mall ! {count, Id, Met, Colour},
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

-spec complement(colour(), colour()) -> colour().
complement(A, A) -> A;
complement(A, B) -> 3 - A - B.
