%% A logger handler that turns the emulator's report of a crashed process into a message. A process
%% that nobody is linked to or monitors can die unseen; the report tells of every one, and costs the
%% living nothing.
-module(scoville_crash).

-export([install/1]).
-export([log/2]).

%% From now on Observer gets {crashed, Text} for every crash, and nothing is printed on stdout.
-spec install(Observer :: pid()) -> ok.
install(Observer) ->
    _ = logger:remove_handler(default),
    _ = logger:remove_handler(?MODULE),
    ok = logger:add_handler(?MODULE, ?MODULE, #{level => error, config => Observer}).

%% The logger's callback.
-spec log(logger:log_event(), logger:handler_config()) -> ok.
log(Event, #{config := Observer}) ->
    Text = logger_formatter:format(Event, #{single_line => true, template => [msg]}),
    Observer ! {crashed, unicode:characters_to_binary(Text)},
    ok.
