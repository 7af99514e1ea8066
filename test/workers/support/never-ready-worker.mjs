/** A worker that ends before it is ready. */
process.exit(3);
