use proptest::prelude::*;

use super::*;

const HELLO: &str = r#"{"type":"hello","protocol":1,"runtime":"dummy","version":"1","workers":2,"benchmarks":["pingpong"],"capabilities":["count-messages"]}"#;
const BEGIN: &str = r#"{"type":"begin"}"#;
const END: &str = r#"{"type":"end","wall_ns":1000,"result":5050,"checks":{"pongs":100},"extra":[1]}"#;
const BYE: &str = r#"{"type":"bye"}"#;
const WELL: Exit = Exit {
    status: Some(0),
    signal: None,
};

fn terms(iterations: u32) -> Terms {
    Terms {
        reports_as: "dummy".into(),
        benchmark: "pingpong".into(),
        parameters: BTreeMap::from([("pings".into(), Argument::from(100))]),
        expect: BTreeMap::from([
            ("result".into(), Value::Int(5050)),
            ("pongs".into(), Value::Int(100)),
        ]),
        work: Work {
            actors: 2,
            messages: Some(301),
        },
        messages_plus: String::new(),
        workers: 2,
        iterations: IterationRule {
            min: iterations,
            max: iterations,
            floor_ns: 0,
            ceiling_ns: u64::MAX,
        },
        limits: Limits {
            start_ns: 1_000_000_000,
            iteration_ns: 2_500_000_000,
            leave_ns: 3_000_000_000,
        },
        count_messages: false,
    }
}

/// Feeds lines one by one and returns all actions.
fn talk(conversation: &mut Conversation, lines: &[&str]) -> Vec<Action> {
    lines
        .iter()
        .flat_map(|line| conversation.feed(format!("{line}\n").as_bytes()))
        .collect()
}

fn talked(lines: &[&str]) -> (Conversation, Vec<Action>) {
    let mut conversation = Conversation::new(terms(1));
    let actions = talk(&mut conversation, lines);
    (conversation, actions)
}

fn decided(actions: &[Action]) -> (FailureKind, String) {
    match actions.last() {
        Some(Action::Decided(Verdict::Failed(kind, message))) => (kind.clone(), message.clone()),
        other => panic!("not a failure: {other:?}"),
    }
}

#[test]
fn a_whole_conversation_makes_as_many_iterations_as_asked() {
    let mut conversation = Conversation::new(terms(3));
    let actions = talk(
        &mut conversation,
        &[HELLO, BEGIN, END, BEGIN, END, BEGIN, END, BYE],
    );
    let ended = actions.iter().filter(|a| matches!(a, Action::Ended(_))).count();
    assert_eq!(ended, 3);
    let sent: Vec<&str> = actions
        .iter()
        .filter_map(|a| {
            if let Action::Send(line) = a {
                Some(line.as_str())
            } else {
                None
            }
        })
        .collect();
    assert_eq!(sent.len(), 4);
    assert_eq!(
        sent[0],
        "{\"type\":\"run\",\"benchmark\":\"pingpong\",\"parameters\":{\"pings\":100},\"iteration\":0,\"count_messages\":false}\n"
    );
    assert!(sent[2].contains("\"iteration\":2"));
    assert_eq!(sent[3], "{\"type\":\"bye\"}\n");
    assert_eq!(actions.last(), Some(&Action::Farewell));
    assert_eq!(conversation.exited(WELL), Verdict::Ok);
}

#[test]
fn memory_is_taken_before_the_next_run_is_sent() {
    let (_, actions) = talked(&[HELLO, BEGIN, END]);
    let ended = actions
        .iter()
        .position(|a| matches!(a, Action::Ended(_)))
        .unwrap();
    assert!(matches!(actions[ended + 1], Action::Send(_)));
}

#[test]
fn iterations_stop_by_floor_ceiling_and_maximum() {
    let rule = IterationRule {
        min: 3,
        max: 10,
        floor_ns: 100,
        ceiling_ns: 1_000,
    };
    assert!(!enough(&rule, 2, 500));
    assert!(enough(&rule, 3, 100));
    assert!(!enough(&rule, 3, 99));
    assert!(enough(&rule, 10, 0));
    assert!(enough(&rule, 1, 1_001));
}

#[test]
fn every_violation_has_its_own_message() {
    let cases = [
        ("", "not JSON"),
        ("nonsense", "not JSON"),
        ("[1]", "without the string field `type`"),
        (r#"{"type":7}"#, "without the string field `type`"),
        (r#"{"type":"helo"}"#, "unknown type \"helo\""),
        (
            r#"{"type":"hello","protocol":1}"#,
            "`hello` that is not understood",
        ),
        (BEGIN, "sent `begin` while the laboratory waited for `hello`"),
        (BYE, "sent `bye` while the laboratory waited for `hello`"),
    ];
    for (line, expected) in cases {
        let (_, actions) = talked(&[line]);
        let (kind, message) = decided(&actions);
        assert_eq!(kind, FailureKind::Protocol);
        assert!(message.contains(expected), "{message}");
        assert!(message.starts_with("dummy: "), "{message}");
    }
}

#[test]
fn a_line_is_shown_as_it_was_sent_and_says_where_it_was_cut() {
    let shown = |line: &str| {
        let (_, actions) = talked(&[line]);
        decided(&actions).1
    };
    let quotes = r#"{"a":"b","c":"d","e":"f","g":"h","i":"j","k":"l"}"#;
    assert!(
        shown(quotes).ends_with(&format!(": `{quotes}`")),
        "{}",
        shown(quotes)
    );
    let long = format!("[{quotes},{quotes},{quotes}]");
    assert!(
        shown(&long).ends_with(&format!("`{}...`", &long[..120])),
        "{}",
        shown(&long)
    );
    assert!(shown("a\u{1b}[31m").ends_with("`a\\u{1b}[31m`"));
    assert!(shown(&"\u{1F336}".repeat(121)).ends_with("...`"));
}

#[test]
fn a_greeting_that_differs_is_refused() {
    let change = |from: &str, to: &str| {
        let (_, actions) = talked(&[&HELLO.replace(from, to)]);
        decided(&actions)
    };
    let (kind, message) = change("\"workers\":2", "\"workers\":3");
    assert_eq!(kind, FailureKind::Workers { asked: 2, uses: 3 });
    assert!(
        message.contains("told to use 2 workers and reports 3"),
        "{message}"
    );
    let (kind, message) = change("\"protocol\":1", "\"protocol\":2");
    assert_eq!(kind, FailureKind::Protocol);
    assert!(message.contains("protocol 2"), "{message}");
    let (kind, message) = change("\"dummy\"", "\"other\"");
    assert_eq!(kind, FailureKind::Protocol);
    assert!(message.contains("calls itself \"other\""), "{message}");
}

#[test]
fn a_wrong_result_ends_everything_at_once() {
    for (from, to, got) in [
        ("5050", "5051", "result is 5051, expected 5050"),
        ("5050", "5050.0", "result is 5050.0, expected 5050"),
        ("\"pongs\":100", "\"pongs\":99", "pongs is 99, expected 100"),
        (
            "\"pongs\":100",
            "\"other\":1",
            "pongs is missing or no number, expected 100",
        ),
        (
            "5050",
            "\"5050\"",
            "result is missing or no number, expected 5050",
        ),
    ] {
        let (conversation, actions) = talked(&[HELLO, BEGIN, &END.replace(from, to)]);
        let (kind, message) = decided(&actions);
        assert!(
            matches!(kind, FailureKind::WrongResult { iteration: 0, .. }),
            "{kind:?}"
        );
        assert!(message.contains(got), "{message}");
        assert!(!actions.iter().any(|a| matches!(a, Action::Ended(_))));
        assert_eq!(conversation.state(), State::Over);
    }
}

#[test]
fn a_check_that_the_benchmark_does_not_have_is_refused() {
    let more = END.replace("\"pongs\":100", "\"pongs\":100,\"evil\":1");
    let (kind, message) = decided(&talked(&[HELLO, BEGIN, &more]).1);
    assert_eq!(kind, FailureKind::Protocol);
    assert!(
        message.ends_with("returned the check `evil`, which the benchmark does not have"),
        "{message}"
    );
    let unverified = Terms {
        expect: BTreeMap::new(),
        ..terms(1)
    };
    let actions = talk(&mut Conversation::new(unverified), &[HELLO, BEGIN, &more, BYE]);
    assert_eq!(actions.last(), Some(&Action::Farewell));
}

#[test]
fn iterations_cannot_take_longer_than_their_process() {
    let end = |ns: u64| END.replace("1000", &ns.to_string());
    let second = 1_000_000_000;
    let mut conversation = Conversation::new(terms(3));
    talk(&mut conversation, &[HELLO, BEGIN, &end(second)]);
    // A clock that is faster by a hundredth and has a coarse unit.
    assert_eq!(conversation.outlived(second - second / 100 - 9_000_000), None);
    talk(&mut conversation, &[BEGIN, &end(i64::MAX as u64)]);
    let Some(Verdict::Failed(FailureKind::Protocol, message)) = conversation.outlived(2 * second) else {
        panic!()
    };
    assert!(
        message.ends_with("its iterations of pingpong have taken 9223372037.855 s, 2 s after its start"),
        "{message}"
    );
    assert_eq!(conversation.state(), State::Over);
}

#[test]
fn failures_of_the_peer_keep_its_words() {
    let fail = |code: &str| format!(r#"{{"type":"fail","code":"{code}","message":"pings is 0"}}"#);
    let (mut conversation, actions) = talked(&[HELLO, &fail("bad-parameter"), BYE]);
    assert_eq!(actions.last(), Some(&Action::Farewell));
    let Verdict::Failed(FailureKind::BadParameter, message) = conversation.exited(WELL) else {
        panic!()
    };
    assert!(message.contains("pings is 0"));

    let (mut conversation, _) = talked(&[HELLO, BEGIN, &fail("unsupported")]);
    assert_eq!(conversation.expired(), Verdict::Unsupported("pings is 0".into()));

    let (_, actions) = talked(&[HELLO, BEGIN, &fail("failed")]);
    assert_eq!(decided(&actions).0, FailureKind::Assertion);
}

#[test]
fn a_benchmark_that_is_not_listed_is_unsupported() {
    let (mut conversation, _) = talked(&[&HELLO.replace("pingpong", "big"), BYE]);
    let Verdict::Unsupported(reason) = conversation.exited(WELL) else {
        panic!()
    };
    assert!(reason.contains("pingpong"), "{reason}");
}

#[test]
fn counted_work_is_compared() {
    let counting = |end: &str| {
        let mut conversation = Conversation::new(Terms {
            count_messages: true,
            ..terms(5)
        });
        let actions = talk(&mut conversation, &[HELLO, BEGIN, end, BYE]);
        (conversation, actions)
    };
    let with = |messages: u32| {
        END.replace(
            "\"extra\":[1]",
            &format!("\"work\":{{\"actors\":2,\"messages\":{messages}}}"),
        )
    };
    let (mut conversation, _) = counting(&with(301));
    assert_eq!(conversation.exited(WELL), Verdict::Ok);
    let (_, actions) = counting(&with(300));
    assert!(matches!(decided(&actions).0, FailureKind::WrongWork { .. }));
    let (_, actions) = counting(END);
    assert_eq!(decided(&actions).0, FailureKind::Protocol);
}

#[test]
fn messages_that_depend_on_scheduling_follow_from_the_metrics_of_the_same_iteration() {
    let counting = |metrics: &str, messages: u32| {
        let mut conversation = Conversation::new(Terms {
            count_messages: true,
            messages_plus: "3 * attempts - 3 * pings + sleeps".into(),
            ..terms(5)
        });
        let end = END.replace(
            "\"extra\":[1]",
            &format!("\"work\":{{\"actors\":2,\"messages\":{messages}}},\"metrics\":{{{metrics}}}"),
        );
        let actions = talk(&mut conversation, &[HELLO, BEGIN, &end, BYE]);
        (conversation, actions)
    };
    // 301 + 3 * 107 - 3 * 100 + 4
    let (mut conversation, _) = counting("\"attempts\":107,\"sleeps\":4.0", 326);
    assert_eq!(conversation.exited(WELL), Verdict::Ok);
    let (_, actions) = counting("\"attempts\":107,\"sleeps\":5", 326);
    assert!(matches!(decided(&actions).0, FailureKind::WrongWork { .. }));
    let (_, actions) = counting("\"attempts\":107", 326);
    let (kind, message) = decided(&actions);
    assert_eq!(kind, FailureKind::Protocol);
    assert!(message.contains("did not report `sleeps`"), "{message}");
    let (_, actions) = counting("\"attempts\":107,\"sleeps\":0.5", 326);
    assert_eq!(decided(&actions).0, FailureKind::Protocol);
}

#[test]
fn work_that_nothing_is_known_of_is_compared_no_further() {
    let counting = |actors: u32| {
        let mut conversation = Conversation::new(Terms {
            count_messages: true,
            work: Work {
                actors: 2,
                messages: None,
            },
            ..terms(5)
        });
        let work = format!("\"work\":{{\"actors\":{actors},\"messages\":77}}");
        let end = END.replace("\"extra\":[1]", &work);
        let actions = talk(&mut conversation, &[HELLO, BEGIN, &end, BYE]);
        (conversation, actions)
    };
    assert_eq!(counting(2).0.exited(WELL), Verdict::Ok);
    let message = decided(&counting(3).1).1;
    assert!(
        message.ends_with("counted 3 actors and 77 messages; the catalogue says 2 actors"),
        "{message}"
    );
}

#[test]
fn every_state_has_its_limit_and_its_words() {
    let cases: [(&[&str], &str, u64, &str); 5] = [
        (
            &[],
            "starting",
            1_000_000_000,
            "did not come to `hello` within 1 s",
        ),
        (
            &[HELLO],
            "preparing",
            1_000_000_000,
            "did not come to `begin` within 1 s",
        ),
        (
            &[HELLO, BEGIN],
            "running",
            2_500_000_000,
            "did not come to `end` within 2.5 s",
        ),
        (
            &[HELLO, BEGIN, END],
            "leaving",
            3_000_000_000,
            "did not come to `bye` within 3 s",
        ),
        (
            &[HELLO, BEGIN, END, BYE],
            "leaving",
            3_000_000_000,
            "did not come to its exit within 3 s",
        ),
    ];
    for (lines, state, limit_ns, words) in cases {
        let (mut conversation, _) = talked(lines);
        let Verdict::Failed(kind, message) = conversation.expired() else {
            panic!()
        };
        assert_eq!(
            kind,
            FailureKind::TimedOut {
                state: state.into(),
                limit_ns
            }
        );
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn every_unexpected_end_is_told_apart() {
    let end = |lines: &[&str], rest: &str, exit| {
        let (mut conversation, _) = talked(lines);
        conversation.feed(rest.as_bytes());
        let Verdict::Failed(kind, message) = conversation.exited(exit) else {
            panic!()
        };
        (kind, message)
    };
    let (kind, message) = end(
        &[HELLO, BEGIN],
        "{\"type\":\"e",
        Exit {
            status: Some(3),
            signal: None,
        },
    );
    assert_eq!(
        kind,
        FailureKind::Crashed {
            status: Some(3),
            signal: None
        }
    );
    assert!(
        message.contains("exited with status 3 while the laboratory waited for `end`"),
        "{message}"
    );
    assert!(message.contains("in the middle of a line (10 bytes"), "{message}");
    let (_, message) = end(
        &[],
        "",
        Exit {
            status: None,
            signal: Some(libc::SIGSEGV),
        },
    );
    assert!(message.contains("SIGSEGV"), "{message}");
    let (_, message) = end(
        &[HELLO, BEGIN, END, BYE],
        "",
        Exit {
            status: Some(1),
            signal: None,
        },
    );
    assert!(message.contains("after `bye`; the status must be 0"), "{message}");
    let (mut conversation, _) = talked(&[HELLO]);
    let Verdict::Failed(FailureKind::Protocol, message) = conversation.closed() else {
        panic!()
    };
    assert!(message.contains("closed descriptor 3"), "{message}");
}

#[test]
fn a_line_without_end_is_refused_at_the_limit() {
    let mut conversation = Conversation::new(terms(1));
    let chunk = vec![b'x'; 1 << 20];
    let mut fed = 0;
    loop {
        let actions = conversation.feed(&chunk);
        fed += chunk.len();
        if !actions.is_empty() {
            assert!(decided(&actions).1.contains("more than 16 MiB"));
            break;
        }
    }
    assert_eq!(fed, MAX_LINE + chunk.len());
}

/// Any line that a peer might send, sensible or not.
fn any_line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(HELLO.to_owned()),
        Just(BEGIN.to_owned()),
        Just(END.to_owned()),
        Just(END.replace("5050", "1")),
        Just(BYE.to_owned()),
        Just(r#"{"type":"fail","code":"unsupported","message":"no"}"#.to_owned()),
        Just(r#"{"type":"fail","code":"failed","message":"no"}"#.to_owned()),
        "[ -~]{0,40}",
    ]
}

proptest! {
    #[test]
    fn chunks_do_not_matter(lines in prop::collection::vec(any_line(), 0..12), cuts in prop::collection::vec(1_usize..40, 1..20)) {
        let bytes = lines.iter().map(|l| format!("{l}\n")).collect::<String>().into_bytes();
        let mut whole = Conversation::new(terms(2));
        let expected = whole.feed(&bytes);
        let mut pieces = Conversation::new(terms(2));
        let mut actions = Vec::new();
        let mut rest = &bytes[..];
        for &cut in cuts.iter().cycle() {
            if rest.is_empty() { break; }
            let (now, later) = rest.split_at(cut.min(rest.len()));
            actions.extend(pieces.feed(now));
            rest = later;
        }
        prop_assert_eq!(actions, expected);
        prop_assert_eq!(pieces.state(), whole.state());
    }

    #[test]
    fn arbitrary_bytes_never_panic_and_a_verdict_is_final(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..8)) {
        let mut conversation = Conversation::new(terms(1));
        let mut decisions = 0;
        for chunk in &chunks {
            let over = conversation.state() == State::Over;
            let actions = conversation.feed(chunk);
            prop_assert!(!over || actions.is_empty());
            decisions += actions.iter().filter(|a| matches!(a, Action::Decided(_))).count();
        }
        prop_assert!(decisions <= 1);
        prop_assert_eq!(decisions == 1, conversation.state() == State::Over);
    }

    #[test]
    fn a_time_is_never_given_without_begin_and_a_right_result(lines in prop::collection::vec(any_line(), 0..20)) {
        let mut conversation = Conversation::new(terms(3));
        let mut begun = false;
        for line in &lines {
            for action in conversation.feed(format!("{line}\n").as_bytes()) {
                match action {
                    Action::Began => begun = true,
                    Action::Ended(end) => {
                        prop_assert!(begun);
                        prop_assert_eq!(end.fields.get("result"), Some(&Value::Int(5050)));
                        begun = false;
                    }
                    _ => {}
                }
            }
        }
    }
}
