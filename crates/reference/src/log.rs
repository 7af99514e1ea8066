//! Judging of log entries: the rules that depend on earlier entries.

/// A correctly signed entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The declared or deleted id.
    pub id: u64,
    /// The declarer.
    pub key: u8,
    /// Chosen by the declarer.
    pub nonce: u8,
    /// A deletion; else a declaration.
    pub is_deletion: bool,
}

/// The name of the first rule that an entry breaks, or `ok` or `deletion`.
pub type Verdict = &'static str;

/// Judges each entry by all entries before it.
pub fn judged(entries: &[Entry]) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let earlier = &entries[..at];
        let reused = earlier.iter().any(|other| other.nonce == entry.nonce);
        let verdict = match (last_valid(earlier, &verdicts, entry.id), entry.is_deletion) {
            _ if reused => "nonce_reuse",
            (None | Some(Entry { is_deletion: true, .. }), true) => "orphan",
            (Some(declared), true) if declared.key != entry.key => "unauthorized",
            (Some(_), true) => "deletion",
            (None, false) => "ok",
            (Some(Entry { is_deletion: true, .. }), false) => "conflict",
            (Some(declared), false) if declared.key != entry.key => "conflict",
            (Some(_), false) => "ok",
        };
        verdicts.push(verdict);
    }
    verdicts
}

/// Positions of the declarations in force, by id: the last valid entry of an id, unless it is a deletion.
pub fn in_force(entries: &[Entry]) -> Vec<(u64, usize)> {
    let verdicts = judged(entries);
    let mut ids: Vec<_> = entries.iter().map(|entry| entry.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let last_of = |id| {
        let last =
            (0..entries.len()).rfind(|&at| entries[at].id == id && is_valid(verdicts[at]))?;
        (!entries[last].is_deletion).then_some((id, last))
    };
    ids.into_iter().filter_map(last_of).collect()
}

fn last_valid<'e>(entries: &'e [Entry], verdicts: &[Verdict], id: u64) -> Option<&'e Entry> {
    let valid = entries.iter().zip(verdicts).filter(|(_, verdict)| is_valid(verdict));
    valid.map(|(entry, _)| entry).rfind(|entry| entry.id == id)
}

fn is_valid(verdict: Verdict) -> bool {
    verdict == "ok" || verdict == "deletion"
}
