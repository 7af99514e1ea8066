//! Every kernel against its plain twin, every level against every other, any split of the input.

mod kernels;
