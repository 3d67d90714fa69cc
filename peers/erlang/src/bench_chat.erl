-module(bench_chat).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, await/2, finish/1, stop/1, report/3, leave/1]).

-ifdef(TEST).
-export([shuffle/2, accumulator/5]).
-endif.

%% What a client knows and never changes.
-record(client, {run, directory, home, compute, post, leave, invite, fib}).
%% What changes but rarely or never within a turn: both generators, friends in order of arrival, chats joined, the
%% first one first.
-record(state, {dice, rand, friends = [], chats = []}).
%% What clients count, and directories and the poker add up.
-record(counts, {
    sum = 0,
    compute = 0,
    post = 0,
    leave = 0,
    invite = 0,
    none = 0,
    invitations = 0,
    forwards = 0,
    leaves = 0,
    edges = 0
}).

parameters() ->
    [
        {clients, {integer, 1}},
        {turns, {integer, 1}},
        {dirs, {integer, 1}},
        {compute, {integer, 0, 100}},
        {post, {integer, 0, 100}},
        {leave, {integer, 0, 100}},
        {invite, {integer, 0, 100}},
        {befriend, {integer, 0, 100}},
        {fib, {integer, 0}},
        {seed, integer}
    ].

run(#{clients := Clients, turns := Turns} = Values, Announce) ->
    Run = start(Announce),
    expect(Run, 1),
    Poker = spawn(fun() -> poker(Run, Values) end),
    Poker ! start,
    {Accumulators, #counts{} = Counts} = await(poker),
    {Durations, Bumps, Closes} = lists:unzip3(await(turn, Turns)),
    Wall = finish(Run),
    quiet(Accumulators),
    stop(await(chat, Clients + Counts#counts.invite) ++ Accumulators),
    #{
        wall_ns => Wall,
        result => Counts#counts.sum,
        checks => #{
            edges => Counts#counts.edges,
            compute => Counts#counts.compute,
            post => Counts#counts.post,
            leave => Counts#counts.leave,
            invite => Counts#counts.invite,
            none => Counts#counts.none,
            invitations => Counts#counts.invitations
        },
        metrics => (spread(Durations))#{
            forwards => Counts#counts.forwards,
            bumps => lists:sum(Bumps),
            closes => lists:sum(Closes),
            leaves => Counts#counts.leaves
        }
    }.

%% No message may come after the confirmation; one that has been handled has crashed its accumulator.
quiet(Accumulators) ->
    lists:foreach(
        fun(Accumulator) -> {message_queue_len, 0} = process_info(Accumulator, message_queue_len) end, Accumulators
    ).

%% Durations of the turns in nanoseconds.
spread(Durations) ->
    N = length(Durations),
    Mean = lists:sum(Durations) / N,
    Sorted = lists:sort(Durations),
    #{
        turn_mean_ns => Mean,
        turn_median_ns => (lists:nth((N + 1) div 2, Sorted) + lists:nth(N div 2 + 1, Sorted)) / 2,
        turn_stdev_ns => math:sqrt(lists:sum([(D - Mean) * (D - Mean) || D <- Durations]) / N)
    }.

poker(Run, #{clients := Clients, turns := Turns, dirs := Dirs, seed := Seed} = Values) ->
    receive
        start ->
            Self = self(),
            expect(Run, Dirs),
            {List, _} = lists:mapfoldl(
                fun(_, Rng) ->
                    Next = scoville_lcg:next(Rng),
                    {spawn(fun() -> directory(Run, Self, Values, scoville_lcg:new(Next), [], #counts{}) end), Next}
                end,
                scoville_lcg:new(Seed),
                lists:seq(1, Dirs)
            ),
            Directories = list_to_tuple(List),
            _ = [element(Id rem Dirs + 1, Directories) ! {login, Id} || Id <- lists:seq(0, Clients - 1)],
            Accumulators = [turn(Run, Turn, Clients, List) || Turn <- lists:seq(1, Turns)],
            confirmed(Turns),
            _ = [Directory ! disconnect || Directory <- List],
            report(Run, poker, {Accumulators, finished(Dirs, #counts{})}),
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

confirmed(0) ->
    ok;
confirmed(Turns) ->
    receive
        {confirm, _Turn} -> confirmed(Turns - 1);
        Other -> error({unexpected, Other})
    end.

finished(0, Counts) ->
    Counts;
finished(Dirs, Counts) ->
    receive
        {finished, C} -> finished(Dirs - 1, add(C, Counts));
        Other -> error({unexpected, Other})
    end.

add(A, B) ->
    Sums = lists:zipwith(fun(X, Y) -> X + Y end, tl(tuple_to_list(A)), tl(tuple_to_list(B))),
    list_to_tuple([counts | Sums]).

%% Clients come in order of login, the last one first.
directory(Run, Poker, Values, Rng, Clients, Counts) ->
    receive
        {login, _Id} ->
            Seed = scoville_lcg:next(Rng),
            Directory = self(),
            expect(Run, 1),
            New = spawn(fun() -> client(Run, Directory, Values, Seed) end),
            {Edges, Next} = befriend(lists:reverse(Clients), New, map_get(befriend, Values), 0, Seed),
            directory(Run, Poker, Values, Next, [New | Clients], Counts#counts{edges = Counts#counts.edges + Edges});
        {poke, Accumulator} ->
            _ = [Client ! {act, Accumulator} || Client <- lists:reverse(Clients)],
            directory(Run, Poker, Values, Rng, Clients, Counts);
        disconnect ->
            _ = [Client ! logout || Client <- lists:reverse(Clients)],
            Poker ! {finished, left(length(Clients), Counts)},
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

befriend([], _, _, Edges, Rng) ->
    {Edges, Rng};
befriend([Earlier | Clients], New, Percent, Edges, Rng) ->
    case scoville_lcg:below(100, Rng) of
        {Drawn, Next} when Drawn < Percent ->
            Earlier ! {befriend, New},
            New ! {befriend, Earlier},
            befriend(Clients, New, Percent, Edges + 1, Next);
        {_, Next} ->
            befriend(Clients, New, Percent, Edges, Next)
    end.

left(0, Counts) ->
    Counts;
left(Clients, Counts) ->
    receive
        {client_left, C} -> left(Clients - 1, add(C, Counts));
        Other -> error({unexpected, Other})
    end.

client(Run, Directory, #{compute := C, post := P, leave := L, invite := I, fib := F}, Seed) ->
    Client = #client{
        run = Run, directory = Directory, home = new_chat(Run), compute = C, post = P, leave = L, invite = I, fib = F
    },
    Rng = scoville_lcg:new(Seed),
    client(Client, #state{dice = Rng, rand = Rng}, #counts{}).

%% A chat with the caller as its only member. The driver ends it.
new_chat(Run) ->
    Member = self(),
    Chat = spawn(fun() -> chat(#{Member => true}, 0) end),
    report(Run, chat, Chat),
    Chat.

client(Client, #state{chats = Chats} = State, Counts) ->
    receive
        {act, Accumulator} ->
            {Next, Counted} = act(Accumulator, Client, State, Counts),
            client(Client, Next, Counted);
        {forward, _Chat, Accumulator} ->
            Accumulator ! {close, 2},
            client(Client, State, Counts#counts{forwards = Counts#counts.forwards + 1});
        {invite, Chat, Accumulator} ->
            Chat ! {join, self(), Accumulator},
            client(Client, State#state{chats = join(Chat, Chats)}, Counts);
        {befriend, Friend} ->
            client(Client, State#state{friends = State#state.friends ++ [Friend]}, Counts);
        {left, Chat, false, Accumulator} ->
            Accumulator ! {close, 0},
            client(Client, State#state{chats = lists:delete(Chat, Chats)}, Counts);
        logout ->
            _ = [Chat ! {leave, self(), true, none} || Chat <- Chats],
            logout(Client, Chats, Counts#counts{leaves = Counts#counts.leaves + length(Chats)});
        Other ->
            error({unexpected, Other})
    end.

join(Chat, Chats) ->
    case lists:member(Chat, Chats) of
        true -> Chats;
        false -> Chats ++ [Chat]
    end.

logout(#client{run = Run, directory = Directory}, [], Counts) ->
    Directory ! {client_left, Counts},
    leave(Run);
logout(Client, Chats, Counts) ->
    receive
        {left, Chat, true, none} -> logout(Client, lists:delete(Chat, Chats), Counts);
        Other -> error({unexpected, Other})
    end.

act(Accumulator, Client, #state{rand = Rand, chats = Chats} = State, Counts) ->
    R = scoville_lcg:next(Rand),
    Chat =
        case Chats of
            [] -> Client#client.home;
            _ -> lists:nth(R rem length(Chats) + 1, Chats)
        end,
    #client{compute = C, post = P, leave = L, invite = I} = Client,
    {Action, Dice} = choose([{compute, C}, {post, P}, {leave, L}, {invite, I}], State#state.dice),
    act(Action, Chat, Accumulator, Client, State#state{rand = R, dice = Dice}, Counts).

%% The first that succeeds; every test draws.
choose([], Dice) ->
    {none, Dice};
choose([{Action, Percent} | Actions], Dice) ->
    case scoville_lcg:below(100, Dice) of
        {Drawn, Next} when Drawn < Percent -> {Action, Next};
        {_, Next} -> choose(Actions, Next)
    end.

act(none, _, Accumulator, _, State, #counts{none = N} = Counts) ->
    Accumulator ! {close, 0},
    {State, Counts#counts{none = N + 1}};
act(compute, _, Accumulator, #client{fib = F}, State, #counts{compute = N, sum = Sum} = Counts) ->
    Value = fib(F),
    Accumulator ! {close, 0},
    {State, Counts#counts{compute = N + 1, sum = Sum + Value}};
act(post, Chat, Accumulator, _, State, #counts{post = N} = Counts) ->
    Chat ! {post, Accumulator},
    {State, Counts#counts{post = N + 1}};
act(leave, _, Accumulator, _, #state{chats = []} = State, #counts{leave = N} = Counts) ->
    Accumulator ! {close, 0},
    {State, Counts#counts{leave = N + 1}};
act(leave, Chat, Accumulator, _, State, #counts{leave = N, leaves = Leaves} = Counts) ->
    Chat ! {leave, self(), false, Accumulator},
    {State, Counts#counts{leave = N + 1, leaves = Leaves + 1}};
act(invite, _, Accumulator, #client{run = Run}, State, #counts{invite = N, invitations = Invitations} = Counts) ->
    Chat = new_chat(Run),
    Seed = scoville_lcg:next(State#state.rand),
    Invited = invited(State#state.friends, scoville_lcg:new(Seed)),
    Accumulator ! instead(0, 1, length(Invited)),
    _ = [Guest ! {invite, Chat, Accumulator} || Guest <- Invited],
    {State#state{rand = Seed}, Counts#counts{invite = N + 1, invitations = Invitations + length(Invited)}}.

%% Itself and some friends, or nobody.
invited([], _) ->
    [];
invited(Friends, Rng) ->
    {Shuffled, Next} = shuffle(Friends, Rng),
    lists:sublist([self() | Shuffled], scoville_lcg:next(Next) rem length(Friends)).

%% Fisher and Yates, from the end.
shuffle(List, Rng) -> shuffle(length(List) - 1, list_to_tuple(List), Rng).

shuffle(I, Tuple, Rng) when I >= 1 ->
    {J, Next} = scoville_lcg:below(I + 1, Rng),
    A = element(I + 1, Tuple),
    B = element(J + 1, Tuple),
    shuffle(I - 1, setelement(J + 1, setelement(I + 1, Tuple, B), A), Next);
shuffle(_, Tuple, Rng) ->
    {tuple_to_list(Tuple), Rng}.

fib(0) -> 0;
fib(1) -> 1;
fib(N) -> fib(N - 1) + fib(N - 2).

%% The set of members, and the number of posts.
chat(Members, Buffered) ->
    receive
        {post, Accumulator} ->
            Accumulator ! instead(0, 2, map_size(Members)),
            Forward = {forward, self(), Accumulator},
            _ = [Member ! Forward || Member <- maps:keys(Members)],
            chat(Members, Buffered + 1);
        {join, Client, Accumulator} ->
            Accumulator ! instead(1, 2, Buffered),
            _ = [Client ! {forward, self(), Accumulator} || _ <- lists:seq(1, Buffered)],
            chat(Members#{Client => true}, Buffered);
        {leave, Client, Logout, Accumulator} ->
            Client ! {left, self(), Logout, Accumulator},
            chat(maps:remove(Client, Members), Buffered);
        Other ->
            error({unexpected, Other})
    end.

%% Closes one on a level and opens so many on another.
instead(Closed, _, 0) -> {close, Closed};
instead(Closed, Opened, N) -> {bump, Closed, Opened, N}.

%% A turn begins with the creation of its accumulator, which may be long before that runs.
-dialyzer({nowarn_function, [turn/4]}).
turn(Run, Turn, Clients, Directories) ->
    Poker = self(),
    Began = now_ns(),
    Accumulator = spawn(fun() -> accumulator(Run, Poker, Turn, Clients, Began) end),
    _ = [Directory ! {poke, Accumulator} || Directory <- Directories],
    Accumulator.

%% A turn has three levels: acts, joins, forwards. What has been opened on each and not closed yet decides.
%% After that the accumulator waits for its end, which comes from the driver.
-dialyzer({nowarn_function, [accumulator/5]}).
accumulator(Run, Poker, Turn, Clients, Began) ->
    {Bumps, Closes} = open({Clients, 0, 0}, 0, 0),
    report(Run, turn, {now_ns() - Began, Bumps, Closes}),
    Poker ! {confirm, Turn},
    receive
        Late -> error({unexpected, Late, {after_turn, Turn}})
    end.

%% Returns the numbers of messages.
open({0, 0, 0}, Bumps, Closes) ->
    {Bumps, Closes};
open(Open, Bumps, Closes) ->
    receive
        {close, Level} -> open(change(Level, -1, Open), Bumps, Closes + 1);
        {bump, Closed, Opened, N} -> open(change(Opened, N, change(Closed, -1, Open)), Bumps + 1, Closes);
        Other -> error({unexpected, Other})
    end.

change(Level, By, Open) -> setelement(Level + 1, Open, element(Level + 1, Open) + By).

now_ns() -> os:perf_counter(nanosecond).
