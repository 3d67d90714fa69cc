-module(bench_barber).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, await/2, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([room/3]).
-endif.

%% The length is kept beside the queue, which does not know its own.
-record(room, {
    run, barber, chairs, waiting = queue:new(), length = 0, asleep = true, closing = false, sleeps = 0
}).

parameters() ->
    [
        {haircuts, {integer, 1}},
        {chairs, {integer, 1}},
        {arrival_work, {integer, 1, 65536}},
        {haircut_work, {integer, 1, 65536}}
    ].

run(#{haircuts := N, chairs := W, arrival_work := Arrival, haircut_work := Haircut}, Announce) ->
    Run = start(Announce),
    expect(Run, 3),
    Barber = spawn(fun() -> barber(Run, N, Haircut, scoville_lcg:new(), 0, 0) end),
    Room = spawn(fun() -> room(Run, Barber, W) end),
    Factory = spawn(fun() -> factory(Run, Room, N, Arrival) end),
    Factory ! start,
    {Ids, FactoryBusy, Attempts} = await(factory),
    BarberBusy = await(barber_busy),
    Sleeps = await(sleeps),
    Refused = await(refused, N),
    #{
        wall_ns => finish(Run),
        result => Ids,
        checks => #{factory_busy => FactoryBusy, barber_busy => BarberBusy},
        metrics => #{attempts => Attempts, sleeps => Sleeps},
        per_actor => #{refused => [Count || {_Id, Count} <- lists:sort(Refused)]}
    }.

factory(Run, Room, N, Work) ->
    receive
        start ->
            expect(Run, N),
            Busy = admit(Run, Room, 1, N, Work, scoville_lcg:new(), 0),
            factory(Run, Room, N, N, 0, Busy);
        Other ->
            error({unexpected, Other})
    end.

%% One long activation: nothing is received meanwhile.
admit(_, _, Id, N, _, _, Busy) when Id > N ->
    Busy;
admit(Run, Room, Id, N, Work, Rng, Busy) ->
    Factory = self(),
    Customer = spawn(fun() -> customer(Run, Factory, Id, 0) end),
    Room ! {enter, Customer},
    {Drawn, Next} = scoville_lcg:below(Work, Rng),
    admit(Run, Room, Id + 1, N, Work, Next, Busy + scoville_lcg:busy(Drawn + 10)).

factory(Run, Room, 0, Attempts, Ids, Busy) ->
    report(Run, factory, {Ids, Busy, Attempts}),
    Room ! close,
    leave(Run);
factory(Run, Room, Unserved, Attempts, Ids, Busy) ->
    receive
        {returned, Customer} ->
            Room ! {enter, Customer},
            factory(Run, Room, Unserved, Attempts + 1, Ids, Busy);
        {done, Id} ->
            factory(Run, Room, Unserved - 1, Attempts, Ids + Id, Busy);
        Other ->
            error({unexpected, Other})
    end.

%% Wait and sit change nothing. One that leave overtakes is dropped with the customer.
customer(Run, Factory, Id, Refused) ->
    receive
        full ->
            Factory ! {returned, self()},
            customer(Run, Factory, Id, Refused + 1);
        wait ->
            customer(Run, Factory, Id, Refused);
        sit ->
            customer(Run, Factory, Id, Refused);
        leave ->
            Factory ! {done, Id},
            report(Run, refused, {Id, Refused}),
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

room(Run, Barber, W) -> room(#room{run = Run, barber = Barber, chairs = W}).

room(#room{barber = Barber, chairs = W, waiting = Waiting, length = Length} = Room) ->
    receive
        {enter, Customer} when Length =:= W ->
            Customer ! full,
            room(Room);
        {enter, Customer} ->
            Seated = Room#room{waiting = queue:in(Customer, Waiting), length = Length + 1},
            case Room#room.asleep of
                true -> self() ! next;
                false -> Customer ! wait
            end,
            room(Seated#room{asleep = false});
        next when Length > 0 ->
            {{value, Customer}, Others} = queue:out(Waiting),
            Barber ! {serve, Customer, self()},
            room(Room#room{waiting = Others, length = Length - 1});
        next when Room#room.closing ->
            close(Room);
        next ->
            Barber ! sleep,
            room(Room#room{asleep = true, sleeps = Room#room.sleeps + 1});
        close when Room#room.asleep ->
            close(Room);
        close ->
            room(Room#room{closing = true});
        Other ->
            error({unexpected, Other})
    end.

close(#room{run = Run, barber = Barber, sleeps = Sleeps}) ->
    Barber ! close,
    report(Run, sleeps, Sleeps),
    leave(Run).

barber(Run, N, Work, Rng, Cuts, Busy) ->
    receive
        {serve, Customer, Room} ->
            Customer ! sit,
            {Drawn, Next} = scoville_lcg:below(Work, Rng),
            Done = scoville_lcg:busy(Drawn + 10),
            Customer ! leave,
            Room ! next,
            barber(Run, N, Work, Next, Cuts + 1, Busy + Done);
        sleep ->
            barber(Run, N, Work, Rng, Cuts, Busy);
        close when Cuts =:= N ->
            report(Run, barber_busy, Busy),
            leave(Run);
        Other ->
            error({unexpected, Other, {cuts, Cuts}})
    end.
