/** The native addon is not there; the message says which package brings it, and how. */
export class AddonMissing extends Error {
  override readonly name = 'AddonMissing';
}
