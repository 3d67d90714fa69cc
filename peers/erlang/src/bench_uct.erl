-module(bench_uct).
-behaviour(scoville_benchmark).

-export([parameters/0, relations/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

-ifdef(TEST).
-export([plan/1, normal/3]).
-endif.

%% What a node knows from its creation on.
-record(node, {run, root, parent, height, id, comp, binomial, unit}).
%% What the nodes of a subtree add up to, the node's own share included.
-record(totals, {nodes = 0, work = 0, urgent = 0, grants = 0}).

parameters() ->
    [
        {nodes, integer},
        {avg, {integer, 1}},
        {stdev, {integer, 0}},
        {binomial, {integer, 1}},
        {urgent, {integer, 0, 100}},
        {unit, {integer, 1}},
        {seed, integer}
    ].

relations() -> [{nodes, at_least, "binomial + 1", fun(#{binomial := B}) -> B + 1 end}].

run(#{binomial := B, unit := Unit} = Values, Announce) ->
    {Plan, Size, Comp} = plan(Values),
    Run = start(Announce),
    expect(Run, 1),
    Root = spawn(fun() -> root(Run, Plan, Size, Comp, B, Unit) end),
    Root ! generate_tree,
    {Height, #totals{nodes = Nodes, work = Work, urgent = Urgent, grants = Grants}} = await(root),
    #{
        wall_ns => finish(Run),
        result => Work,
        checks => #{nodes => Nodes, height => Height, urgent => Urgent, grants => Grants}
    }.

%% Which nodes get children: their first id, work, and the index of the urgent one or -1.
plan(#{nodes := Limit, avg := Avg, stdev := Stdev, binomial := B, urgent := Urgent, seed := Seed}) ->
    {Comp, Rng} = normal(Avg, Stdev, scoville_j48:new(Seed)),
    {Plan, Size} = plan(1, B + 1, #{}, Rng, {Limit, Avg, Stdev, B, Urgent}),
    {Plan, Size, Comp}.

plan(Id, Size, Plan, _, _) when Id >= Size ->
    {Plan, Size};
plan(Id, Size, Plan, Rng, {Limit, Avg, Stdev, B, Urgent} = Shape) when Size + B =< Limit ->
    case scoville_j48:bool(Rng) of
        {true, R1} ->
            {Comp, R2} = normal(Avg, Stdev, R1),
            {U, R3} = scoville_j48:int(100, R2),
            {Index, R4} =
                case U =< Urgent of
                    true -> scoville_j48:int(B, R3);
                    false -> {-1, R3}
                end,
            plan(Id + 1, Size + B, Plan#{Id => {Size, Comp, Index}}, R4, Shape);
        {false, R1} ->
            plan(Id + 1, Size, Plan, R1, Shape)
    end;
plan(_, Size, Plan, _, _) ->
    {Plan, Size}.

%% A rounded normal deviate of at least 1.
normal(Avg, Stdev, Rng) ->
    {Sum, Next} = lists:foldl(
        fun(_, {S, R}) ->
            {Bits, New} = scoville_j48:bits(16, R),
            {S + Bits, New}
        end,
        {0, Rng},
        lists:seq(1, 12)
    ),
    case scoville_i64:wrap(Avg + scoville_i64:wrap((Sum - 393210) * Stdev) div 65536) of
        C when C >= 1 -> {C, Next};
        _ -> normal(Avg, Stdev, Next)
    end.

root(Run, Plan, Size, Comp, B, Unit) ->
    receive
        generate_tree ->
            Child = #node{
                run = Run, root = self(), parent = self(), height = 2, comp = Comp, binomial = B, unit = Unit
            },
            Children = children(Child, 1),
            grow(Run, Plan, Size - 1, Children, 1, 0);
        Other ->
            error({unexpected, Other})
    end.

grow(Run, _, 0, Children, Height, Grants) ->
    traverse(Children, -1),
    _ = [Child ! terminate || Child <- Children],
    Totals = terminated(length(Children), #totals{nodes = 1, grants = Grants}),
    report(Run, root, {Height, Totals}),
    leave(Run);
grow(Run, Plan, Left, Children, Height, Grants) ->
    receive
        {should, Node, Id, H} ->
            _ = [Node ! {generate, First, Comp, Urgent} || #{Id := {First, Comp, Urgent}} <- [Plan]],
            grow(Run, Plan, Left - 1, Children, max(Height, H), Grants);
        {grant, _Index} ->
            grow(Run, Plan, Left, Children, Height, Grants + 1);
        Other ->
            error({unexpected, Other})
    end.

%% Creates all children, then tells each to try.
children(#node{run = Run, binomial = B} = Child, First) ->
    expect(Run, B),
    Children = [
        spawn(fun() -> node(Child#node{id = Id}, [], -1, #totals{nodes = 1}) end)
     || Id <- lists:seq(First, First + B - 1)
    ],
    _ = [C ! 'try' || C <- Children],
    Children.

node(#node{root = Root, parent = Parent, id = Id, height = Height, unit = Unit} = Node, Children, Urgent, Totals) ->
    receive
        'try' ->
            Tried = work(Id, 100 * Unit, Totals),
            Root ! {should, self(), Id, Height},
            node(Node, Children, Urgent, Tried);
        {generate, First, Comp, Index} ->
            Parent ! {grant, (Id - 1) rem Node#node.binomial},
            Created = children(Node#node{parent = self(), height = Height + 1, comp = Comp}, First),
            node(Node, Created, Index, Totals);
        {grant, _Index} ->
            node(Node, Children, Urgent, Totals#totals{grants = Totals#totals.grants + 1});
        traverse ->
            Traversed = work(Id, Node#node.comp * Unit, Totals),
            traverse(Children, Urgent),
            node(Node, Children, Urgent, Traversed);
        urgent_traverse ->
            Traversed = work(Id, Node#node.comp * Unit, Totals),
            traverse(Children, Urgent),
            node(Node, Children, Urgent, Traversed#totals{urgent = Traversed#totals.urgent + 1});
        terminate ->
            _ = [Child ! terminate || Child <- Children],
            #totals{nodes = N, work = W, urgent = U, grants = G} = terminated(length(Children), Totals),
            Parent ! {terminated, N, W, U, G},
            leave(Node#node.run);
        Other ->
            error({unexpected, Other})
    end.

work(Id, Steps, #totals{work = Work} = Totals) ->
    Totals#totals{work = Work + scoville_lcg:spin(Id, scoville_i64:wrap(Steps))}.

%% The child of index 0 is urgent, or a later one; none if it is negative.
traverse([], _) ->
    ok;
traverse([Child | Children], 0) ->
    Child ! urgent_traverse,
    traverse(Children, -1);
traverse([Child | Children], Urgent) ->
    Child ! traverse,
    traverse(Children, Urgent - 1).

%% Without causal delivery a grant may still come.
terminated(0, Totals) ->
    Totals;
terminated(Left, #totals{nodes = Nodes, work = Work, urgent = Urgent, grants = Grants} = Totals) ->
    receive
        {terminated, N, W, U, G} ->
            terminated(Left - 1, #totals{nodes = Nodes + N, work = Work + W, urgent = Urgent + U, grants = Grants + G});
        {grant, _Index} ->
            terminated(Left, Totals#totals{grants = Grants + 1});
        Other ->
            error({unexpected, Other})
    end.
