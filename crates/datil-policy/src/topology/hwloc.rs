//! Reading a machine from hwloc's XML (`lstopo --of xml`), formats 2 and 3. What is read stands in both in the same way; format 3 has
//! further identities of objects, facts about the whole machine in another place, and matrices of hops.

use std::collections::BTreeMap;

use roxmltree::{Document, Node as Element, ParsingOptions};

use super::{Cache, Node, Pu, Topology, TopologyError, error, tells_nodes_apart};

impl Topology {
    /// The machine that `lstopo --of xml` of hwloc 2 or 3 has described, as far as hwloc's own mask allows its use. Latencies by which
    /// another node is no farther than a node itself count as none.
    ///
    /// # Errors
    /// If the text is no XML, is not of hwloc 2 or 3, or describes no usable machine.
    pub fn from_hwloc(xml: &str) -> Result<Self, TopologyError> {
        let options = ParsingOptions {
            allow_dtd: true,
            ..ParsingOptions::default()
        };
        let document = match Document::parse_with_options(xml, options) {
            Ok(document) => document,
            Err(problem) => return error(format!("the description of the machine is no XML: {problem}")),
        };
        let root = document.root_element();
        if !root.has_tag_name("topology") {
            return error(
                "this is no description of a machine by hwloc; write one with `lstopo --of xml` of hwloc 2 or 3",
            );
        }
        // Format 1 wrote no version, and had the memory nodes among the ancestors of units.
        match root.attribute("version") {
            Some(version) if ["2.", "3."].iter().any(|known| version.starts_with(known)) => {}
            Some(version) => {
                return error(format!(
                    "the description of the machine is in hwloc's format {version}; formats 2 and 3 can be read, which \
                     `lstopo --of xml` of hwloc 2 and 3 writes"
                ));
            }
            None => {
                return error(
                    "the description of the machine is of hwloc 1; write it with `lstopo --of xml` of hwloc 2 or 3",
                );
            }
        }
        machine(root)
    }
}

fn machine(root: Element<'_, '_>) -> Result<Topology, TopologyError> {
    let objects = || {
        root.descendants()
            .filter(|element| element.has_tag_name("object"))
    };
    let of_type = |kind: &'static str| objects().filter(move |object| object.attribute("type") == Some(kind));
    let Some(whole) = of_type("Machine").next() else {
        return error("the description has no object of type Machine; write it with `lstopo --of xml`");
    };
    let Some(allowed) = set(whole, "allowed_cpuset")? else {
        return error(
            "the object of type Machine has no allowed_cpuset; write it with `lstopo --of xml` of hwloc 2 or 3",
        );
    };
    let usable = set(whole, "allowed_nodeset")?;
    let mut nodes = Vec::new();
    for node in of_type("NUMANode") {
        let os = number(node, "os_index")?;
        let memory = node.attribute("local_memory").and_then(|n| n.parse().ok());
        let is_usable = usable.as_ref().is_none_or(|usable| usable.contains(&os));
        let memory = memory.filter(|_| is_usable).unwrap_or(0);
        nodes.push((Node { os, memory }, set(node, "cpuset")?.unwrap_or_default()));
    }
    nodes.sort_by_key(|(node, _)| node.os);
    let mut pus = Vec::new();
    for unit in of_type("PU") {
        let os = number(unit, "os_index")?;
        let Some(node) = nearest(&nodes, os) else {
            return error(format!(
                "no object of type NUMANode has processing unit {os} in its cpuset; the description is not complete"
            ));
        };
        pus.push(Pu {
            os,
            core: holder(unit, "Core").unwrap_or(unit).id().get(),
            package: holder(unit, "Package").and_then(os_number).unwrap_or(0),
            node,
        });
    }
    number_cores(&mut pus);
    let caches = objects().filter_map(|object| cache(object, &pus)).collect();
    let nodes: Vec<Node> = nodes.into_iter().map(|(node, _)| node).collect();
    let distances = distances(root, &nodes.iter().map(|node| node.os).collect::<Vec<_>>())?;
    Topology::new(pus, nodes, caches, distances)?.restricted_to(&allowed)
}

/// The index of the node to which a unit belongs. Memory that is near to several nodes (or to nobody, and then to the whole machine) has
/// all their units, and may have any number; a node's own memory has the fewest. Beside its first memory a node may have a faster one.
fn nearest(nodes: &[(Node, Vec<u32>)], unit: u32) -> Option<usize> {
    let holders = (0..nodes.len()).filter(|&node| nodes[node].1.contains(&unit));
    holders.min_by_key(|&node| nodes[node].1.len())
}

/// The numbers in an attribute that is a bitmap; `None` without the attribute.
fn set(object: Element<'_, '_>, attribute: &str) -> Result<Option<Vec<u32>>, TopologyError> {
    let Some(text) = object.attribute(attribute) else {
        return Ok(None);
    };
    match bitmap(text) {
        Some(numbers) => Ok(Some(numbers)),
        None => error(format!(
            "an object of type {} has {attribute} {text}; it must be a finite set as 0x00000003",
            object.attribute("type").unwrap_or("unknown")
        )),
    }
}

fn number(object: Element<'_, '_>, attribute: &str) -> Result<u32, TopologyError> {
    let text = object.attribute(attribute).unwrap_or("missing");
    text.parse().map_err(|_| {
        TopologyError(format!(
            "an object of type {} has {attribute} {text}; it must be a number",
            object.attribute("type").unwrap_or("unknown")
        ))
    })
}

/// The object of this type that holds `object`.
fn holder<'a, 'input>(object: Element<'a, 'input>, kind: &str) -> Option<Element<'a, 'input>> {
    object
        .ancestors()
        .find(|above| above.attribute("type") == Some(kind))
}

/// Number of an object. Some systems do not number them; hwloc's own number then serves.
fn os_number(object: Element<'_, '_>) -> Option<u32> {
    let number = object
        .attribute("os_index")
        .or_else(|| object.attribute("gp_index"))?;
    number.parse().ok()
}

/// Cores are told apart by their places in the description, for the system may number them anew in each package, or in each cluster of
/// one. In a topology they are numbered from 0.
fn number_cores(pus: &mut [Pu]) {
    let mut known = BTreeMap::new();
    for pu in pus {
        let next = known.len() as u32;
        pu.core = *known.entry(pu.core).or_insert(next);
    }
}

fn cache(object: Element<'_, '_>, pus: &[Pu]) -> Option<Cache> {
    let level = object
        .attribute("type")?
        .strip_prefix('L')?
        .strip_suffix("Cache")?;
    let cpus = bitmap(object.attribute("cpuset")?)?;
    let sharing: Vec<usize> = (0..pus.len()).filter(|&pu| cpus.contains(&pus[pu].os)).collect();
    let size = object.attribute("cache_size").and_then(|size| size.parse().ok());
    (!sharing.is_empty()).then_some(Cache {
        // Instruction caches are called L1iCache and fail here.
        level: level.parse().ok()?,
        size: size.unwrap_or(0),
        pus: sharing,
    })
}

/// The matrix of latencies between nodes, in their order; empty if there is none, or none that tells them apart.
fn distances(root: Element<'_, '_>, nodes: &[u32]) -> Result<Vec<Vec<u32>>, TopologyError> {
    // Versions before 2.1 gave matrices no names; the kind then tells latencies from bandwidths (8) and, from format 3 on, hops (32).
    let are_others = |kind: &str| kind.parse().is_ok_and(|kind: u64| kind & (8 | 32) != 0);
    let latencies = |element: &Element<'_, '_>| {
        element.has_tag_name("distances2")
            && element.attribute("type") == Some("NUMANode")
            && element.attribute("name").is_none_or(|name| name == "NUMALatency")
            && !element.attribute("kind").is_some_and(are_others)
    };
    let Some(matrix) = root.descendants().find(latencies) else {
        return Ok(Vec::new());
    };
    let words = |tag: &str| -> Result<Vec<u32>, TopologyError> {
        let texts = matrix.children().filter(|child| child.has_tag_name(tag));
        let words = texts
            .filter_map(|child| child.text())
            .flat_map(str::split_whitespace);
        let number = |word: &str| word.rsplit(':').next().and_then(|digits| digits.parse().ok());
        words
            .map(|word| {
                number(word).ok_or_else(|| {
                    TopologyError(format!(
                        "the matrix of latencies has {word} among its {tag}; it must be a number below 2^32"
                    ))
                })
            })
            .collect()
    };
    let (order, values) = (words("indexes")?, words("u64values")?);
    if values.len() != order.len() * order.len() {
        return error(format!(
            "the matrix of latencies has {} nodes and {} values; it must have {}",
            order.len(),
            values.len(),
            order.len() * order.len()
        ));
    }
    let place = |os: &u32| order.iter().position(|known| known == os);
    match nodes.iter().map(place).collect::<Option<Vec<usize>>>() {
        Some(places) => {
            let rows: Vec<Vec<u32>> = places
                .iter()
                .map(|from| places.iter().map(|to| values[from * order.len() + to]).collect())
                .collect();
            Ok(if tells_nodes_apart(&rows, nodes.len()) {
                rows
            } else {
                Vec::new()
            })
        }
        None => error("the matrix of latencies does not name every NUMANode"),
    }
}

/// The numbers in a bitmap as hwloc writes it: 32 bits per group, the highest first, `0x` before each, zero groups
/// may be empty.
fn bitmap(text: &str) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for (group, word) in text.rsplit(',').enumerate() {
        let digits = word.trim().trim_start_matches("0x");
        let bits = if digits.is_empty() {
            0
        } else {
            u32::from_str_radix(digits, 16).ok()?
        };
        let first = 32 * group as u32;
        numbers.extend((0..32).filter(|bit| bits >> bit & 1 == 1).map(|bit| first + bit));
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::bitmap;

    #[test]
    fn bitmaps_are_read_from_the_right() {
        assert_eq!(bitmap("0x00000003"), Some(vec![0, 1]));
        assert_eq!(bitmap("0x00000001,,0x80000000"), Some(vec![31, 64]));
        assert_eq!(bitmap("0xff000000,0x0"), Some((56..64).collect()));
        assert_eq!(bitmap("0xzz"), None);
        assert_eq!(
            bitmap("0xf...f"),
            None,
            "an infinite set is no set of units of a machine"
        );
    }
}
