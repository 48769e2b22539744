import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import type { S3Settings } from '../../src/config/index.js';

/** Not to be had, and why. */
export interface Absent {
  readonly absent: string;
}

/**
 * An S3 service for the tests: that of TEST_S3_ENDPOINT and its keys, else a Swift of this run's own, which starts when it
 * is asked for first. Its bucket is shared: a test looks for its own ids alone.
 */
export async function testS3(): Promise<S3Settings | Absent> {
  const { TEST_S3_ENDPOINT: endpoint, TEST_S3_OFFER: offer } = process.env;
  if (endpoint) return fromEnvironment(endpoint);
  if (!offer) throw new Error('TEST_S3_OFFER is not set: run the tests through Jest with its global setup');
  return new Promise((resolve, reject) => {
    const request = get(offer, { agent: false }, (response) => {
      text(response).then((answer) => resolve(JSON.parse(answer) as S3Settings | Absent), reject);
    });
    request.on('error', reject);
  });
}

function fromEnvironment(endpoint: string): S3Settings {
  const { TEST_S3_REGION, TEST_S3_BUCKET, TEST_S3_ACCESS_KEY_ID, TEST_S3_SECRET_ACCESS_KEY } = process.env;
  return {
    endpoint,
    region: TEST_S3_REGION || 'us-east-1',
    bucket: TEST_S3_BUCKET || 'objects',
    accessKeyId: TEST_S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: TEST_S3_SECRET_ACCESS_KEY ?? '',
    forcePathStyle: process.env.TEST_S3_FORCE_PATH_STYLE !== 'false',
  };
}
