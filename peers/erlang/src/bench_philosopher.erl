-module(bench_philosopher).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, await/2, finish/1, report/3, leave/1]).

-record(arbitrator, {run, n, forks, meals, dining, retries = 0, errors = 0}).

parameters() -> [{philosophers, {integer, 1}}, {rounds, {integer, 1}}].

run(#{philosophers := N, rounds := M}, Announce) ->
    Run = start(Announce),
    expect(Run, N + 1),
    Arbitrator = spawn(fun() ->
        arbitrator(#arbitrator{
            run = Run, n = N, forks = erlang:make_tuple(N, false), meals = erlang:make_tuple(N, 0), dining = N
        })
    end),
    Philosophers = [spawn(fun() -> philosopher(Run, Arbitrator, Id, M, 0) end) || Id <- lists:seq(0, N - 1)],
    _ = [Philosopher ! start || Philosopher <- Philosophers],
    {Result, Errors, Retries} = await(arbitrator),
    Denied = await(denied, N),
    #{
        wall_ns => finish(Run),
        result => Result,
        checks => #{errors => Errors},
        metrics => #{retries => Retries, arbitrator_messages => 2 * N * M + N + Retries},
        per_actor => #{denied => [Count || {_Id, Count} <- lists:sort(Denied)]}
    }.

%% Forks and philosophers are numbered from 0, elements of tuples from 1.
arbitrator(#arbitrator{n = N, forks = Forks} = Arbitrator) ->
    receive
        {hungry, From, Id} ->
            Left = Id + 1,
            Right = (Id + 1) rem N + 1,
            case element(Left, Forks) orelse element(Right, Forks) of
                true ->
                    From ! denied,
                    arbitrator(Arbitrator);
                false ->
                    Meals = Arbitrator#arbitrator.meals,
                    Taken = setelement(Right, setelement(Left, Forks, true), true),
                    Served = setelement(Left, Meals, element(Left, Meals) + 1),
                    From ! eat,
                    arbitrator(Arbitrator#arbitrator{forks = Taken, meals = Served})
            end;
        {done, Id} ->
            Left = Id + 1,
            Right = (Id + 1) rem N + 1,
            Free = setelement(Right, setelement(Left, Forks, false), false),
            case element(Left, Forks) andalso element(Right, Forks) of
                true -> arbitrator(Arbitrator#arbitrator{forks = Free});
                false -> arbitrator(Arbitrator#arbitrator{forks = Free, errors = Arbitrator#arbitrator.errors + 1})
            end;
        {exit, Denied} ->
            exited(Arbitrator#arbitrator{
                dining = Arbitrator#arbitrator.dining - 1, retries = Arbitrator#arbitrator.retries + Denied
            });
        Other ->
            error({unexpected, Other})
    end.

exited(#arbitrator{dining = 0, run = Run, n = N, forks = Forks, meals = Meals} = Arbitrator) ->
    Result = lists:sum([I * element(I, Meals) || I <- lists:seq(1, N)]),
    Taken = length([Fork || Fork <- tuple_to_list(Forks), Fork]),
    report(Run, arbitrator, {Result, Arbitrator#arbitrator.errors + Taken, Arbitrator#arbitrator.retries}),
    leave(Run);
exited(Arbitrator) ->
    arbitrator(Arbitrator).

philosopher(Run, Arbitrator, Id, Left, Denied) ->
    receive
        start ->
            Arbitrator ! {hungry, self(), Id},
            philosopher(Run, Arbitrator, Id, Left, Denied);
        denied ->
            Arbitrator ! {hungry, self(), Id},
            philosopher(Run, Arbitrator, Id, Left, Denied + 1);
        eat when Left > 1 ->
            Arbitrator ! {done, Id},
            self() ! start,
            philosopher(Run, Arbitrator, Id, Left - 1, Denied);
        eat ->
            Arbitrator ! {done, Id},
            Arbitrator ! {exit, Denied},
            report(Run, denied, {Id, Denied}),
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.
