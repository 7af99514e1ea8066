//! Tells the linker about the symbols that Node.js provides at load time.
fn main() {
    napi_build::setup();
}
