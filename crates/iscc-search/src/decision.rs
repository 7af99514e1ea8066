//! What the background thread did with the segments of an index, for the log.
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use iscc_index::json::push_string;

/// Maximum number of decisions that wait for the log. Older ones are dropped.
const WAITING_MAX: usize = 1000;

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Name of the index.
    pub index: String,
    /// Number of assets that it concerns.
    pub assets: u64,
    /// Where their rows are from now on: `file`, or `memory` if that was not possible.
    pub outcome: &'static str,
    /// The reason, or the size.
    pub detail: String,
}

impl Decision {
    fn json(&self) -> Vec<u8> {
        let Self { index, assets, outcome, detail } = self;
        let mut json = b"{\"index\":".to_vec();
        push_string(&mut json, index);
        let members = format!(",\"assets\":{assets},\"outcome\":\"{outcome}\",\"detail\":");
        json.extend_from_slice(members.as_bytes());
        push_string(&mut json, detail);
        json.push(b'}');
        json
    }
}

/// Decisions that wait for the log.
#[derive(Debug, Default)]
pub struct Decisions(Mutex<VecDeque<Decision>>);

impl Decisions {
    /// Adds a decision.
    pub fn add(&self, decision: Decision) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() == WAITING_MAX {
            waiting.pop_front();
        }
        waiting.push_back(decision);
    }

    /// Removes all decisions and returns them as a JSON array, oldest first.
    pub fn take(&self) -> Vec<u8> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all: Vec<Vec<u8>> = waiting.drain(..).map(|decision| decision.json()).collect();
        [b"[", &all.join(&b","[..])[..], b"]"].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_last_decisions_until_they_are_taken() {
        let decisions = Decisions::default();
        assert_eq!(decisions.take(), b"[]");
        for assets in 0..WAITING_MAX as u64 + 5 {
            let (index, detail) = ("a\"b".to_owned(), String::new());
            decisions.add(Decision { index, assets, outcome: "file", detail });
        }
        let text = String::from_utf8(decisions.take()).unwrap();
        assert!(text.starts_with(r#"[{"index":"a\"b","assets":5,"outcome":"file","detail":""},{"#));
        assert_eq!(text.matches("outcome").count(), WAITING_MAX);
        assert_eq!(decisions.take(), b"[]");
    }
}
