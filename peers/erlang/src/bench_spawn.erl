-module(bench_spawn).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [prepare/0, start/2, await/1, elapsed/1, gone/1, stop/1, rehearse/0, report/3]).
-import(scoville_iteration, [unsupported/1]).

parameters() -> [{n, {integer, 1}}].

%% The wake phase comes after the timed region; its duration is a metric.
run(#{n := N}, Announce) ->
    room_for(N + 2),
    Run = prepare(),
    Tally = spawn(fun() -> tally(Run, N) end),
    rehearse(),
    collect([self(), Tally]),
    M0 = resident(),
    start(Run, Announce),
    Dormant = create(0, N, Tally),
    Wall = elapsed(Run),
    Actors = [self(), Tally | Dormant],
    collect(Actors),
    collect(Actors),
    timer:sleep(100),
    M1 = resident(),
    BeforeWake = elapsed(Run),
    wake(Dormant),
    {Awake, Ids} = await(tally),
    Wake = elapsed(Run) - BeforeWake,
    M2 = resident(),
    gone(Tally),
    stop(Dormant),
    #{
        wall_ns => Wall,
        result => Ids,
        checks => #{awake => Awake},
        metrics => #{
            t_spawn => Wall,
            t_wake => Wake,
            bytes_dormant => (M1 - M0) / N,
            bytes_awake => (M2 - M0) / N
        }
    }.

room_for(Processes) ->
    Limit = erlang:system_info(process_limit),
    case Processes =< Limit - erlang:system_info(process_count) of
        true -> ok;
        false -> unsupported(io_lib:format("the emulator was started with room for ~b processes (+P)", [Limit]))
    end.

create(N, N, _) -> [];
create(I, N, Tally) -> [spawn(fun() -> dormant(I, Tally) end) | create(I + 1, N, Tally)].

wake([]) ->
    ok;
wake([Dormant | Others]) ->
    Dormant ! wake,
    wake(Others).

%% The driver ends it.
dormant(I, Tally) ->
    receive
        wake ->
            Tally ! {awake, I},
            dormant(I, Tally);
        Other ->
            error({unexpected, Other})
    end.

tally(Run, N) -> tally(Run, N, 0, 0).

tally(Run, N, N, Ids) ->
    report(Run, tally, {N, Ids});
tally(Run, N, Count, Ids) ->
    receive
        {awake, I} -> tally(Run, N, Count + 1, Ids + I);
        Other -> error({unexpected, Other})
    end.

collect(Actors) -> lists:foreach(fun erlang:garbage_collect/1, Actors).

%% The resident set of the emulator in bytes, from the operating system. A raw file needs no message.
resident() ->
    {ok, File} = file:open("/proc/self/status", [raw, read, binary]),
    {ok, Status} = file:read(File, 65536),
    ok = file:close(File),
    {match, [KiB]} = re:run(Status, "VmRSS:\\s+(\\d+) kB", [{capture, all_but_first, binary}]),
    binary_to_integer(KiB) * 1024.
