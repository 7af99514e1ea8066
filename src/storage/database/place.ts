/** Locations of databases in messages. */

/** A user and a password, whose `/` and `@` may not be escaped. A port is no password. */
const USER_AND_PASSWORD = /^([^:]+:\/\/[^:@/?]*):(?!\d+(?:[/?]|$)).*@/s;
const PASSWORD_PARAMETER = /([?&](?:ssl)?password=)[^&]*/gi;

/** A location without its password. */
export function placeOf(location: string): string {
  return location.replace(USER_AND_PASSWORD, '$1@').replace(PASSWORD_PARAMETER, '$1***');
}
