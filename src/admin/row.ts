/** A hundred keys and a query are far less. */
export const FORM_BYTES_MAX = 64 * 1024;

/** What the rows of the dashboard's route table have in common. */
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
