// Runs an S3 service for the tests: OpenStack Swift on 127.0.0.1, which ends with the process that started it.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startTied } from '../../../dist/src/embedded-postgres/tied-process.js';
import { libraryFolders } from '../debian/packages.mjs';
import { PYTHON, swiftRoot } from './packages.mjs';
import { HANG_TIMEOUT_MS } from '../bounds.mjs';

const SERVE = fileURLToPath(new URL('serve.py', import.meta.url));
const POLL_MS = 50;

/**
 * @param {(() => Promise<void>)[]} stops collects the functions that stop the service
 * @param {{ download?: boolean }} options `download`: whether to download the packages when the cache does not have
 * them
 * @returns {Promise<object>} the settings of the S3 client
 */
export async function startSwift(stops, { download = true } = {}) {
  const root = await swiftRoot({ download });
  const home = await mkdtemp(join(tmpdir(), `oes-swift-${process.pid}-`));
  stops.push(() => rm(home, { recursive: true, force: true }));
  const keys = { accessKeyId: 'test:tester', secretAccessKey: 'the secret key of the tests'.replaceAll(' ', '-') };
  const server = await startTied({
    command: [PYTHON, SERVE, home, keys.accessKeyId, keys.secretAccessKey],
    cwd: home,
    env: {
      HOME: home,
      PATH: process.env.PATH ?? '',
      LC_ALL: 'C.UTF-8',
      PYTHONPATH: join(root, 'usr/lib/python3/dist-packages'),
      LD_LIBRARY_PATH: libraryFolders(root).join(':'),
    },
    logFile: join(home, 'swift.log'),
  });
  stops.push(() => server.stop());
  const endpoint = await addressOf(home, server);
  const settings = { endpoint, region: 'us-east-1', bucket: 'objects', ...keys, forcePathStyle: true };
  await makeBucket(settings);
  return settings;
}

async function addressOf(home, server) {
  for (let waited = 0; waited < HANG_TIMEOUT_MS && !server.hasExited(); waited += POLL_MS) {
    const address = await readFile(join(home, 'address'), 'utf8').catch(() => null);
    if (address !== null) return address.trim();
    await delay(POLL_MS);
  }
  const log = await readFile(join(home, 'swift.log'), 'utf8').catch(() => '');
  throw new Error(`Swift did not start: ${log.trim().split('\n').at(-1) ?? ''}`);
}

async function makeBucket({ endpoint, region, bucket, accessKeyId, secretAccessKey, forcePathStyle }) {
  const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({ endpoint, region, forcePathStyle, credentials: { accessKeyId, secretAccessKey } });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
}
