//! Files that are encrypted with the default password ([MS-OFFCRYPTO]).
//!
//! Office encrypts a file whose structure alone is protected with a password that all programs know, and opens it without
//! asking for one. So does the reference.

pub mod binary;
pub mod package;

/// The default password ([MS-XLS] 2.2.10).
const PASSWORD: &str = "VelvetSweatshop";

/// The password in UTF-16, as it is hashed.
fn password() -> Vec<u8> {
    PASSWORD.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Hash functions of encrypted files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hash {
    Md5,
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    /// The function of a name in ECMA-376; `None` for others.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "MD5" => Self::Md5,
            "SHA1" | "SHA-1" => Self::Sha1,
            "SHA256" => Self::Sha256,
            "SHA384" => Self::Sha384,
            "SHA512" => Self::Sha512,
            _ => return None,
        })
    }

    /// The hash of two consecutive parts.
    fn of(self, first: &[u8], second: &[u8]) -> Vec<u8> {
        use md5::Digest as _;
        use sha2::Digest as _;
        match self {
            Self::Md5 => {
                md5::Md5::new().chain_update(first).chain_update(second).finalize().to_vec()
            }
            Self::Sha1 => {
                sha1::Sha1::new().chain_update(first).chain_update(second).finalize().to_vec()
            }
            Self::Sha256 => {
                sha2::Sha256::new().chain_update(first).chain_update(second).finalize().to_vec()
            }
            Self::Sha384 => {
                sha2::Sha384::new().chain_update(first).chain_update(second).finalize().to_vec()
            }
            Self::Sha512 => {
                sha2::Sha512::new().chain_update(first).chain_update(second).finalize().to_vec()
            }
        }
    }

    /// The hash of the salted password, hashed again `rounds` times.
    fn of_password(self, salt: &[u8], rounds: u32) -> Vec<u8> {
        let salted = self.of(salt, &password());
        (0..rounds).fold(salted, |hash, round| self.of(&round.to_le_bytes(), &hash))
    }
}
