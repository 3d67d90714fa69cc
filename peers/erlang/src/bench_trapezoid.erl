-module(bench_trapezoid).
-behaviour(scoville_benchmark).

-export([parameters/0, relations/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([area/5]).
-endif.

-compile({inline, [f/1]}).

parameters() -> [{n, {integer, 1}}, {w, {integer, 1}}, {l, {number, 0}}, {r, number}].

relations() -> [{r, above, "l", fun(#{l := L}) -> L end}].

run(#{n := N, w := W, l := L, r := R}, Announce) ->
    Run = start(Announce),
    expect(Run, 1),
    Master = spawn(fun() -> master(Run, W) end),
    Master ! {start, L, R, N},
    {Area, Pieces} = await(master),
    #{wall_ns => finish(Run), result => Area, checks => #{pieces => Pieces}}.

master(Run, W) ->
    receive
        {start, L, R, N} ->
            H = (R - L) / N,
            Master = self(),
            expect(Run, W),
            Workers = [spawn(fun() -> worker(Run, Master) end) || _ <- lists:seq(1, W)],
            _ = [
                Worker ! {work, I * N div W, (I + 1) * N div W, L, H}
             || {I, Worker} <- lists:zip(lists:seq(0, W - 1), Workers)
            ],
            master(Run, W, 0.0, 0);
        Other ->
            error({unexpected, Other})
    end.

master(Run, 0, Area, Pieces) ->
    report(Run, master, {Area, Pieces}),
    leave(Run);
master(Run, Left, Area, Pieces) ->
    receive
        {result, A, P} -> master(Run, Left - 1, Area + A, Pieces + P);
        Other -> error({unexpected, Other})
    end.

worker(Run, Master) ->
    receive
        {work, First, Last, L, H} ->
            Master ! {result, area(First, Last, L, H, 0.0), Last - First},
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

%% The guards tell the compiler that all of this is floats. Else every sum and product is computed by what takes any two
%% numbers.
area(Last, Last, _, _, Area) ->
    Area;
area(P, Last, L, H, Area) when is_float(L), is_float(H) ->
    Left = L + P * H,
    Right = Left + H,
    area(P + 1, Last, L, H, Area + 0.5 * (f(Left) + f(Right)) * H).

f(X) -> math:sin(X * X * X - 1.0) / (X + 1.0) * math:sqrt(1.0 + math:exp(math:sqrt(2.0 * X))).
