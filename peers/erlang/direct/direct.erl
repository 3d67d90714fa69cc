%% The smallest Erlang program for six of the benchmarks: processes, and nothing that the peer has in between. Beside it the
%% peer shows what its latch and its checks cost.
%%
%%     erl +S 2:2 +P 8388608 -noshell -pa EBIN -run direct main BENCHMARK ITERATIONS SIZE...
%%
%% prints the nanoseconds of each iteration and fails if a result is wrong.
-module(direct).

-export([main/1, run/2, sizes/1]).

-spec main([string()]) -> no_return().
main([Name, Iterations | Sizes]) ->
    Program = list_to_existing_atom(Name),
    iterate(Program, [list_to_integer(Size) || Size <- Sizes], list_to_integer(Iterations)),
    halt(0).

iterate(_, _, 0) ->
    ok;
iterate(Program, Sizes, Iterations) ->
    Began = erlang:monotonic_time(nanosecond),
    {Got, Want} = run(Program, Sizes),
    io:format("~b~n", [erlang:monotonic_time(nanosecond) - Began]),
    Got =:= Want orelse error({wrong_result, Program, Got, Want}),
    iterate(Program, Sizes, Iterations - 1).

%% The sizes that a program takes.
-spec sizes(atom()) -> pos_integer().
sizes(chameneos) -> 2;
sizes(big) -> 2;
sizes(_) -> 1.

%% What a program computes and what that should be. In the bare programs a message fewer is sent where Erlang needs none:
%% ping does not send to itself before each round, and a call of fib gets its number when it is made.
-spec run(Program :: atom(), Sizes :: [integer()]) -> {Got :: integer(), Want :: integer()}.
run(pingpong, [N]) ->
    Main = self(),
    Pong = spawn(fun() -> pong() end),
    Ping = spawn(fun() -> Main ! {sum, ping(Pong, N, 0)} end),
    Ping ! start,
    {answer(sum), N * (N + 1) div 2};
run('pingpong-bare', [N]) ->
    Main = self(),
    Pong = spawn(fun() -> pong() end),
    spawn(fun() -> Main ! {sum, bare_ping(Pong, N, 0)} end),
    {answer(sum), N * (N + 1) div 2};
run(count, [N]) ->
    Main = self(),
    Counter = spawn(fun() -> counter(0) end),
    spawn(fun() ->
        flood(Counter, N),
        Counter ! {retrieve, self()},
        Main ! {sum, answer(sum)}
    end),
    {answer(sum), N};
run(fjcreate, [N]) ->
    Main = self(),
    create(Main, N),
    {gather(N, 0), N * (N + 1) div 2};
run(fib, [N]) ->
    Main = self(),
    spawn(fun() -> fib(Main) end) ! {request, N},
    {Value, Actors} = receive {response, V, A} -> {V, A} end,
    {Value + Actors, 3 * number(N) - 1};
run('fib-bare', [N]) ->
    Main = self(),
    spawn(fun() -> bare_fib(Main, N) end),
    {Value, Actors} = receive {response, V, A} -> {V, A} end,
    {Value + Actors, 3 * number(N) - 1};
run(chameneos, [Creatures, Meetings]) ->
    Mall = self(),
    [spawn(fun() -> appear(Mall, Id rem 3) end) || Id <- lists:seq(0, Creatures - 1)],
    meet(Meetings, none),
    {fade(Creatures, 0), 2 * Meetings};
run(big, [Pings, Actors]) ->
    Main = self(),
    Workers = [spawn(fun() -> worker(Main, Id, Pings) end) || Id <- lists:seq(0, Actors - 1)],
    Peers = list_to_tuple(Workers),
    [Worker ! {peers, Peers} || Worker <- Workers],
    [Worker ! {pong, -1} || Worker <- Workers],
    [receive done -> ok end || _ <- Workers],
    [Worker ! exit || Worker <- Workers],
    {gather(Actors, 0), Pings * Actors}.

answer(Name) ->
    receive
        {Name, Value} -> Value
    end.

gather(0, Sum) ->
    Sum;
gather(N, Sum) ->
    receive
        {sum, Value} -> gather(N - 1, Sum + Value)
    end.

ping(Pong, Left, Sum) ->
    receive
        {back, _From, N} when Left > 0 ->
            self() ! next,
            ping(Pong, Left, Sum + N);
        {back, _From, N} ->
            Pong ! stop,
            Sum + N;
        Serve when Serve =:= next; Serve =:= start ->
            Pong ! {ball, self(), Left},
            ping(Pong, Left - 1, Sum)
    end.

bare_ping(Pong, 0, Sum) ->
    Pong ! stop,
    Sum;
bare_ping(Pong, Left, Sum) ->
    Pong ! {ball, self(), Left},
    receive
        {back, _From, N} -> bare_ping(Pong, Left - 1, Sum + N)
    end.

pong() ->
    receive
        {ball, From, N} ->
            From ! {back, self(), N},
            pong();
        stop ->
            ok
    end.

flood(_, 0) ->
    ok;
flood(Counter, N) ->
    Counter ! increment,
    flood(Counter, N - 1).

counter(Count) ->
    receive
        increment -> counter(Count + 1);
        {retrieve, From} -> From ! {sum, Count}
    end.

create(_, 0) ->
    ok;
create(Main, Id) ->
    spawn(fun() -> work(Main, Id) end) ! {work, 37.2},
    create(Main, Id - 1).

work(Main, Id) ->
    receive
        {work, Theta} ->
            Sine = math:sin(Theta),
            true = Sine * Sine > 0,
            Main ! {sum, Id}
    end.

fib(Parent) ->
    receive
        {request, N} when N =< 2 ->
            Parent ! {response, 1, 1};
        {request, N} ->
            Self = self(),
            spawn(fun() -> fib(Self) end) ! {request, N - 1},
            spawn(fun() -> fib(Self) end) ! {request, N - 2},
            Parent ! both()
    end.

bare_fib(Parent, N) when N =< 2 ->
    Parent ! {response, 1, 1};
bare_fib(Parent, N) ->
    Self = self(),
    spawn(fun() -> bare_fib(Self, N - 1) end),
    spawn(fun() -> bare_fib(Self, N - 2) end),
    Parent ! both().

both() ->
    receive
        {response, V1, A1} ->
            receive
                {response, V2, A2} -> {response, V1 + V2, A1 + A2 + 1}
            end
    end.

number(N) -> number(N, 0, 1).

number(0, A, _) -> A;
number(N, A, B) -> number(N - 1, B, A + B).

meet(0, none) ->
    ok;
meet(Left, none) ->
    receive
        {meet, _, Who} -> meet(Left, Who)
    end;
meet(Left, Waiting) ->
    receive
        {meet, _, _} = Meet ->
            Waiting ! Meet,
            meet(Left - 1, none)
    end.

fade(0, Sum) ->
    Sum;
fade(Creatures, Sum) ->
    receive
        {meet, _, Who} ->
            Who ! exit,
            fade(Creatures, Sum);
        {met, Met} ->
            fade(Creatures - 1, Sum + Met)
    end.

appear(Mall, Colour) ->
    Mall ! {meet, Colour, self()},
    creature(Mall, Colour, 0).

creature(Mall, Colour, Met) ->
    receive
        {meet, Other, Who} ->
            New = complement(Colour, Other),
            Who ! {change, New},
            Mall ! {meet, New, self()},
            creature(Mall, New, Met + 1);
        {change, New} ->
            Mall ! {meet, New, self()},
            creature(Mall, New, Met + 1);
        exit ->
            Mall ! {met, Met}
    end.

complement(A, A) -> A;
complement(A, B) -> 3 - A - B.

worker(Main, Id, Pings) ->
    receive
        {peers, Peers} -> play(Main, Peers, Id, Pings, Id, -1, 0)
    end.

play(Main, Peers, Id, Left, Random, Expect, Received) ->
    receive
        {ping, From} ->
            element(From + 1, Peers) ! {pong, Id},
            play(Main, Peers, Id, Left, Random, Expect, Received + 1);
        {pong, Expect} when Left > 0 ->
            Drawn = (Random * 1309 + 13849) band 65535,
            Target = Drawn rem tuple_size(Peers),
            element(Target + 1, Peers) ! {ping, Id},
            play(Main, Peers, Id, Left - 1, Drawn, Target, Received);
        {pong, Expect} ->
            Main ! done,
            play(Main, Peers, Id, Left, Random, none, Received);
        exit ->
            Main ! {sum, Received}
    end.
