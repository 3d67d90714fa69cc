%% A benchmark is a module with this behaviour. run/2 is executed by the driver: a process that is
%% made for one iteration. It does the setup, calls scoville_iteration:start/1, creates the actors,
%% waits for their reports, calls scoville_iteration:finish/1, and does what is left to check.
-module(scoville_benchmark).

-export([names/0, modules/0, find/1, check/3]).
-export_type([parameter/0, relation/0, values/0, outcome/0]).

-type parameter() :: {atom(), kind()}.

%% What a parameter may be. Bounds are inclusive but for `above'; an integer has 64 bits in any case.
-type kind() ::
    integer
    | {integer, Min :: integer()}
    | {integer, Min :: integer(), Max :: integer()}
    | {power_of_two, Min :: integer()}
    | {power_of_two, Min :: integer(), Max :: integer()}
    | number
    | {number, Min :: number()}
    | {number, Min :: number(), Max :: number()}
    | {number, above, Min :: number()}
    | {choice, [atom()]}.

%% A bound that depends on other parameters, and how it is written.
-type relation() :: {
    atom(),
    at_least | at_most | above | multiple_of,
    Expression :: string(),
    fun((values()) -> number())
}.

-type values() :: #{atom() => integer() | float() | atom()}.
-type outcome() :: #{
    wall_ns := non_neg_integer(),
    result := integer() | float(),
    checks => #{atom() => integer() | float()},
    metrics => #{atom() => integer() | float()},
    per_actor => #{atom() => [integer()]}
}.

%% In the catalogue's order, as the relations.
-callback parameters() -> [parameter()].
-callback relations() -> [relation()].
-callback run(values(), scoville_iteration:announce()) -> outcome().
-optional_callbacks([relations/0]).

-spec names() -> [binary()].
names() -> [Name || {Name, _} <- all()].

-spec modules() -> [module()].
modules() -> [Module || {_, Module} <- all()].

%% In the specification's order.
all() ->
    [
        {<<"pingpong">>, bench_pingpong},
        {<<"threadring">>, bench_threadring},
        {<<"count">>, bench_count},
        {<<"fjthrput">>, bench_fjthrput},
        {<<"fjcreate">>, bench_fjcreate},
        {<<"fib">>, bench_fib},
        {<<"chameneos">>, bench_chameneos},
        {<<"big">>, bench_big},
        {<<"concdict">>, bench_concdict},
        {<<"concsll">>, bench_concsll},
        {<<"bndbuffer">>, bench_bndbuffer},
        {<<"philosopher">>, bench_philosopher},
        {<<"barber">>, bench_barber},
        {<<"cigsmok">>, bench_cigsmok},
        {<<"logmap">>, bench_logmap},
        {<<"banking">>, bench_banking},
        {<<"apsp">>, bench_apsp},
        {<<"astar">>, bench_astar},
        {<<"nqueenk">>, bench_nqueenk},
        {<<"recmatmul">>, bench_recmatmul},
        {<<"quicksort">>, bench_quicksort},
        {<<"radixsort">>, bench_radixsort},
        {<<"filterbank">>, bench_filterbank},
        {<<"bitonicsort">>, bench_bitonicsort},
        {<<"sieve">>, bench_sieve},
        {<<"uct">>, bench_uct},
        {<<"facloc">>, bench_facloc},
        {<<"trapezoid">>, bench_trapezoid},
        {<<"piprecision">>, bench_piprecision},
        {<<"sor">>, bench_sor},
        {<<"matrixsearch">>, bench_matrixsearch},
        {<<"bigneighbours">>, bench_bigneighbours},
        {<<"chameneosfair">>, bench_chameneosfair},
        {<<"fannkuch">>, bench_fannkuch},
        {<<"pingping">>, bench_pingping},
        {<<"spawn">>, bench_spawn},
        {<<"pairs">>, bench_pairs},
        {<<"mixed">>, bench_mixed},
        {<<"chat">>, bench_chat}
    ].

-spec find(Name :: binary()) -> {ok, module()} | error.
find(Name) ->
    case lists:keyfind(Name, 1, all()) of
        {_, Module} -> {ok, Module};
        false -> error
    end.

%% Turns the parameters of a run message into values. The peer protocol prescribes the text of the
%% error and the order of the tests: missing, unknown, type, range, power of two, relations.
-spec check(Name :: binary(), module(), #{binary() => scoville_json:json()}) ->
    {ok, values()} | {error, iodata()}.
check(Name, Module, Given) ->
    Known = [{atom_to_binary(P), P, Kind} || {P, Kind} <- Module:parameters()],
    case missing(Known, Given) ++ unknown(Known, Given) ++ ill_typed(Known, Given) of
        [] -> check(Name, Module, Given, Known);
        [First | _] -> {error, [Name, ": ", First]}
    end.

%% Relations can be told only where everything else is as it must be.
check(Name, Module, Given, Known) ->
    Values = maps:from_list([{P, value(Kind, map_get(Text, Given))} || {Text, P, Kind} <- Known]),
    Complaints =
        case out_of_range(Known, Given, Values) ++ no_powers(Known, Given) of
            [] -> broken(relations(Module), Given, Values);
            Found -> Found
        end,
    case Complaints of
        [] -> {ok, Values};
        [First | _] -> {error, [Name, ": ", First]}
    end.

relations(Module) ->
    case erlang:function_exported(Module, relations, 0) of
        true -> Module:relations();
        false -> []
    end.

missing(Known, Given) ->
    [["parameter ", P, " is missing"] || {P, _, _} <- Known, not is_map_key(P, Given)].

unknown(Known, Given) ->
    [["unknown parameter ", P] || P <- lists:sort(maps:keys(Given)), not lists:keymember(P, 1, Known)].

ill_typed(Known, Given) ->
    [must_be(P, Given, type(Kind)) || {P, _, Kind} <- Known, #{P := V} <- [Given], value(Kind, V) =:= error].

out_of_range(Known, Given, Values) ->
    [must_be(Text, Given, range(Kind)) || {Text, P, Kind} <- Known, not in_range(map_get(P, Values), Kind)].

no_powers(Known, Given) ->
    [
        must_be(P, Given, "a power of two")
     || {P, _, Kind} <- Known,
        is_tuple(Kind),
        element(1, Kind) =:= power_of_two,
        V <- [map_get(P, Given)],
        V band (V - 1) =/= 0
    ].

broken(Relations, Given, Values) ->
    [
        must_be(atom_to_binary(P), Given, [relation(Relation), number(Limit), " (", Expression, ")"])
     || {P, Relation, Expression, Function} <- Relations,
        Limit <- [Function(Values)],
        not holds(map_get(P, Values), Relation, Limit)
    ].

must_be(P, Given, What) ->
    [P, " is ", scoville_json:encode(map_get(P, Given)), "; it must be ", What].

%% The value of a parameter, of the type that its kind has.
value({choice, Choices}, Text) when is_binary(Text) ->
    case [Choice || Choice <- Choices, atom_to_binary(Choice) =:= Text] of
        [Choice] -> Choice;
        [] -> error
    end;
value({choice, _}, _) ->
    error;
value(Kind, V) ->
    case is_real(Kind) of
        true -> scoville_json:to_float(V);
        false when is_integer(V), V >= -(1 bsl 63), V < 1 bsl 63 -> V;
        false -> error
    end.

is_real(Kind) -> Kind =:= number orelse (is_tuple(Kind) andalso element(1, Kind) =:= number).

type({choice, Choices}) ->
    ["one of ", lists:join(", ", [atom_to_binary(Choice) || Choice <- Choices])];
type(Kind) ->
    case is_real(Kind) of
        true -> "a number";
        false -> "an integer"
    end.

in_range(V, {number, above, Min}) -> V > Min;
in_range(_, {choice, _}) -> true;
in_range(V, {_, Min, Max}) -> V >= Min andalso V =< Max;
in_range(V, {_, Min}) -> V >= Min;
in_range(_, _) -> true.

range({_, above, Min}) -> ["above ", number(Min)];
range({_, Min, Max}) -> ["between ", number(Min), " and ", number(Max)];
range({_, Min}) -> ["at least ", number(Min)].

holds(V, at_least, Limit) -> V >= Limit;
holds(V, at_most, Limit) -> V =< Limit;
holds(V, above, Limit) -> V > Limit;
holds(V, multiple_of, Limit) -> V rem Limit =:= 0.

relation(at_least) -> "at least ";
relation(at_most) -> "at most ";
relation(above) -> "above ";
relation(multiple_of) -> "a multiple of ".

%% Whole numbers without a point.
number(V) when is_integer(V) -> integer_to_binary(V);
number(V) when V == trunc(V) -> integer_to_binary(trunc(V));
number(V) -> float_to_binary(V, [short]).
