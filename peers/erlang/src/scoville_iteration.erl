%% One run of a benchmark, from the side of its driver (start, await, finish) and of its actors
%% (expect, report, leave).
%%
%% The completion latch is an atomic counter: actors that are expected or running, and one for the
%% driver until it waits. Who brings it to zero tells the driver. Every actor leaves as its last act.
-module(scoville_iteration).

-export([start/1, await/1, finish/1]).
-export([expect/2, report/3, leave/1]).
-export_type([iteration/0, announce/0]).

%% Tells the outside that the timed region begins.
-type announce() :: fun(() -> ok).

-record(iteration, {
    driver :: pid(),
    latch :: atomics:atomics_ref(),
    began :: integer()
}).
-opaque iteration() :: #iteration{}.

%% Starts the clock. It comes after setup and before the first actor.
-spec start(announce()) -> iteration().
start(Announce) ->
    Latch = atomics:new(1, [{signed, true}]),
    atomics:put(Latch, 1, 1),
    ok = Announce(),
    #iteration{driver = self(), latch = Latch, began = now_ns()}.

%% Waits for one report under the given name. No order between reports is assumed.
-spec await(Name :: atom()) -> term().
await(Name) ->
    receive
        {report, Name, Value} -> Value
    end.

%% Blocks until all actors have stopped and returns the duration of the timed region in nanoseconds.
%% The driver has all reports by then.
-spec finish(iteration()) -> non_neg_integer().
finish(#iteration{latch = Latch, began = Began} = Iteration) ->
    leave(Iteration),
    receive
        {stopped, Latch} -> now_ns() - Began
    end.

%% Tells the latch about Count actors that the caller is going to spawn.
-spec expect(iteration(), Count :: non_neg_integer()) -> ok.
expect(#iteration{latch = Latch}, Count) -> atomics:add(Latch, 1, Count).

%% Hands a final value to the driver.
-spec report(iteration(), Name :: atom(), Value :: term()) -> ok.
report(#iteration{driver = Driver}, Name, Value) ->
    Driver ! {report, Name, Value},
    ok.

%% The last act of every actor.
-spec leave(iteration()) -> ok.
leave(#iteration{driver = Driver, latch = Latch}) ->
    case atomics:sub_get(Latch, 1, 1) of
        0 ->
            Driver ! {stopped, Latch},
            ok;
        _ ->
            ok
    end.

%% The operating system's monotonic clock: erlang:monotonic_time/1 may run up to 1 % faster or slower
%% while the emulator corrects its time.
now_ns() -> os:perf_counter(nanosecond).
