import { Logger } from '@nestjs/common';
import { BlobMissing, PartsLost, StoreUnavailable } from '../../../platform/storage/index.js';
import { ObjectStorageUnavailable } from './storage.errors.js';

const logger = new Logger('storage');

/**
 * Converts a failure of the store into the error for the client. The reason is only logged. Other errors are returned
 * unchanged.
 */
export function storeFailure(error: unknown): unknown {
  if (!(error instanceof StoreUnavailable || error instanceof BlobMissing || error instanceof PartsLost)) return error;
  logger.error(error);
  return new ObjectStorageUnavailable();
}
