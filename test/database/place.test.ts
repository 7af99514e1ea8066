/** Locations of databases in messages, and for pg_dump: neither has a password. */
import { expect, test } from 'vitest';
import { dumpConnection } from '../../src/storage/database/dump-connection.js';
import { placeOf } from '../../src/storage/database/place.js';

test.each([
  ['postgres://ann:secret@host:5432/db', 'postgres://ann@host:5432/db'],
  ['postgresql://ann:se/cret@host/db', 'postgresql://ann@host/db'],
  ['postgresql://ann:se@cret@host/db?ssl=true', 'postgresql://ann@host/db?ssl=true'],
  ['postgresql://ann:se?cret@host/db', 'postgresql://ann@host/db'],
  ['postgres://host:5432/db?user=ann&password=secret', 'postgres://host:5432/db?user=ann&password=***'],
  ['postgres://host/db?password=secret&ssl=true', 'postgres://host/db?password=***&ssl=true'],
  ['https://ann:secret@host:9200/a@b', 'https://ann@b'],
  ['http://host:8001/a@b', 'http://host:8001/a@b'],
  ['usearch:///data/search', 'usearch:///data/search'],
])('%s is shown as %s', (location, shown) => {
  expect(placeOf(location)).toBe(shown);
});

test.each([
  ['postgres://ann:p%40ss@host/db', 'postgres://ann@host/db', { PGPASSWORD: 'p@ss' }],
  ['postgres://host/db?user=ann&password=p%2Bss', 'postgres://host/db?user=ann', { PGPASSWORD: 'p+ss' }],
  ['postgresql://a,b:5433/db', 'postgresql://a,b:5433/db?target_session_attrs=read-write', {}],
  ['postgres://h/db?sslmode=no-verify&uselibpqcompat=true', 'postgres://h/db?sslmode=require', {}],
  ['postgres://h/db?sslmode=verify-full', 'postgres://h/db?sslmode=verify-full', { PGSSLROOTCERT: '/ca' }],
  ['postgres://h/db?application_name=a+b', 'postgres://h/db?application_name=a%20b', {}],
])('pg_dump connects to %s', (url, address, variables) => {
  expect(dumpConnection(url, '/ca')).toEqual({ address, variables });
});
