%% The direct programs compute what they should: run/2 returns what they computed and what that should be.
-module(direct_tests).

-include_lib("eunit/include/eunit.hrl").

programs() -> [pingpong, 'pingpong-bare', count, fjcreate, fib, 'fib-bare', chameneos, big].

every_program_computes_what_it_should_test() ->
    _ = [
        begin
            Sizes =
                case direct:sizes(Program) of
                    1 -> [Size];
                    2 -> [Size + 1, 30]
                end,
            {Got, Want} = direct:run(Program, Sizes),
            ?assertEqual({Program, Sizes, Want}, {Program, Sizes, Got})
        end
     || Program <- programs(), Size <- [1, 3, 20]
    ].

the_values_that_are_wanted_are_the_catalogues_test() ->
    ?assertMatch({_, 5050}, direct:run(pingpong, [100])),
    ?assertMatch({_, 55 + 109}, direct:run(fib, [10])),
    ?assertMatch({_, 200}, direct:run(chameneos, [5, 100])).
