-module(bench_pairs).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [prepare/0, start/2, expect/2, await/1, await/2, finish/1, report/3, leave/1]).

%% What a server knows and never changes. In mode timed the last exchange is none, until the halt.
-record(server, {run, aggregator, client, id, last, report, size, payload}).

parameters() ->
    [
        {pairs, {integer, 1}},
        {mode, {choice, [fixed, timed]}},
        {rounds, {integer, 1}},
        {seconds, {integer, 1}},
        {report, {integer, 1}},
        {size, {integer, 1}},
        {payload, {choice, [copy, share]}}
    ].

run(#{pairs := P, mode := Mode, seconds := Seconds} = Values, Announce) ->
    Run = prepare(),
    expect(Run, P + 1),
    Aggregator = spawn(fun() -> aggregator(Run, P, 0, 0, 0) end),
    Servers = [spawn(fun() -> server(Run, Aggregator, Id, Values) end) || Id <- lists:seq(0, P - 1)],
    start(Run, Announce),
    _ = [Server ! start || Server <- Servers],
    _ = Mode =:= timed andalso halt_after(Seconds, Servers),
    {Total, HashSum} = await(aggregator),
    Exchanges = [N || {_Id, N} <- lists:sort(await(exchanges, P))],
    Wall = finish(Run),
    Outcome = #{
        wall_ns => Wall,
        result => Total,
        metrics => #{throughput => Total * 60.0e9 / Wall},
        per_actor => #{n => Exchanges}
    },
    case Mode of
        fixed -> Outcome#{checks => #{hashsum => HashSum}};
        timed -> Outcome
    end.

halt_after(Seconds, Servers) ->
    timer:sleep(Seconds * 1000),
    lists:foreach(fun(Server) -> Server ! halt end, Servers).

%% The reports must add up to what the servers have counted, and every server must have exchanged.
aggregator(Run, P, Total, Counted, HashSum) when P > 0 ->
    receive
        {report, K} -> aggregator(Run, P, Total + K, Counted, HashSum);
        {finished, N, Hash} when N >= 1 -> aggregator(Run, P - 1, Total, Counted + N, HashSum + Hash);
        Other -> error({unexpected, Other})
    end;
aggregator(Run, 0, Total, Total, HashSum) ->
    report(Run, aggregator, {Total, HashSum}),
    leave(Run);
aggregator(_, 0, Total, Counted, _) ->
    error({reported, Total, {counted, Counted}}).

server(Run, Aggregator, Id, #{mode := Mode, rounds := Rounds, report := Report, size := Size, payload := Payload}) ->
    receive
        start ->
            expect(Run, 1),
            Self = self(),
            Client = spawn(fun() -> client(Run, Self, Size, Payload, 0) end),
            Last =
                case Mode of
                    fixed -> Rounds;
                    timed -> none
                end,
            Client ! {data, bench_pingping:payload(Size)},
            Server = #server{
                run = Run,
                aggregator = Aggregator,
                client = Client,
                id = Id,
                last = Last,
                report = Report,
                size = Size,
                payload = Payload
            },
            server(Server, 0, 0);
        Other ->
            error({unexpected, Other})
    end.

%% N exchanges, K of them since the last report.
server(#server{client = Client, aggregator = Aggregator, last = Last, report = Report} = Server, N, K) ->
    receive
        {reply, Data} ->
            Next = bench_pingping:step(Server#server.payload, N rem Server#server.size, Data),
            case N + 1 of
                Last ->
                    Aggregator ! {report, K + 1},
                    finish(Server, Last, Next);
                More when K + 1 =:= Report ->
                    Aggregator ! {report, Report},
                    Client ! {data, Next},
                    server(Server, More, 0);
                More ->
                    Client ! {data, Next},
                    server(Server, More, K + 1)
            end;
        halt when Last =:= none ->
            server(Server#server{last = N + 1}, N, K);
        Other ->
            error({unexpected, Other})
    end.

finish(#server{run = Run, client = Client, aggregator = Aggregator, id = Id}, N, Data) ->
    Client ! stop,
    Aggregator ! {finished, N, scoville_checksum:bytes(Data)},
    report(Run, exchanges, {Id, N}),
    leave(Run).

client(Run, Server, Size, Payload, N) ->
    receive
        {data, Data} ->
            Server ! {reply, bench_pingping:step(Payload, N rem Size, Data)},
            client(Run, Server, Size, Payload, N + 1);
        stop ->
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.
