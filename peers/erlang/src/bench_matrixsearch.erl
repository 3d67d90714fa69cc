-module(bench_matrixsearch).
-behaviour(scoville_benchmark).

-export([parameters/0, relations/0, run/2]).
-import(scoville_iteration, [start/1, expect/2, await/1, await/2, finish/1, report/3, leave/1, unsupported/1]).

-ifdef(TEST).
-export([matrix/3, word/4, occurrences/3]).
-endif.

-compile({inline, [next/1, letter/2]}).

%% What everybody knows and never changes.
-record(search, {run, tally, seekers, size, jobs, word, alphabet, assign}).

parameters() ->
    [
        {controllers, {integer, 1}},
        {seekers, {integer, 1}},
        {size, integer},
        {jobs, {integer, 1}},
        {word, {integer, 1, 16}},
        {alphabet, {integer, 2, 256}},
        {assign, {choice, [continuous, blockwise]}},
        {place, {choice, [local, roundrobin]}}
    ].

relations() -> [{size, at_least, "word", fun(#{word := W}) -> W end}].

run(#{place := roundrobin}, _) ->
    unsupported("Erlang/OTP has no documented means to say on which scheduler a process wakes up");
run(#{controllers := C, seekers := S, size := Size, jobs := Jobs} = Values, Announce) ->
    #{word := W, alphabet := A, assign := Assign} = Values,
    Run = start(Announce),
    expect(Run, C + 1),
    Tally = spawn(fun() -> tally(Run, C, 0, 0) end),
    Common = #search{
        run = Run, tally = Tally, seekers = S, size = Size, jobs = Jobs, word = W, alphabet = A, assign = Assign
    },
    Controllers = [spawn(fun() -> controller(Common, Q) end) || Q <- lists:seq(0, C - 1)],
    _ = [Controller ! start || Controller <- Controllers],
    {Matches, Searched} = await(tally),
    Durations = await(seeker, C * S),
    #{
        wall_ns => finish(Run),
        result => Matches,
        checks => #{jobs => Searched},
        metrics => #{
            fill_ns => lists:sum([Fill || {Fill, _} <- Durations]),
            search_ns => lists:sum([Search || {_, Search} <- Durations])
        }
    }.

tally(Run, 0, Matches, Jobs) ->
    report(Run, tally, {Matches, Jobs}),
    leave(Run);
tally(Run, Left, Matches, Jobs) ->
    receive
        {controller_done, M, J} -> tally(Run, Left - 1, Matches + M, Jobs + J);
        Other -> error({unexpected, Other})
    end.

controller(#search{run = Run, seekers = S, assign = Assign} = Search, Q) ->
    receive
        start ->
            Controller = self(),
            expect(Run, S),
            Seekers = [spawn(fun() -> seeker(Search, Controller, Q * S + M, M) end) || M <- lists:seq(0, S - 1)],
            _ = [Seeker ! init || Seeker <- Seekers],
            send_all(0, Search, Q, Seekers),
            case Assign of
                continuous -> continuous(Search, Q, list_to_tuple(Seekers), S * Search#search.jobs, 0);
                blockwise -> blockwise(Search, Q, Seekers, 1, S, 0)
            end;
        Other ->
            error({unexpected, Other})
    end.

%% A seeker that has replied gets its next job at once. So many replies are missing.
continuous(Search, _, _, 0, Matches) ->
    done(Search, Matches);
continuous(Search, Q, Seekers, Missing, Matches) ->
    receive
        {found, M, N, Count} ->
            send(N + 1, Search, Q, M, element(M + 1, Seekers)),
            continuous(Search, Q, Seekers, Missing - 1, Matches + Count);
        Other ->
            error({unexpected, Other})
    end.

%% All seekers get job N when all have replied. So many replies are missing.
blockwise(#search{seekers = S, jobs = Jobs} = Search, Q, Seekers, N, 0, Matches) ->
    send_all(N, Search, Q, Seekers),
    case N of
        Jobs -> done(Search, Matches);
        _ -> blockwise(Search, Q, Seekers, N + 1, S, Matches)
    end;
blockwise(Search, Q, Seekers, N, Missing, Matches) ->
    receive
        {found, _M, _N, Count} -> blockwise(Search, Q, Seekers, N, Missing - 1, Matches + Count);
        Other -> error({unexpected, Other})
    end.

done(#search{run = Run, tally = Tally, seekers = S, jobs = Jobs}, Matches) ->
    Tally ! {controller_done, Matches, S * Jobs},
    leave(Run).

send_all(N, #search{seekers = S} = Search, Q, Seekers) ->
    lists:foreach(
        fun({M, Seeker}) -> send(N, Search, Q, M, Seeker) end, lists:zip(lists:seq(0, S - 1), Seekers)
    ).

%% Job N, or stop after the last.
send(N, #search{jobs = N}, _, _, Seeker) ->
    Seeker ! stop,
    ok;
send(N, #search{seekers = S, word = W, alphabet = A}, Q, M, Seeker) ->
    Seeker ! {job, N, word(Q * S + M, N, W, A)},
    ok.

seeker(#search{size = Size, alphabet = A} = Search, Controller, G, M) ->
    receive
        init ->
            {Fill, Matrix} = timed(fun() -> matrix(G, Size, A) end),
            seeker(Search, Controller, M, Matrix, Fill, 0);
        Other ->
            error({unexpected, Other})
    end.

%% Fill and Taken are the times for filling and, so far, for searching the matrix.
seeker(#search{run = Run, size = Size} = Search, Controller, M, Matrix, Fill, Taken) ->
    receive
        {job, N, Word} ->
            {Time, Count} = timed(fun() -> occurrences(Matrix, Size, Word) end),
            Controller ! {found, M, N, Count},
            seeker(Search, Controller, M, Matrix, Fill, Taken + Time);
        stop ->
            report(Run, seeker, {Fill, Taken}),
            leave(Run);
        Other ->
            error({unexpected, Other})
    end.

%% The nanoseconds that a call took, and its value.
timed(Function) ->
    Began = os:perf_counter(nanosecond),
    Value = Function(),
    {os:perf_counter(nanosecond) - Began, Value}.

%% The matrix of seeker G, row by row, a byte for each cell.
matrix(G, Size, A) -> characters(Size * Size, G * 2654435761 + 12345, A).

%% The word of job N for seeker G.
word(G, N, W, A) -> characters(W, G * 40503 + N * 9973 + 777, A).

%% So many characters of the generator L32.
characters(Count, Seed, A) -> characters(Count, Seed band 16#FFFFFFFF, A, <<>>).

%% Four at a time, since every step by which the binary grows costs.
characters(Count, X, A, Characters) when Count >= 4 ->
    X1 = next(X),
    X2 = next(X1),
    X3 = next(X2),
    X4 = next(X3),
    Longer = <<Characters/binary, (letter(X1, A)), (letter(X2, A)), (letter(X3, A)), (letter(X4, A))>>,
    characters(Count - 4, X4, A, Longer);
characters(0, _, _, Characters) ->
    Characters;
characters(Count, X, A, Characters) ->
    Next = next(X),
    characters(Count - 1, Next, A, <<Characters/binary, (letter(Next, A))>>).

next(X) -> (X * 1664525 + 1013904223) band 16#FFFFFFFF.

letter(X, A) -> (X * A) bsr 32.

%% How often the word stands in the columns of a matrix of this side.
occurrences(Matrix, Size, Word) ->
    columns(0, Matrix, Size, (Size - byte_size(Word)) * Size + 1, binary_to_list(Word), 0).

%% Columns outside, rows inside. The word may begin within so many cells from the top of a column.
columns(Size, _, Size, _, _, Count) ->
    Count;
columns(X, Matrix, Size, Length, Word, Count) ->
    Column = binary:part(Matrix, X, Length),
    columns(X + 1, Matrix, Size, Length, Word, rows(Column, Matrix, X + Size, Size, Word, Count)).

%% The first letter is compared as a match moves down the column, which costs half of a binary:at/2. Second is the index
%% of the cell below.
rows(<<C, Rest/binary>>, Matrix, Second, Size, [C | Cs] = Word, Count) ->
    case matches(Matrix, Second, Size, Cs) of
        true -> down(Rest, Matrix, Second + Size, Size, Word, Count + 1);
        false -> down(Rest, Matrix, Second + Size, Size, Word, Count)
    end;
rows(<<_, Rest/binary>>, Matrix, Second, Size, Word, Count) ->
    down(Rest, Matrix, Second + Size, Size, Word, Count);
rows(<<>>, _, _, _, _, Count) ->
    Count.

%% To the cell below, if the word may begin there.
down(Rest, Matrix, Second, Size, Word, Count) ->
    case Rest of
        <<_:(Size - 1)/binary, Column/binary>> -> rows(Column, Matrix, Second, Size, Word, Count);
        _ -> Count
    end.

matches(_, _, _, []) ->
    true;
matches(Matrix, At, Size, [C | Cs]) ->
    case binary:at(Matrix, At) of
        C -> matches(Matrix, At + Size, Size, Cs);
        _ -> false
    end.
