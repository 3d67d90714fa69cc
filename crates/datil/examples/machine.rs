//! Shows the machine as datil sees it, and checks where threads and memory come to lie:
//! `machine [nodes units-per-node]`. With numbers it also checks that the machine is that one. Linux only.

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("machine: needs Linux's tables of the machine");
    std::process::exit(2);
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeSet;
    use std::sync::mpsc;

    use datil::policy::topology::{Topology, cpu_list};
    use datil::{Actor, Binding, Context, Memory, Runtime};

    const PAGE: usize = 4096;
    const PAGES: usize = 256;

    /// What an actor saw.
    struct Seen {
        worker: usize,
        /// Units on which its thread may run.
        allowed: Vec<u32>,
        /// Node of each page that it touched first.
        nodes: Vec<i32>,
    }

    struct Witness(mpsc::Sender<Seen>);

    impl Actor for Witness {
        type Msg = ();

        fn started(&mut self, cx: &mut Context<'_, Self>) {
            // Others run meanwhile on the other workers.
            std::thread::sleep(std::time::Duration::from_millis(20));
            let state = Pages::touch();
            let status = std::fs::read_to_string("/proc/thread-self/status").expect("the thread's status");
            let allowed = status
                .lines()
                .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
            let seen = Seen {
                worker: cx.worker(),
                allowed: allowed.and_then(cpu_list).expect("an affinity mask"),
                nodes: state.nodes(),
            };
            self.0.send(seen).expect("somebody waits");
            cx.stop();
        }

        fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
    }

    /// Memory that nobody has touched before; the system takes it back at the process's end.
    struct Pages(*mut u8);

    impl Pages {
        fn touch() -> Self {
            let (access, kind) = (
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            );
            // SAFETY: a new mapping at an address of the kernel's choice.
            let start = unsafe { libc::mmap(std::ptr::null_mut(), PAGES * PAGE, access, kind, -1, 0) };
            assert!(start != libc::MAP_FAILED, "no memory");
            // A huge page could reach into what lies beside it, and that is another worker's.
            // SAFETY: the advice is about our mapping and changes no content.
            let advised = unsafe { libc::madvise(start, PAGES * PAGE, libc::MADV_NOHUGEPAGE) };
            assert!(advised == 0, "madvise: {}", std::io::Error::last_os_error());
            // SAFETY: the mapping is as long as that and writable.
            unsafe { start.cast::<u8>().write_bytes(1, PAGES * PAGE) };
            Self(start.cast())
        }

        fn nodes(&self) -> Vec<i32> {
            let pages: Vec<*mut u8> = (0..PAGES).map(|page| self.0.wrapping_add(page * PAGE)).collect();
            let mut nodes = vec![-1i32; PAGES];
            let none = std::ptr::null::<i32>();
            // SAFETY: without targets the call moves nothing; it reads the addresses and writes as many nodes.
            let result = unsafe {
                libc::syscall(
                    libc::SYS_move_pages,
                    0,
                    PAGES,
                    pages.as_ptr(),
                    none,
                    nodes.as_mut_ptr(),
                    0,
                )
            };
            assert!(result == 0, "move_pages: {}", std::io::Error::last_os_error());
            nodes
        }
    }

    /// What actors saw on all workers of a runtime with bound threads.
    fn witness(workers: usize, memory: Memory) -> (Runtime, Vec<Seen>) {
        let builder = Runtime::builder().workers(workers).policy("lgs");
        let runtime = builder.binding(Binding::Units).memory(memory).build();
        let runtime = runtime.unwrap_or_else(|error| panic!("{error}"));
        let (tell, told) = mpsc::channel();
        (0..4 * workers).for_each(|_| {
            runtime.spawn(Witness(tell.clone()));
        });
        drop(tell);
        (runtime, told.iter().collect())
    }

    pub(super) fn main() {
        let machine = Topology::from_linux(|path| std::fs::read_to_string(path).ok());
        let machine = machine.unwrap_or_else(|error| panic!("{error}"));
        for (index, node) in machine.nodes().iter().enumerate() {
            let units: Vec<u32> = machine.pus_of(index).map(|pu| machine.pus()[pu].os).collect();
            let distances = (0..machine.nodes().len()).map(|to| machine.distance(index, to));
            let distances: Vec<u32> = distances.collect();
            println!(
                "node {}: units {units:?}, distances {distances:?}, {} MiB",
                node.os,
                node.memory >> 20
            );
        }
        let expected: Vec<usize> = std::env::args()
            .skip(1)
            .map(|word| word.parse().expect("a number"))
            .collect();
        if let &[nodes, units] = &expected[..] {
            assert_eq!(machine.nodes().len(), nodes, "memory nodes");
            for node in 0..nodes {
                // The script gives the nodes their units in order, and distances by steps in a ring.
                let own: Vec<usize> = (node * units..(node + 1) * units).collect();
                assert_eq!(
                    machine.pus_of(node).collect::<Vec<_>>(),
                    own,
                    "units of node {node}"
                );
                for other in 0..nodes {
                    let steps = node.abs_diff(other).min(nodes - node.abs_diff(other));
                    assert_eq!(
                        machine.distance(node, other) as usize,
                        10 + 5 * steps,
                        "from {node} to {other}"
                    );
                }
            }
        }
        check(&machine);
        println!("machine: all as expected");
    }

    fn check(machine: &Topology) {
        let workers = machine.pus().len();
        for memory in [Memory::FirstTouch, Memory::Interleaved] {
            let (runtime, seen) = witness(workers, memory);
            let placement = runtime.placement();
            print!("{memory:?}\n{placement}");
            let known: BTreeSet<i32> = machine.nodes().iter().map(|node| node.os as i32).collect();
            for witness in &seen {
                let place = &placement.workers[witness.worker];
                assert_eq!(
                    place.bound.as_ref(),
                    Ok(&witness.allowed),
                    "Cpus_allowed of worker {}",
                    witness.worker
                );
                let nodes: BTreeSet<i32> = witness.nodes.iter().copied().collect();
                if memory == Memory::FirstTouch || known.len() == 1 {
                    let own = place.node.map(|node| node as i32);
                    assert_eq!(
                        nodes.iter().copied().collect::<Vec<_>>(),
                        own.into_iter().collect::<Vec<_>>()
                    );
                } else {
                    assert_eq!(nodes, known, "memory in turn on all nodes");
                }
            }
            let ran: BTreeSet<usize> = seen.iter().map(|witness| witness.worker).collect();
            println!("{} witnesses on {} of {workers} workers", seen.len(), ran.len());
            assert!(
                ran.len() > workers / 2,
                "most workers must have run something for this to tell anything"
            );
        }
    }
}
