import type { S3Settings } from '../../src/config/index.js';
import { type Absent, askProgram, type AskOptions } from './programs/ask.js';

/**
 * Returns an S3 service for the tests: the one at TEST_S3_ENDPOINT with its keys, or else a Swift of this run, which
 * starts at the first call. Its bucket is shared, so a test may only read its own ids.
 */
export async function testS3(options?: AskOptions): Promise<S3Settings | Absent> {
  const { TEST_S3_ENDPOINT: endpoint } = process.env;
  return endpoint ? fromEnvironment(endpoint) : askProgram<S3Settings>('s3', options);
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
