-module(scoville_peer_tests).
-include_lib("eunit/include/eunit.hrl").

%% What the peer says in answer to one run message.
ask(Run) ->
    Self = self(),
    Answer = scoville_peer:answer(Run, fun(Message) -> Self ! {said, Message},
        ok
    end),
    {Answer, said()}.

said() ->
    receive
        {said, Message} -> [Message | said()]
    after 0 -> []
    end.

run(Name, Parameters, Count) ->
    #{<<"type">> => <<"run">>, <<"benchmark">> => Name, <<"parameters">> => Parameters, <<"count_messages">> => Count}.

begin_and_end_test() ->
    {ok, [Begin, End]} = ask(run(<<"fib">>, #{<<"index">> => 10}, false)),
    ?assertEqual(#{type => <<"begin">>}, Begin),
    ?assertMatch(#{type := <<"end">>, result := 55, checks := #{actors := 109}, gc := #{pause_ns := null}}, End).

checks_are_never_missing_test() ->
    {ok, [_, End]} = ask(run(<<"count">>, #{<<"messages">> => 3}, true)),
    ?assertMatch(#{checks := #{}, work := #{actors := 2, messages := 6}}, End).

unknown_benchmark_test() ->
    ?assertEqual(
        {ok, [#{type => <<"fail">>, code => <<"bad-parameter">>, message => <<"nope: unknown benchmark">>}]},
        ask(run(<<"nope">>, #{}, false))
    ).

%% A crash fails the iteration, although the driver would wait for ever.
crash_of_an_actor_test_() ->
    {setup,
        fun() -> ok end,
        fun(_) -> logger:remove_handler(scoville_crash) end,
        [?_test(crash(fun scoville_peer:timed/1)), ?_test(crash(fun scoville_peer:counted/1))]}.

crash(How) ->
    ok = scoville_crash:install(self()),
    Driver = fun() ->
        Run = scoville_iteration:start(fun() -> ok end),
        scoville_iteration:expect(Run, 1),
        spawn(fun() -> error({unexpected, boom}) end),
        scoville_iteration:finish(Run)
    end,
    {error, Text} = How(Driver),
    ?assertMatch({match, _}, re:run(Text, "an actor crashed.*boom")).

crash_of_the_driver_test() ->
    {error, Text} = scoville_peer:timed(fun() -> exit(no_room) end),
    ?assertEqual(<<"the driver crashed: no_room">>, iolist_to_binary(Text)).

unsupported_test() ->
    ?assertEqual(
        {unsupported, "no such thing"},
        scoville_peer:timed(fun() -> scoville_iteration:unsupported("no such thing") end)
    ).

dead_letter_test() ->
    {error, Text} = scoville_peer:counted(fun() ->
        Run = scoville_iteration:start(fun() -> ok end),
        scoville_iteration:expect(Run, 1),
        {Pid, Monitor} = spawn_monitor(fun() -> scoville_iteration:leave(Run) end),
        receive {'DOWN', Monitor, process, Pid, normal} -> ok end,
        Pid ! lost,
        #{wall_ns => scoville_iteration:finish(Run), result => 0}
    end),
    ?assertEqual(<<"1 messages went to stopped actors, one of them lost">>, iolist_to_binary(Text)).

lines_are_put_together_test() ->
    Run = <<"{\"type\":\"run\",\"benchmark\":\"fib\",\"parameters\":{}}\n">>,
    Rest = scoville_peer:lines(<<"{\"type\":\"bye\"}\n", Run/binary, "{\"ty">>, self()),
    ?assertEqual(<<"{\"ty">>, Rest),
    receive First -> ?assertEqual(bye, First) end,
    receive Second -> ?assertMatch({run, #{<<"benchmark">> := <<"fib">>}}, Second) end.

hello_test() ->
    #{workers := Workers, benchmarks := Names, protocol := 1} = scoville_peer:hello(),
    ?assertEqual(erlang:system_info(schedulers_online), Workers),
    ?assertEqual({39, 39}, {length(Names), length(lists:usort(Names))}).
