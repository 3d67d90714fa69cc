#!/usr/bin/env python3
"""Starts a peer as the laboratory does and checks that it keeps the peer protocol (docs/protocol.md).

    python3 peers/conformance/drive.py --workers 2 -- COMMAND...
    python3 peers/conformance/drive.py --workers 2 --preset thesis --benchmark fib --iterations 3 -- COMMAND...

Every benchmark of the catalogue that the peer knows runs with the given presets; result, checks and counted work must be
the catalogue's, and its metrics and per-actor counters must be there. Then come the exact texts for bad parameters,
unknown fields, bye, stop, end of file, also during an iteration, and lines that are no messages. It needs nothing but
Python 3.11's standard library and asserts nothing about time. Exit status: 0 all well, 1 a difference.
"""

import argparse
import json
import math
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tomllib

CATALOGUE = pathlib.Path(__file__).resolve().parents[2] / "catalogue"
MAX_LINE = 16 << 20
HELLO = {
    "protocol": int, "runtime": str, "version": str, "language": str, "workers": int, "gc": str,
    "capabilities": list, "labels": dict, "benchmarks": list,
}


class Difference(Exception):
    """The peer did something else than the protocol or the catalogue says."""


def expect(condition, text):
    if not condition:
        raise Difference(text)


class Peer:
    """A running peer and the conversation with it. Every wait has the time-out `patience`, in seconds."""

    def __init__(self, command, workers, patience):
        ours, theirs = socket.socketpair()
        theirs.set_inheritable(True)
        # After fork and before exec the socket becomes descriptor 3, where the peer has to find it. `ours` was opened
        # first, so that 3 is taken in this process and cannot be one of subprocess's own pipes.
        self.process = subprocess.Popen(
            command, env=os.environ | {"SCOVILLE_WORKERS": str(workers)}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, pass_fds=[3], process_group=0,
            preexec_fn=lambda: os.dup2(theirs.fileno(), 3))
        theirs.close()
        ours.settimeout(patience)
        self.patience, self.socket, self.lines = patience, ours, ours.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.process.stdout.close()
        self.lines.close()
        self.socket.close()

    def send(self, message):
        try:
            self.socket.sendall(json.dumps(message).encode() + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            raise Difference(f"the peer has left; output: {self.output()}") from None

    def receive(self):
        try:
            line = self.lines.readline(MAX_LINE)
        except TimeoutError:
            raise Difference(f"no answer within {self.patience} s") from None
        if not line.endswith(b"\n"):
            raise Difference(f"the conversation ended in {line[:200]!r}; output: {self.output()}")
        return json.loads(line)

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def output(self):
        """Ends the process and returns what it printed."""
        self.kill()
        return self.process.stdout.read().decode(errors="replace")[-2000:]

    def ask(self, benchmark, parameters, *, iteration=0, count=False):
        self.send({"type": "run", "benchmark": benchmark, "parameters": parameters, "iteration": iteration,
                   "count_messages": count, "a field from the future": [1, {"x": None}]})

    def leave(self):
        """Waits for the end of the process and returns its exit status and what it printed."""
        try:
            printed, _ = self.process.communicate(timeout=self.patience)
        except subprocess.TimeoutExpired:
            raise Difference(f"the process still lived after {self.patience} s") from None
        return self.process.returncode, printed.decode(errors="replace")


def greet(peer, workers):
    hello = peer.receive()
    expect(hello.get("type") == "hello", f"the first message is {hello}, not hello")
    for field, kind in HELLO.items():
        expect(type(hello.get(field)) is kind, f"hello: {field} is {hello.get(field)!r}, not of type {kind.__name__}")
    expect(hello["protocol"] == 1, f"hello: protocol is {hello['protocol']}")
    expect(hello["workers"] == workers, f"hello: workers is {hello['workers']}; {workers} were asked for")
    return hello


def same(field, got, want):
    if field["type"] == "f64":
        return isinstance(got, (int, float)) and math.isfinite(got) and abs(got - want) <= 1e-9 * abs(want)
    return type(got) is int and got == want


def linear(text, values):
    """The value of an expression of the catalogue, a sum of terms such as `2 * b`, `b` and `1`; None without a value."""
    total, sign = 0, 1
    for term in re.split(r" ([+-]) ", text):
        if term in "+-":
            sign = 1 if term == "+" else -1
            continue
        factor, _, name = term.rpartition(" * ")
        value = int(name) if name.isdigit() else values.get(name)
        if value is None:
            return None
        total += sign * int(factor or 1) * value
    return total


def applies(item, parameters):
    """Whether a field or metric exists with these parameters."""
    return all(parameters[choice] == word for choice, word in item.get("when", {}).items())


def run_once(peer, entry, preset, iteration, count):
    """One iteration, its answer checked against the catalogue; returns the end message."""
    size = entry["preset"][preset]
    parameters, wanted = size["parameters"], size.get("expect", {})
    peer.ask(entry["name"], parameters, iteration=iteration, count=count)
    begin = peer.receive()
    if begin.get("type") == "fail" and begin.get("code") == "unsupported":
        return begin
    expect(begin == {"type": "begin"}, f"instead of begin came {begin}")
    end = peer.receive()
    expect(end.get("type") == "end", f"instead of end came {end}")
    expect(type(end.get("wall_ns")) is int and end["wall_ns"] > 0, f"wall_ns is {end.get('wall_ns')!r}")
    got = end.get("checks", {}) | {"result": end.get("result")}
    fields = [field for field in entry["field"] if applies(field, parameters)]
    names = {field["name"] for field in fields}
    expect(set(got) == names, f"result and checks are {sorted(got)}; the catalogue has {sorted(names)}")
    for field in fields:
        if (name := field["name"]) in wanted:
            expect(same(field, got[name], wanted[name]), f"{name} is {got[name]!r}; it must be {wanted[name]!r}")
    reports(entry, parameters, end)
    if count:
        expect_work(entry, size, got, end)
    expect(count or "work" not in end, "work was reported without having been asked for")
    return end


def reports(entry, parameters, end):
    """The metrics and the per-actor counters that every runtime must report."""
    metrics = end.get("metrics", {})
    for metric in entry.get("metric", []):
        if applies(metric, parameters) and not metric.get("optional"):
            value = metrics.get(metric["name"])
            expect(type(value) in (int, float) and math.isfinite(value), f"metric {metric['name']} is {value!r}")
    for counter in entry.get("per_actor", []):
        values, actors = end.get("per_actor", {}).get(counter["name"]), linear(counter["count"], parameters)
        expect(isinstance(values, list) and all(type(v) is int for v in values),
               f"per_actor: {counter['name']} is {values!r}")
        expect(len(values) == actors, f"per_actor: {counter['name']} has {len(values)} values; there are {actors} actors")


def expect_work(entry, size, got, end):
    work = dict(size["work"])
    if "messages" in work and (plus := entry.get("messages_plus")):
        work["messages"] += linear(plus, size["parameters"] | got | end.get("metrics", {}))
    counted = end.get("work") or {}
    expect({key: counted.get(key) for key in work} == work, f"work is {end.get('work')}; it must be {work}")


def in_json(value):
    return json.dumps(value, separators=(",", ":"))


def short(number):
    """A bound in a text: whole numbers without a point."""
    return str(int(number)) if number == int(number) else repr(number)


def refusal(entry, given):
    """The text with which these parameters must be refused, or None if they are good."""
    name, parameters = entry["name"], entry["parameter"]
    known = [p["name"] for p in parameters]
    for key in known:
        if key not in given:
            return f"{name}: parameter {key} is missing"
    for key in sorted(set(given) - set(known)):
        return f"{name}: unknown parameter {key}"

    def must_be(key, demand):
        return f"{name}: {key} is {in_json(given[key])}; it must be {demand}"

    for p in parameters:
        key, value = p["name"], given[p["name"]]
        number = type(value) in (int, float)
        if p["type"] == "i64" and not (type(value) is int and -(2**63) <= value < 2**63):
            return must_be(key, "an integer")
        if p["type"] == "f64" and not number:
            return must_be(key, "a number")
        if p["type"] == "choice" and value not in p["choices"]:
            return must_be(key, f"one of {', '.join(p['choices'])}")
    for p in parameters:
        key, value = p["name"], given[p["name"]]
        low, above, high = p.get("min"), p.get("above"), p.get("max")
        if above is not None and value <= above:
            return must_be(key, f"above {short(above)}")
        if low is not None and high is None and value < low:
            return must_be(key, f"at least {short(low)}")
        if high is not None and not low <= value <= high:
            return must_be(key, f"between {short(low)} and {short(high)}")
    for p in parameters:
        value = given[p["name"]]
        if p.get("power_of_two") and (value <= 0 or value & (value - 1)):
            return must_be(p["name"], "a power of two")
    for relation in entry.get("relation", []):
        key, rule, limit = relation["parameter"], relation["rule"], linear(relation["limit"], given)
        value = given[key]
        holds = {"at-least": value >= limit, "at-most": value <= limit, "above": value > limit,
                 "multiple-of": value % limit == 0}[rule]
        if not holds:
            words = {"multiple-of": "a multiple of"}.get(rule, rule.replace("-", " "))
            return must_be(key, f"{words} {short(limit)} ({relation['limit']})")
    return None


def candidates(entry):
    """Parameters of which most are bad, around those of the preset tiny."""
    good = entry["preset"]["tiny"]["parameters"]
    first = entry["parameter"][0]["name"]
    yield {}
    yield {"zz": 1}
    yield good | {"zz": 1, "aa": "x", first: "x"}
    for p in entry["parameter"]:
        key, now = p["name"], good[p["name"]]
        yield {other: value for other, value in good.items() if other != key}
        for value in ("7", "", 1.5, True, None, [1], {"a": 1}):
            yield good | {key: value}
        if p["type"] == "i64":
            yield good | {key: 2**63}
            yield good | {key: -(2**63)}
            yield good | {key: 6 if p.get("power_of_two") else now}
        step = 1 if p["type"] == "i64" else 0.5
        yield from (good | {key: p[bound] - step} for bound in ("min", "above") if bound in p)
        yield from (good | {key: p["max"] + step} for bound in ("max",) if bound in p)
        yield from (good | {key: int(p["above"])} for bound in ("above",) if bound in p)
    for relation in entry.get("relation", []):
        key = relation["parameter"]
        for step in (1, 2, 4, 8, 16, 32, 64, 128):
            yield good | {key: good[key] + step}
            yield good | {key: good[key] - step - (0.25 if isinstance(good[key], float) else 0)}


def bad_parameters(entry):
    """Parameters that must be refused, each with the exact text."""
    missed = {f"({relation['limit']})" for relation in entry.get("relation", [])}
    for parameters in candidates(entry):
        if text := refusal(entry, parameters):
            missed.discard(text[text.rfind(" (") + 1:])
            yield parameters, text
    expect(not missed, f"{entry['name']}: no candidate breaks the relation to {missed}; add one to this program")


def refuse(peer, benchmark, parameters, text):
    peer.ask(benchmark, parameters)
    wanted = {"type": "fail", "code": "bad-parameter", "message": text}
    answer = peer.receive()
    expect(answer == wanted, f"{benchmark} {parameters}: the answer is {answer}; it must be {wanted}")


def say_goodbye(peer):
    peer.send({"type": "bye"})
    expect(peer.receive() == {"type": "bye"}, "bye was not answered with bye")
    status, _ = peer.leave()
    expect(status == 0, f"exit status after bye is {status}")


def vanish(peer, entry):
    """Leaves while the peer is in an iteration; it may finish that, but must not stay."""
    peer.ask(entry["name"], entry["preset"]["quick"]["parameters"])
    expect(peer.receive() == {"type": "begin"}, "the iteration does not begin")
    peer.lines.close()
    peer.socket.close()
    peer.leave()


def tiny_run(entry):
    """The least that asks for a run."""
    return {"type": "run", "benchmark": entry["name"], "parameters": entry["preset"]["tiny"]["parameters"]}


def no_messages(entry):
    """Lines that no laboratory may send, around a run that is good."""
    good = tiny_run(entry)
    yield from ("", "nonsense", '{"type":"bye"', "[]", "{}", '{"type":1}', '{"type":"dance"}')
    yield in_json({key: value for key, value in good.items() if key != "benchmark"})
    wrong = [("benchmark", None), ("benchmark", 7), ("parameters", None), ("parameters", 7), ("parameters", [7]),
             ("count_messages", "true"), ("count_messages", None)]
    yield from (in_json(good | {field: value}) for field, value in wrong)


def protest(peer, line):
    """Sends what is no message; the peer must leave without an answer, and print why."""
    peer.socket.sendall(line.encode() + b"\n")
    answer = peer.lines.readline(MAX_LINE)
    expect(not answer, f"after the line {line!r} came {answer!r}")
    status, printed = peer.leave()
    expect(status > 0, f"exit status after the line {line!r} is {status}")
    expect(printed.strip(), f"after the line {line!r} the peer printed nothing")


def drive(args, entries, say):
    def start():
        return Peer(args.command, args.workers, args.patience)

    with start() as peer:
        hello = greet(peer, args.workers)
        say(f"hello: {hello['runtime']} {hello['version']}, {hello['language']}, {hello['workers']} workers, gc {hello['gc']}")
        known = [e for e in entries if e["name"] in hello["benchmarks"]]
        for name in sorted(set(hello["benchmarks"]) - {e["name"] for e in entries}):
            say(f"not checked: {name} is not in {args.catalogue}")
        known = [e for e in known if not args.benchmark or e["name"] in args.benchmark]
        expect(known, "no benchmark is left to check")
        counts = "count-messages" in hello["capabilities"]
        for preset in args.preset:
            for entry in known:
                count = counts and preset == "tiny"
                if preset not in entry["preset"]:
                    say(f"{preset:7} {entry['name']:12} there is no such size")
                    continue
                ends = [run_once(peer, entry, preset, i, count and i == 0) for i in range(args.iterations)]
                if refused := [end["message"] for end in ends if end["type"] == "fail"]:
                    say(f"{preset:7} {entry['name']:12} unsupported: {refused[0]}")
                    continue
                walls = [e["wall_ns"] / 1e6 for e in ends]
                say(f"{preset:7} {entry['name']:12} {'counted ' if count else ''}"
                    f"{' '.join(f'{w:.1f}' for w in walls)} ms  gc {ends[-1].get('gc')}")
        for entry in known:
            for label in entry.get("labels", []):
                expect(label in hello["labels"], f"hello: {entry['name']} needs the label {label}; there is {hello['labels']}")
        refuse(peer, "no-such", {}, "no-such: unknown benchmark")
        for entry in known:
            for parameters, text in bad_parameters(entry):
                refuse(peer, entry["name"], parameters, text)
            run_once(peer, entry, "tiny", 0, False)
        say("bad parameters are refused with the exact texts, and the peer goes on")
        say_goodbye(peer)
    with start() as peer:
        greet(peer, args.workers)
        peer.send({"type": "stop"})
        peer.leave()
    for unfinished in ("", '{"type":"bye"}', '{"type":"stop"}', in_json(tiny_run(known[0]))):
        with start() as peer:
            greet(peer, args.workers)
            peer.socket.sendall(unfinished.encode())
            peer.socket.shutdown(socket.SHUT_WR)
            answer = peer.lines.readline(MAX_LINE)
            expect(not answer, f"a line without an end, {unfinished!r}, was answered with {answer!r}")
            peer.leave()
    with start() as peer:
        greet(peer, args.workers)
        vanish(peer, known[0])
    say("bye, stop, end of file and a laboratory that dies during an iteration end the process")
    for line in no_messages(known[0]):
        with start() as peer:
            greet(peer, args.workers)
            protest(peer, line)
    say("what is no message ends the process, which says why")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--preset", action="append", help="default: tiny and quick")
    parser.add_argument("--benchmark", action="append", help="default: all")
    parser.add_argument("--iterations", type=int, default=2)
    parser.add_argument("--patience", type=float, default=120, help="seconds to wait for an answer")
    parser.add_argument("--catalogue", type=pathlib.Path, default=CATALOGUE)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    args.preset = args.preset or ["tiny", "quick"]
    # What is hidden is an editor's, such as the lock of a file that somebody has open.
    files = [f for f in sorted(args.catalogue.glob("*.toml")) if not f.name.startswith(".")]
    entries = [tomllib.loads(f.read_text()) for f in files]
    entries.sort(key=lambda entry: entry.get("number", 0))
    try:
        drive(args, entries, lambda text: print(text, flush=True))
    except Difference as difference:
        print(f"FAILED: {difference}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
