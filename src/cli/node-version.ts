/** Ends the process with one line on a Node.js that is too old. Imported first: other modules do not load there. */
const NODE_MIN = 20;
const EXIT_CONFIGURATION = 2;

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < NODE_MIN) {
  process.stderr.write(`isccd: Node.js ${NODE_MIN} or newer is needed; this is ${process.version}\n`);
  process.exit(EXIT_CONFIGURATION);
}
