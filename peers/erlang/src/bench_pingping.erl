-module(bench_pingping).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-export([payload/1, step/3]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

parameters() -> [{r, {integer, 1}}, {size, {integer, 1}}, {mode, {choice, [copy, share]}}].

run(#{r := R, size := Size, mode := Mode}, Announce) ->
    Run = start(Announce),
    expect(Run, 3),
    Tally = spawn(fun() -> tally(Run) end),
    A = spawn(fun() -> partner(Run, Tally, R, Size, Mode) end),
    B = spawn(fun() -> partner(Run, Tally, R, Size, Mode) end),
    A ! {start, B},
    B ! {start, A},
    {Acc, Hash} = await(tally),
    #{wall_ns => finish(Run), result => Acc, checks => #{hash => Hash}}.

%% Both balls made the same way.
tally(Run) ->
    {Acc1, Hash1} = done(),
    {Acc2, Hash2} = done(),
    Hash1 =:= Hash2 orelse error({different_hashes, Hash1, Hash2}),
    report(Run, tally, {Acc1 + Acc2, Hash1}),
    leave(Run).

done() ->
    receive
        {done, Acc, Hash} -> {Acc, Hash};
        Other -> error({unexpected, Other})
    end.

%% A ping that overtakes the start waits in the mailbox.
partner(Run, Tally, R, Size, Mode) ->
    receive
        {start, Peer} ->
            Peer ! {ping, R - 1, payload(Size)},
            partner(Run, Tally, Peer, R, Size, Mode, 0, none)
    end.

partner(Run, Tally, _, 0, _, _, Acc, Hash) ->
    Tally ! {done, Acc, Hash},
    leave(Run);
partner(Run, Tally, Peer, Missing, Size, Mode, Acc, Hash) ->
    receive
        {ping, Left, Payload} ->
            I = Left rem Size,
            Next = step(Mode, I, Payload),
            NewAcc = Acc + binary:at(Payload, I),
            case Left of
                0 ->
                    partner(Run, Tally, Peer, Missing - 1, Size, Mode, NewAcc, scoville_checksum:bytes(Next));
                _ ->
                    Peer ! {ping, Left - 1, Next},
                    partner(Run, Tally, Peer, Missing - 1, Size, Mode, NewAcc, Hash)
            end;
        Other ->
            error({unexpected, Other})
    end.

%% A fresh payload of convention [X1].
-spec payload(Size :: pos_integer()) -> binary().
payload(Size) -> <<<<(7 * I + 3)>> || I <- lists:seq(0, Size - 1)>>.

%% A new copy with byte I increased, or the payload itself. Binaries of more than 64 bytes are sent
%% without being copied.
-spec step(copy | share, I :: non_neg_integer(), binary()) -> binary().
step(copy, I, Payload) ->
    Behind = byte_size(Payload) - I - 1,
    <<Front:I/binary, Byte, Back:Behind/binary>> = Payload,
    <<Front:I/binary, (Byte + 1), Back:Behind/binary>>;
step(share, _, Payload) ->
    Payload.
