-module(bench_nqueenk).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, spawn_crowded/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([valid/1]).
-endif.

%% What everybody knows and never changes.
-record(search, {run, master, workers, side, threshold, wanted, priorities}).

parameters() ->
    [
        {w, {integer, 1}},
        {n, {integer, 1, 20}},
        {t, {integer, 1, 20}},
        {k, {integer, 1}},
        {p, {integer, 1, 29}}
    ].

run(#{w := W, n := N, t := T, k := K, p := P}, Announce) ->
    Run = start(Announce),
    expect(Run, 1),
    Search = #search{run = Run, workers = W, side = N, threshold = T, wanted = K, priorities = P},
    spawn_crowded(fun() -> master(Search) end),
    {Items, Results} = await(master),
    Outcome = #{wall_ns => finish(Run), result => min(Results, K)},
    case Results < K of
        true -> Outcome#{checks => #{items => Items}};
        false -> Outcome#{metrics => #{items => Items, results => Results}}
    end.

master(#search{run = Run, workers = W, priorities = P} = Common) ->
    Search = Common#search{master = self()},
    expect(Run, W),
    Workers = [spawn_crowded(fun() -> worker(Search) end) || _ <- lists:seq(1, W)],
    searching(Search, Workers, dispatch(Workers, Workers, {work, P - 1, [], 0}), 1, 0, 0).

%% Round robin: returns those whose turn it is before all have had theirs.
dispatch([], All, Work) ->
    dispatch(All, All, Work);
dispatch([Worker | Next], _, Work) ->
    Worker ! Work,
    Next.

searching(Search, All, _, Sent, Sent, Results) ->
    stopping(Search, All, Sent, Results);
searching(#search{wanted = K} = Search, All, _, Sent, _, K) ->
    stopping(Search, All, Sent, K);
searching(Search, All, Next, Sent, Completed, Results) ->
    receive
        {new_work, Priority, Board, Depth} ->
            Rest = dispatch(Next, All, {work, Priority, Board, Depth}),
            searching(Search, All, Rest, Sent + 1, Completed, Results);
        result ->
            searching(Search, All, Next, Sent, Completed, Results + 1);
        done ->
            searching(Search, All, Next, Sent, Completed + 1, Results);
        Other ->
            error({unexpected, Other})
    end.

stopping(#search{run = Run, workers = W}, All, Sent, Results) ->
    _ = [Worker ! stop || Worker <- All],
    report(Run, master, {Sent, stopped(W, Results)}),
    leave(Run).

stopped(0, Results) ->
    Results;
stopped(W, Results) ->
    receive
        stopped -> stopped(W - 1, Results);
        result -> stopped(W, Results + 1);
        done -> stopped(W, Results);
        {new_work, _Priority, _Board, _Depth} -> stopped(W, Results);
        Other -> error({unexpected, Other})
    end.

worker(#search{run = Run, master = Master} = Search) ->
    receive
        {work, Priority, Board, Depth} ->
            work(Search, Priority, Board, Depth),
            Master ! done,
            worker(Search);
        stop ->
            Master ! stopped,
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

work(#search{master = Master, side = N, threshold = T}, _, Board, Depth) when Depth >= T; Depth =:= N ->
    alone(Master, N, Board, Depth);
work(#search{master = Master, side = N}, Priority, Board, Depth) ->
    _ = [
        Master ! {new_work, max(0, Priority - 1), Longer, Depth + 1}
     || I <- lists:seq(0, N - 1), Longer <- [Board ++ [I]], valid(Longer)
    ],
    ok.

alone(Master, N, _, N) ->
    Master ! result,
    ok;
alone(Master, N, Board, Depth) ->
    alone(Master, N, Board, Depth, 0).

alone(_, N, _, _, N) ->
    ok;
alone(Master, N, Board, Depth, I) ->
    Longer = Board ++ [I],
    _ = valid(Longer) andalso alone(Master, N, Longer, Depth + 1),
    alone(Master, N, Board, Depth, I + 1).

%% Tests all pairs every time, up to the first conflict.
valid([]) -> true;
valid([Queen | Others]) -> free(Queen, 1, Others) andalso valid(Others).

free(_, _, []) -> true;
free(A, _, [A | _]) -> false;
free(A, Distance, [B | _]) when B =:= A - Distance; B =:= A + Distance -> false;
free(A, Distance, [_ | Others]) -> free(A, Distance + 1, Others).
