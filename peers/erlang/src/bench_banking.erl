-module(bench_banking).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, spawn_crowded/1, expect/2, await/1, await/2, finish/1, report/3, leave/1]).

parameters() -> [{accounts, {integer, 10, 65536}}, {transactions, {integer, 1}}, {initial_balance, integer}].

run(#{accounts := A, transactions := N, initial_balance := Balance}, Announce) ->
    Run = start(Announce),
    expect(Run, 1),
    Teller = spawn_crowded(fun() -> teller(Run, A, N, Balance) end),
    Teller ! start,
    Completed = await(completed),
    Accounts = await(account, A),
    #{
        wall_ns => finish(Run),
        result => lists:sum([Weighted || {Weighted, _} <- Accounts]),
        checks => #{total => lists:sum([Final || {_, Final} <- Accounts]), completed => Completed}
    }.

teller(Run, A, N, Balance) ->
    expect(Run, A),
    Accounts = list_to_tuple([spawn_crowded(fun() -> account(Run, I, Balance) end) || I <- lists:seq(0, A - 1)]),
    receive
        start -> request(Accounts, A, N, scoville_lcg:new(123456));
        Other -> error({unexpected, Other})
    end,
    Completed = completed(N, 0),
    report(Run, completed, Completed),
    _ = [Account ! stop || Account <- tuple_to_list(Accounts)],
    leave(Run).

request(_, _, 0, _) ->
    ok;
request(Accounts, A, Left, Rng) ->
    {Source, R1} = scoville_lcg:below((A div 10) * 8, Rng),
    {Offset, R2} = scoville_lcg:below(A - Source, R1),
    {Amount, R3} = scoville_lcg:below(1000, R2),
    Destination = element(Source + max(1, Offset) + 1, Accounts),
    element(Source + 1, Accounts) ! {credit, self(), Amount + 1, Destination},
    request(Accounts, A, Left - 1, R3).

completed(N, N) ->
    N;
completed(N, Completed) ->
    receive
        reply -> completed(N, Completed + 1);
        Other -> error({unexpected, Other})
    end.

%% While the reply is awaited everything else is deferred by a selective receive. The tag is made after
%% what waits already, so that the emulator does not look for the reply there; it also ties the reply to
%% the transaction.
account(Run, I, Balance) ->
    receive
        {credit, Teller, Amount, Destination} ->
            Tag = make_ref(),
            Destination ! {debit, self(), Tag, Amount},
            receive
                {reply, Tag} -> Teller ! reply
            end,
            account(Run, I, Balance - Amount);
        {debit, Source, Tag, Amount} ->
            Source ! {reply, Tag},
            account(Run, I, Balance + Amount);
        stop ->
            report(Run, account, {(I + 1) * Balance, Balance}),
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.
