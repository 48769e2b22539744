import { join } from 'node:path';
import type { Config } from '../../config/index.js';
import type { Logger, Metrics } from '../telemetry/index.js';
import { FilesObjectStore } from './files-object-store.js';
import { MeteredObjectStore } from './metered-object-store.js';
import type { ObjectStore } from './object-store.js';

/** Returns the configured driver. The S3 driver is loaded only when it is used. */
export async function objectStoreOf(
  { storage, dataDir }: Pick<Config, 'storage' | 'dataDir'>,
  metrics: Metrics,
  logger: Logger,
): Promise<ObjectStore> {
  return new MeteredObjectStore(await driverOf(storage, dataDir.path), metrics, logger);
}

async function driverOf({ s3 }: Config['storage'], dataDir: string): Promise<ObjectStore> {
  if (s3 === undefined) return new FilesObjectStore(join(dataDir, 'objects'));
  const { S3ObjectStore } = await import('./s3-object-store.js');
  return S3ObjectStore.open(s3, join(dataDir, 'spool'));
}
