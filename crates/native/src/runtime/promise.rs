//! Promises that Rust settles.

use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::*;
use napi::{Env, JsDeferred};

/// A promise that some thread settles when it gets there.
pub struct Pending<T: ToNapiValue + Send + 'static>(JsDeferred<T, Resolver<T>>);

impl<T: ToNapiValue + Send + 'static> Pending<T> {
    /// The promise, and the object that JavaScript gets.
    pub fn new(env: &Env) -> Result<(Self, Object<'_>)> {
        let (deferred, object) = env.create_deferred()?;
        Ok((Self(deferred), object))
    }

    /// Settles it with a value.
    pub fn resolve(self, value: T) {
        self.0.resolve(Box::new(move |_| Ok(value)));
    }
}

type Resolver<T> = Box<dyn FnOnce(Env) -> Result<T>>;

pub(super) fn outcome<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(Error::from_reason(format!("panic: {}", message(&panic)))))
}

/// A promise that is settled already.
pub fn settled<T: ToNapiValue>(env: &Env, outcome: Result<T>) -> Result<Object<'_>> {
    let promise = match outcome {
        Ok(value) => PromiseRaw::resolve(env, value)?,
        Err(error) => PromiseRaw::reject(env, error)?,
    };
    Ok(Object::from_raw(env.raw(), promise.raw()))
}

fn message(panic: &Box<dyn std::any::Any + Send>) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown")
}
