//! Second names of indexes, in memory and in a file. A change is durable when it returns.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use serde::{Deserialize, Serialize};

use crate::request::index::is_name;

/// The file in the folder of the indexes.
const FILE: &str = "aliases.json";

/// The aliases of all indexes.
#[derive(Default)]
pub struct Aliases {
    /// Folder of the indexes; `None` in memory.
    folder: Option<PathBuf>,
    targets: RwLock<BTreeMap<String, String>>,
    /// Whether the file still names a renaming that is complete, because it could not be written.
    is_behind: AtomicBool,
}

/// Content of the file.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    /// Name of the index by alias.
    aliases: BTreeMap<String, String>,
    /// Names of an index before and after its renaming, while that is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    renaming: Option<(String, String)>,
}

impl Aliases {
    /// Reads the file of a folder. Completes a renaming that was interrupted after the folder of the index had its new
    /// name, and forgets one that was interrupted before.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let stored = match fs::read(folder.join(FILE)) {
            Ok(bytes) => read(&bytes, &folder.join(FILE))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Stored::default(),
            Err(error) => return Err(error),
        };
        let mut targets = stored.aliases;
        if let Some((from, to)) = stored.renaming
            && !folder.join(&from).exists()
        {
            retarget(&mut targets, &from, &to);
        }
        let targets = RwLock::new(targets);
        Ok(Self { folder: Some(folder.to_owned()), targets, is_behind: AtomicBool::default() })
    }

    /// The index that an alias stands for.
    pub fn target(&self, alias: &str) -> Option<String> {
        self.targets.read().unwrap_or_else(PoisonError::into_inner).get(alias).cloned()
    }

    /// All aliases with their indexes, by alias.
    pub fn all(&self) -> BTreeMap<String, String> {
        self.targets.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The aliases of an index.
    pub fn of(&self, index: &str) -> Vec<String> {
        let all = self.all().into_iter();
        all.filter(|(_, target)| target == index).map(|(alias, _)| alias).collect()
    }

    /// Adds an alias or points it to another index.
    pub fn put(&self, alias: &str, index: &str) -> io::Result<()> {
        let mut targets = self.all();
        targets.insert(alias.to_owned(), index.to_owned());
        self.store(targets, None)
    }

    /// Removes an alias. Returns whether it existed.
    pub fn remove(&self, alias: &str) -> io::Result<bool> {
        let mut targets = self.all();
        let existed = targets.remove(alias).is_some();
        if existed {
            self.store(targets, None)?;
        }
        Ok(existed)
    }

    /// Points the aliases of an index to its new name. `rename` renames its folder: a crash before or after it leaves
    /// every alias with an index.
    pub fn rename<E: From<io::Error>>(
        &self,
        from: &str,
        to: &str,
        rename: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        self.complete()?;
        let mut targets = self.all();
        if self.of(from).is_empty() {
            return rename();
        }
        self.store(targets.clone(), Some((from.to_owned(), to.to_owned())))?;
        rename()?;
        retarget(&mut targets, from, to);
        if self.store(targets.clone(), None).is_err() {
            // The index has its new name. The file names the rename, so the next change or start completes it.
            *self.targets.write().unwrap_or_else(PoisonError::into_inner) = targets;
            self.is_behind.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Completes the file if it still names a renaming. An index with the former name may be created only afterwards: a
    /// start would take it for the one that was not renamed.
    pub fn complete(&self) -> io::Result<()> {
        if self.is_behind.load(Ordering::Acquire) { self.store(self.all(), None) } else { Ok(()) }
    }

    /// Writes the file, then changes the state in memory. Callers hold the registry's lock of creations.
    fn store(
        &self,
        aliases: BTreeMap<String, String>,
        renaming: Option<(String, String)>,
    ) -> io::Result<()> {
        let stored = Stored { aliases, renaming };
        if let Some(folder) = &self.folder {
            let draft = folder.join(format!("{FILE}.new"));
            let mut file = File::create(&draft)?;
            file.write_all(&serde_json::to_vec(&stored)?)?;
            file.sync_all()?;
            fs::rename(&draft, folder.join(FILE))?;
            File::open(folder)?.sync_all()?;
        }
        *self.targets.write().unwrap_or_else(PoisonError::into_inner) = stored.aliases;
        self.is_behind.store(false, Ordering::Release);
        Ok(())
    }
}

fn read(bytes: &[u8], file: &Path) -> io::Result<Stored> {
    let invalid = |reason: String| {
        let text = format!("{} is not a file of aliases: {reason}", file.display());
        io::Error::new(io::ErrorKind::InvalidData, text)
    };
    let stored: Stored =
        serde_json::from_slice(bytes).map_err(|error| invalid(error.to_string()))?;
    let names = stored.aliases.iter().flat_map(|(alias, index)| [alias, index]);
    for name in names {
        if !is_name(name) {
            return Err(invalid(format!("'{name}' is not a name")));
        }
    }
    Ok(stored)
}

fn retarget(targets: &mut BTreeMap<String, String>, from: &str, to: &str) {
    targets.values_mut().filter(|target| *target == from).for_each(|target| to.clone_into(target));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &Path) -> Aliases {
        Aliases::open(folder).unwrap()
    }

    #[test]
    fn survives_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let aliases = open(folder.path());
        aliases.put("current", "a").unwrap();
        aliases.put("other", "b").unwrap();
        aliases.put("current", "b").unwrap();
        assert_eq!(open(folder.path()).of("b"), ["current", "other"]);
        assert!(aliases.remove("other").unwrap() && !aliases.remove("other").unwrap());
        assert_eq!(open(folder.path()).target("current").as_deref(), Some("b"));
        assert_eq!(open(folder.path()).all().len(), 1);
    }

    #[test]
    fn an_interrupted_renaming_leaves_no_alias_without_its_index() {
        for is_renamed in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("old")).unwrap();
            let aliases = open(folder.path());
            aliases.put("x", "old").unwrap();
            let interrupted: io::Result<()> = aliases.rename("old", "new", || {
                if is_renamed {
                    fs::rename(folder.path().join("old"), folder.path().join("new"))?;
                }
                Err(io::Error::other("killed"))
            });
            assert!(interrupted.is_err());
            let target = open(folder.path()).target("x").unwrap();
            assert!(folder.path().join(&target).exists(), "{target}");
        }
    }

    #[test]
    fn a_renaming_counts_once_the_folder_is_renamed() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("old")).unwrap();
        let aliases = open(folder.path());
        aliases.put("x", "old").unwrap();
        let renamed: io::Result<()> = aliases.rename("old", "new", || {
            // The file cannot be written from here on.
            fs::create_dir(folder.path().join(format!("{FILE}.new")))?;
            fs::rename(folder.path().join("old"), folder.path().join("new"))
        });
        renamed.unwrap();
        assert_eq!(aliases.target("x").as_deref(), Some("new"));
        assert_eq!(open(folder.path()).target("x").as_deref(), Some("new"));
        // Another index may have the former name once the file is complete.
        assert!(aliases.complete().is_err());
        fs::remove_dir(folder.path().join(format!("{FILE}.new"))).unwrap();
        aliases.complete().unwrap();
        fs::create_dir(folder.path().join("old")).unwrap();
        assert_eq!(open(folder.path()).target("x").as_deref(), Some("new"));
    }

    #[test]
    fn a_file_of_another_form_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for content in ["{", "{}", r#"{"aliases":{"A b":"c"}}"#, r#"{"aliases":{},"more":1}"#] {
            fs::write(folder.path().join(FILE), content).unwrap();
            let error = Aliases::open(folder.path()).err().unwrap().to_string();
            assert!(error.contains("aliases.json is not a file of aliases"), "{error}");
        }
    }
}
