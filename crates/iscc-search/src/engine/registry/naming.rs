//! Names: renaming of indexes, and aliases.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::PoisonError;

use super::Registry;
use crate::failure::{Failure, FailureKind};
use crate::index::store_failure;

impl Registry {
    /// Renames an index, durably. Requests that use it continue.
    pub fn rename(&self, name: &str, to: &str) -> Result<(), Failure> {
        let mut creations = self.creations.lock().unwrap_or_else(PoisonError::into_inner);
        self.check_no_alias(name)?;
        let index = self.find_named(name)?;
        index.check_writable()?;
        if name == to {
            return Ok(());
        }
        self.check_no_alias(to)?;
        if !matches!(self.find_named(to), Err(failure) if failure.kind == FailureKind::NotFound) {
            return Err(Failure::new(
                FailureKind::Conflict,
                &format!("Index '{to}' already exists"),
            ));
        }
        let move_files = |path: &mut PathBuf| {
            let Some(folder) = &self.folder else { return Ok(()) };
            folder.install(&folder.path_of(name), to)?;
            *path = folder.path_of(to);
            Ok(())
        };
        let renamed = self.aliases.rename(name, to, || index.rename(to, move_files));
        renamed.map_err(|error| match error.kind() {
            ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
                let text = format!("'{to}' is in use by files that are not of an index");
                Failure::new(FailureKind::Conflict, &text)
            }
            _ => store_failure(&error.into()),
        })?;
        let mut indexes = self.write_indexes();
        if let Some(entry) = indexes.remove(name) {
            indexes.insert(to.to_owned(), entry);
        }
        creations.former_names.insert(name.to_owned());
        Ok(())
    }

    /// Points an alias to an index, durably. Returns whether the alias is new.
    pub fn put_alias(&self, alias: &str, index: &str) -> Result<bool, Failure> {
        let _guard = self.creations.lock().unwrap_or_else(PoisonError::into_inner);
        let is_index = |name: &str| !matches!(self.find_named(name), Err(failure) if failure.kind == FailureKind::NotFound);
        if is_index(alias) {
            let text =
                format!("'{alias}' is the name of an index; choose another name for the alias");
            return Err(Failure::new(FailureKind::Conflict, &text));
        }
        if !is_index(index) {
            let reason = self.aliases.target(index).map_or_else(
                || format!("Index '{index}' not found"),
                |target| format!("'{index}' is an alias; name the index '{target}' itself"),
            );
            return Err(Failure::rejected(reason));
        }
        let is_new = self.aliases.target(alias).is_none();
        self.aliases.put(alias, index).map_err(|error| store_failure(&error.into()))?;
        Ok(is_new)
    }

    /// Deletes an alias, durably.
    pub fn delete_alias(&self, alias: &str) -> Result<(), Failure> {
        let _guard = self.creations.lock().unwrap_or_else(PoisonError::into_inner);
        match self.aliases.remove(alias).map_err(|error| store_failure(&error.into()))? {
            true => Ok(()),
            false => Err(no_alias(alias)),
        }
    }

    /// Refuses the name of an alias where that of an index is needed.
    pub(super) fn check_no_alias(&self, name: &str) -> Result<(), Failure> {
        let Some(index) = self.aliases.target(name) else { return Ok(()) };
        let text = format!("'{name}' is an alias of index '{index}'; name the index itself");
        Err(Failure::new(FailureKind::Conflict, &text))
    }

    /// Refuses to delete an index that aliases stand for.
    pub(super) fn check_no_aliases_of(&self, name: &str) -> Result<(), Failure> {
        let aliases = self.aliases.of(name);
        if aliases.is_empty() {
            return Ok(());
        }
        let text = format!(
            "Index '{name}' has aliases: {}; delete them or point them to another index first",
            aliases.join(", ")
        );
        Err(Failure::new(FailureKind::Conflict, &text))
    }
}

/// The failure of a request for an unknown alias.
pub fn no_alias(alias: &str) -> Failure {
    Failure::not_found(format!("Alias '{alias}' not found"))
}
