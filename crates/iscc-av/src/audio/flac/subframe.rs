//! One channel of a frame.

use super::bits::Bits;

const ORDER_MAX: usize = 32;

/// Decodes a channel of `bits` bits into `out`. Numbers that a file of 16 bits can't have wrap.
#[inline(always)]
pub fn subframe(reader: &mut Bits, bits: u32, out: &mut [i32]) -> Option<()> {
    (reader.read(1)? == 0).then_some(())?;
    let kind = reader.read(6)? as usize;
    let wasted = if reader.read(1)? == 1 { reader.zeros()? + 1 } else { 0 };
    let bits = bits.checked_sub(wasted).filter(|bits| *bits > 0)?;
    match kind {
        0 => out.fill(reader.signed(bits)?),
        1 => {
            for sample in out.iter_mut() {
                *sample = reader.signed(bits)?;
            }
        }
        8..=12 => fixed(reader, bits, kind - 8, out)?,
        32..=63 => linear(reader, bits, kind - 31, out)?,
        _ => return None,
    }
    if wasted > 0 {
        out.iter_mut().for_each(|sample| *sample <<= wasted);
    }
    Some(())
}

/// Reads the first `order` samples, as they are.
#[inline(always)]
fn warm_up(reader: &mut Bits, bits: u32, order: usize, out: &mut [i32]) -> Option<()> {
    for sample in out.get_mut(..order)? {
        *sample = reader.signed(bits)?;
    }
    Some(())
}

#[inline(always)]
fn fixed(reader: &mut Bits, bits: u32, order: usize, out: &mut [i32]) -> Option<()> {
    warm_up(reader, bits, order, out)?;
    residual(reader, order, out)?;
    match order {
        0 => {}
        1 => predict(out, [1], 0),
        2 => predict(out, [-1, 2], 0),
        3 => predict(out, [1, -3, 3], 0),
        _ => predict(out, [-1, 4, -6, 4], 0),
    }
    Some(())
}

#[inline(always)]
fn linear(reader: &mut Bits, bits: u32, order: usize, out: &mut [i32]) -> Option<()> {
    warm_up(reader, bits, order, out)?;
    let precision = reader.read(4)? + 1;
    (precision < 16).then_some(())?;
    let shift = u32::try_from(reader.signed(5)?).ok()?;
    let mut weights = [0; ORDER_MAX];
    // The first weight of a file belongs to the sample before.
    for weight in weights[..order].iter_mut().rev() {
        *weight = reader.signed(precision)?;
    }
    residual(reader, order, out)?;
    // Orders up to 12 are all that files for players have: those have a loop of their own.
    macro_rules! by_order {
        ($($known:literal)*) => {
            match order {
                $($known => predict::<$known>(out, *weights.first_chunk()?, shift),)*
                _ => predict_any(out, &weights[..order], shift),
            }
        };
    }
    by_order!(1 2 3 4 5 6 7 8 9 10 11 12);
    Some(())
}

/// Adds to each residual the weighted sum of the `N` samples before it.
#[inline(always)]
fn predict<const N: usize>(out: &mut [i32], weights: [i32; N], shift: u32) {
    if out.len() <= N {
        return;
    }
    let last_weight = i64::from(weights[N - 1]);
    let mut last = i64::from(out[N - 1]);
    for at in N..out.len() {
        let past: &[i32; N] = out[at - N..].first_chunk().expect("there are N samples before it");
        // The sample before is the last that is known: all others are added while it is computed.
        let older = past[..N - 1].iter().zip(&weights);
        let sum = older.map(|(&one, &weight)| i64::from(one) * i64::from(weight)).sum::<i64>();
        let predicted = (sum + last * last_weight) >> shift;
        let sample = out[at].wrapping_add(predicted as i32);
        out[at] = sample;
        last = i64::from(sample);
    }
}

fn predict_any(out: &mut [i32], weights: &[i32], shift: u32) {
    for at in weights.len()..out.len() {
        let past = out[at - weights.len()..at].iter().zip(weights);
        let predicted =
            past.map(|(&one, &weight)| i64::from(one) * i64::from(weight)).sum::<i64>() >> shift;
        out[at] = out[at].wrapping_add(predicted as i32);
    }
}

/// Reads what the prediction of `order` samples misses, in partitions with a Rice parameter each.
#[inline(always)]
fn residual(reader: &mut Bits, order: usize, out: &mut [i32]) -> Option<()> {
    let parameter_bits = match reader.read(2)? {
        0 => 4,
        1 => 5,
        _ => return None,
    };
    let partitions = 1 << reader.read(4)?;
    let size = out.len() / partitions;
    (size * partitions == out.len() && size >= order).then_some(())?;
    let mut start = order;
    for partition in 1..=partitions {
        let part = &mut out[start..partition * size];
        start = partition * size;
        let parameter = reader.read(parameter_bits)?;
        if parameter == (1 << parameter_bits) - 1 {
            let bits = reader.read(5)?;
            for sample in part {
                *sample = reader.signed(bits)?;
            }
        } else {
            for sample in part {
                *sample = reader.rice(parameter)?;
            }
        }
    }
    Some(())
}
