/** Whether this Node.js is too old. Uses nothing that old versions lack, and imports nothing. */
const NODE_MIN = 20;

/** One line, for a version on which the other modules do not load. */
export function nodeTooOld(): string | undefined {
  const [major = 0] = process.versions.node.split('.').map(Number);
  return major < NODE_MIN ? `Node.js ${NODE_MIN} or newer is needed; this is ${process.version}` : undefined;
}
