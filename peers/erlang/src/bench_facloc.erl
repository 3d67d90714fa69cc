-module(bench_facloc).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, await/2, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([quarters/1, first/2, nearest/3]).
-endif.

%% The root has the position -1 and no parent. Customers are those of a leaf, the last one first; children
%% are pairs of box and actor, in the order of their positions.
-record(quadrant, {
    run,
    parent,
    position,
    box,
    centre,
    depth,
    facilities,
    threshold,
    customers = [],
    cost = 0.0,
    children = [],
    exiting = false,
    known = 0,
    ups = 0
}).

%% What ConfirmExit tells of a subtree.
-record(totals, {facilities = 0, customers = 0, max_depth = 0, depth_sum = 0, cost = 0.0}).

parameters() ->
    [
        {n, {integer, 1}},
        {g, {number, above, 0}},
        {a, {number, above, 0}},
        {s, integer},
        {dist, {choice, [savina, uniform]}}
    ].

run(#{n := N, g := Grid, a := Alpha, s := Seed, dist := Dist}, Announce) ->
    Run = start(Announce),
    expect(Run, 2),
    Box = {0.0, 0.0, Grid, Grid},
    Root = spawn(fun() ->
        quadrant(#quadrant{
            run = Run,
            parent = none,
            position = -1,
            box = Box,
            centre = centre(Box),
            depth = 0,
            facilities = [centre(Box)],
            threshold = Alpha * (math:sqrt(2.0) * Grid)
        })
    end),
    spawn(fun() -> producer(Run, Root, N, Grid, Dist, scoville_lcg:new(Seed)) end),
    {Totals, RootUps} = await(root),
    Known = await(known, 1 + 4 * Totals#totals.facilities),
    #{
        wall_ns => finish(Run),
        result => Totals#totals.depth_sum,
        checks => #{
            facilities => Totals#totals.facilities,
            customers => Totals#totals.customers,
            maxdepth => Totals#totals.max_depth,
            cost => Totals#totals.cost,
            rootups => RootUps
        },
        metrics => #{
            facility_up => lists:sum([Ups || {_, Ups} <- Known]),
            facility_down => lists:sum([All - Ups || {All, Ups} <- Known])
        }
    }.

producer(Run, Root, Left, Grid, Dist, Rng) ->
    {X, R1} = coordinate(Dist, Grid, Rng),
    {Y, R2} = coordinate(Dist, Grid, R1),
    Root ! {customer, X, Y, self()},
    receive
        next_customer when Left > 1 ->
            producer(Run, Root, Left - 1, Grid, Dist, R2);
        next_customer ->
            Root ! request_exit,
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

coordinate(savina, Grid, Rng) ->
    {Unit, Next} = scoville_lcg:unit(Rng),
    {Unit * Grid, Next};
coordinate(uniform, Grid, Rng) ->
    V = scoville_lcg:next(Rng),
    {V / 65536.0 * Grid, V}.

quadrant(#quadrant{children = Children} = Quadrant) ->
    receive
        {customer, X, Y, Producer} = Customer ->
            After = customer(Customer, {X, Y}, Quadrant),
            _ = Quadrant#quadrant.parent =:= none andalso (Producer ! next_customer),
            quadrant(After);
        {facility, Position, Depth, X, Y, true} ->
            quadrant(facility_up(Position, Depth, X, Y, Quadrant));
        {facility, _Position, _Depth, _X, _Y, false} = Facility ->
            _ = Quadrant#quadrant.exiting orelse [Child ! Facility || {_Box, Child} <- Children],
            quadrant(Quadrant#quadrant{known = Quadrant#quadrant.known + 1});
        request_exit when Children =:= [] ->
            #quadrant{customers = Customers, depth = Depth, cost = Cost} = Quadrant,
            N = length(Customers),
            exited(Quadrant, #totals{customers = N, max_depth = Depth, depth_sum = Depth * N, cost = Cost});
        request_exit ->
            _ = [Child ! request_exit || {_Box, Child} <- Children],
            exiting(Quadrant#quadrant{exiting = true}, 4, #totals{facilities = 1});
        Other ->
            error({unexpected, Other})
    end.

%% Waits for the children. Nothing is sent down any more.
exiting(Quadrant, 0, Totals) ->
    exited(Quadrant, Totals);
exiting(#quadrant{known = Known} = Quadrant, Left, Totals) ->
    receive
        {confirm_exit, Facilities, Customers, MaxDepth, DepthSum, Cost} ->
            exiting(Quadrant, Left - 1, #totals{
                facilities = Totals#totals.facilities + Facilities,
                customers = Totals#totals.customers + Customers,
                max_depth = max(Totals#totals.max_depth, MaxDepth),
                depth_sum = Totals#totals.depth_sum + DepthSum,
                cost = Totals#totals.cost + Cost
            });
        {facility, Position, Depth, X, Y, true} ->
            exiting(facility_up(Position, Depth, X, Y, Quadrant), Left, Totals);
        {facility, _Position, _Depth, _X, _Y, false} ->
            exiting(Quadrant#quadrant{known = Known + 1}, Left, Totals);
        Other ->
            error({unexpected, Other})
    end.

exited(#quadrant{run = Run, parent = Parent, known = Known, ups = Ups}, Totals) ->
    report(Run, known, {Known, Ups}),
    case Parent of
        none ->
            report(Run, root, {Totals, Ups});
        _ ->
            #totals{facilities = F, customers = C, max_depth = M, depth_sum = D, cost = Cost} = Totals,
            Parent ! {confirm_exit, F, C, M, D, Cost},
            ok
    end,
    leave(Run).

customer(_, Point, #quadrant{children = []} = Quadrant) ->
    case add(Point, Quadrant) of
        #quadrant{cost = Cost, threshold = Threshold} = Full when Cost > Threshold -> partition(Full);
        Added -> Added
    end;
customer(Customer, Point, #quadrant{children = Children} = Quadrant) ->
    {_Box, Child} = first(Point, Children),
    Child ! Customer,
    Quadrant.

add({X, Y} = Point, #quadrant{customers = Customers, facilities = Facilities, cost = Cost} = Quadrant) ->
    Quadrant#quadrant{customers = [Point | Customers], cost = Cost + nearest(X, Y, Facilities)}.

nearest(X, Y, [Facility | Facilities]) -> nearest(X, Y, Facilities, distance(X, Y, Facility)).

nearest(_, _, [], Least) -> Least;
nearest(X, Y, [Facility | Facilities], Least) -> nearest(X, Y, Facilities, min(Least, distance(X, Y, Facility))).

%% The guards spare it the operations that take any two numbers.
distance(X, Y, {FX, FY}) when is_float(X), is_float(Y), is_float(FX), is_float(FY) ->
    math:sqrt((X - FX) * (X - FX) + (Y - FY) * (Y - FY)).

%% The first of the boxes, borders included, that contains the point.
first({X, Y}, [{{X1, Y1, X2, Y2}, _} = Found | _]) when X >= X1, X =< X2, Y >= Y1, Y =< Y2 -> Found;
first(Point, [_ | Boxes]) -> first(Point, Boxes).

centre({X1, Y1, X2, Y2}) -> {(X1 + X2) / 2, (Y1 + Y2) / 2}.

partition(#quadrant{run = Run, parent = Parent, position = Position, depth = Depth} = Quadrant) ->
    {CX, CY} = Quadrant#quadrant.centre,
    _ = Parent =:= none orelse (Parent ! {facility, Position, Depth, CX, CY, true}),
    Boxes = quarters(Quadrant#quadrant.box),
    Lists = lists:foldl(
        fun(Point, Lists) ->
            {_, P} = first(Point, Boxes),
            setelement(P + 1, Lists, [Point | element(P + 1, Lists)])
        end,
        {[], [], [], []},
        Quadrant#quadrant.customers
    ),
    expect(Run, 4),
    Children = [{B, child(P, B, element(P + 1, Lists), Quadrant)} || {B, P} <- Boxes],
    Quadrant#quadrant{customers = [], children = Children}.

%% With their positions.
quarters({X1, Y1, X2, Y2} = Box) ->
    {CX, CY} = centre(Box),
    [{{X1, CY, CX, Y2}, 0}, {{CX, CY, X2, Y2}, 1}, {{X1, Y1, CX, CY}, 2}, {{CX, Y1, X2, CY}, 3}].

%% Starts with customers in order of arrival.
child(Position, Box, Customers, #quadrant{run = Run, depth = Depth, facilities = Facilities, threshold = Threshold}) ->
    Parent = self(),
    Centre = centre(Box),
    spawn(fun() ->
        Child = #quadrant{
            run = Run,
            parent = Parent,
            position = Position,
            box = Box,
            centre = Centre,
            depth = Depth + 1,
            facilities = Facilities ++ [Centre],
            threshold = Threshold
        },
        quadrant(lists:foldl(fun add/2, Child, Customers))
    end).

%% A facility that the child at From or one below it has opened.
facility_up(From, Depth, X, Y, #quadrant{parent = Parent, position = Position, children = Children} = Quadrant) ->
    _ = Parent =:= none orelse (Parent ! {facility, Position, Depth, X, Y, true}),
    _ = Quadrant#quadrant.exiting orelse tell(3 - From, {facility, Position, Depth, X, Y, false}, Children),
    Quadrant#quadrant{known = Quadrant#quadrant.known + 1, ups = Quadrant#quadrant.ups + 1}.

tell(Position, Message, Children) ->
    {_Box, Child} = lists:nth(Position + 1, Children),
    Child ! Message.
