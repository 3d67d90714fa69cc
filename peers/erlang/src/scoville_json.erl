%% A strict JSON codec (RFC 8259) for the conversation with the laboratory; OTP has one of its own
%% only from release 27 on.
%%
%%   object  #{binary() => json()}        string  binary(), UTF-8
%%   array   [json()]                     true, false, null  atoms
%%   number  integer(), float(); a decoded number with a fraction or an exponent is
%%           {number, Text}, so that it can be quoted as it came
-module(scoville_json).

-export([encode/1, decode/1, to_float/1]).
-export_type([json/0]).

-type json() ::
    #{binary() | atom() => json()}
    | [json()]
    | binary()
    | integer()
    | float()
    | {number, binary()}
    | true
    | false
    | null.

%% Object members come in the order of their names; floats have 17 significant digits.
-spec encode(json()) -> iodata().
encode(true) -> <<"true">>;
encode(false) -> <<"false">>;
encode(null) -> <<"null">>;
encode(V) when is_integer(V) -> integer_to_binary(V);
encode(V) when is_float(V) -> float_to_binary(V, [{scientific, 16}]);
encode({number, Text}) -> Text;
encode(V) when is_binary(V) -> string(V);
encode(V) when is_list(V) -> [$[, lists:join($,, [encode(X) || X <- V]), $]];
encode(V) when is_map(V) ->
    Members = lists:sort([{name(K), X} || {K, X} <- maps:to_list(V)]),
    [${, lists:join($,, [[string(K), $:, encode(X)] || {K, X} <- Members]), $}].

name(K) when is_atom(K) -> atom_to_binary(K);
name(K) when is_binary(K) -> K.

string(V) -> [$", <<<<(escape(C))/binary>> || <<C/utf8>> <= V>>, $"].

escape($") -> <<"\\\"">>;
escape($\\) -> <<"\\\\">>;
escape($\b) -> <<"\\b">>;
escape($\f) -> <<"\\f">>;
escape($\n) -> <<"\\n">>;
escape($\r) -> <<"\\r">>;
escape($\t) -> <<"\\t">>;
escape(C) when C < 16#20 -> iolist_to_binary(io_lib:format("\\u~4.16.0b", [C]));
escape(C) -> <<C/utf8>>.

%% Decodes exactly one value; nothing but white space may follow it.
-spec decode(binary()) -> {ok, json()} | {error, Reason :: string()}.
decode(Text) ->
    try
        {Value, Rest} = value(space(Text)),
        case space(Rest) of
            <<>> -> {ok, Value};
            More -> bad(More)
        end
    catch
        throw:{bad, At} ->
            {error, lists:flatten(io_lib:format("not JSON from byte ~b on", [byte_size(Text) - At]))}
    end.

%% The float next to a decoded number; `error' for anything else and beyond the range of a float.
-spec to_float(json()) -> float() | error.
to_float(V) when is_integer(V) -> to_float({number, integer_to_binary(V)});
to_float({number, Text}) ->
    {Whole, Rest} = split_number(Text),
    Fraction = case Rest of <<$., _/binary>> -> <<>>; _ -> <<".0">> end,
    try
        binary_to_float(<<Whole/binary, Fraction/binary, Rest/binary>>)
    catch
        error:badarg -> error
    end;
to_float(_) -> error.

%% The sign and digits before a fraction or an exponent, and what follows.
split_number(Text) ->
    case re:split(Text, "(?=[.eE])", [{parts, 2}]) of
        [Whole] -> {Whole, <<>>};
        [Whole, Rest] -> {Whole, Rest}
    end.

-spec bad(binary()) -> no_return().
bad(Rest) -> throw({bad, byte_size(Rest)}).

space(<<C, Rest/binary>>) when C =:= $\s; C =:= $\t; C =:= $\n; C =:= $\r -> space(Rest);
space(Rest) -> Rest.

value(<<"true", Rest/binary>>) -> {true, Rest};
value(<<"false", Rest/binary>>) -> {false, Rest};
value(<<"null", Rest/binary>>) -> {null, Rest};
value(<<$", Rest/binary>>) -> string(Rest, <<>>);
value(<<$[, Rest/binary>>) -> first_element(space(Rest));
value(<<${, Rest/binary>>) -> first_member(space(Rest));
value(Text) -> number(Text).

first_element(<<$], Rest/binary>>) -> {[], Rest};
first_element(Text) -> elements(Text, []).

elements(Text, Done) ->
    {Value, Rest} = value(Text),
    case space(Rest) of
        <<$,, More/binary>> -> elements(space(More), [Value | Done]);
        <<$], More/binary>> -> {lists:reverse(Done, [Value]), More};
        More -> bad(More)
    end.

first_member(<<$}, Rest/binary>>) -> {#{}, Rest};
first_member(Text) -> members(Text, #{}).

members(<<$", Text/binary>>, Done) ->
    {Name, AfterName} = string(Text, <<>>),
    {Value, Rest} =
        case space(AfterName) of
            <<$:, AfterColon/binary>> -> value(space(AfterColon));
            Other -> bad(Other)
        end,
    Object = Done#{Name => Value},
    case space(Rest) of
        <<$,, More/binary>> -> members(space(More), Object);
        <<$}, More/binary>> -> {Object, More};
        More -> bad(More)
    end;
members(Text, _) ->
    bad(Text).

string(<<$", Rest/binary>>, Done) -> {Done, Rest};
string(<<$\\, Rest/binary>>, Done) -> escaped(Rest, Done);
string(<<C/utf8, Rest/binary>>, Done) when C >= 16#20 -> string(Rest, <<Done/binary, C/utf8>>);
string(Rest, _) -> bad(Rest).

escaped(<<$u, Rest/binary>>, Done) -> unicode(Rest, Done);
escaped(<<C, Rest/binary>>, Done) when C =:= $"; C =:= $\\; C =:= $/ -> string(Rest, <<Done/binary, C>>);
escaped(<<$b, Rest/binary>>, Done) -> string(Rest, <<Done/binary, $\b>>);
escaped(<<$f, Rest/binary>>, Done) -> string(Rest, <<Done/binary, $\f>>);
escaped(<<$n, Rest/binary>>, Done) -> string(Rest, <<Done/binary, $\n>>);
escaped(<<$r, Rest/binary>>, Done) -> string(Rest, <<Done/binary, $\r>>);
escaped(<<$t, Rest/binary>>, Done) -> string(Rest, <<Done/binary, $\t>>);
escaped(Rest, _) -> bad(Rest).

%% Characters outside the basic plane come as a high surrogate followed by a low one.
unicode(Text, Done) ->
    case code_unit(Text) of
        {High, <<"\\u", More/binary>>} when High >= 16#D800, High =< 16#DBFF ->
            case code_unit(More) of
                {Low, Rest} when Low >= 16#DC00, Low =< 16#DFFF ->
                    C = 16#10000 + ((High - 16#D800) bsl 10) + (Low - 16#DC00),
                    string(Rest, <<Done/binary, C/utf8>>);
                _ ->
                    bad(Text)
            end;
        {C, Rest} when C < 16#D800; C > 16#DFFF ->
            string(Rest, <<Done/binary, C/utf8>>);
        _ ->
            bad(Text)
    end.

code_unit(<<Digits:4/binary, Rest/binary>> = Text) ->
    case lists:all(fun is_hex/1, binary_to_list(Digits)) of
        true -> {binary_to_integer(Digits, 16), Rest};
        false -> bad(Text)
    end;
code_unit(Text) ->
    bad(Text).

is_hex(C) ->
    (C >= $0 andalso C =< $9) orelse (C >= $a andalso C =< $f) orelse (C >= $A andalso C =< $F).

number(Text) ->
    AfterSign = skip($-, Text),
    AfterWhole =
        case AfterSign of
            <<$0, Rest/binary>> -> Rest;
            _ -> digits(AfterSign)
        end,
    AfterFraction =
        case AfterWhole of
            <<$., Fraction/binary>> -> digits(Fraction);
            _ -> AfterWhole
        end,
    End =
        case AfterFraction of
            <<E, Exponent/binary>> when E =:= $e; E =:= $E -> digits(exponent_sign(Exponent));
            _ -> AfterFraction
        end,
    Lexeme = binary:part(Text, 0, byte_size(Text) - byte_size(End)),
    case byte_size(End) =:= byte_size(AfterWhole) of
        true -> {binary_to_integer(Lexeme), End};
        false -> {{number, Lexeme}, End}
    end.

skip(C, <<C, Rest/binary>>) -> Rest;
skip(_, Text) -> Text.

exponent_sign(<<C, Rest/binary>>) when C =:= $+; C =:= $- -> Rest;
exponent_sign(Text) -> Text.

%% At least one digit.
digits(<<C, Rest/binary>>) when C >= $0, C =< $9 -> more_digits(Rest);
digits(Text) -> bad(Text).

more_digits(<<C, Rest/binary>>) when C >= $0, C =< $9 -> more_digits(Rest);
more_digits(Rest) -> Rest.
