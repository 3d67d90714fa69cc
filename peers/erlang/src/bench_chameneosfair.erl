-module(bench_chameneosfair).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

parameters() -> [{creatures, {integer, 2}}, {meetings, {integer, 1}}].

%% 0 blue, 1 red, 2 yellow.
run(#{creatures := C, meetings := M}, Announce) ->
    Run = start(Announce),
    expect(Run, C + 1),
    Place = spawn(fun() -> place(Run, C, M) end),
    Creatures = [spawn(fun() -> creature(Run, Place, Id) end) || Id <- lists:seq(0, C - 1)],
    _ = [Creature ! run || Creature <- Creatures],
    Sums = lists:sort(await(place)),
    Meetings = [Met || {_, Met, _, _} <- Sums],
    #{
        wall_ns => finish(Run),
        result => lists:sum(Meetings),
        checks => #{
            colours => lists:sum([Colour || {_, _, Colour, _} <- Sums]) rem 3,
            self => lists:sum([Self || {_, _, _, Self} <- Sums])
        },
        per_actor => #{meetings => Meetings}
    }.

%% Opens when all creatures have come.
place(Run, C, M) ->
    {Waiting, Left} = lists:foldl(fun meet/2, {none, M}, arrived(C)),
    meetings(Run, C, Waiting, Left, []).

arrived(0) ->
    [];
arrived(C) ->
    receive
        {meet, _Creature, _Id, _Colour} = Meet -> [Meet | arrived(C - 1)];
        Other -> error({unexpected, Other})
    end.

meetings(Run, 0, none, 0, Sums) ->
    report(Run, place, Sums),
    leave(Run);
meetings(Run, Creatures, Waiting, Left, Sums) ->
    receive
        {meet, _Creature, _Id, _Colour} = Meet ->
            {NowWaiting, NowLeft} = meet(Meet, {Waiting, Left}),
            meetings(Run, Creatures, NowWaiting, NowLeft, Sums);
        {sum, Id, Met, Colour, Self} ->
            meetings(Run, Creatures - 1, Waiting, Left, [{Id, Met, Colour, Self} | Sums]);
        Other ->
            error({unexpected, Other})
    end.

%% Pairs in order of arrival. When nothing is left, nobody waits.
meet({meet, Creature, _, _}, {none, 0}) ->
    Creature ! stop,
    {none, 0};
meet({meet, _, _, _} = First, {none, Left}) ->
    {First, Left};
meet({meet, Second, SecondId, B}, {{meet, First, FirstId, A}, Left}) ->
    New = bench_chameneos:complement(A, B),
    Second ! {met, FirstId, New},
    First ! {met, SecondId, New},
    {none, Left - 1}.

creature(Run, Place, Id) ->
    receive
        run ->
            Place ! {meet, self(), Id, Id rem 3},
            creature(Run, Place, Id, Id rem 3, 0, 0);
        Other ->
            error({unexpected, Other})
    end.

creature(Run, Place, Id, Colour, Met, Self) ->
    receive
        {met, Id, New} ->
            Place ! {meet, self(), Id, New},
            creature(Run, Place, Id, New, Met + 1, Self + 1);
        {met, _Other, New} ->
            Place ! {meet, self(), Id, New},
            creature(Run, Place, Id, New, Met + 1, Self);
        stop ->
            Place ! {sum, Id, Met, Colour, Self},
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.
