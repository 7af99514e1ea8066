/** All errors of the dashboard and its accounts: status and the text that users read. */
import { type ErrorDetails, errorTable } from '../../http/reply/error-table.js';

const TABLE = {
  FILE_TOO_LARGE: [413, 'The file is larger than {limit}. Please go back and choose a smaller one.'],
  FORM_INVALID: [400, 'The form is incomplete. Please go back and try again.'],
  CSRF: [
    403,
    'The form has expired or came from another site. Please go back, reload the page and try again.',
  ],
  FOREIGN_ORIGIN: [
    403,
    'The form came from {origin}, but the request names the host {host}. Behind a proxy, the proxy must pass on the Host ' +
      'header of the browser with its port (nginx: proxy_set_header Host $http_host).',
  ],
  FORBIDDEN: [403, 'This needs the role {needed}. Your account has the role {role}.'],
  OWN_ACCOUNT: [409, 'you cannot change the role of your own account, or disable it'],
  NO_LONGER_ADMIN: [403, 'your account was disabled or lost its role in the meantime'],
  NOT_FOUND: [404, 'This manifest does not exist.'],
  THUMBNAIL_MISSING: [404, 'This manifest has no thumbnail.'],
  PAGE_UNKNOWN: [404, 'This page does not exist.'],
  USERNAME_INVALID: [
    400,
    'a user name must have 1 to 64 characters: letters a to z and digits, after the first also . _ @ -',
  ],
  USERNAME_TAKEN: [409, 'an account with this name exists already'],
  USERNAME_UNKNOWN: [404, 'no account has this name'],
  PASSWORD_WRONG: [403, 'the current password is wrong'],
  PASSWORD_TRIES: [429, 'too many wrong passwords or codes; wait {seconds} s and try again'],
  OWN_PASSWORD: [409, 'you change your own password on the page of your account'],
  ACCOUNT_CHANGED: [409, 'the account was changed in the meantime'],
  CODE_WRONG: [
    403,
    'the code is wrong; enter the code that the app shows now, and check that the clock of the device is right',
  ],
  FACTOR_EXISTS: [409, 'the account has a second factor already; remove it first'],
  FACTOR_MISSING: [409, 'the account has no second factor'],
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
