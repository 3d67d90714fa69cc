%% The Erlang side of the peer protocol. start/0 is the program: it greets the laboratory on file
%% descriptor 3, runs what it is asked to, and ends the emulator.
-module(scoville_peer).

-export([start/0]).
-export([hello/0, answer/2]).

-ifdef(TEST).
-export([timed/1, counted/1, lines/2]).
-endif.

-define(CONVERSATION, 3).
%% What benchmarks use besides their own modules.
-define(SHARED, [
    scoville_iteration, scoville_work, scoville_lcg, scoville_j48, scoville_i64, scoville_checksum,
    lists, maps, queue, math, atomics, persistent_term, binary, timer, file, re, io_lib, logger_formatter
]).
-define(MAX_LINE, (16 bsl 20)).

-type say() :: fun((scoville_json:json()) -> ok).

-spec start() -> no_return().
start() ->
    ok = scoville_crash:install(self()),
    Socket = open(),
    %% Nothing is loaded while the clock runs.
    ok = code:ensure_modules_loaded(?SHARED ++ scoville_benchmark:modules()),
    Say = fun(Message) -> say(Socket, Message) end,
    ok = Say(hello()),
    Self = self(),
    spawn_link(fun() -> listen(Socket, Self, <<>>) end),
    serve(Say).

open() ->
    case socket:open(?CONVERSATION) of
        {ok, Socket} ->
            Socket;
        {error, Reason} ->
            leave(1, "file descriptor ~b is not a socket to the laboratory (~0p)", [?CONVERSATION, Reason])
    end.

say(Socket, Message) ->
    case socket:send(Socket, [scoville_json:encode(Message), $\n]) of
        ok -> ok;
        {error, Reason} -> leave(1, "the laboratory cannot be reached (~0p)", [Reason])
    end.

%% Reads also while an iteration runs, so that stop and end of file are heard at once.
listen(Socket, Peer, Begun) ->
    case socket:recv(Socket) of
        {ok, Bytes} ->
            listen(Socket, Peer, lines(<<Begun/binary, Bytes/binary>>, Peer));
        {error, closed} ->
            leave(1, "the laboratory closed the conversation", []);
        {error, Reason} ->
            leave(1, "the laboratory cannot be heard (~0p)", [Reason])
    end.

%% Hands over every complete line and returns the beginning of the next.
lines(Text, _) when byte_size(Text) > ?MAX_LINE ->
    leave(1, "a line from the laboratory is longer than ~b bytes", [?MAX_LINE]);
lines(Text, Peer) ->
    case binary:split(Text, <<"\n">>) of
        [Line, Rest] ->
            ok = hear(scoville_json:decode(Line), Peer),
            lines(Rest, Peer);
        [Begun] ->
            Begun
    end.

hear({ok, #{<<"type">> := <<"stop">>}}, _) -> halt(0, [{flush, false}]);
hear({ok, #{<<"type">> := <<"bye">>}}, Peer) -> tell(Peer, bye);
hear({ok, #{<<"type">> := <<"run">>} = Run}, Peer) -> tell(Peer, {run, complete(Run)});
hear({ok, Other}, _) -> leave(1, "the laboratory sent a message of unknown type: ~0p", [Other]);
hear({error, Reason}, _) -> leave(1, "a line from the laboratory is not a message: ~ts", [Reason]).

%% A run message that answer/2 can rely on.
complete(#{<<"benchmark">> := Name, <<"parameters">> := Parameters} = Run) when is_binary(Name), is_map(Parameters) ->
    case maps:get(<<"count_messages">>, Run, false) of
        Flag when is_boolean(Flag) -> Run;
        Other -> leave(1, "a run whose count_messages is neither true nor false: ~0p", [Other])
    end;
complete(Run) ->
    leave(1, "a run without the name of a benchmark or without an object of parameters: ~0p", [Run]).

tell(Peer, Message) ->
    Peer ! Message,
    ok.

serve(Say) ->
    receive
        bye ->
            ok = Say(#{type => <<"bye">>}),
            halt(0);
        {run, Run} ->
            case answer(Run, Say) of
                ok -> serve(Say);
                {failed, Text} -> leave(1, "~ts", [Text])
            end;
        {crashed, Text} ->
            leave(1, "~ts", [Text])
    end.

%% Answers one run message. After {failed, _} actors may be left, so that no other iteration may follow.
-spec answer(Run :: #{binary() => scoville_json:json()}, say()) -> ok | {failed, Text :: binary()}.
answer(Run, Say) ->
    #{<<"benchmark">> := Name, <<"parameters">> := Parameters} = Run,
    case check(Name, Parameters) of
        {ok, Module, Values} ->
            Driver = fun() -> Module:run(Values, fun() -> Say(#{type => <<"begin">>}) end) end,
            Outcome =
                case Run of
                    #{<<"count_messages">> := true} -> counted(Driver);
                    _ -> timed(Driver)
                end,
            conclude(Outcome, Name, Say);
        {error, Text} ->
            fail(<<"bad-parameter">>, Text, Say)
    end.

check(Name, Parameters) ->
    case scoville_benchmark:find(Name) of
        {ok, Module} ->
            case scoville_benchmark:check(Name, Module, Parameters) of
                {ok, Values} -> {ok, Module, Values};
                {error, Text} -> {error, Text}
            end;
        error ->
            {error, [Name, ": unknown benchmark"]}
    end.

conclude({ok, #{result := Result} = Outcome}, _, Say) ->
    Checks = maps:map(fun(_, V) -> scoville_i64:wrap(V) end, maps:get(checks, Outcome, #{})),
    Say(Outcome#{type => <<"end">>, result := scoville_i64:wrap(Result), checks => Checks});
conclude({unsupported, Reason}, Name, Say) ->
    fail(<<"unsupported">>, [Name, ": ", Reason], Say);
conclude({error, Reason}, Name, Say) ->
    Text = unicode:characters_to_binary([Name, ": ", Reason]),
    ok = fail(<<"failed">>, Text, Say),
    {failed, Text}.

fail(Code, Text, Say) ->
    Say(#{type => <<"fail">>, code => Code, message => unicode:characters_to_binary(Text)}).

timed(Driver) ->
    Before = collections(),
    case outcome(launch(Driver)) of
        {ok, Outcome} -> {ok, Outcome#{gc => gc(collections() - Before)}};
        Error -> Error
    end.

counted(Driver) ->
    {Pid, _} = Launched = launch(fun() -> receive go -> Driver() end end),
    Tracer = scoville_work:watch(Pid, self()),
    Pid ! go,
    case outcome(Launched) of
        {ok, Outcome} ->
            case scoville_work:totals(Tracer) of
                {ok, Work} -> {ok, Outcome#{work => Work, gc => gc(null)}};
                Error -> Error
            end;
        Error ->
            Error
    end.

%% The driver is a process of its own for every iteration, so that each starts with an empty heap.
launch(Driver) ->
    Self = self(),
    spawn_monitor(fun() -> Self ! {outcome, self(), Driver()} end).

%% A crash of an actor is reported at once; its iteration would never end.
outcome({Pid, Monitor}) ->
    receive
        {outcome, Pid, Outcome} ->
            true = demonitor(Monitor, [flush]),
            {ok, Outcome};
        {'DOWN', Monitor, process, Pid, {unsupported, Reason}} ->
            {unsupported, Reason};
        {'DOWN', Monitor, process, Pid, Reason} ->
            {error, io_lib:format("the driver crashed: ~0tp", [Reason])};
        {crashed, Text} ->
            {error, ["an actor crashed: ", Text]}
    end.

%% All that the emulator tells about its collector without tracing: how often it ran.
collections() ->
    {Count, _WordsReclaimed, 0} = statistics(garbage_collection),
    Count.

gc(Collections) ->
    #{
        collections => Collections,
        pause_ns => null,
        cpu_ns => null,
        allocated_bytes => null,
        source => <<"erlang:statistics(garbage_collection)">>
    }.

-spec hello() -> scoville_json:json().
hello() ->
    Release = erlang:system_info(otp_release),
    Erts = erlang:system_info(version),
    {fullsweep_after, Fullsweep} = erlang:system_info(fullsweep_after),
    {min_heap_size, Heap} = erlang:system_info(min_heap_size),
    Queue = erlang:system_info(message_queue_data),
    #{
        type => <<"hello">>,
        protocol => 1,
        runtime => runtime(Queue),
        version => text("~s (erts ~s)", [Release, Erts]),
        language => text("Erlang/OTP ~s [erts ~s, ~s]", [Release, Erts, erlang:system_info(emu_flavor)]),
        workers => erlang:system_info(schedulers_online),
        gc => text(
            "per-process generational copying, min_heap_size=~b words, fullsweep_after=~b, message_queue_data=~s",
            [Heap, Fullsweep, Queue]
        ),
        capabilities => [<<"count-messages">>, <<"gc">>],
        %% How logmap and banking defer requests, and whose big integers piprecision computes with.
        labels => #{stash => <<"selective">>, bignum => <<"Erlang/OTP's own integers, not GMP">>},
        benchmarks => scoville_benchmark:names()
    }.

%% The manifest's two runtimes differ in where the emulator keeps waiting messages.
runtime(on_heap) -> <<"erlang">>;
runtime(off_heap) -> <<"erlang-off-heap">>.

text(Format, Values) -> iolist_to_binary(io_lib:format(Format, Values)).

-spec leave(Status :: pos_integer(), Format :: string(), Values :: [term()]) -> no_return().
leave(Status, Format, Values) ->
    io:format(standard_error, "scoville_peer: " ++ Format ++ "~n", Values),
    halt(Status, [{flush, true}]).
