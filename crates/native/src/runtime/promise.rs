//! Promises that Rust settles.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::*;
use napi::{Env, JsDeferred};

use crate::error::{NativeError, Result};

type Resolver<T> = Box<dyn FnOnce(Env) -> napi::Result<T>>;

/// A promise that any thread settles later.
pub struct Pending<T: ToNapiValue + Send + 'static>(JsDeferred<T, Resolver<T>>);

impl<T: ToNapiValue + Send + 'static> Pending<T> {
    /// The promise, and the object that JavaScript gets.
    pub fn new(env: &Env) -> Result<(Self, Object<'_>)> {
        let (deferred, object) = env.create_deferred()?;
        Ok((Self(deferred), object))
    }

    /// Resolves or rejects the promise.
    pub fn settle(self, outcome: Result<T>) {
        self.0.resolve(Box::new(move |env| outcome.map_err(|error| error.into_js(&env))));
    }
}

/// A settled promise.
pub fn settled<T: ToNapiValue>(env: &Env, outcome: Result<T>) -> Result<Object<'_>> {
    let promise = match outcome {
        Ok(value) => PromiseRaw::resolve(env, value)?,
        Err(error) => PromiseRaw::reject(env, error.into_js(env))?,
    };
    Ok(Object::from_raw(env.raw(), promise.raw()))
}

/// A rejected promise.
pub fn rejected(env: &Env, error: NativeError) -> Result<Object<'_>> {
    settled::<()>(env, Err(error))
}

/// The result of `work`; a panic becomes `INTERNAL`. All work on threads goes through here, because
/// a panic that leaves its thread would leave the promise unsettled.
pub fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        Err(NativeError::internal(format_args!("panic: {}", message(&*panic))))
    })
}

fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown")
}
