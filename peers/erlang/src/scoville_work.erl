%% Counts the actors and messages of one iteration with the emulator's own tracing: what it counts is
%% what the processes really did, and an iteration that is not counted runs the very same code at
%% no cost at all.
-module(scoville_work).

-export([watch/2, totals/1]).

-type totals() :: #{actors := non_neg_integer(), messages := non_neg_integer()}.

%% Watches Driver and all that it will spawn, directly or not. What they send to Driver or to
%% Observer is a report and not counted. Driver must not run yet.
-spec watch(Driver :: pid(), Observer :: pid()) -> Tracer :: pid().
watch(Driver, Observer) ->
    Outside = #{Driver => true, Observer => true},
    Tracer = spawn_opt(
        fun() -> trace(Outside, 0, 0, []) end,
        [link, {priority, high}, {message_queue_data, off_heap}]
    ),
    1 = erlang:trace(Driver, true, [send, procs, set_on_spawn, {tracer, Tracer}]),
    Tracer.

%% What happened since, once all actors have stopped. Messages to actors that had stopped already
%% are an error: no benchmark sends any.
-spec totals(Tracer :: pid()) -> {ok, totals()} | {error, iodata()}.
totals(Tracer) ->
    Delivered = erlang:trace_delivered(all),
    receive
        {trace_delivered, all, Delivered} -> ok
    end,
    Tracer ! {totals, self()},
    receive
        {totals, Actors, Messages, []} ->
            {ok, #{actors => Actors, messages => Messages}};
        {totals, _, _, Lost} ->
            {error, io_lib:format("~b messages went to stopped actors, one of them ~0p", [length(Lost), hd(Lost)])}
    end.

trace(Outside, Actors, Messages, Lost) ->
    receive
        {trace, _From, send, _Message, To} when is_map_key(To, Outside) ->
            trace(Outside, Actors, Messages, Lost);
        {trace, _From, send, _Message, _To} ->
            trace(Outside, Actors, Messages + 1, Lost);
        {trace, _From, send_to_non_existing_process, Message, _To} ->
            trace(Outside, Actors, Messages, [Message | Lost]);
        {trace, _From, spawn, _Rehearsal, {scoville_iteration, extra, []}} ->
            trace(Outside, Actors, Messages, Lost);
        {trace, _From, spawn, _Actor, _Entry} ->
            trace(Outside, Actors + 1, Messages, Lost);
        {totals, To} ->
            To ! {totals, Actors, Messages, Lost},
            unlink(To);
        _ ->
            trace(Outside, Actors, Messages, Lost)
    end.
