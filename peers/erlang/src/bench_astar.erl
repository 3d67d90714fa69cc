-module(bench_astar).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([graph/1]).
-endif.

%% What everybody knows and never changes. The parents are the memory that the entry lets actors share:
%% element Z + 1 belongs to node Z. The goal is the target, or none in mode exhaust.
-record(search, {run, master, workers, side, depth, priorities, target, goal, parents}).

-define(UNCLAIMED, -1).
-define(ORIGIN, -2).
-define(GRAPH, {?MODULE, graph}).

parameters() ->
    [
        {w, {integer, 1, 4096}},
        {g, {integer, 5, 248}},
        {t, {integer, 1}},
        {p, {integer, 1, 31}},
        {mode, {choice, [exhaust, first]}}
    ].

run(#{w := W, g := G, t := T, p := P, mode := Mode}, Announce) ->
    ok = persistent_term:put(?GRAPH, graph(G)),
    Parents = atomics:new(G * G * G, [{signed, true}]),
    [atomics:put(Parents, I, ?UNCLAIMED) || I <- lists:seq(2, G * G * G)],
    atomics:put(Parents, 1, ?ORIGIN),
    At = (4 * G) div 5,
    Target = (G * At + At) * G + At,
    Goal =
        case Mode of
            exhaust -> none;
            first -> Target
        end,
    Run = start(Announce),
    expect(Run, 1),
    Search = #search{
        run = Run, workers = W, side = G, depth = T, priorities = P, target = Target, goal = Goal, parents = Parents
    },
    spawn(fun() -> master(Search) end),
    {Items, Found, Processed, Spins} = await(master),
    Wall = finish(Run),
    true = persistent_term:erase(?GRAPH),
    outcome(Mode, Search, #{wall_ns => Wall, metrics => #{items => Items}}, Found, Processed, Spins).

outcome(exhaust, _, Outcome, _, Processed, Spins) ->
    Outcome#{result => Processed, checks => #{spins => Spins}};
outcome(first, #search{target = Target, parents = Parents}, #{metrics := Metrics} = Outcome, Found, Processed, _) ->
    {Valid, Length} = path(Target, Parents, 0),
    Outcome#{
        result => Found,
        checks => #{valid => Valid},
        metrics => Metrics#{processed => Processed, path_length => Length}
    }.

%% Nobody writes any more, and a claimed node's parent was claimed before it: the path has no loop.
path(Node, Parents, Length) ->
    case atomics:get(Parents, Node + 1) of
        ?ORIGIN -> {1, Length};
        ?UNCLAIMED -> {0, Length};
        Parent -> path(Parent, Parents, Length + 1)
    end.

%% The neighbours of every node.
graph(G) ->
    Nodes = [{I, J, K} || I <- lists:seq(0, G - 1), J <- lists:seq(0, G - 1), K <- lists:seq(0, G - 1)],
    {Lists, _} = lists:mapfoldl(fun(Node, Rng) -> neighbours(Node, G, Rng) end, scoville_j48:new(123456), Nodes),
    list_to_tuple(Lists).

%% Steps 2 to 7 of eight; 1 and 8 are skipped.
neighbours({I, J, K} = Node, G, Rng) ->
    Steps = [{2, 0, 0, 1}, {3, 0, 1, 0}, {4, 0, 1, 1}, {5, 1, 0, 0}, {6, 1, 0, 1}, {7, 1, 1, 0}],
    Self = id(Node, G),
    lists:foldl(
        fun({Step, DI, DJ, DK}, {List, R}) ->
            {Accepted, Next} = accept(Step, List, R),
            Candidate = id({min(G - 1, I + DI), min(G - 1, J + DJ), min(G - 1, K + DK)}, G),
            case Accepted andalso Candidate =/= Self andalso not lists:member(Candidate, List) of
                true -> {List ++ [Candidate], Next};
                false -> {List, Next}
            end
        end,
        {[], Rng},
        Steps
    ).

accept(7, [], Rng) -> {true, Rng};
accept(_, _, Rng) -> scoville_j48:bool(Rng).

id({I, J, K}, G) -> (G * I + J) * G + K.

master(#search{run = Run, workers = W} = Common) ->
    Search = Common#search{master = self()},
    expect(Run, W),
    Workers = list_to_tuple([spawn(fun() -> worker(Search) end) || _ <- lists:seq(1, W)]),
    Target = Search#search.target,
    dispatch(Workers, 0, {work, 0, Target, priority(0, Search)}),
    searching(Search, Workers, 1, 0).

dispatch(Workers, Sent, Work) ->
    element(Sent rem tuple_size(Workers) + 1, Workers) ! Work,
    ok.

searching(Search, Workers, Sent, Sent) ->
    stopping(Search, Workers, Sent, 0);
searching(Search, Workers, Sent, Completed) ->
    receive
        {new_work, Node, Target, Priority} ->
            dispatch(Workers, Sent, {work, Node, Target, Priority}),
            searching(Search, Workers, Sent + 1, Completed);
        received ->
            searching(Search, Workers, Sent, Completed + 1);
        found when Search#search.goal =/= none ->
            stopping(Search, Workers, Sent, 1);
        Other ->
            error({unexpected, Other})
    end.

stopping(#search{run = Run, workers = W}, Workers, Sent, Found) ->
    _ = [Worker ! stop || Worker <- tuple_to_list(Workers)],
    {Processed, Spins} = stopped(W, 0, 0),
    report(Run, master, {Sent, Found, Processed, Spins}),
    leave(Run).

stopped(0, Processed, Spins) ->
    {Processed, Spins};
stopped(W, Processed, Spins) ->
    receive
        {stopped, P, S} -> stopped(W - 1, Processed + P, Spins + S);
        {new_work, _Node, _Target, _Priority} -> stopped(W, Processed, Spins);
        received -> stopped(W, Processed, Spins);
        Other -> error({unexpected, Other})
    end.

worker(Search) -> worker(Search, persistent_term:get(?GRAPH), 0, 0).

worker(#search{run = Run, master = Master, depth = T} = Search, Graph, Processed, Spins) ->
    receive
        {work, Node, Target, _Priority} ->
            {Left, P, S} = expand(Search, Graph, queue:from_list([Node]), T, Processed, Spins),
            _ = [Master ! {new_work, N, Target, priority(N, Search)} || N <- queue:to_list(Left)],
            Master ! received,
            worker(Search, Graph, P, S);
        stop ->
            Master ! {stopped, Processed, Spins},
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

%% Expands up to Left nodes and returns the queue of those that remain.
expand(_, _, Queue, 0, Processed, Spins) ->
    {Queue, Processed, Spins};
expand(Search, Graph, Queue, Left, Processed, Spins) ->
    case queue:out(Queue) of
        {empty, _} ->
            {Queue, Processed, Spins};
        {{value, Node}, Others} ->
            S = Spins + scoville_lcg:spin(Node, 100),
            case claim(element(Node + 1, Graph), Node, Search, Others) of
                found ->
                    Search#search.master ! found,
                    {queue:new(), Processed + 1, S};
                Longer ->
                    expand(Search, Graph, Longer, Left - 1, Processed + 1, S)
            end
    end.

claim([], _, _, Queue) ->
    Queue;
claim([Node | Nodes], Parent, #search{parents = Parents, goal = Goal} = Search, Queue) ->
    case atomics:compare_exchange(Parents, Node + 1, ?UNCLAIMED, Parent) of
        ok when Node =:= Goal -> found;
        ok -> claim(Nodes, Parent, Search, queue:in(Node, Queue));
        _Claimed -> claim(Nodes, Parent, Search, Queue)
    end.

%% Carried, never used for ordering.
priority(Node, #search{side = G, priorities = P}) ->
    Nearest = min(Node div (G * G), min(Node div G rem G, Node rem G)),
    abs(P - (G - Nearest) div 8).
