/** The native addon cannot be loaded. The message names the package that contains it and the command to install it. */
export class AddonMissing extends Error {
  override readonly name = 'AddonMissing';
}
