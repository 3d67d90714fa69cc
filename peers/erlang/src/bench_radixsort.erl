-module(bench_radixsort).
-behaviour(scoville_benchmark).

-export([parameters/0, run/2]).
-export([validator/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, finish/1, report/3, leave/1]).

parameters() -> [{n, {integer, 1}}, {m, {power_of_two, 2, 1 bsl 60}}, {s, integer}].

run(#{n := N, m := M, s := S}, Announce) ->
    Run = start(Announce),
    Radixes = radixes(M div 2),
    expect(Run, length(Radixes) + 2),
    Validator = spawn(fun() -> validator(Run, N) end),
    Source = spawn(fun() -> source(Run, N, M, S) end),
    First = lists:foldl(
        fun(Radix, Next) -> spawn(fun() -> sorter(Run, Next, Radix, N, []) end) end, Validator, Radixes
    ),
    Source ! {next, First},
    {Hash, Count, Errors, Sum} = await(validator),
    #{wall_ns => finish(Run), result => Hash, checks => #{count => Count, errors => Errors, sum => Sum}}.

radixes(0) -> [];
radixes(Radix) -> [Radix | radixes(Radix div 2)].

source(Run, N, M, S) ->
    receive
        {next, First} -> source(Run, First, N, M, scoville_lcg:new(S));
        Other -> error({unexpected, Other})
    end.

source(Run, _, 0, _, _) ->
    leave(Run);
source(Run, First, Left, M, Rng) ->
    V = scoville_lcg:next(Rng),
    First ! {value, V rem M},
    source(Run, First, Left - 1, M, V).

sorter(Run, Next, _, 0, Buffer) ->
    _ = [Next ! {value, V} || V <- lists:reverse(Buffer)],
    leave(Run);
sorter(Run, Next, Radix, Left, Buffer) ->
    receive
        {value, V} = Value when V band Radix =:= 0 ->
            Next ! Value,
            sorter(Run, Next, Radix, Left - 1, Buffer);
        {value, V} ->
            sorter(Run, Next, Radix, Left - 1, [V | Buffer]);
        Other ->
            error({unexpected, Other})
    end.

%% The end of a sorting pipeline, here and in bitonicsort: reports checksum, count, errors and sum after
%% N values, or on exit where N is none.
validator(Run, N) -> validator(Run, N, scoville_checksum:new(), 0, 0, 0, 0).

validator(Run, N, Hash, N, Errors, Sum, _) ->
    report(Run, validator, {Hash, N, Errors, Sum}),
    leave(Run);
validator(Run, N, Hash, Count, Errors, Sum, Previous) ->
    receive
        {value, V} when V < Previous ->
            validator(Run, N, scoville_checksum:add(V, Hash), Count + 1, Errors + 1, Sum + V, V);
        {value, V} ->
            validator(Run, N, scoville_checksum:add(V, Hash), Count + 1, Errors, Sum + V, V);
        exit when N =:= none ->
            report(Run, validator, {Hash, Count, Errors, Sum}),
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.
