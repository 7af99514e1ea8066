//! The callback that receives a request's result.

use crate::failure::{Answer, Failure};

type Deliver = Box<dyn FnOnce(Answer) + Send>;

/// Delivers one result. If it is dropped without a result, for example after a panic, it delivers a failure, so that
/// the caller never waits for ever.
pub struct Reply(Option<Deliver>);

impl Reply {
    /// Calls `deliver` with the result, on the thread that produces it.
    pub fn new(deliver: impl FnOnce(Answer) + Send + 'static) -> Self {
        Self(Some(Box::new(deliver)))
    }

    /// Delivers the result.
    pub fn send(mut self, result: Answer) {
        if let Some(deliver) = self.0.take() {
            deliver(result);
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(deliver) = self.0.take() {
            deliver(Err(Failure::broken("the request was dropped without a result")));
        }
    }
}
