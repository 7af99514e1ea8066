//! A nearest-neighbour graph (HNSW) over a column of a file: one node per distinct body.
//!
//! A graph is a section of the segment's file and is read through the mapping. It only proposes rows: searches compute
//! their exact distances from the column. It may miss some, so indexes have graphs only if their settings ask for them.

pub mod metric;

use std::thread::available_parallelism;

use usearch::{Index, IndexOptions, MetricKind, ScalarKind, b1x8};

use crate::column::Body;
use crate::map::MappedRange;
use metric::{ROW_BYTES, pack};

/// Length of units in bits from which a column has a graph. For shorter ones, lists and scans are faster.
pub const BITS_MIN: u16 = 128;
/// Links per row on each level (`M`).
const CONNECTIVITY: usize = 16;
/// Candidates while a row is added (`efConstruction`).
const EXPANSION_ADD: usize = 128;
/// Candidates during a search (`ef`).
const EXPANSION_SEARCH: usize = 256;
/// Neighbours requested first. Four times as many are requested while all of them are within the distance.
const NEIGHBOURS_FIRST: usize = 64;
/// With more neighbours than this, a scan is not slower.
const NEIGHBOURS_MAX: usize = 4096;
/// Rows added between two calls of `should_continue`.
const ROWS_PER_STEP: usize = 256;
/// Concurrent searches of a graph per processor. More of them wait for each other.
const SEARCHES_PER_CORE: usize = 4;

/// A graph over the rows of a column.
pub struct Graph {
    // Dropped before the mapping that it reads.
    index: Index,
    _bytes: Option<MappedRange<u8>>,
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Graph").field("rows", &self.index.size()).finish()
    }
}

/// The library failed, for example because memory ran out.
#[derive(Debug, thiserror::Error)]
#[error("the graph library failed: {0}")]
pub struct GraphError(String);

impl Graph {
    /// A graph without nodes, with space for `rows` of them.
    fn empty(rows: usize) -> Result<Self, GraphError> {
        let options = IndexOptions {
            dimensions: ROW_BYTES * 8,
            metric: MetricKind::Hamming,
            quantization: ScalarKind::B1,
            connectivity: CONNECTIVITY,
            expansion_add: EXPANSION_ADD,
            expansion_search: EXPANSION_SEARCH,
            multi: false,
        };
        let mut graph = Self { index: Index::new(&options).map_err(library)?, _bytes: None };
        graph.set_metric();
        let threads = available_parallelism().map_or(1, |cores| cores.get() * SEARCHES_PER_CORE);
        graph.index.reserve_capacity_and_threads(rows, threads).map_err(library)?;
        Ok(graph)
    }

    /// Builds a graph with a node per body. Returns `None` if `should_continue` returned `false`, which is called often and
    /// may sleep, to leave processor time to searches.
    pub fn build(
        bodies: &[Body],
        should_continue: &dyn Fn() -> bool,
    ) -> Result<Option<Self>, GraphError> {
        let graph = Self::empty(bodies.len())?;
        for (node, row) in mixed(bodies.len()).enumerate() {
            if node.is_multiple_of(ROWS_PER_STEP) && !should_continue() {
                return Ok(None);
            }
            graph.index.add(row as u64, b1x8::from_u8s(&pack(&bodies[row]))).map_err(library)?;
        }
        Ok(Some(graph))
    }

    /// A graph in a section of a mapped file.
    ///
    /// The section must have been compared with its hash: the library follows links without checking them.
    pub fn view(bytes: MappedRange<u8>) -> Result<Self, GraphError> {
        let mut graph = Self::empty(1)?;
        // SAFETY: the graph keeps the mapping and drops it last.
        unsafe { graph.index.view_from_buffer(&bytes) }.map_err(library)?;
        graph._bytes = Some(bytes);
        graph.set_metric();
        graph.index.change_expansion_search(EXPANSION_SEARCH);
        Ok(graph)
    }

    fn set_metric(&mut self) {
        let nphd = metric::metric();
        self.index.change_metric::<b1x8>(Box::new(move |a, b| {
            // SAFETY: the library passes its own vectors and the query, all with the dimensions given above, that is,
            // `ROW_BYTES` bytes.
            let (a, b) = unsafe { (&*a.cast(), &*b.cast()) };
            nphd(a, b)
        }));
    }

    /// Rows that are probably within `distance` (0 to 1) of a body. The body must be at least as long as the rows.
    /// Returns `None` if there are so many that a scan is better.
    pub fn near(&self, body: &Body, distance: f32) -> Option<Vec<u32>> {
        let packed = pack(body);
        let mut count = NEIGHBOURS_FIRST;
        loop {
            let found = self.index.search(b1x8::from_u8s(&packed), count).ok()?;
            let all_near = found.distances.last().is_some_and(|&last| last <= distance);
            if all_near && found.keys.len() == count {
                count *= 4;
                if count > NEIGHBOURS_MAX {
                    return None;
                }
                continue;
            }
            let pairs = found.keys.iter().zip(&found.distances);
            let near = pairs.filter(|&(_, &d)| d <= distance).map(|(&row, _)| row as u32);
            return Some(near.collect());
        }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.index.size()
    }

    /// Heap memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.index.memory_usage()
    }

    /// Passes the graph's bytes on in pieces, until `write` fails.
    #[cfg(unix)]
    pub fn save<E: Send>(
        &self,
        write: impl FnMut(&[u8]) -> Result<(), E> + Send,
    ) -> Result<Result<(), E>, GraphError> {
        use std::os::fd::AsRawFd;
        // The library writes to a named file. Through a pipe the bytes are hashed and paced on their way, and are not in
        // memory a second time.
        let broken = |error: std::io::Error| GraphError(error.to_string());
        let (reader, writer) = std::io::pipe().map_err(broken)?;
        std::thread::scope(|scope| {
            let passing = scope.spawn(move || pass_on(reader, write));
            let saved = self.index.save(&format!("/dev/fd/{}", writer.as_raw_fd()));
            drop(writer);
            let passed = passing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            saved.map_err(library)?;
            passed.map_err(broken)
        })
    }

    /// Passes the graph's bytes on, until `write` fails.
    #[cfg(not(unix))]
    pub fn save<E: Send>(
        &self,
        mut write: impl FnMut(&[u8]) -> Result<(), E> + Send,
    ) -> Result<Result<(), E>, GraphError> {
        let mut bytes = vec![0; self.index.serialized_length()];
        self.index.save_to_buffer(&mut bytes).map_err(library)?;
        Ok(bytes.chunks(1 << 20).try_for_each(|step| write(step)))
    }
}

/// Reads all bytes, also after `write` has failed, so that the library's writes to the pipe do not.
#[cfg(unix)]
fn pass_on<E>(
    mut reader: std::io::PipeReader,
    mut write: impl FnMut(&[u8]) -> Result<(), E>,
) -> std::io::Result<Result<(), E>> {
    use std::io::Read;
    let (mut outcome, mut buffer) = (Ok(()), vec![0; 1 << 16]);
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(outcome),
            Ok(count) if outcome.is_ok() => outcome = write(&buffer[..count]),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn library(error: impl std::fmt::Display) -> GraphError {
    GraphError(error.to_string())
}

/// The numbers below `rows` in a mixed order. Rows are in the order of their bodies, and a graph whose neighbours are added
/// one after the other links its parts badly.
fn mixed(rows: usize) -> impl Iterator<Item = usize> {
    // Without a common divisor with `rows`, and near `rows` divided by the golden ratio.
    let golden = (rows as f64 * 0.618_033_988_749_895) as usize;
    let step = (golden.max(1)..).find(|&step| divisor(step, rows) == 1).unwrap_or(1);
    (0..rows).map(move |node| (node as u128 * step as u128 % rows as u128) as usize)
}

/// Greatest common divisor.
fn divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mixed_order_has_each_number_once_and_its_first_ones_are_spread() {
        assert_eq!(mixed(0).count(), 0);
        for rows in [1, 2, 3, 4, 6, 7, 10, 64, 100, 1000, 4096, 6765, 10_946] {
            let mut all: Vec<usize> = mixed(rows).collect();
            let tenths: std::collections::HashSet<usize> =
                all.iter().take(20).map(|row| row * 10 / rows).collect();
            all.sort_unstable();
            assert_eq!(all, (0..rows).collect::<Vec<_>>(), "{rows}");
            assert_eq!(tenths.len(), rows.min(10), "{rows}");
        }
    }

    #[test]
    fn a_build_stops_when_it_is_no_longer_wanted() {
        let bodies = vec![Body::new(&[7; 32]).unwrap()];
        assert!(Graph::build(&bodies, &|| false).unwrap().is_none());
        assert_eq!(Graph::build(&bodies, &|| true).unwrap().unwrap().nodes(), 1);
    }
}
