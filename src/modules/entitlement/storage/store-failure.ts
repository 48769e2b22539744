import { Logger } from '@nestjs/common';
import { BlobMissing, PartsLost, StoreUnavailable } from '../../../platform/storage/index.js';
import { ObjectStorageUnavailable } from './storage.errors.js';

const logger = new Logger('storage');

/** What callers are told of a store that fails; why it does is in the log alone. Anything else stays what it is. */
export function storeFailure(error: unknown): unknown {
  if (!(error instanceof StoreUnavailable || error instanceof BlobMissing || error instanceof PartsLost)) return error;
  logger.error(error);
  return new ObjectStorageUnavailable();
}
