/** A reader of manifests that ends, hangs or grows for bytes that say so. For all others it is the real one. */
await import('../../../dist/c2pa/manifest-worker.js');

const kept = [];

process.prependListener('message', ({ tasks }) => {
  for (const { bytes } of tasks) {
    const text = Buffer.from(bytes).toString('latin1', 0, 5);
    if (text === 'CRASH') process.kill(process.pid, 'SIGSEGV');
    if (text === 'THROW') throw new Error('not caught');
    while (text === 'HANGS');
    while (text === 'GROWS') kept.push(Buffer.alloc(64 * 1024 * 1024, 1));
  }
});
