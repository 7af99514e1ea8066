//! Checks the pages of the store while the index is in use, if the start did not.
use std::sync::atomic::Ordering;

use iscc_index::store::StoreError;

use super::Index;
use crate::background;
use crate::decision::Decision;

impl Index {
    /// Checks the pages of the store, unless that was done. Fails if one is damaged: the index must not be used any more.
    /// Returns `None` if the check was done before, or has to be tried again later, for example after a lack of descriptors.
    pub fn check_pages(
        &self,
        should_continue: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Decision>, StoreError> {
        if self.store.is_checked() {
            return Ok(None);
        }
        let folder = self.folder().clone();
        let checked: Result<_, StoreError> = background::run(|| {
            let mut pages = 0;
            let mut watch = |_, all| {
                pages = all;
                should_continue()
            };
            let is_done = self.store.check_pages(&folder, &mut watch)?;
            Ok(is_done.then_some(pages))
        });
        let decision = |pages: u64| Decision {
            index: self.name(),
            assets: self.snapshot().assets(),
            outcome: "checked",
            detail: format!("all {pages} pages of the data file are sound"),
        };
        match checked {
            Ok(pages) => Ok(pages.map(decision)),
            Err(error) if error.is_damage() => {
                self.is_damaged.store(true, Ordering::Release);
                Err(error)
            }
            Err(_) => Ok(None),
        }
    }
}

/// The next start need not check the pages before it uses them, if they were left sound. Nothing changes the index any more.
impl Drop for Index {
    fn drop(&mut self) {
        if !self.is_deleted() && !self.is_damaged.load(Ordering::Acquire) {
            // Without a mark, the next start takes longer.
            let _ = self.store.mark_stopped(&self.folder());
        }
    }
}
