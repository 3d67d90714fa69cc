%% One run of a benchmark, from the side of its driver (prepare, start, await, finish, stop) and of its
%% actors (expect, report, leave).
%%
%% The completion latch is an atomic counter: actors that are expected or running, and one for the
%% driver until it waits. Who brings it to zero tells the driver. Every actor leaves as its last act,
%% but for those that outlive the timed region: these the latch never hears of.
-module(scoville_iteration).

-export([prepare/0, start/1, start/2, await/1, await/2, elapsed/1, finish/1, stop/1, gone/1, unsupported/1]).
-export([rehearse/0, extra/0]).
-export([spawn_crowded/1, expect/2, report/3, leave/1]).
-export_type([iteration/0, announce/0]).

%% Tells the outside that the timed region begins.
-type announce() :: fun(() -> ok).

-record(iteration, {
    driver :: pid(),
    shared :: atomics:atomics_ref()
}).
-opaque iteration() :: #iteration{}.

%% The two numbers in `shared'.
-define(LATCH, 1).
-define(BEGAN, 2).

%% For actors that are created in the setup; the clock does not run yet.
-spec prepare() -> iteration().
prepare() ->
    Shared = atomics:new(2, [{signed, true}]),
    atomics:put(Shared, ?LATCH, 1),
    #iteration{driver = self(), shared = Shared}.

%% Starts the clock. It comes after setup and before the first actor of the run.
-spec start(iteration(), announce()) -> ok.
start(#iteration{shared = Shared}, Announce) ->
    ok = Announce(),
    atomics:put(Shared, ?BEGAN, now_ns()).

-spec start(announce()) -> iteration().
start(Announce) ->
    Iteration = prepare(),
    ok = start(Iteration, Announce),
    Iteration.

%% Waits for one report under the given name. No order between reports is assumed.
-spec await(Name :: atom()) -> term().
await(Name) ->
    receive
        {report, Name, Value} -> Value
    end.

%% Waits for Count reports under the given name.
-spec await(Name :: atom(), Count :: non_neg_integer()) -> [term()].
await(_, 0) -> [];
await(Name, Count) ->
    Value = await(Name),
    [Value | await(Name, Count - 1)].

%% Nanoseconds since the clock was started.
-spec elapsed(iteration()) -> non_neg_integer().
elapsed(#iteration{shared = Shared}) -> now_ns() - atomics:get(Shared, ?BEGAN).

%% Blocks until all actors have stopped and returns the duration of the timed region in nanoseconds.
%% The driver has all reports by then.
-spec finish(iteration()) -> non_neg_integer().
finish(#iteration{shared = Shared} = Iteration) ->
    leave(Iteration),
    receive
        {stopped, Shared} -> elapsed(Iteration)
    end.

%% Ends actors that outlive the timed region and have nothing left to do.
-spec stop([pid()]) -> ok.
stop(Actors) ->
    lists:foreach(fun(Actor) -> exit(Actor, shutdown) end, Actors),
    lists:foreach(fun gone/1, Actors).

%% Blocks until an actor that outlives the timed region has stopped.
-spec gone(pid()) -> ok.
gone(Actor) ->
    Monitor = monitor(process, Actor),
    receive
        {'DOWN', Monitor, process, Actor, _} -> ok
    end.

%% Creates an actor and waits until it has stopped, so that whatever the emulator sets up for a first one
%% is there. It is part of the setup and not counted.
-spec rehearse() -> ok.
rehearse() -> gone(spawn(?MODULE, extra, [])).

-spec extra() -> ok.
extra() -> ok.

%% Ends the driver, before it has started the clock, for a reason that lies in the runtime.
-spec unsupported(Reason :: iolist()) -> no_return().
unsupported(Reason) -> exit({unsupported, Reason}).

%% Creates an actor that may be sent to much faster than it receives. Its waiting messages stay outside of its heap, as
%% OTP advises for such a process: on the heap every collection would walk all of them. For others the heap is faster.
-spec spawn_crowded(fun(() -> term())) -> pid().
spawn_crowded(Body) ->
    Actor = spawn_opt(Body, [{message_queue_data, off_heap}]),
    true = is_pid(Actor), % with a monitor, which is not asked for, it would be a pair
    Actor.

%% Tells the latch about Count actors that the caller is going to spawn.
-spec expect(iteration(), Count :: non_neg_integer()) -> ok.
expect(#iteration{shared = Shared}, Count) -> atomics:add(Shared, ?LATCH, Count).

%% Hands a final value to the driver.
-spec report(iteration(), Name :: atom(), Value :: term()) -> ok.
report(#iteration{driver = Driver}, Name, Value) ->
    Driver ! {report, Name, Value},
    ok.

%% The last act of every actor.
-spec leave(iteration()) -> ok.
leave(#iteration{driver = Driver, shared = Shared}) ->
    case atomics:sub_get(Shared, ?LATCH, 1) of
        0 ->
            Driver ! {stopped, Shared},
            ok;
        _ ->
            ok
    end.

%% The operating system's monotonic clock: erlang:monotonic_time/1 may run up to 1 % faster or slower
%% while the emulator corrects its time.
now_ns() -> os:perf_counter(nanosecond).
