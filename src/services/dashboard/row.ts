/** A form has at most 100 keys and a query, which is far less. */
export const FORM_BYTES_MAX = 64 * 1024;

/** Members common to all routes of the dashboard. */
export function row<const M extends 'GET' | 'POST'>(method: M, path: string) {
  return {
    method,
    path,
    operationId: `${method} ${path}`,
    summary: 'Dashboard',
    hidden: true,
    responses: {},
  };
}
