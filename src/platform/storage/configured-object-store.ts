import { join } from 'node:path';
import type { Config } from '../../config/index.js';
import type { Logger, Metrics } from '../telemetry/index.js';
import { FilesObjectStore } from './files-object-store.js';
import { MeteredObjectStore } from './metered-object-store.js';
import type { ObjectStore } from './object-store.js';

/** The driver that the configuration names. */
export function objectStoreOf(
  { storage, dataDir }: Pick<Config, 'storage' | 'dataDir'>,
  metrics: Metrics,
  logger: Logger,
): ObjectStore {
  return new MeteredObjectStore(driverOf(storage, dataDir.path), metrics, logger);
}

function driverOf({ s3 }: Config['storage'], dataDir: string): ObjectStore {
  if (s3 === undefined) return new FilesObjectStore(join(dataDir, 'objects'));
  throw new Error('Objects are not kept in S3 yet');
}
