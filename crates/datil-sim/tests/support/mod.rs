//! Runs that take little.

use datil_sim::machine::{Machine, preset};
use datil_sim::programs::Simulation;
use datil_sim::{Settings, policies, simulate};
use serde_json::{Map, Value, json};

/// A policy on so many workers of the opteron.
pub fn settings(policy: &str, workers: usize) -> Settings {
    on(preset("opteron").expect("a preset"), policy, workers)
}

/// A policy on so many workers of a machine, where actors belong to workers if the policy wants that.
pub fn on(machine: Machine, policy: &str, workers: usize) -> Settings {
    let wants_owners = policies::find(policy).is_ok_and(policies::Entry::wants_owners);
    Settings {
        policy: policy.to_owned(),
        workers,
        ..Settings::new(if wants_owners {
            machine.with_owners()
        } else {
            machine
        })
    }
}

/// The machine of the thesis, but its actors belong to workers as on the machine `pair`.
pub fn owned() -> Machine {
    preset("opteron").expect("a preset").with_owners()
}

pub fn parameters(value: Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}

/// A small size of every program.
pub fn small(program: &str) -> Map<String, Value> {
    parameters(match program {
        "pingpong" => json!({"pings": 300}),
        "threadring" => json!({"actors": 20, "hops": 300}),
        "count" => json!({"messages": 500}),
        "fjthrput" => json!({"messages": 20, "actors": 40}),
        "fjcreate" => json!({"actors": 300}),
        "fib" => json!({"index": 11}),
        "chameneos" => json!({"creatures": 20, "meetings": 300}),
        "big" => json!({"pings": 10, "actors": 40}),
        "concdict" => json!({"workers": 10, "requests": 30, "entries": 100}),
        "concsll" => json!({"workers": 5, "requests": 40}),
        "bndbuffer" => json!({"buffer": 20, "producers": 8, "consumers": 6, "items": 10}),
        "philosopher" => json!({"philosophers": 8, "rounds": 10}),
        "logmap" => json!({"terms": 40, "series": 4}),
        "banking" => json!({"accounts": 20, "transactions": 200}),
        "apsp" => json!({"n": 12, "b": 4}),
        "nqueenk" => json!({"w": 5, "n": 6}),
        "recmatmul" => json!({"n": 32, "t": 64, "w": 5}),
        "quicksort" => json!({"n": 2000, "t": 100}),
        "radixsort" => json!({"n": 30, "m": 256}),
        "bitonicsort" => json!({"n": 16}),
        "sieve" => json!({"n": 500, "m": 10}),
        "facloc" => json!({"n": 200}),
        "trapezoid" => json!({"n": 60, "w": 60}),
        "barber" => json!({"haircuts": 30, "chairs": 5}),
        "cigsmok" => json!({"rounds": 30, "smokers": 6}),
        "filterbank" => json!({"sim": 40, "col": 8, "chan": 3}),
        "sor" => json!({"size": 4, "it": 3}),
        "uct" => json!({"nodes": 100, "avg": 50, "stdev": 10, "binomial": 4}),
        "stencil" => json!({"actors": 12, "rounds": 5}),
        "shards" => json!({"actors": 20, "rounds": 10}),
        "tides" => json!({"actors": 20, "rounds": 2}),
        "twofaced" => json!({"actors": 20, "rounds": 4}),
        "mapreduce" => json!({"chunks": 20, "rounds": 3, "reducers": 3}),
        "gossip" => json!({"nodes": 30, "rumours": 3, "hops": 200}),
        "lockstep" => json!({"actors": 20, "rounds": 6}),
        "server" => json!({"clients": 20, "sessions": 4, "requests": 12}),
        "pipeline" => json!({"chains": 2, "stages": 4, "items": 40, "credit": 5}),
        "publish" => json!({"topics": 3, "subscribers": 40, "present": 12, "issues": 6}),
        "pregel" => json!({"partitions": 5, "searches": 2, "hops": 4}),
        "replicas" => json!({"clients": 12, "shards": 3, "requests": 15}),
        "bound" => json!({"jobs": 7}),
        "exchange" => json!({"gateways": 4, "traders": 3, "books": 5, "orders": 30, "open": 3}),
        "quorum" => json!({"groups": 2, "followers": 4, "clients": 3, "writes": 12}),
        "buildgraph" => json!({"tasks": 60, "window": 20}),
        "cachetier" => json!({
            "clients": 12, "caches": 3, "stores": 4, "keys": 124, "capacity": 10, "requests": 15,
        }),
        "saga" => json!({"gateways": 2, "open": 5, "orders": 25}),
        "zones" => json!({"side": 3, "players": 12, "moves": 10}),
        "crawler" => json!({"hosts": 12, "pages": 60, "fetchers": 8, "seeds": 2}),
        "matrixsearch" => json!({"seekers": 20, "size": 500, "jobs": 5}),
        other => panic!("no small size for {other}"),
    })
}

pub fn run(program: &str, settings: Settings) -> Simulation {
    let policy = settings.policy.clone();
    simulate(program, settings, &small(program))
        .unwrap_or_else(|error| panic!("{program} with {policy}: {error}"))
}
