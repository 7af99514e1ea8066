/** Variables for reading objects from S3, with the names that every AWS client uses. Services do not read them. */
import { text, webAddress } from './schemas.js';
import { defineVariables, type Values } from './variable.js';

export const s3Variables = defineVariables({
  accessKeyId: {
    name: 'AWS_ACCESS_KEY_ID',
    schema: text(),
    defaultShown: '',
    description: 'Access key; without one, requests are not signed, as for public buckets',
  },
  secretAccessKey: {
    name: 'AWS_SECRET_ACCESS_KEY',
    schema: text(),
    secret: true,
    defaultShown: '',
    description: 'Secret of the access key',
  },
  sessionToken: {
    name: 'AWS_SESSION_TOKEN',
    schema: text(),
    secret: true,
    defaultShown: '',
    description: 'Token of temporary credentials',
  },
  region: {
    name: 'AWS_REGION',
    schema: text(),
    default: 'us-east-1',
    description: 'Region of the bucket',
  },
  endpoint: {
    name: 'AWS_ENDPOINT_URL_S3',
    schema: webAddress(),
    defaultShown: 'the address of the bucket at AWS',
    description: 'Address of another store with the S3 protocol',
  },
});

export type S3Config = Values<typeof s3Variables>;
