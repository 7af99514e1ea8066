//! What the background thread decided for a column or a segment, for the log.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::json::push_string;
use crate::unit::UnitType;

/// Maximum number of decisions that wait for the log. Older ones are dropped.
const WAITING_MAX: usize = 1000;

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Name of the index.
    pub index: String,
    /// What it is about.
    pub subject: Subject,
    /// What is used from now on: `scan` or `graph` for a column; `file` for a segment, or `memory` if that was not
    /// possible.
    pub outcome: &'static str,
    /// The reason, or the size.
    pub detail: String,
}

/// What a decision is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A column of distinct bodies.
    Column {
        /// Type of the units.
        unit: UnitType,
        /// Length of the bodies in bits.
        bits: u16,
        /// Number of distinct bodies.
        rows: usize,
    },
    /// A segment.
    Segment {
        /// Number of assets.
        assets: u64,
    },
}

impl Decision {
    fn json(&self) -> Vec<u8> {
        let mut json = b"{\"index\":".to_vec();
        push_string(&mut json, &self.index);
        let column = |name: &str, bits: u16, rows: usize| {
            let mut json = b",\"type\":".to_vec();
            push_string(&mut json, name);
            json.extend_from_slice(format!(",\"bits\":{bits},\"rows\":{rows}").as_bytes());
            json
        };
        let subject = match &self.subject {
            Subject::Column { unit, bits, rows } => column(&unit.to_string(), *bits, *rows),
            Subject::Segment { assets } => format!(",\"assets\":{assets}").into_bytes(),
        };
        json.extend_from_slice(&subject);
        json.extend_from_slice(format!(",\"outcome\":\"{}\",\"detail\":", self.outcome).as_bytes());
        push_string(&mut json, &self.detail);
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
        let unit = iscc_codec::Kind::DATA;
        for rows in 0..WAITING_MAX + 5 {
            let (index, detail) = ("a\"b".to_owned(), String::new());
            let subject = Subject::Column { unit, bits: 64, rows };
            decisions.add(Decision { index, subject, outcome: "graph", detail });
        }
        let text = String::from_utf8(decisions.take()).unwrap();
        assert!(text.starts_with(
            r#"[{"index":"a\"b","type":"DATA_NONE_V0","bits":64,"rows":5,"outcome":"graph","detail":""},{"#
        ));
        assert_eq!(text.matches("outcome").count(), WAITING_MAX);
        assert_eq!(decisions.take(), b"[]");
    }
}
