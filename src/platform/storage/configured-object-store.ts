import { join } from 'node:path';
import type { Config } from '../../config/index.js';
import type { Logger, Metrics } from '../telemetry/index.js';
import { FilesObjectStore } from './files-object-store.js';
import { Places } from './files-places.js';
import { MeteredObjectStore } from './metered-object-store.js';
import type { ObjectStore } from './object-store.js';

/** Returns the configured object store. The S3 driver is loaded only when it is configured. */
export async function objectStoreOf(
  { storage, dataDir }: Pick<Config, 'storage' | 'dataDir'>,
  metrics: Metrics,
  logger: Logger,
): Promise<ObjectStore> {
  return new MeteredObjectStore(await driverOf(storage, dataDir.path), metrics, logger);
}

/** Returns the path of the first file that is created when blobs are stored in the data folder. */
export function objectMarkerOf(dataDir: string): string {
  return new Places(objectFolderOf(dataDir)).marker;
}

async function driverOf({ s3 }: Config['storage'], dataDir: string): Promise<ObjectStore> {
  if (s3 === undefined) return new FilesObjectStore(objectFolderOf(dataDir));
  const { S3ObjectStore } = await import('./s3-object-store.js');
  return S3ObjectStore.open(s3, join(dataDir, 'spool'));
}

function objectFolderOf(dataDir: string): string {
  return join(dataDir, 'objects');
}
