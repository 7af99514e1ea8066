/** Pictures of the user, which stay on the device. */

/** Pictures above this size are not shown. */
const BYTES_MAX = 32 * 1024 * 1024;

/** A data URL, because the page's policy allows no other kind; `undefined` for files that browsers do not show. */
export function pictureUrl(file: File): Promise<string | undefined> {
  const isShown = /^image\/(?:jpeg|png|webp|gif|avif)$/.test(file.type) && file.size <= BYTES_MAX;
  if (!isShown) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener('loadend', () =>
      resolve(typeof reader.result === 'string' ? reader.result : undefined),
    );
    reader.readAsDataURL(file);
  });
}
