%% A benchmark is a module with this behaviour. run/2 is executed by the driver: a process that is
%% made for one iteration. It does the setup, calls scoville_iteration:start/1, creates the actors,
%% waits for their reports, and calls scoville_iteration:finish/1.
-module(scoville_benchmark).

-export([names/0, modules/0, find/1, check/3]).
-export_type([parameter/0, values/0, outcome/0]).

%% Name and inclusive range of an integer.
-type parameter() :: {atom(), Min :: integer(), Max :: integer() | infinity}.
-type values() :: #{atom() => integer()}.
-type outcome() :: #{
    wall_ns := non_neg_integer(),
    result := integer() | float(),
    checks => #{atom() => integer() | float()},
    per_actor => #{atom() => [integer()]}
}.

%% In the catalogue's order.
-callback parameters() -> [parameter()].
-callback run(values(), scoville_iteration:announce()) -> outcome().

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
        {<<"big">>, bench_big}
    ].

-spec find(Name :: binary()) -> {ok, module()} | error.
find(Name) ->
    case lists:keyfind(Name, 1, all()) of
        {_, Module} -> {ok, Module};
        false -> error
    end.

%% Turns the parameters of a run message into values. The peer protocol prescribes the text of the
%% error and the order of the tests: missing, unknown, type, range.
-spec check(Name :: binary(), [parameter()], #{binary() => scoville_json:json()}) ->
    {ok, values()} | {error, iodata()}.
check(Name, Parameters, Given) ->
    Known = [{atom_to_binary(P), P, Min, Max} || {P, Min, Max} <- Parameters],
    Complaints =
        [["parameter ", P, " is missing"] || {P, _, _, _} <- Known, not is_map_key(P, Given)] ++
            [
                ["unknown parameter ", P]
             || P <- lists:sort(maps:keys(Given)), not lists:keymember(P, 1, Known)
            ] ++
            [
                [P, " is ", scoville_json:encode(V), "; it must be an integer"]
             || {P, _, _, _} <- Known, #{P := V} <- [Given], not is_i64(V)
            ] ++
            [
                [P, " is ", scoville_json:encode(V), "; it must be ", bounds(Min, Max)]
             || {P, _, Min, Max} <- Known, #{P := V} <- [Given], V < Min orelse V > Max
            ],
    case Complaints of
        [] -> {ok, maps:from_list([{Atom, maps:get(P, Given)} || {P, Atom, _, _} <- Known])};
        [First | _] -> {error, [Name, ": ", First]}
    end.

%% An atom is greater than every number, so that `infinity' is a bound like any other.
bounds(Min, infinity) -> ["at least ", integer_to_list(Min)];
bounds(Min, Max) -> ["between ", integer_to_list(Min), " and ", integer_to_list(Max)].

is_i64(V) when is_integer(V) -> V >= -(1 bsl 63) andalso V < 1 bsl 63;
is_i64(_) -> false.
