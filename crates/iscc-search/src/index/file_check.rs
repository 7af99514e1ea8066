//! Checks the files of sealed segments while the index is in use, and loads the index again if one is damaged.
use std::fs::File;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use iscc_columns::sections::SealError;
use iscc_index::segment::Segment;
use iscc_index::segment::sealed::{self, Paced, SealedFile};
use iscc_index::snapshot::load::load_state;
use iscc_index::store::StoreError;

use super::Index;
use super::sealing::{HURRY, NotSealed};
use crate::background;
use crate::decision::Decision;

impl Index {
    /// Compares the files that were not checked since the start with their hashes. If one is damaged or missing, loads the
    /// index from the store again, and returns why.
    pub fn check_files(&self, should_continue: &(dyn Fn() -> bool + Sync)) -> Option<Decision> {
        let _restructuring = self.restructuring.lock().unwrap_or_else(PoisonError::into_inner);
        self.damage(&self.snapshot().segments, should_continue)
    }

    /// Like [`Index::check_files`], for the files of some segments.
    pub(super) fn damage(
        &self,
        segments: &[Arc<Segment>],
        should_continue: &(dyn Fn() -> bool + Sync),
    ) -> Option<Decision> {
        let mut files = segments.iter().filter_map(|segment| segment.file());
        let failed = files.find_map(|file| self.check_file(file, should_continue).err());
        let reason = failed.filter(|_| should_continue())?;
        let assets = self.snapshot().assets();
        let (outcome, detail) = match &reason {
            NotSealed::File(error) if error.is_passing() => {
                ("unchecked", format!("a file could not be checked, will try again: {reason}"))
            }
            _ => ("memory", format!("a file was not valid, loaded all assets again: {reason}")),
        };
        Some(Decision { index: self.name(), assets, outcome, detail })
    }

    /// Compares a file with its hashes, unless that was done. Loads the index again if it differs.
    fn check_file(
        &self,
        file: &SealedFile,
        should_continue: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), NotSealed> {
        if file.is_checked.load(Ordering::Acquire) {
            return Ok(());
        }
        let bytes_per_second = self.options.sealing.bytes_per_second * HURRY;
        let checked = background::run_again(should_continue, |should_continue| {
            let pace = Paced { bytes_per_second, should_continue };
            let opened = File::open(sealed::path_of(&self.folder(), file.uid))?;
            sealed::check_sections(opened, file, &pace)
        });
        match &checked {
            Err(error) if error.is_passing() => self.pause(),
            Err(SealError::File(_) | SealError::Damaged(_)) if !self.is_deleted() => {
                self.load_again()?;
            }
            _ => {}
        }
        Ok(checked?)
    }

    /// Loads all assets from the store into memory again, and uses no files any more. Changes wait meanwhile, searches do
    /// not.
    fn load_again(&self) -> Result<(), StoreError> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let sizes = &self.options.sizes;
        let mut snapshot = load_state(&self.store.read()?, self.matching, sizes)?;
        for segment in &mut snapshot.segments {
            Arc::make_mut(segment).uid = writer.next_uid;
            writer.next_uid += 1;
        }
        writer.slots.clear();
        writer.add_segment(&mut snapshot, self.matching);
        self.store.drop_sealed();
        self.publish(snapshot);
        drop(writer);
        sealed::remove_all(&self.folder());
        Ok(())
    }
}
