//! Embeddings to bits: one bit per number, 1 unless it is negative.

use crate::error::SemanticError;

/// Bits of a digest. Models have more dimensions; only the first ones count.
pub const BITS: usize = 256;

/// The first [`BITS`] signs of a vector, starting at the highest bit of the first byte.
pub type Digest = [u8; BITS / 8];

/// The signs of a vector.
///
/// # Errors
/// [`SemanticError::Output`] for fewer than [`BITS`] numbers, or for a NaN among them.
pub fn digest(vector: &[f32]) -> Result<Digest, SemanticError> {
    let Some(counted) = vector.get(..BITS) else {
        return Err(SemanticError::Output(format!("has {} dimensions, not {BITS}", vector.len())));
    };
    if counted.iter().any(|number| number.is_nan()) {
        return Err(SemanticError::Output("is not a number".to_owned()));
    }
    let mut digest = [0; BITS / 8];
    for (byte, numbers) in digest.iter_mut().zip(counted.as_chunks::<8>().0) {
        *byte = numbers.iter().fold(0, |bits, number| bits << 1 | u8::from(*number >= 0.0));
    }
    Ok(digest)
}

/// The embedding of a text, chunk by chunk.
#[derive(Debug, Default)]
pub struct TextEmbedding {
    /// Sum of the chunks' vectors.
    sum: Vec<f32>,
    simprints: Vec<Digest>,
}

impl TextEmbedding {
    /// Adds a chunk, given as the model's concatenated states of its `tokens` tokens. The chunk's
    /// vector is their mean, normalised to length 1. Returns its digest, the chunk's simprint.
    ///
    /// # Errors
    /// [`SemanticError::Output`] if the states cannot be divided by `tokens`, or have other
    /// dimensions than those of the previous chunk.
    pub fn push(&mut self, states: &[f32], tokens: usize) -> Result<Digest, SemanticError> {
        if tokens == 0 || !states.len().is_multiple_of(tokens) {
            let reason = format!("has {} numbers for {tokens} tokens", states.len());
            return Err(SemanticError::Output(reason));
        }
        let dimensions = states.len() / tokens;
        if !self.sum.is_empty() && self.sum.len() != dimensions {
            let reason = format!("has {dimensions} dimensions after {}", self.sum.len());
            return Err(SemanticError::Output(reason));
        }
        let vector = normalized(&mean_of_rows(states, dimensions));
        let simprint = digest(&vector)?;
        self.simprints.push(simprint);
        self.sum.resize(dimensions, 0.0);
        add(&mut self.sum, &vector);
        Ok(simprint)
    }

    /// One digest per chunk.
    pub fn simprints(&self) -> &[Digest] {
        &self.simprints
    }

    /// Digest of the whole text: the signs of the mean of its chunks' vectors.
    ///
    /// # Errors
    /// [`SemanticError::NoText`] without chunks.
    pub fn digest(&self) -> Result<Digest, SemanticError> {
        if self.simprints.is_empty() {
            return Err(SemanticError::NoText);
        }
        // The sum has the same signs as the mean.
        digest(&self.sum)
    }
}

fn mean_of_rows(rows: &[f32], columns: usize) -> Vec<f32> {
    let mut sum = vec![0.0; columns];
    rows.chunks_exact(columns).for_each(|row| add(&mut sum, row));
    let count = (rows.len() / columns) as f32;
    sum.into_iter().map(|number| number / count).collect()
}

fn normalized(vector: &[f32]) -> Vec<f32> {
    const LENGTH_MIN: f32 = 1e-9;
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt().max(LENGTH_MIN);
    vector.iter().map(|number| number / length).collect()
}

fn add(sum: &mut [f32], vector: &[f32]) {
    sum.iter_mut().zip(vector).for_each(|(sum, number)| *sum += number);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(of: impl Fn(usize) -> f32) -> Vec<f32> {
        (0..384).map(of).collect()
    }

    #[test]
    fn bits_are_signs_and_zero_is_positive() {
        let alternating = vector(|index| if index % 2 == 0 { 0.5 } else { -0.5 });
        assert_eq!(digest(&alternating).unwrap(), [0b1010_1010; 32]);
        assert_eq!(digest(&vector(|_| 0.0)).unwrap(), [0xff; 32]);
        assert!(digest(&alternating[..255]).is_err());
        assert!(digest(&vector(|_| f32::NAN)).is_err());
    }

    #[test]
    fn chunks_have_equal_weight_regardless_of_their_tokens() {
        let mut text = TextEmbedding::default();
        // A chunk of three tokens with large numbers, and a chunk of one token with small numbers.
        let up = [vector(|_| 900.0), vector(|_| 900.0), vector(|_| 900.0)].concat();
        let down = vector(|index| if index < 128 { -0.001 } else { 0.0 });
        assert_eq!(text.push(&up, 3).unwrap(), [0xff; 32]);
        text.push(&down, 1).unwrap();
        let signs = text.digest().unwrap();
        assert_eq!((signs[0], signs[31]), (0, 0xff));
        assert_eq!(text.simprints().len(), 2);
    }

    #[test]
    fn outputs_of_the_wrong_shape_are_errors() {
        let mut text = TextEmbedding::default();
        assert!(matches!(text.digest(), Err(SemanticError::NoText)));
        assert!(text.push(&vector(|_| 1.0), 0).is_err());
        assert!(text.push(&vector(|_| 1.0), 5).is_err());
        text.push(&vector(|_| 1.0), 1).unwrap();
        assert!(text.push(&[1.0; 512], 1).is_err());
    }
}
