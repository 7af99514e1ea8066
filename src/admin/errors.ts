/** All errors of the dashboard and its accounts: status and the text that users read. */
import { type ErrorDetails, errorTable } from '../http/reply/error-table.js';

const TABLE = {
  FORM_INVALID: [400, 'The form was not complete. Please go back and try again.'],
  CSRF: [403, 'The form is too old or came from elsewhere. Please go back, reload the page and try again.'],
  FORBIDDEN: [403, 'Your account may look, but not change anything.'],
  NOT_FOUND: [404, 'There is no such manifest.'],
  PAGE_UNKNOWN: [404, 'There is no such page.'],
  USERNAME_INVALID: [
    400,
    'a user name has 1 to 64 characters: letters a to z, digits, and . _ @ - but not first',
  ],
  USERNAME_TAKEN: [409, 'there is an account of that name'],
  USERNAME_UNKNOWN: [404, 'there is no account of that name'],
  PASSWORD_WEAK: [400, 'the password {reason}'],
} as const satisfies Record<string, readonly [status: number, text: string]>;

export type ErrorCode = keyof typeof TABLE;

const errors = errorTable(TABLE);

/** Rejects an action of a user or operator with an error of the table. */
export class AdminRefusal extends Error {
  override readonly name = 'AdminRefusal';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(errors.text(code, details));
    this.code = code;
  }

  get status(): number {
    return errors.status(this.code);
  }
}
