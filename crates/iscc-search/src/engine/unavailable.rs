//! Indexes that exist but cannot be used: they are being loaded, or they are damaged.
use std::sync::Arc;
use std::sync::atomic::Ordering;

use iscc_index::json::push_string;
use iscc_index::store::Progress;
use iscc_index::store::StoreError;

use crate::failure::{Failure, FailureKind};

/// Why an index cannot be used.
#[derive(Debug, Clone)]
pub enum Unavailable {
    /// It is being loaded.
    Loading(Arc<Progress>),
    /// It is damaged. Its files were not changed.
    Damaged(String),
    /// The system does not let this process read its files.
    Denied(String),
}

impl Unavailable {
    /// The state of an index that could not be loaded.
    pub fn because_of(error: &StoreError) -> Self {
        let reason = error.to_string();
        if error.is_denied() { Self::Denied(reason) } else { Self::Damaged(reason) }
    }

    /// The failure of a request to the index.
    pub fn failure(&self, name: &str) -> Failure {
        match self {
            Self::Loading(progress) => {
                let percent = (progress.share() * 100.0) as u32;
                let text = format!("Index '{name}' is being loaded: {percent} % done");
                Failure::new(FailureKind::Loading, &text)
            }
            Self::Damaged(reason) => {
                let text = format!(
                    "Index '{name}' is damaged: {reason}. Restore it from a backup, or salvage its rows with \
                     isccd index repair"
                );
                Failure::new(FailureKind::Damaged, &text)
            }
            Self::Denied(reason) => {
                let text = format!(
                    "Index '{name}' cannot be read: {reason}. Give the user of the service access to its folder and \
                     files, and restart the service"
                );
                Failure::new(FailureKind::Damaged, &text)
            }
        }
    }

    /// Its description among those of other indexes.
    pub fn json(&self, name: &str) -> Vec<u8> {
        let mut json = b"{\"name\":".to_vec();
        push_string(&mut json, name);
        match self {
            Self::Loading(progress) => {
                let assets = progress.total.load(Ordering::Relaxed);
                let share = (progress.share() * 1000.0).floor() / 1000.0;
                let state = format!(
                    ",\"assets\":{assets},\"size\":0,\"state\":\"loading\",\"progress\":{share}"
                );
                json.extend_from_slice(state.as_bytes());
            }
            Self::Damaged(reason) | Self::Denied(reason) => {
                json.extend_from_slice(
                    b",\"assets\":0,\"size\":0,\"state\":\"damaged\",\"reason\":",
                );
                push_string(&mut json, reason);
            }
        }
        json.push(b'}');
        json
    }
}
