//! The callback that receives a request's result.

use crate::asset_match::AssetMatch;
use crate::failure::Failure;

/// Delivers one result, by default the JSON of a response. If it is dropped without a result, for example after a
/// panic, it delivers a failure, so that the caller is not left waiting.
pub struct Reply<T = Vec<u8>>(Option<Deliver<T>>);

type Deliver<T> = Box<dyn FnOnce(Result<T, Failure>) + Send>;

impl<T> Reply<T> {
    /// Calls `deliver` with the result, on the thread that produces it.
    pub fn new(deliver: impl FnOnce(Result<T, Failure>) + Send + 'static) -> Self {
        Self(Some(Box::new(deliver)))
    }

    /// Delivers the result.
    pub fn send(mut self, result: Result<T, Failure>) {
        if let Some(deliver) = self.0.take() {
            deliver(result);
        }
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        if let Some(deliver) = self.0.take() {
            deliver(Err(Failure::broken("the request was dropped without a result")));
        }
    }
}

/// The form in which the caller of a search wants its matches.
pub enum SearchReply {
    /// The JSON of a response.
    Json(Reply),
    /// Matches by unit. Simprints are not searched.
    Matches(Reply<Vec<AssetMatch>>),
}

impl SearchReply {
    /// Delivers a failure.
    pub fn fail(self, failure: Failure) {
        match self {
            Self::Json(reply) => reply.send(Err(failure)),
            Self::Matches(reply) => reply.send(Err(failure)),
        }
    }
}
