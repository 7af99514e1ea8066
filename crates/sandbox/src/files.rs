//! Files, by Landlock.

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use crate::FileRules;

/// The newest version whose rights are used. On older kernels, the rights that they lack are not restricted.
const NEWEST: ABI = ABI::V6;

/// Restricts files to the rules. Signals reach only processes of the sandbox, and no TCP socket connects or listens.
pub fn restrict(rules: &FileRules) -> Result<(), String> {
    let status = enforce(rules).map_err(|error| error.to_string())?;
    match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err(match status.landlock {
            LandlockStatus::NotEnabled => "Landlock is off in this kernel (boot option lsm=)",
            _ => "the kernel or the container has no Landlock",
        }
        .to_owned()),
    }
}

fn enforce(rules: &FileRules) -> Result<landlock::RestrictionStatus, RulesetError> {
    let read = AccessFs::from_read(NEWEST);
    Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(&rules.read, read))?
        .add_rules(path_beneath_rules(&rules.open, AccessFs::ReadFile))?
        .add_rules(path_beneath_rules(&rules.write, written()))?
        .restrict_self()
}

/// Rights in a work folder: regular files, folders and links, of which none can be executed.
fn written() -> BitFlags<AccessFs> {
    let special = AccessFs::Execute
        | AccessFs::MakeBlock
        | AccessFs::MakeChar
        | AccessFs::MakeFifo
        | AccessFs::MakeSock;
    AccessFs::from_all(NEWEST) & !special
}
