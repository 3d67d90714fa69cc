-module(bench_cigsmok).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/2, finish/1, report/3, leave/1]).

parameters() -> [{rounds, {integer, 1}}, {smokers, {integer, 1}}].

run(#{rounds := R, smokers := S}, Announce) ->
    Run = start(Announce),
    expect(Run, 1),
    Arbiter = spawn(fun() -> arbiter(Run, R, S) end),
    Arbiter ! start,
    Smokers = lists:sort(await(smoker, S)),
    #{
        wall_ns => finish(Run),
        result => lists:sum([(Id + 1) * Smoked || {Id, Smoked, _} <- Smokers]),
        checks => #{busy_sum => lists:sum([Busy || {_, _, Busy} <- Smokers])},
        per_actor => #{smoked => [Smoked || {_, Smoked, _} <- Smokers]}
    }.

arbiter(Run, R, S) ->
    Arbiter = self(),
    expect(Run, S),
    Smokers = list_to_tuple([spawn(fun() -> smoker(Run, Arbiter, Id, 0, 0) end) || Id <- lists:seq(0, S - 1)]),
    receive
        start -> arbiter(Run, Smokers, R, choose(Smokers, scoville_lcg:new(R * S)));
        Other -> error({unexpected, Other})
    end.

arbiter(Run, Smokers, 0, _) ->
    _ = [Smoker ! exit || Smoker <- tuple_to_list(Smokers)],
    leave(Run);
arbiter(Run, Smokers, Left, Rng) ->
    receive
        started when Left > 1 -> arbiter(Run, Smokers, Left - 1, choose(Smokers, Rng));
        started -> arbiter(Run, Smokers, 0, Rng);
        Other -> error({unexpected, Other})
    end.

%% Hands out a cigarette and returns the generator.
choose(Smokers, Rng) ->
    {Id, R1} = scoville_lcg:scaled(tuple_size(Smokers), Rng),
    {Drawn, R2} = scoville_lcg:below(1000, R1),
    element(Id + 1, Smokers) ! {smoke, Drawn + 10},
    R2.

smoker(Run, Arbiter, Id, Smoked, Busy) ->
    receive
        {smoke, Work} ->
            Arbiter ! started,
            smoker(Run, Arbiter, Id, Smoked + 1, Busy + scoville_lcg:busy(Work));
        exit ->
            report(Run, smoker, {Id, Smoked, Busy}),
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.
