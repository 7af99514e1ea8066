//! Where an answer goes.

use crate::failure::{Answer, Failure};

type Deliver = Box<dyn FnOnce(Answer) + Send>;

/// Takes an answer, once. If it is dropped without one, for example by a panic on the way, that is
/// answered as a failure: nobody waits for ever.
pub struct Reply(Option<Deliver>);

impl Reply {
    /// Calls `deliver` with the answer, on whatever thread has it.
    pub fn new(deliver: impl FnOnce(Answer) + Send + 'static) -> Self {
        Self(Some(Box::new(deliver)))
    }

    /// Delivers the answer.
    pub fn send(mut self, answer: Answer) {
        if let Some(deliver) = self.0.take() {
            deliver(answer);
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(deliver) = self.0.take() {
            deliver(Err(Failure::broken("the request was dropped without an answer")));
        }
    }
}
