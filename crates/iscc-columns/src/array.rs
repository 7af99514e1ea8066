//! Numbers in heap memory or in a mapped file.

use std::fmt;
use std::ops::Deref;

use bytemuck::Pod;

use crate::map::MappedRange;

/// A list of numbers. Only one in heap memory grows.
#[derive(Clone)]
pub enum Array<T> {
    /// In heap memory.
    Heap(Vec<T>),
    /// In a mapped file.
    Mapped(MappedRange<T>),
}

impl<T: Pod> Array<T> {
    /// The list in heap memory, to be changed. Copies one of a mapped file.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if let Self::Mapped(range) = self {
            *self = Self::Heap(range.to_vec());
        }
        match self {
            Self::Heap(list) => list,
            Self::Mapped(_) => unreachable!("it was just copied"),
        }
    }

    /// Size in bytes, of heap memory or of the file.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Heap(list) => list.capacity() * size_of::<T>(),
            Self::Mapped(range) => size_of_val::<[T]>(range),
        }
    }

    /// Releases unused memory.
    pub fn shrink_to_fit(&mut self) {
        if let Self::Heap(list) = self {
            list.shrink_to_fit();
        }
    }
}

impl<T: Pod> Deref for Array<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Heap(list) => list,
            Self::Mapped(range) => range,
        }
    }
}

impl<T> Default for Array<T> {
    fn default() -> Self {
        Self::Heap(Vec::new())
    }
}

impl<T> From<Vec<T>> for Array<T> {
    fn from(list: Vec<T>) -> Self {
        Self::Heap(list)
    }
}

impl<T: Pod> fmt::Debug for Array<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if matches!(self, Self::Heap(_)) { "Heap" } else { "Mapped" };
        write!(formatter, "{kind}({} items)", self.len())
    }
}
