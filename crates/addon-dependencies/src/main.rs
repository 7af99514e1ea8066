//! Does nothing. `npm run test:rust -- -p CRATE` selects this package next to the crate: the features of a dependency are
//! those that the selected packages ask for, so the dependencies of the addon serve the tests of one crate, too. Otherwise
//! cargo compiles several hundred of them again for each crate.

fn main() {}
